"""What rules and histories can be made of beyond the paper's operators, and what of it the engine does not run yet.

`UNKNOWN_TO_THE_ENGINE` is the one place that says so. The tables of `tests/spec` run a row with the engine, and the
laws of `tests/laws` and the strategies' defaults make use of a construct, as soon as it does not stand there. The
clauses of these constructs are Q, U, S, R, A, B, W, F, V and O.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.reference import Advance
from xmlcep.algebra import (
    OPERATORS,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Operator,
    Termination,
    leaves_of,
    operators_of,
    walk,
)
from xmlcep.algebra import Sequence as Sequence_
from xmlcep.events import PrimitiveEvent, Scope

PAPER = frozenset({"conjunction", "sequence", "disjunction", "multiplicity"})
"""The kinds of the paper's operators."""
CONSTRUCTS = {
    **{
        operator.kind: f"{operator.symbol or operator.kind}[…]"
        for operator in OPERATORS
        if operator.kind not in PAPER
    },
    "edit": "what asks the document while an edit has several records (U1, U2, D4)",
    "release": "when, with end=custom or end=non-local (D4)",
    "guard": "if (D4, U6)",
    "next": "context=next (S2)",
    "strict": "strict (S3)",
    "slide": "slide (S4)",
    "absence": "not, in a sequence (A1, A2, A5)",
    "collected": "all[l,u] (A6)",
    "around": "not and all[l,u] in a conjunction (A7)",
    "compared": "a filter about other operands (A8)",
    "trailing": "not, at the end of a sequence (A3, A4)",
    "within": "within (Q1, D5, Q4, Q5, W1 to W3, G4)",
    "gap": "gap (W4)",
    "advance": "time passes without a change (W5, W6)",
    "filter": "a filter of a leaf (F1 to F4)",
    "scope": "// and //* (F5)",
    "variable": "as and let, bindings in findings (V1, V5, V7)",
    "join": "a variable of several operands (V2, V4)",
    "by": "by (V3)",
    "having": "having (V6)",
    "reference": "reference documents (V8)",
    "opaque": "opaque leaves (O1, O2)",
    "name": "names of operands (V10)",
    "message": "severity and message (Y10)",
}

UNKNOWN_TO_THE_ENGINE: frozenset[str] = frozenset()


def constructs_of(definitions: Sequence[EventDefinition], steps: Sequence[object] = ()) -> set[str]:
    """The constructs that these rules and this history make use of."""
    found = {name for definition in definitions for name in _of_definition(definition)}
    if any(isinstance(step, Advance) for step in steps):
        found.add("advance")
    if any(isinstance(step, PrimitiveEvent) and step.more for step in steps):
        asking = any(operator.options.when for d in definitions for operator in operators_of(d.expression))
        found |= {"edit"} if asking else set()
    return found


def _of_definition(definition: EventDefinition) -> Iterator[str]:
    if definition.context is ContextName.NEXT:
        yield "next"
    if definition.message is not None or definition.severity is not None:
        yield "message"
    for expression in walk(definition.expression):
        yield from _of_leaf(expression) if isinstance(expression, Leaf) else _of_operator(expression)


def _of_leaf(leaf: Leaf) -> Iterator[str]:
    if leaf.filter is not None:
        yield "filter"
    if leaf.bindings:
        yield "variable"
    if leaf.name is not None:
        yield "name"
    if leaf.opaque is not None:
        yield "opaque"
    if leaf.type.scope is not Scope.NODE:
        yield "scope"


def _of_operator(operator: Operator) -> Iterator[str]:
    options = operator.options
    if operator.kind in CONSTRUCTS:
        yield operator.kind
    if isinstance(operator, Sequence_) and operator.aside:
        yield "trailing" if operator.trailing else "absence"
    elif operator.aside:
        yield "around"
    if operator.collected:
        yield "collected"
    if any(_compares(operator, k) for k in operator.aside):
        yield "compared"
    if options.context is ContextName.NEXT:
        yield "next"
    if options.when is not None and options.end in (Termination.CUSTOM, Termination.NON_LOCAL):
        yield "release"
    names = [name for operand in operator.operands for name in _bound(operand)]
    if len(names) > len(set(names)) and not isinstance(operator, Disjunction):
        yield "join"
    for name in ("guard", "within", "gap", "having", "by", "strict", "slide"):
        if getattr(options, name):
            yield name
    if options.let:
        yield "variable"


def _compares(operator: Operator, k: int) -> bool:
    """Whether the filter of an operand that stands aside is about others (A8)."""
    leaf = operator.operands[k]
    others = [operand for n, operand in enumerate(operator.operands) if n not in operator.aside]
    known = {f"${name}" for operand in others for name in _bound(operand)}
    return isinstance(leaf, Leaf) and leaf.filter is not None and any(name in leaf.filter for name in known)


def _bound(expression: Expression) -> set[str]:
    """The variables that are bound somewhere in it."""
    return {binding.name for leaf in leaves_of(expression) for binding in leaf.bindings}
