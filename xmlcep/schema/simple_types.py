"""What the texts of simple types can be: what a comparison with them can be true of.

The library says whether a type takes a text. It does not know the patterns and long enumerations that were simplified
before it read the schema (`facets`), which are looked at here: patterns by an engine that takes time in proportion to
the text, where it is installed, enumerations as sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from functools import cache
from typing import Any

from ..checking.values import LISTED, Range, Values, any_of, some_of
from ..errors import MissingExtraError
from ..xpath.regex import PatternError, matcher
from ..xpath.values import number_of_text
from .facets import kept_enumeration, kept_pattern

_XSD = "{http://www.w3.org/2001/XMLSchema}"
_BY_PREFIX = frozenset([f"{_XSD}QName", f"{_XSD}NOTATION"])
"""Types whose values depend on the prefixes of a document."""
_NO_NUMBERS = frozenset(
    _XSD + name
    for name in (
        "language", "Name", "NCName", "ID", "IDREF", "ENTITY", "duration", "dayTimeDuration", "yearMonthDuration",
        "dateTime", "dateTimeStamp", "date", "time", "gYearMonth", "gMonth", "gMonthDay", "gDay",
    )
)  # fmt: skip
"""Types of which no text is a number of XPath 1.0: digits, a point, a minus in front."""
_TEXTUAL = f"{_XSD}string"
_EXACT = 2**53
"""Up to here each whole number is a double of its own."""


class SimpleTypes:
    """The `Values` of the library's simple types, each made once."""

    def __init__(self) -> None:
        self.of = cache(_values)
        """What the text of a type can be."""
        self.fixed = cache(_fixed)
        """Those texts of a type that say the same as a fixed value."""
        self._any_of = cache(any_of)

    def any_of(self, parts: Iterable[Values]) -> Values:
        """What can be any of these; the same object for the same parts."""
        return self._any_of(tuple(dict.fromkeys(parts)))


def _fixed(type_: Any, value: str) -> Values:
    known = _values(type_)
    same = _decoded(type_, value)
    number = number_of_text(value)
    numbers = known.numbers
    if numbers and number == number:
        numbers = (Range(number, number),)
    return Values(
        lambda text: known.takes(text) and (same is None or _decoded(type_, text) == same),
        (_collapsed(type_, value),) if _is_textual(type_) else None,
        numbers,
        f"always {value}",
    )


def _values(type_: Any) -> Values:
    """What the text of a simple type can be."""
    if _depends_on_prefixes(type_):
        return Values(lambda text: True, None, None, "")
    members = _members(type_)
    if members:
        return _of_union(type_, [_values(member) for member in members])
    texts = _texts(type_)
    return Values(lambda text: _takes(type_, text), texts, _numbers(type_, texts), _said(type_, texts))


def _of_union(type_: Any, parts: list[Values]) -> Values:
    """A union, or a restriction of one, which can enumerate and have a pattern."""
    together = any_of(parts)
    texts = together.texts
    if getattr(type_, "enumeration", None):
        texts = tuple(map(str, type_.enumeration)) if texts is not None else None
    return Values(lambda text: _takes(type_, text), texts, together.numbers, together.said)


def _chain(type_: Any) -> Iterator[Any]:
    """The type and those that it restricts, up to what is built in, a list or a union."""
    while type_ is not None:
        yield type_
        base = getattr(type_, "base_type", None)
        if base is not None and not base.is_simple():  # simple content that restricts that of a complex type
            base = base.content if base.has_simple_content() else None
        if base is type_ or getattr(type_, "member_types", None) or hasattr(type_, "item_type"):
            return
        type_ = base


def _root(type_: Any) -> Any:
    *_, root = _chain(type_)
    return root


def _members(type_: Any) -> list[Any]:
    return [member for each in _chain(type_) for member in getattr(each, "member_types", None) or ()]


def _depends_on_prefixes(type_: Any) -> bool:
    for each in _chain(type_):
        parts = [*(getattr(each, "member_types", None) or ())]
        item = getattr(each, "item_type", None)
        if each.name in _BY_PREFIX or any(
            map(_depends_on_prefixes, [*parts, *([] if item is None else [item])])
        ):
            return True
    return False


def _names(type_: Any) -> set[str | None]:
    """The names of the type and of those that it restricts."""
    return {each.name for each in _chain(type_)}


def _is_textual(type_: Any) -> bool:
    """Whether values are texts, and not numbers, dates or lists that can be written in several ways."""
    return not _members(type_) and _TEXTUAL in _names(type_) and not hasattr(_root(type_), "item_type")


def _takes(type_: Any, text: str) -> bool:
    """Whether a text is one of the type's, as far as can be known."""
    if not _by_library(type_, text):
        return False
    written = {text, _collapsed(type_, text)} if _members(type_) else {_collapsed(type_, text)}
    for each in _chain(type_):
        if not all(any(map(fits, written)) for fits in _kept(each)):
            return False
        members = getattr(each, "member_types", None)
        if members and not any(_takes(member, text) for member in members):
            return False
        item = getattr(each, "item_type", None)
        if item is not None and not all(_takes(item, part) for part in text.split()):
            return False
    return True


def _by_library(type_: Any, text: str) -> bool:
    try:
        return bool(type_.is_valid(text))
    except (ValueError, TypeError, ArithmeticError, LookupError, RecursionError):
        return True  # an assertion that fails to be asked, a number beyond its numbers: nothing is known


