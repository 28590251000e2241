"""What people write who know other languages, where it cannot stand: signs, brackets and comments of theirs."""

from __future__ import annotations

import re

_BRACKETS = {
    "plus": 'plus[a, "10 min"]',
    "aperiodic": "aperiodic[a, c] b",
    "aperiodic*": "aperiodic*[a, c] b",
    "periodic": 'periodic[a, "1 h", c]',
    "periodic*": 'periodic*[a, "1 h", c]',
    "not": "not(b)[a, c]",
    "any": "any[2](a, b, c)",
}
"""How the operators with brackets are written."""

_BOUNDS = "a multiplicity has two bounds: x[1,3], or x[1,*] for no upper bound"
_SIGNS = {
    "->": "write ';' between what comes first and what comes then",
    "=>": "write ';' between what comes first and what comes then",
    "--": "a comment begins with #",
    "//": "a comment begins with #",
    "/*": "a comment begins with #",
    "==": "write one '='",
    "&&": "write one '&'",
    "||": "write one '|'",
    ";;": "write one ';'",
}
_OPERATOR = re.compile(r"([\w×]+\*?)\s*$")
_COUNT = re.compile(r"[x×]\s*[(\[]\s*-?\d+\s*$")
_HEAD = re.compile(r"event\s+\S+\s*$")
_VALUE = re.compile(r"=[^{}=]*[,}]")
_CALLED = re.compile(r"\b(plus|a?periodic\*?|any)\s*\(\s*[\w*?]+\s*$")
_OPTION = re.compile(r"\{[^{}]*$")


def hint_for_habit(text: str, start: int, expected: list[str]) -> str:
    """What to write instead of what is at ``start``; "" if it is no such thing.

    >>> hint_for_habit("event A = ins(a) && ins(b)", 18, []), hint_for_habit("event A = ins(a) -> del(a)", 17, [])
    ("write one '&'", "write ';' between what comes first and what comes then")
    """
    before, sign = text[:start], text[start]
    for pair in (text[start : start + 2], text[start - 1 : start + 1]):
        if pair in _SIGNS:
            return _SIGNS[pair]
    if sign == "!":
        return "write 'not', before an operand of a sequence: a ; not b ; c"
    if _OPTION.search(before) and "'}'" in expected:
        if sign == ":":
            return "write '=' between an option and its value"
        if sign == "=" and _VALUE.match(text, start):
            return "options are separated by commas"
    if sign == "[":
        if _HEAD.fullmatch(before):
            return "write options in braces: event NAME {context=recent} = …"
        if "';'" in expected:
            return _hint_for_filter(text, start)
    if _COUNT.search(before):
        return _BOUNDS
    if sign.isdigit() and "an event such as ins(item)" in expected:
        return f"write x[{sign},*] ins(item) for {sign} or more, x[1,{sign}] ins(item) for at most {sign}"
    return _hint_for_operator(before, sign)


def _hint_for_filter(text: str, start: int) -> str:
    """A bracket that is not read as that of a filter."""
    if not text[:start].rstrip().endswith((")", "]")):
        return ""
    depth, quote = 0, ""
    for character in text[start:]:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += {"[": 1, "]": -1}.get(character, 0)
            if not depth:
                return 'write a filter right after a leaf; a condition on an operator is {when="…"} or {having="…"}'
    return f"a string in it is not closed: {quote}" if quote else "the '[' is not closed"


def _hint_for_operator(before: str, sign: str) -> str:
    """An operator with brackets that has parentheses, or not all that is in its brackets."""
    called = _CALLED.search(before) if sign == "(" else None
    if called is not None:
        return f"write {_BRACKETS[called[1]]}"
    opener = _inside(before)
    found = _OPERATOR.search(opener) if opener else None
    if found is None:
        ended = re.search(r"any\[\d+\]\s*$", before)
        return f"write {_BRACKETS['any']}" if ended else ""
    name = found[1]
    if name in ("x", "×"):
        return _BOUNDS
    return f"write {_BRACKETS[name]}" if name in _BRACKETS else ""


def _inside(before: str) -> str:
    """What is before the last bracket that is still open; "" if there is none."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(before[at], 0)
        if depth < 0:
            return before[:at]
    return ""
