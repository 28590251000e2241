"""Rules that act in words, for ``xmlcep check``: when they fire, which may trigger which, what may not end."""

from __future__ import annotations

from collections.abc import Iterator

from ..algebra import EventTrigger
from ..rules.rule_programs import RuleProgram, Triggers
from .triggering import TriggeringGraph


def describe_triggering(triggers: Triggers, graph: TriggeringGraph) -> Iterator[str]:
    """The lines that say what is known of the rules before any event (L3, L4, L9, L10)."""
    for rule in triggers.programs:
        yield f"rule {rule.name}  {', '.join(traits(rule))}"
        targets = graph.edges[rule.name]
        yield f"  may trigger  {', '.join(targets) if targets else 'no rule'}"
    if graph.terminates:
        yield "every cascade ends: no rule can trigger itself, directly or not (L9)"
    for cycle in graph.cycles:
        known = f"it may end: {cycle.reason}" if cycle.reason else "no reason is known why it should end"
        yield f"cycle  {cycle}: {known} (L9)"
    for conflict in graph.conflicts:
        yield (
            f"order  {conflict.first} and {conflict.second} have the same priority, and {conflict.why}: "
            f"{conflict.first} goes first, as it is defined first (L10)"
        )


def traits(rule: RuleProgram) -> list[str]:
    """What triggers a rule, and how it fires, in words."""
    named = isinstance(rule.definition.trigger, EventTrigger)
    traits = [f"on {rule.event}" if named else "on an event of its own", f"mode {rule.mode.value}"]
    if rule.at_commit:
        traits.append("at the end of the transaction")
    if rule.definition.priority:
        traits.append(f"priority {rule.definition.priority}")
    return traits
