"""Equal declarations become one, so that one event serves all of them (reuse of trees, Example 14).

Two declarations are equal when an instance cannot tell them apart: same name, same attributes and text, and
the same content model over children that are equal in turn. Where it was asked for what texts and attributes can be,
those of other types are others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from ..model import Content, Declaration, ElementPart, GroupPart, Part, Schema

_Rename = Callable[[int], int]


def merge_equal(schema: Schema) -> Schema:
    """The schema with equal declarations merged; the first of each keeps its documentation."""
    classes = _classes(schema.declarations)
    numbers: dict[int, int] = {}
    first: list[int] = []
    is_global: dict[int, bool] = {}
    for index, found in enumerate(classes):
        if found not in numbers:
            numbers[found] = len(first)
            first.append(index)
        is_global[found] = is_global.get(found, False) or schema.declarations[index].is_global

    def renamed(index: int) -> int:
        return numbers[classes[index]]

    contents: dict[int, Content] = {}
    merged = [
        replace(_renamed(schema.declarations[index], renamed, contents), is_global=is_global[classes[index]])
        for index in first
    ]
    roots = tuple(dict.fromkeys(renamed(root) for root in schema.roots))
    return replace(schema, declarations=tuple(merged), roots=roots)


def _classes(declarations: tuple[Declaration, ...]) -> list[int]:
    """The class of every declaration: partition refinement, from equal names to equal everything."""
    classes = _numbered([declaration.name for declaration in declarations])
    while True:
        signatures: dict[int, Hashable] = {}
        refined = _numbered(
            [
                (classes[index], _signature(declaration, classes, signatures))
                for index, declaration in enumerate(declarations)
            ]
        )
        if len(set(refined)) == len(set(classes)):
            return classes
        classes = refined


def _numbered(keys: list[Hashable] | list[str] | list[tuple[int, Hashable]]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _signature(declaration: Declaration, classes: list[int], known: dict[int, Hashable]) -> Hashable:
    return (
        declaration.nillable,
        declaration.has_default,
        declaration.abstract_type,
        declaration.simple_type,
        declaration.values,
        _content_signature(declaration.content, classes, known),
        tuple(
            (other.name, _content_signature(other.content, classes, known)) for other in declaration.derived
        ),
        tuple(_content_signature(content, classes, known) for content in declaration.alternatives),
    )


def _content_signature(content: Content, classes: list[int], known: dict[int, Hashable]) -> Hashable:
    """Contents are shared by the declarations of one type, so each is looked at once per round."""
    signature = known.get(id(content))
    if signature is None:
        signature = known[id(content)] = hash(
            (
                content.attributes, tuple(each.values for each in content.attributes), content.any_attribute,
                content.text, content.mixed, content.notes,
                _part(content.model, classes.__getitem__),
                tuple(_part(each, classes.__getitem__) for each in content.together),
            )
        )  # fmt: skip
    return signature


def _renamed(declaration: Declaration, rename: _Rename, known: dict[int, Content]) -> Declaration:
    def content(given: Content) -> Content:
        found = known.get(id(given))
        if found is None:
            model = _part(given.model, rename)
            assert isinstance(model, GroupPart | None)
            together = tuple(
                part for each in given.together if isinstance(part := _part(each, rename), GroupPart)
            )
            found = known[id(given)] = replace(given, model=model, together=together)
        return found

    derived = tuple(replace(other, content=content(other.content)) for other in declaration.derived)
    alternatives = tuple(map(content, declaration.alternatives))
    return replace(
        declaration, content=content(declaration.content), derived=derived, alternatives=alternatives
    )


def _part(part: Part | None, rename: _Rename) -> Part | None:
    """The part with its declarations renamed."""
    if isinstance(part, ElementPart):
        members = tuple(dict.fromkeys(rename(index) for index in part.declarations))
        return ElementPart(members, part.lower, part.upper)
    if isinstance(part, GroupPart):
        inner = tuple(found for p in part.parts if (found := _part(p, rename)) is not None)
        return GroupPart(part.kind, inner, part.lower, part.upper)
    return part
