"""Values of variables: strings, numbers, booleans, and lists of them (V1, V5, V7)."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, TypeAlias

from lxml import etree

Value: TypeAlias = str | float | bool
Variables: TypeAlias = dict[str, Value | list[Value]]

_AS_TEXT = etree.XPath("string($value)")
_AS_NUMBER = etree.XPath("number($value)")
_NOTHING = etree.Element("nothing")


def as_text(value: Value) -> str:
    """The string value, as XPath says; joins compare these (V2). libxml2 writes large numbers as 1e+20."""
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
    return str(_AS_TEXT(_NOTHING, value=value))


def as_number(value: Value) -> float:
    """The number, as XPath says: NaN if it is none."""
    return float(_AS_NUMBER(_NOTHING, value=value))


def single(value: Value | list[Value] | None) -> Value | None:
    """The one value: a list of one is that, one of none is none (V2)."""
    if not isinstance(value, list):
        return value
    assert len(value) <= 1, f"{value} cannot join (V2)"
    return value[0] if value else None


def in_json(value: Value | list[Value]) -> Any:
    """As it stands in a finding: whole numbers without a point, NaN and infinities as strings (V1)."""
    if isinstance(value, list):
        return [in_json(inner) for inner in value]
    if isinstance(value, (bool, str)):
        return value
    if math.isnan(value) or math.isinf(value):
        return as_text(value)
    return int(value) if value == int(value) else value
