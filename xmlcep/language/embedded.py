"""XPath expressions that are in a rules text without quotes: in ``[…]`` and ``(…)``, to the sign that balances it."""

from __future__ import annotations

import re

DEEPEST = 12
"""Brackets within brackets, or parentheses within parentheses."""


def _balanced(opens: str, closes: str) -> str:
    """A pattern of an XPath in these signs, to the one that balances the first; strings in it are skipped.

    Nothing is tried twice (``*+``, ``++``): that would take memory for every character.
    """
    o, c = re.escape(opens), re.escape(closes)
    inside = rf"""[^{o}{c}"']++|"[^"]*+"|'[^']*+'"""
    pattern = rf"{o}(?:{inside})*+{c}"
    for _ in range(DEEPEST):
        pattern = rf"{o}(?:{inside}|{pattern})*+{c}"
    return pattern


FILTER = _balanced("[", "]")
"""A filter behind a leaf's path, brackets included (F1)."""
VALUE = _balanced("(", ")")
"""An expression behind ``as $name =``, parentheses included (V1)."""


def is_embeddable(pattern: str, text: str) -> bool:
    """Whether a text with its brackets is read back as it is."""
    return re.fullmatch(pattern, text) is not None
