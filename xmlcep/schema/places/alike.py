"""Declarations of one name that demand the same are taken together where paths hardly tell them apart.

Schemas for documents like to declare ``list`` and ``item`` again and again with slightly different content. If
such declarations can be in each other, paths that tell them apart grow without end. What they demand is
often the same, and that is what decides when an element is complete; what they only allow is put together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from path_types import PathType, Step

from ..demands import simplified
from ..model import (
    Content,
    Declaration,
    ElementPart,
    GroupKind,
    GroupPart,
    Part,
    Schema,
    TextKind,
    WildcardPart,
    elements,
    wildcards,
)
from .merging import merge_equal
from .paths import Places, find_places

MAX_READABLE = 6
"""Places of the declarations of one name from which on they are rather taken together."""


def places_of_alike(schema: Schema) -> tuple[Schema, Places]:
    """The places of all declarations, those that are hard to tell apart being merged if they demand the same."""
    places = find_places(schema)
    while True:
        crowded = _crowded(schema, places)
        merged = merge_equal(_together(schema, crowded)) if crowded else schema
        if len(merged.declarations) == len(schema.declarations):
            return schema, _with_simple(schema, places)
        schema = merged
        places = find_places(schema)


def _with_simple(schema: Schema, places: Places) -> Places:
    """The places with the name alone for what has none, if only this declaration of the name demands anything.

    That is so for names that are everywhere (``name``, ``description``), with one type that must have text and others
    that need none: nobody waits for the event of these, and none of them holds another of its name.
    """
    found = list(places)
    by_name: dict[str, list[int]] = {}
    for index, declaration in enumerate(schema.declarations):
        by_name.setdefault(declaration.name, []).append(index)
    for name, indexes in by_name.items():
        contents = [content for index in indexes for content in schema.declarations[index].contents()]
        demanding = [index for index in indexes if any(map(_demands, schema.declarations[index].contents()))]
        simple = all(content.model is None for content in contents)
        if simple and len(demanding) == 1 and not found[demanding[0]]:
            found[demanding[0]] = (PathType.of(False, [Step.element(name)]),)
            for index in indexes:
                if index != demanding[0]:
                    found[index] = ()  # places that tell them from it there are none any more
    return tuple(found)


def _demands(content: Content) -> bool:
    return content.text is TextKind.REQUIRED or any(attribute.required for attribute in content.attributes)


def _crowded(schema: Schema, places: Places) -> set[str]:
    """Names whose declarations have no places, or too many."""
    by_name: dict[str, list[int]] = {}
    for index, declaration in enumerate(schema.declarations):
        by_name.setdefault(declaration.name, []).append(index)
    return {
        name
        for name, indexes in by_name.items()
        if len(indexes) > 1
        and (
            any(not places[index] for index in indexes)
            or sum(len(places[index]) for index in indexes) > MAX_READABLE
        )
    }


def _together(schema: Schema, names: set[str]) -> Schema:
    """The schema with the contents of alike declarations of these names made equal."""
    groups: dict[Hashable, list[int]] = {}
    for index, declaration in enumerate(schema.declarations):
        selected = (*declaration.derived, *declaration.alternatives)
        if declaration.name in names and not selected:
            groups.setdefault(_skeleton(schema, declaration), []).append(index)
    declarations = list(schema.declarations)
    first = {index: group[0] for group in groups.values() for index in group}
    for group in groups.values():
        if len(group) < 2:
            continue
        content = _union([declarations[index].content for index in group], first)
        for index in group:
            declarations[index] = replace(declarations[index], content=content)
    return replace(schema, declarations=tuple(declarations))


def _skeleton(schema: Schema, declaration: Declaration) -> Hashable:
    """What a declaration demands; children count by name, as they may be taken together, too."""
    content = declaration.content
    required = frozenset(attribute.name for attribute in content.attributes if attribute.required)
    return (
        declaration.name, declaration.nillable, declaration.has_default, declaration.abstract_type,
        content.text, required, _named(schema, simplified(content.model)),
    )  # fmt: skip


def _named(schema: Schema, part: Part | None) -> Hashable:
    """The required parts of a part, with names for declarations. A choice is taken as it is."""
    if part is None or part.lower == 0:
        return None
    if isinstance(part, ElementPart):
        names = frozenset(schema.declarations[index].name for index in part.declarations)
        return names, part.lower
    if isinstance(part, WildcardPart):
        return part
    inner = [_named(schema, p) for p in part.parts]
    if part.kind is GroupKind.ALL:
        inner = [p for p in inner if p is not None]
    return part.kind, part.lower, frozenset(inner)


def _union(contents: list[Content], first: dict[int, int]) -> Content:
    """The demands of the first content, and what any of them allows."""
    attributes = {attribute.name: attribute for content in contents for attribute in content.attributes}
    main = _renamed(simplified(contents[0].model), first)
    parts: list[Part] = [] if main is None else [main]
    known = set(elements(main))
    for content in contents:
        for child in elements(content.model):
            child = first.get(child, child)
            if child not in known:
                known.add(child)
                parts.append(ElementPart((child,), 0, None))
        parts += [WildcardPart(w, 0, None) for w in wildcards(content.model) if w not in set(wildcards(main))]
    model = GroupPart(GroupKind.ALL, tuple(dict.fromkeys(parts))) if parts else None
    notes = dict.fromkeys(note for content in contents for note in content.notes)
    count = len(contents)
    said = f"{count} declarations of the name demand the same and are taken together, with all that any of them allows"
    return Content(
        tuple(attributes.values()),
        tuple(dict.fromkeys(wildcard for content in contents for wildcard in content.any_attribute)),
        contents[0].text,
        any(content.mixed for content in contents),
        model,
        (*notes, said),
        tuple(
            dict.fromkeys(
                found for content in contents for each in content.models if (found := _group(each, first))
            )
        ),
    )


def _group(model: GroupPart, first: dict[int, int]) -> GroupPart | None:
    found = _renamed(model, first)
    return found if isinstance(found, GroupPart) else None


def _renamed(part: Part | None, first: dict[int, int]) -> Part | None:
    if isinstance(part, ElementPart):
        members: Iterable[int] = (first.get(index, index) for index in part.declarations)
        return ElementPart(tuple(dict.fromkeys(members)), part.lower, part.upper)
    if isinstance(part, GroupPart):
        inner = (_renamed(p, first) for p in part.parts)
        return GroupPart(part.kind, tuple(p for p in inner if p is not None), part.lower, part.upper)
    return part
