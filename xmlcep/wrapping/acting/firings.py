"""From composites to firings: which rules they trigger, at which nodes, and which firings wait for the end of a
transaction (rules L1, L3, L4)."""

from __future__ import annotations

from collections.abc import Sequence

from ...actions.firing import Firing
from ...algebra import Mode
from ...events import CompositeEvent, CompositeType
from ...rules.rule_programs import RuleProgram
from ..shadow.shadow import ShadowTree
from .firing_context import anchor_of
from .rule_set import RuleSet, Triggered


def triggered_by(
    tree: ShadowTree, rules: RuleSet, composites: Sequence[CompositeEvent], depth: int, parent: Firing | None,
    *, in_transaction: bool,
) -> list[Firing]:  # fmt: skip
    """The firings of these composites, in their order; those for the end of the transaction are put aside."""
    found: list[Firing] = []
    for composite in composites:
        for rule in rules.by_event.get(composite.name, ()):
            if rule.path is not None and not _is_at(composite, rule):
                continue
            anchor = anchor_of(tree, composite, rules.rules.namespaces)
            if anchor is None:
                rules.counts.dropped += 1
            elif in_transaction and rule.at_commit:
                rules.waiting.append(Triggered(rule, composite, anchor))
            else:
                found.append(Firing(rule, rules, [composite], [anchor], depth, parent))
    return together(found) if len(found) > 1 else found


def firings_of(rules: RuleSet, waiting: Sequence[Triggered], depth: int) -> list[Firing]:
    """The firings of what has waited for the end of the transaction."""
    return together([Firing(rule, rules, [event], [anchor], depth) for rule, event, anchor in waiting])


def together(firings: Sequence[Firing]) -> list[Firing]:
    """The firings of one occasion: those of a rule in set mode are one (L3)."""
    found: list[Firing] = []
    of_sets: dict[int, Firing] = {}
    for firing in firings:
        rule = firing.rule
        if rule.mode is not Mode.SET:
            found.append(firing)
        elif rule.index in of_sets:
            of_sets[rule.index].composites += firing.composites
            of_sets[rule.index].anchors += firing.anchors
        else:
            of_sets[rule.index] = firing
            found.append(firing)
    return found


def _is_at(composite: CompositeEvent, rule: RuleProgram) -> bool:
    """Whether a composite happened where the rule's trigger says."""
    assert rule.path is not None
    return composite.path is not None and CompositeType(composite.name, rule.path).accepts(
        composite.name, composite.path
    )
