"""The tests of type alternatives (XSD 1.1) as conditions of rules can ask them.

XML Schema has them in a part of XPath 2.0 that looks at the attributes of the element only. What says the same in
XPath 1.0 is taken over: attributes that are there, compared with strings, numbers and each other, joined by ``and``,
``or`` and ``not``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .naming import Prefixes

_TOKEN = re.compile(
    r"""\s*(?:@\s*(?P<attribute>(?:[\w.-]+:)?[\w.-]+)|(?P<string>"[^"']*"|'[^"']*')|(?P<number>\d+(?:\.\d+)?)(?![\w.])
    |(?P<word>and|or|not|true|false)(?![\w:.-])|(?P<relation>[!<>]=|[=<>])|(?P<bracket>[()]))""",
    re.VERBOSE,
)
_CLARK = re.compile(r"@(\{[^}]*\}[\w.-]+)")
_EQUALITY = re.compile(r"@(?P<name>\S+) = (?P<value>'[^']*')")
_OPERANDS = {
    frozenset({"attribute", "string"}): ("=", "!="),
    frozenset({"attribute"}): ("=", "!="),
    frozenset({"attribute", "number"}): ("=", "<", "<=", ">", ">="),
}
"""What can be compared so that XPath 1.0 says the same: there ``<`` of strings compares numbers, and what is not a
number is unequal to each, where 2.0 has an error, which selects nothing."""


def read_test(text: str, namespaces: Mapping[str, str], inherited: Iterable[str] = ()) -> str | None:
    """The test with names in Clark notation; None where a condition would not say the same.

    ``inherited`` are attributes that an element can have from one that it is in.

    >>> read_test("@kind='map' and not(@f:old)", {"f": "urn:f"})
    "@kind = 'map' and not(@{urn:f}old)"
    >>> read_test("xs:int(@n) = 1", {}) is None, read_test("@a < @b", {}) is None
    (True, True)
    """
    kinds: list[str] = []
    words: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            return None
        kind, word = found.lastgroup, found[found.lastgroup]
        if kind == "attribute":
            prefix, _, name = word.rpartition(":")
            if name in inherited or (prefix and prefix not in namespaces):
                return None
            word = f"@{{{namespaces[prefix]}}}{name}" if prefix else f"@{name}"
        elif kind == "string":
            word = f"'{word[1:-1]}'"
        kinds.append(kind)
        words.append(word)
        at = found.end()
    for index, kind in enumerate(kinds):
        sides = frozenset(kinds[max(index - 1, 0) : index + 2 : 2])
        if kind == "relation" and words[index] not in _OPERANDS.get(sides, ()):
            return None
    return _written(kinds, words)


def _written(kinds: list[str], words: list[str]) -> str:
    """The words with a blank between two of them, but for parentheses."""
    said = ""
    for index, word in enumerate(words):
        joined = not said or said.endswith("(") or word == ")"
        opening = word == "(" and kinds[index - 1] == "word" and words[index - 1] in ("not", "true", "false")
        said += word if joined or opening else f" {word}"
    return said


def write_test(test: str, prefixes: Prefixes) -> str:
    """A test that was read, with the prefixes of the rules."""

    def name(found: re.Match[str]) -> str:
        return f"@{prefixes.of_attribute(found[1])}"

    return _CLARK.sub(name, test)


def exclude_each_other(one: str, other: str) -> bool:
    """Whether two tests cannot both be true, as they compare one attribute with different strings."""
    first, second = _EQUALITY.fullmatch(one), _EQUALITY.fullmatch(other)
    return (
        first is not None
        and second is not None
        and first["name"] == second["name"]
        and first["value"] != second["value"]
    )
