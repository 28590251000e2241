"""Rules that act, open on a wrapped document (docs/actions.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lxml import etree

from ...actions.firing import FiringCounts
from ...actions.history import EventHistory
from ...arguments import BY_NAME, NAMES, check, function_of, is_function, optional
from ...checking.unmatched import Unmatched, unmatched
from ...closing import Closing
from ...engine import ON_REMOVED, Detector, OnRemoved, Replacement
from ...errors import XmlCepError
from ...events import CompositeEvent
from ...rules import Rules
from ...rules.rule_programs import Triggers
from ..detecting import detector_on, replace_on
from ..errors import DocumentError, WrapError
from ..not_copyable import Single
from ..parsing import parse_file
from ..settled import check_told
from ..shadow import outside_proxies
from .cascades import Cascades
from .rule_set import Function, RuleSet, Validity


class ActiveRules(Single, Closing):
    """Rules that act on a document, from their opening until `close`; made by `Document.rules`."""

    _instead = "open them again, document.rules(rules)"

    def __init__(
        self,
        cascades: Cascades,
        rules: Rules,
        *,
        actions: Mapping[str, Function] | None,
        on_fire: Function | None,
        on_error: Callable[[XmlCepError], Any] | None,
        limit: int,
        most: int,
        strict: bool,
        schema: str | Path | etree.XMLSchema | None,
        initial: bool = False,
    ) -> None:
        triggers = _triggers(rules)
        functions = dict(actions or {})
        _check(functions, triggers, on_fire, on_error, limit, most)
        self._set = RuleSet(
            rules, EventHistory(_detector(rules, triggers, cascades, initial=initial)), functions,
            on_fire, on_error, limit, most, strict, _validity(schema),
        )  # fmt: skip
        self._cascades: Cascades | None = cascades
        cascades.add(self._set)

    @property
    def counts(self) -> FiringCounts:
        """What became of the firings."""
        return self._set.counts

    def unmatched(self, fired: Collection[str]) -> Iterator[Unmatched]:
        """The leaves of rules that have not ``fired`` which no change has matched, with the likely reason."""
        check("ActiveRules.unmatched()", fired=(fired, NAMES))
        triggers = _triggers(self._set.rules)
        graph, happened = triggers.graph, self._set.history.detector.types_fed
        waiting = [rule.tree.index for rule in triggers.programs if rule.name not in fired]
        silent: set[int] = set()
        while waiting:
            silent.add(index := waiting.pop())
            waiting += set(graph.trees[index].dependencies) - silent
        names = {graph.trees[index].name for index in silent}
        return unmatched(replace(self._set.rules, graph=graph), happened, names)

    def replace(
        self, rules: Rules, *, actions: Mapping[str, Function] | None = None, on_removed: OnRemoved = "drop"
    ) -> Replacement:
        """Goes on with other rules, between two edits: event trees that are in both keep what they have seen (G7),
        whatever their rules do then. ``actions`` are the functions that they call, by default those there are.

        What is due in trees that are gone does not fire, with ``on_removed="flush"`` it does, by the rules before. Says
        what became of the trees. Raises `RefusedError` in a transaction or in a callback, `WrapError` for
        rules that do not act, functions that are missing and when closed.
        """
        cascades = self._cascades
        if cascades is None:
            raise WrapError(
                "replace() of rules that have been closed: open them again, document.rules(rules)"
            )
        check("replace()", actions=(actions, optional(BY_NAME)))
        triggers, functions = _triggers(rules), self._set.functions if actions is None else dict(actions)
        _check_functions(functions, triggers)
        check("replace()", on_removed=(on_removed, ON_REMOVED))
        outside_proxies.catch_up(cascades.tree)
        check_told(cascades.tree, "replace()")
        own = self._set
        acting = replace(rules, graph=triggers.graph)
        raised: tuple[CompositeEvent, ...] = ()
        if on_removed == "flush":  # it fires by the rules before, which see what it does
            trial = own.history.detector.copy()
            raised = replace_on(cascades.tree, trial, acting, on_removed, triggers.trees).raised
            cascades.run_flush(own, raised)
        detector = own.history.detector
        replacement = replace_on(cascades.tree, detector, acting, "drop", triggers.trees)
        own.history = EventHistory(detector)
        own.have(rules, functions)
        cascades.replaced()
        return replace(replacement, raised=raised)

    def flush(self) -> None:
        """Releases matches that wait for that in the events of the rules (D3), and lets these fire."""
        if self._cascades is not None:
            self._cascades.run_flush(self._set, self._set.history.flush())

    def close(self) -> None:
        """Ends the rules; partial matches of their events are forgotten and do not fire. Closing twice is harmless."""
        cascades, self._cascades = self._cascades, None
        if cascades is not None:
            cascades.remove(self._set)

    @property
    def closed(self) -> bool:
        """Whether they have been closed."""
        return self._cascades is None

    def __repr__(self) -> str:
        return f"<ActiveRules{' closed' if self.closed else ''}: {self._set.rules.listed()}>"


def _triggers(rules: Rules) -> Triggers:
    """The rules of these that act, compiled."""
    if not isinstance(rules, Rules) or rules.triggers is None:
        name = rules.source_name if isinstance(rules, Rules) else repr(rules)
        raise WrapError(f"{name} has no action rules: write rule NAME on EVENT do …, or use watch()")
    return rules.triggers


def _detector(rules: Rules, triggers: Triggers, cascades: Cascades, *, initial: bool) -> Detector:
    """The detector of the events that trigger rules; ``initial``: what is there comes as events."""
    acting, trees = replace(rules, graph=triggers.graph), triggers.trees
    return Detector(acting, trees=trees) if initial else detector_on(cascades.tree, acting, trees=trees)


def _check(
    functions: Mapping[str, object],
    triggers: Triggers,
    on_fire: object,
    on_error: object,
    limit: int,
    most: int,
) -> None:
    """Raises `WrapError` for arguments that cannot be."""
    _check_functions(functions, triggers, {"on_fire": on_fire, "on_error": on_error})
    for name, number in (("limit", limit), ("firings", most)):
        if type(number) is not int or number < 1:
            raise WrapError(f"{name} is {number!r}: expected a whole number from 1 on")


def _check_functions(
    functions: Mapping[str, object], triggers: Triggers, others: Mapping[str, object] = MappingProxyType({})
) -> None:
    missing = [name for name in triggers.functions if name not in functions]
    if missing:
        raise WrapError(
            f"the rules call {', '.join(missing)}: pass actions={{{missing[0]!r}: function}}, of one argument"
        )
    given = {**{f"actions[{name!r}]": function for name, function in functions.items()}, **others}
    for name, function in given.items():
        if function is not None and not is_function(function):
            raise WrapError(f"{name} is {function!r}: {function_of('', function)}")


def _validity(given: str | Path | etree.XMLSchema | None) -> Validity | None:
    if given is None:
        return None
    if isinstance(given, etree.XMLSchema):
        return Validity(given, edits=True)
    try:
        return Validity(etree.XMLSchema(parse_file(given)), edits=False)
    except (OSError, DocumentError, etree.Error) as error:
        raise WrapError(f"{given}: the schema cannot be used: {error}") from error
