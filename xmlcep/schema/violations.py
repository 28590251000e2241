"""Events for what the multiplicities of a content model forbid: more children than there may be."""

from __future__ import annotations

from collections.abc import Iterator

from path_types import PathType

from ..algebra import Expression
from . import building, demands
from .building import DerivedEvent
from .model import Declaration, ElementPart, GroupKind, GroupPart, Part, Schema, local, wildcards
from .naming import EventNames, Prefixes, capitalised, element_path


def violation_events(
    schema: Schema, declaration: Declaration, place: PathType, names: EventNames, prefixes: Prefixes
) -> Iterator[DerivedEvent]:
    """``x[1,*]{when="count(comment) > 1"} ins(item/comment)`` for every bound of the content model.

    The condition counts the children there are, so that one that was deleted or stood there from the start is
    counted as it should be; the event is raised by the very insertion that was one too many, and by further ones.
    """
    model = demands.simplified(declaration.content.model)
    if any(wildcards(model)):
        return  # another element of the same name may stand for the wildcard
    for members, bound in _bounds(schema, model):
        counted = [schema.declarations[index].name for index in members]
        tests = " | ".join(map(prefixes.in_condition, counted))
        inserted: list[Expression] = [building.inserted(element_path(place, name)) for name in counted]
        either = building.disjunction(inserted, place)
        assert either is not None
        condition = f"count({tests}) > {bound}"
        together = "Or".join(capitalised(local(name)) for name in counted[:3]) + (
            "OrOther" if counted[3:] else ""
        )
        name = names.name("TooMany" + together + "In", place)
        root = building.multiplicity(either, 1, None, place)
        allowed = "no" if bound == 0 else str(bound)
        comment = f"{local(declaration.name)}: more than {allowed} of {', '.join(map(local, counted))}"
        yield DerivedEvent(building.event(name, place, [root], when=condition), (comment,))


def _bounds(schema: Schema, model: Part | None) -> Iterator[tuple[tuple[int, ...], int]]:
    """Sets of children and how many of them there may be together: each by itself, and those of a choice."""
    if model is None:
        return
    for child, most in _most(model).items():
        if most is not None:
            yield (child,), most
    for members, most in _choices(model, 1):
        if len(members) > 1:
            yield members, most


def _most(part: Part) -> dict[int, int | None]:
    """The greatest number of every child; None: no bound."""
    if isinstance(part, ElementPart):
        return dict.fromkeys(part.declarations, part.upper)
    found: dict[int, int | None] = {}
    if isinstance(part, GroupPart):
        for inner in part.parts:
            for child, count in _most(inner).items():
                found[child] = count if child not in found else _joined(part.kind, found[child], count)
    return {child: _product(count, part.upper) for child, count in found.items()}


def _joined(kind: GroupKind, first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return None
    return max(first, second) if kind is GroupKind.CHOICE else first + second


def _product(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first * second


def _choices(part: Part, times: int | None) -> Iterator[tuple[tuple[int, ...], int]]:
    """Choices between single elements, with how many of them there may be in all; substitution groups too."""
    most = _product(part.upper, times)
    if isinstance(part, ElementPart):
        if len(part.declarations) > 1 and most is not None:
            yield part.declarations, most
    elif isinstance(part, GroupPart):
        single = all(isinstance(inner, ElementPart) and inner.upper == 1 for inner in part.parts)
        if part.kind is GroupKind.CHOICE and single and most is not None:
            yield (
                tuple(
                    child
                    for inner in part.parts
                    if isinstance(inner, ElementPart)
                    for child in inner.declarations
                ),
                most,
            )
        elif most is not None:
            for inner in part.parts:
                yield from _choices(inner, most)