@cache
def _kept(type_: Any) -> list[Callable[[str], bool]]:
    """What was simplified of the facets that a type adds itself: its patterns, and its enumeration if it is long."""
    found: list[Callable[[str], bool]] = []
    patterns = []
    for child in _pattern_elements(type_):
        values = kept_enumeration(child)
        if values is None:
            patterns.append(_matcher(kept_pattern(child)))
        elif _is_textual(type_):
            found.append(frozenset(_collapsed(type_, value) for value in values).__contains__)
    if patterns and None not in patterns:
        found.append(lambda text: any(fits(text) for fits in patterns if fits is not None))
    return found


def _pattern_elements(type_: Any) -> list[Any]:
    """The patterns that a type adds itself, as elements of the schema document."""
    elem = getattr(type_, "elem", None)
    if elem is None:
        return []
    restriction = elem if elem.tag == f"{_XSD}restriction" else elem.find(f"{_XSD}restriction")
    return [] if restriction is None else list(restriction.findall(f"{_XSD}pattern"))


def _matcher(pattern: str) -> Callable[[str], bool] | None:
    """Whether a whole text fits a pattern of XML Schema; None if that cannot be known here."""
    with suppress(PatternError, MissingExtraError):
        return matcher(f"^({_without_anchors(pattern)})$")
    return None


def _without_anchors(pattern: str) -> str:
    """A pattern of XML Schema, where ^ and $ are characters like others, as one of XPath, where they are not.

    >>> print(_without_anchors(r"^a$[^$]\\$"))
    \\^a\\$[^$]\\$
    """
    written: list[str] = []
    depth = 0
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            written.append(pattern[at : at + 2])
            at += 2
            continue
        depth += (character == "[") - (character == "]" and depth > 0)
        written.append(f"\\{character}" if character in "^$" and not depth else character)
        at += 1
    return "".join(written)


def _texts(type_: Any) -> tuple[str, ...] | None:
    if f"{_XSD}boolean" in _names(type_):
        return ("true", "false", "1", "0")
    if not _is_textual(type_):
        return None
    for each in _chain(type_):
        given = getattr(each, "enumeration", None)
        if given:
            return tuple(map(str, given))
        for child in _pattern_elements(each):
            values = kept_enumeration(child)
            if values is not None:
                return tuple(_collapsed(type_, value) for value in values)
    return None


def _numbers(type_: Any, texts: tuple[str, ...] | None) -> tuple[Range, ...] | None:
    item = getattr(_root(type_), "item_type", None)
    if item is not None:
        return _values(item).numbers  # of a list of one; a longer one is not a number
    if texts is not None:
        return some_of(texts).numbers
    names = _names(type_)
    if names & _NO_NUMBERS:
        return ()
    is_decimal = f"{_XSD}decimal" in names
    if not is_decimal and not names & {f"{_XSD}double", f"{_XSD}float"}:
        return None
    whole = f"{_XSD}integer" in names
    given = next((each.enumeration for each in _chain(type_) if getattr(each, "enumeration", None)), None)
    if given:
        numbers = [
            number_of_text(format(Decimal(str(each)), "f"))
            for each in given
            if Decimal(str(each)).is_finite()
        ]
        return tuple(Range(number, number) for number in dict.fromkeys(numbers))
    lower, upper = -math.inf, math.inf
    for each in _chain(type_):
        for name, facet in each.facets.items():
            value = getattr(facet, "value", None)
            if name is None or value is None or not name.endswith(("Inclusive", "Exclusive")):
                continue
            bound = float(value)
            if bound != bound:
                continue
            if name.endswith("Exclusive") and whole and abs(bound) < _EXACT:
                bound += 1 if "minE" in name else -1
            if "}min" in name:
                lower = max(lower, bound)
            else:
                upper = min(upper, bound)
    return (Range(lower, upper, whole),)


def _decoded(type_: Any, text: str) -> object:
    """The value that a text says, None if that is not known."""
    try:
        return type_.decode(text)
    except (ValueError, TypeError, ArithmeticError, LookupError, RecursionError):
        return None


def _collapsed(type_: Any, text: str) -> str:
    """A text with its white space as the type takes it."""
    way = next((each.white_space for each in _chain(type_) if getattr(each, "white_space", None)), "preserve")
    if way == "preserve":
        return text
    replaced = text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
    return replaced if way == "replace" else " ".join(filter(None, replaced.split(" ")))


def _said(type_: Any, texts: tuple[str, ...] | None) -> str:
    """How a message calls the texts of a type."""
    if texts is not None:
        return some_of(texts).said
    given = next((each.enumeration for each in _chain(type_) if getattr(each, "enumeration", None)), None)
    if given:
        more = f" and {len(given) - LISTED:,} more" if len(given) > LISTED else ""
        return ", ".join(str(each) for each in given[:LISTED]) + more
    item = getattr(_root(type_), "item_type", None)
    if item is not None:
        return f"a list of ({_values(item).said})"
    built_in = next((name for each in _chain(type_) if (name := each.name or "").startswith(_XSD)), "")
    limits = [
        f"{_WORDS[kind]} {value}"
        for each in _chain(type_)
        if not (each.name or "").startswith(_XSD)
        for name, facet in each.facets.items()
        if name is not None
        and (kind := name.rpartition("}")[2]) in _WORDS
        and (value := getattr(facet, "value", None)) is not None
    ]
    limits += [
        f"pattern {kept_pattern(each)}"
        for one in _chain(type_)
        if not (one.name or "").startswith(_XSD)
        for each in _pattern_elements(one)
    ]
    return f"of type {(type_.name or built_in).rpartition('}')[2]}" + (
        f" ({', '.join(limits)})" if limits else ""
    )


_WORDS = {
    "minInclusive": "from", "minExclusive": "above", "maxInclusive": "to", "maxExclusive": "below",
    "length": "length", "minLength": "at least of length", "maxLength": "at most of length",
}  # fmt: skip
