"""What `xmlcep check --format json` writes: for editors and scripts, problems and event trees as one JSON object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..actions.triggering import TriggeringGraph
from ..auditing.plan.description import key_of
from ..auditing.plan.partition_key import make_plan
from ..errors import RuleProblem
from ..events import bindings_in_finding
from ..language import print_path
from ..rules import Rules
from ..rules.drawing import constraints_of, leaf_text
from ..rules.rule_programs import Triggers
from ..rules.trees import EventTree, LeafNode, OperatorNode

_CITED = re.compile(r"\b[A-Z]\d{1,2}\b(?=[^()]*\))")


def report(
    files: Sequence[str],
    rules: Rules | None,
    errors: Sequence[RuleProblem],
    warnings: Sequence[RuleProblem],
    graph: TriggeringGraph | None = None,
) -> dict[str, Any]:
    """``files``, ``errors`` and ``warnings``, and of rules that can be used the ``params`` with their values, the
    ``events``, and the ``triggering`` of those that act (null if none does), of which ``graph`` is the triggering
    graph."""
    triggers = None if rules is None else rules.triggers
    return {
        "files": list(files),
        "errors": [_problem(problem, files) for problem in errors],
        "warnings": [_problem(problem, files) for problem in warnings],
        "params": {} if rules is None else bindings_in_finding({p.name: p.value for p in rules.parameters}),
        "events": [] if rules is None else _events(rules),
        "triggering": None
        if rules is None or triggers is None or graph is None
        else _triggering(triggers, graph, rules),
    }


def _problem(problem: RuleProblem, files: Sequence[str]) -> dict[str, Any]:
    """Where a problem is (columns and width in characters, from 1; line null: nowhere in a text) and what to do."""
    cited = dict.fromkeys(_CITED.findall(f"{problem.message} {problem.hint}"))
    return {
        "file": problem.at.file or (files[0] if len(files) == 1 else None),
        "line": problem.line or None,
        "column": problem.column or None,
        "width": problem.at.width if problem.line else None,
        "message": problem.message,
        "hint": problem.hint or None,
        "rules": list(cited),
    }


def _events(rules: Rules) -> list[dict[str, Any]]:
    """The event trees in the order in which they are processed (G2)."""
    trees = rules.graph.trees
    passes = make_plan(rules).passes
    return [
        {
            "name": tree.name,
            "path": print_path(tree.path, rules.namespaces),
            "description": tree.definition.description,
            "severity": tree.definition.severity and tree.definition.severity.value,
            "message": tree.definition.message,
            "flat": tree.flat,
            "across": tree.across,
            "order": tree.order.value,
            "depends_on": [trees[index].name for index in tree.dependencies],
            "used_by": [other.name for other in trees if tree.index in other.dependencies],
            "variables": {
                name: "value" if variable.is_single else "list"
                for name, variable in rules.graph.programs[tree.index][tree.root.index].variables.items()
            },
            "partition_by": key_of(next(each for each in passes if tree in each.trees)),
            "tree": _node(tree.root, tree, rules),
        }
        for tree in trees
    ]


def _node(node: OperatorNode | LeafNode, tree: EventTree, rules: Rules) -> dict[str, Any]:
    if isinstance(node, LeafNode):
        return {"leaf": leaf_text(node, rules.namespaces)}
    found: dict[str, Any] = {
        "operator": node.kind,
        "drawn": node.definition.drawn,
        "label": tree.name if node.parent is None else node.label,
        "path": print_path(node.path, rules.namespaces),
        "context": node.context.value,
    }
    found |= constraints_of(node, rules.graph.programs[tree.index][node.index])
    operands = [_node(child, tree, rules) for child in node.children]
    for child, operand in zip(node.children, operands, strict=True):
        if child.child_index in node.definition.negated:
            operand["negated"] = True
    for collected in node.definition.collected:
        operands[collected.operand]["all"] = list(collected.bounds)
    return {**found, "operands": operands}


def _triggering(triggers: Triggers, graph: TriggeringGraph, rules: Rules) -> dict[str, Any]:
    """Which rules may trigger which, and whether every cascade ends (L9, L10)."""
    return {
        "rules": [
            {
                "name": rule.name,
                "on": rule.event,
                "path": None if rule.path is None else print_path(rule.path, rules.namespaces),
                "mode": rule.mode.value,
                "coupling": rule.definition.coupling.value,
                "priority": rule.definition.priority,
                "may_trigger": list(graph.edges[rule.name]),
            }
            for rule in triggers.programs
        ],
        "terminates": graph.terminates,
        "cycles": [{"rules": list(cycle.rules), "reason": cycle.reason} for cycle in graph.cycles],
        "conflicts": [
            {"first": each.first, "second": each.second, "why": each.why} for each in graph.conflicts
        ],
    }
