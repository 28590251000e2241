"""What constructs are called in the XML form of rules."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType

from ...algebra import OPERATORS, Action, External, Operator
from ...events import ANY

NAMESPACE = "urn:xmlcep:rules"
"""The namespace of all elements; attributes are in none."""

PRIMITIVE = MappingProxyType({"ins": "ins", "upd": "upd", "del": "del", "change": ANY})
"""The operations by the elements that stand for leaves of primitive events."""
COMPOSITE, OPAQUE = "composite", "opaque"
LEAVES = (*PRIMITIVE, COMPOSITE, OPAQUE)
"""The elements that stand for leaves."""


def operator_name(operator: type[Operator]) -> str:
    """The element that stands for operators of this kind."""
    return operator.kind.replace("_", "-")


OPERATOR_BY_NAME = MappingProxyType({operator_name(operator): operator for operator in OPERATORS})
"""The operators by the elements that stand for them."""
EXTERNAL = operator_name(External)
"""The element that stands for an event that rules raise, alone in its event (L7)."""
ON = "on"
"""The element of what an action rule is triggered by."""
NOT, ALL = "not", "all"
"""The elements around an operand that stands aside: that must not occur (A1), or of which all is taken along (A6)."""
LET, VARIABLE = "let", "variable"
"""The elements of variables: of an operator (``let``), and of a leaf (``as``)."""
LONGEST_ARGUMENT = 18
"""Digits of a number: what is longer is certainly a mistake, and never costs time."""


def may_lack(action: type[Action], attribute: str) -> bool:
    """Whether an action can be without this."""
    return any(field.name == attribute and field.default is None for field in fields(action))
