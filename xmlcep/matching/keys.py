"""Keys: what an element is known by among its siblings, as the caller says or as the documents show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, TypeAlias

from path_types.names import local_name

from ..errors import XmlCepError
from .outline import Outline

KeyValue: TypeAlias = tuple[str, ...]

USUAL_KEYS = ("{http://www.w3.org/XML/1998/namespace}id", "id", "name", "key", "ref", "code", "href")
"""Attributes and child elements that are keys by custom; earlier ones are tried first."""
_MOST_FIELDS = 8  # so many attributes and child elements of a group are looked at
_LONGEST_VALUE = 200  # a longer text is content, not a key
_NEARLY_UNIQUE = 0.9
_SAMPLE = 200


class KeyFormatError(XmlCepError, ValueError):
    """A key that cannot be read; says what was given, and what is expected."""


@dataclass(frozen=True, slots=True)
class Field:
    """One part of a key: an attribute, or the text, of the element itself or of a child reached by ``steps``."""

    steps: tuple[str, ...] = ()
    attribute: str | None = None

    def value(self, tree: Outline, node: int) -> str | None:
        """The value at a node; None if there is none, or more than one."""
        for step in self.steps:
            found = [child for child in tree.children(node) if is_called(tree.tag[child], step)]
            if len(found) != 1:
                return None
            node = found[0]
        if self.attribute is not None:
            return tree.attribute(node, self.attribute)
        return (tree.text[node] or "") if tree.end[node] == node + 1 else None

    def __str__(self) -> str:
        return "/".join([*self.steps, *([f"@{self.attribute}"] if self.attribute else [])]) or "."


@dataclass(frozen=True, slots=True)
class Key:
    """Elements called ``element`` are known by the values of ``fields``: equal values, the same element."""

    element: str
    fields: tuple[Field, ...]

    @classmethod
    def parse(cls, text: str) -> Key:
        """The key that a text such as ``item=@partNum`` or ``dependency=groupId,artifactId`` describes.

        A name without namespace stands for elements of any namespace; ``{urn:po}item`` is one of that only.
        Raises `KeyFormatError`.

        >>> str(Key.parse("item=@partNum"))
        'item=@partNum'
        """
        element, *rest = _split(text, "=")
        found = tuple(_field(part.strip(), text) for part in _split("=".join(rest), ","))
        element = element.strip()
        if not element or "/" in local_name(element):
            raise _unreadable(text)
        return cls(element, found)

    def value(self, tree: Outline, node: int) -> KeyValue | None:
        """The value of the key at a node; None if a field has none."""
        return key_value(self.fields, tree, node)

    def __str__(self) -> str:
        return f"{self.element}={','.join(map(str, self.fields))}"


def _unreadable(text: str) -> KeyFormatError:
    return KeyFormatError(
        f"{text!r} is not a key: expected ELEMENT=FIELD, a field being an @attribute or a child element, such as"
        " item=@partNum or dependency=groupId,artifactId"
    )


def _split(text: str, separator: str) -> Iterator[str]:
    """The parts of a text between separators that are outside of braces."""
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == separator and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _field(text: str, whole: str) -> Field:
    *steps, last = _split(text, "/")
    if not all(steps) or last in ("", "@"):
        raise _unreadable(whole)
    if last.startswith("@"):
        return Field(tuple(steps), last[1:])
    return Field((*steps, *(() if last == "." else (last,))))


def is_called(tag: str | None, name: str) -> bool:
    """Whether a tag has this name: in Clark notation the same, else the same whatever the namespace."""
    if tag is None:
        return False
    return tag == name or (not name.startswith("{") and local_name(tag) == name)


def key_value(fields: Iterable[Field], tree: Outline, node: int) -> KeyValue | None:
    """The values of several fields at a node; None if one has none."""
    values = []
    for field in fields:
        value = field.value(tree, node)
        if value is None:
            return None
        values.append(value)
    return tuple(values)


def key_among(
    old: Outline, olds: Sequence[int], new: Outline, news: Sequence[int]
) -> tuple[Field, ...] | None:
    """What tells these elements, siblings of one name on either side, from each other; None if nothing does.

    First what is a key by custom (id, name …) and nearly unique on both sides; then any attribute or child
    element, then any two, that are unique on both sides and of which at least half come on both. The only element of
    its name is known by its name, unless it has a key by custom.
    """
    group = _Siblings(old, olds, new, news)
    fields = list(_fields(old, olds[0]))
    for name in USUAL_KEYS:
        for field in fields:
            if _name(field) != name:
                continue
            if group.common((field,), _NEARLY_UNIQUE) is not None:
                return (field,)
    named = [field for field in fields if not group.holds_numbers(field)]
    if len(olds) == len(news) == 1:
        return None
    best, most = None, max(1, min(len(olds), len(news)) / 2)
    for width in (1, 2):
        for chosen in combinations(named, width):
            common = group.common(chosen, 1)
            if common is not None and common >= most:
                best, most = chosen, common + 1
        if best is not None:
            break
    return best


class _Siblings(NamedTuple):
    """Elements of one name below one parent, old and new."""

    old: Outline
    olds: Sequence[int]
    new: Outline
    news: Sequence[int]

    def common(self, fields: tuple[Field, ...], unique: float) -> int | None:
        """How many values are on both sides; None if they are not unique enough to be a key."""
        if max(len(self.olds), len(self.news)) > _SAMPLE:
            # Most fields are none: a look at some elements shows it.
            some = _Siblings(self.old, self.olds[:_SAMPLE], self.new, self.news[:_SAMPLE])
            if not all(_are_unique(side, unique) for side in some.values(fields)):
                return None
        before, after = self.values(fields)
        if not _are_unique(before, unique) or not _are_unique(after, unique):
            return None
        return len(set(before) & set(after))

    def values(self, fields: tuple[Field, ...]) -> tuple[list[KeyValue | None], list[KeyValue | None]]:
        """The values of some fields on both sides."""
        return (
            [key_value(fields, self.old, node) for node in self.olds],
            [key_value(fields, self.new, node) for node in self.news],
        )

    def holds_numbers(self, field: Field) -> bool:
        """Whether a field holds numbers: counts, prices, positions, which are not what an element is known by."""
        return any(all(map(_is_number, side)) for side in self.values((field,)))


def _fields(tree: Outline, first: int) -> Iterator[Field]:
    """The attributes and the leaf children that the first element of a group has."""
    names = [Field((), name) for name, _ in tree.attributes[first]]
    for child in tree.children(first):
        tag = tree.tag[child]
        if tag is not None and tree.end[child] == child + 1 and tree.text[child] is not None:
            field = Field((tag,))
            if field not in names:
                names.append(field)
    # Keys by custom first: there may be many fields.
    yield from sorted(names, key=lambda field: _name(field) not in USUAL_KEYS)[:_MOST_FIELDS]


def _name(field: Field) -> str:
    """The name of a field; of a child element without its namespace, which is that of the document."""
    return field.attribute if field.attribute is not None else local_name(field.steps[-1])


def _are_unique(values: Sequence[KeyValue | None], unique: float) -> bool:
    """Whether all have a value, hardly two the same, and none a text that is too long for a key."""
    different = set(values)
    return len(different) >= unique * len(values) and all(
        value is not None and all(len(part) <= _LONGEST_VALUE for part in value) for value in different
    )


def _is_number(value: KeyValue | None) -> bool:
    try:
        return value is not None and float(value[0]) is not None
    except ValueError:
        return False
