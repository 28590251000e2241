"""What constructs are called in the XML form of rules."""

from __future__ import annotations

from types import MappingProxyType

from ...algebra import OPERATORS, Operator
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
NOT = "not"
"""The element around an operand of a sequence that must not occur (A1)."""
LET, VARIABLE = "let", "variable"
"""The elements of variables: of an operator (``let``), and of a leaf (``as``)."""
LONGEST_ARGUMENT = 18
"""Digits of a number: what is longer is certainly a mistake, and never costs time."""
