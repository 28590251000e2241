"""Events and the rules that they trigger in one drawing: the event trees, and the triggering graph below them (L9)."""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import Raise
from ..language.printer import print_action, print_path
from ..rules.drawing import escaped, mermaid_lines, root_id
from ..rules.rule_programs import RuleProgram, Triggers
from .description import traits
from .triggering import TriggeringGraph


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
