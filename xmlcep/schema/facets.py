"""What is kept of the facets of simple types before a schema is built: whether they take the empty string.

Nothing else of them matters to what makes an element complete, and what the library does with them can take
for ever: it matches default, fixed and enumerated values with the patterns, and every enumerated value with those
of the type that is restricted. What was there before stays in attributes of our own, for those who ask what values
there can be (`simple_types`).
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_ENUMERATION = 1_000
"""Values of an enumeration that are kept one by one; of a longer one only whether the empty string is in it."""

_XSD = "{http://www.w3.org/2001/XMLSchema}"
_PATTERN, _ENUMERATION = "{urn:xmlcep:schema}pattern", "{urn:xmlcep:schema}enumeration"
_SOMETHING, _ANYTHING = r"[\s\S]+", r"[\s\S]*"
_QUANTIFIER = re.compile(r"[?*+]|\{(\d+)(,\d*)?\}")


def simplify_facets(root: Any) -> None:
    """Rewrites patterns and long enumerations in a schema document (an ElementTree element) to patterns that take
    the empty string if these do, and any other string."""
    for restriction in root.iter(f"{_XSD}restriction"):
        values = restriction.findall(f"{_XSD}enumeration")
        if len(values) > MAX_ENUMERATION:
            has_empty = any(not value.get("value", "").strip() for value in values)
            restriction[:] = [
                child for child in restriction if child.tag != values[0].tag or child is values[0]
            ]
            values[0].tag = f"{_XSD}pattern"
            values[0].set(_ENUMERATION, json.dumps([value.get("value", "") for value in values]))
            values[0].set("value", _ANYTHING if has_empty else _SOMETHING)
        for pattern in restriction.findall(f"{_XSD}pattern"):
            takes_empty = accepts_empty(pattern.get("value", ""))
            if takes_empty is not None and pattern.get(_ENUMERATION) is None:
                pattern.set(_PATTERN, pattern.get("value", ""))
                pattern.set("value", _ANYTHING if takes_empty else _SOMETHING)


def kept_pattern(pattern: Any) -> str:
    """What stood in an element that is a pattern."""
    return str(pattern.get(_PATTERN, pattern.get("value", "")))


def kept_enumeration(pattern: Any) -> tuple[str, ...] | None:
    """The values of the enumeration that a pattern stands for; None if it stands for none."""
    kept = pattern.get(_ENUMERATION)
    return None if kept is None else tuple(json.loads(kept))


def accepts_empty(pattern: str) -> bool | None:
    """Whether a regular expression of XML Schema matches the empty string; None if it is not well-formed.

    Takes time in proportion to its length: it is read, not run.

    >>> [accepts_empty(pattern) for pattern in ("(a+)+b", "a*|b", "([0-9]{0,3}-)?", "(a", "")]
    [False, True, True, None, True]
    """
    # For every open group: whether a branch of it before this one matches "", and whether this one does so far.
    groups = [(False, True)]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "(":
            groups.append((False, True))
            at += 1
            continue
        if character == "|":
            before, branch = groups.pop()
            groups.append((before or branch, True))
            at += 1
            continue
        if character == ")":
            if len(groups) == 1:
                return None
            before, branch = groups.pop()
            atom = before or branch
            at += 1
        else:
            atom = False
            at = _behind_atom(pattern, at)
            if at < 0:
                return None
        quantifier = _QUANTIFIER.match(pattern, at)
        if quantifier is not None:
            at = quantifier.end()
            atom = atom or quantifier.group() in ("?", "*") or not int(quantifier.group(1) or 1)
        before, branch = groups.pop()
        groups.append((before, branch and atom))
    return any(groups[0]) if len(groups) == 1 else None


def _behind_atom(pattern: str, at: int) -> int:
    """Where a character, an escape or a class in brackets ends; -1 if it does not, or cannot stand here."""
    if pattern[at] in "?*+":
        return -1
    if pattern[at] == "]":
        return at + 1  # strictly to be escaped, but the library reads it, as it does braces
    depth = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
            if pattern[at : at + 1] in ("p", "P"):
                at = pattern.find("}", at)
                if at < 0:
                    return -1
        elif pattern[at] == "[":
            depth += 1
        elif pattern[at] == "]":
            depth -= 1
        at += 1
        if depth == 0:
            return at if at <= len(pattern) else -1
    return -1
