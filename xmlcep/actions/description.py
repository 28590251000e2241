"""Rules that act in words and drawn: when they fire, which may trigger which, what may not end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..algebra import EventTrigger, Raise
from ..language.printer import print_action, print_path
from ..rules.drawing import escaped, mermaid_lines, root_id
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


def draw_mermaid(triggers: Triggers, graph: TriggeringGraph, namespaces: Mapping[str, str]) -> str:
    """The event trees and rules as a Mermaid flow chart.

    Thick arrows lead from an event to the rules that it triggers, arrows with words from a rule to those that it may
    trigger, dotted ones to the external events that it raises. Rules of a cycle for which no reason is known why it
    should end have a thick border.
    """
    lines = mermaid_lines(triggers.graph, namespaces)
    ids = {rule.name: f"R{rule.index}" for rule in triggers.programs}
    for rule in triggers.programs:
        words = "<br/>".join(map(escaped, _words(rule)))
        lines.append(f'  {ids[rule.name]}{{{{"{words}"}}}}')
        where = "" if rule.path is None else f'|"{escaped(print_path(rule.path, namespaces))}"|'
        lines.append(f"  {root_id(rule.tree)} ==>{where} {ids[rule.name]}")
    for rule in triggers.programs:
        lines += [f"  {ids[rule.name]} -->|may trigger| {ids[to]}" for to in graph.edges[rule.name]]
        raised = dict.fromkeys(each.event for each in rule.definition.actions if isinstance(each, Raise))
        lines += [f"  {ids[rule.name]} -.->|raises| {root_id(triggers.externals[name])}" for name in raised]
    endless = dict.fromkeys(ids[name] for cycle in graph.endless for name in cycle.rules)
    if endless:
        lines.append("  classDef endless stroke-width:4px")
        lines.append(f"  class {','.join(endless)} endless")
    return "\n".join(lines) + "\n"


def _words(rule: RuleProgram) -> list[str]:
    condition = rule.definition.condition
    words = [f"rule {rule.name}", *traits(rule)[1:]]
    if condition is not None:
        words.append(f"if {condition}")
    return [*words, *(f"do {print_action(action)}" for action in rule.definition.actions)]
