"""Events for what the multiplicities of a content model forbid: more children than there may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from path_types import PathType, contains

from ..algebra import Disjunction, EventDefinition, Expression, Options
from . import building, demands
from .building import DerivedEvent
from .model import (
    Declaration,
    ElementPart,
    GroupKind,
    GroupPart,
    Part,
    Schema,
    WildcardPart,
    elements,
    local,
)
from .naming import EventNames, Prefixes, capitalised, element_path


def violation_events(
    schema: Schema, declaration: Declaration, place: PathType, names: EventNames, prefixes: Prefixes
) -> Iterator[DerivedEvent]:
    """``x[1,*]{when="count(comment) > 1"} ins(item/comment)`` for every bound of the content model.

    The condition counts the children there are, so that one that was deleted or stood there from the start is
    counted as it should be; the event is raised by the very insertion that was one too many, and by further ones. Where
    ``xsi:type`` can name other types, it is one too many for all of them. A child called as the element is not grouped
    with it (P3): its event is of the child, ``{if="count(../rule) > 1"} ins(rule/rule)``.
    """
    models = [demands.simplified(content.model) for content in declaration.contents()]
    for counted, bound in _bounds(schema, [model for model in models if model is not None]):
        together = "Or".join(capitalised(local(name)) for name in counted[:3]) + (
            "OrOther" if counted[3:] else ""
        )
        allowed = "no" if bound == 0 else str(bound)
        comment = f"{local(declaration.name)}: more than {allowed} of {', '.join(map(local, counted))}"
        tests = [prefixes.in_condition(name) for name in counted]
        paths = {name: element_path(place, name) for name in counted}
        inserted: list[Expression] = [
            building.inserted(path) for path in paths.values() if contains(path, place)
        ]
        either = building.disjunction(inserted, place)
        if either is not None:
            name = names.name(f"TooMany{together}In", place)
            root = building.multiplicity(either, 1, None, place)
            condition = f"count({' | '.join(tests)}) > {bound}"
            yield DerivedEvent(building.event(name, place, [root], when=condition), (comment,))
        for name, path in paths.items():
            if not contains(path, place):
                by = "" if either is None else f"By{capitalised(local(name))}"
                beside = " | ".join(f"../{test}" for test in tests)
                guarded = Options(path=path, guard=f"count({beside}) > {bound}")
                definition = EventDefinition(
                    names.name(f"TooMany{together}{by}In", place),
                    Disjunction((building.inserted(path),), guarded),
                )
                yield DerivedEvent(
                    definition, (f"{comment}; of the {local(name)} that is one too many (P3)",)
                )


def _bounds(schema: Schema, models: list[Part]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Names of children and how many of them there may be together: each by itself, and those of a choice.

    ``models`` are those that the element can have, by ``xsi:type``: what one of them allows is allowed.
    """
    found = dict.fromkeys(schema.declarations[index].name for model in models for index in elements(model))
    bounds = [_Bounds(schema, model, tuple(found)) for model in models]
    single = {name: _greatest(each.single.get(name, 0) for each in bounds) for name in found}
    for name, most in single.items():
        if most is not None:
            yield (name,), most
    for names in dict.fromkeys(names for each in bounds for names in each.choices(each.model)):
        most = _greatest(each.together(each.model, frozenset(names)) for each in bounds)
        each_by_itself = [single[name] for name in names]
        if most is not None and not (
            None not in each_by_itself and most >= sum(filter(None, each_by_itself))
        ):
            yield names, most  # else the bounds of the names by themselves say as much


class _Bounds:
    """The greatest numbers of children that a content model allows; None: no bound.

    A wildcard that takes one of the names counts as if it stood for it.
    """

    def __init__(self, schema: Schema, model: Part, names: tuple[str, ...]) -> None:
        self.schema = schema
        self.model = model
        self.names = names
        self.single = self._most(model)

    def _named(self, index: int) -> str:
        return self.schema.declarations[index].name

    def _most(self, part: Part) -> dict[str, int | None]:
        """For every name the most children of it."""
        if isinstance(part, ElementPart):
            return dict.fromkeys(map(self._named, part.declarations), part.upper)
        if isinstance(part, WildcardPart):
            return dict.fromkeys(filter(part.wildcard.admits, self.names), part.upper)
        found: dict[str, int | None] = {}
        for inner in part.parts:
            for name, count in self._most(inner).items():
                found[name] = count if name not in found else _joined(part.kind, found[name], count)
        return {name: _product(count, part.upper) for name, count in found.items()}

    def together(self, part: Part, names: frozenset[str]) -> int | None:
        """The most children of all these names together."""
        if isinstance(part, ElementPart):
            return part.upper if names.intersection(map(self._named, part.declarations)) else 0
        if isinstance(part, WildcardPart):
            return part.upper if any(map(part.wildcard.admits, names)) else 0
        total: int | None = 0
        for inner in part.parts:
            total = _joined(part.kind, total, self.together(inner, names))
        return _product(total, part.upper)

    def choices(self, part: Part) -> Iterator[tuple[str, ...]]:
        """The names in choices between elements, and those of substitution groups."""
        if isinstance(part, ElementPart):
            if len(part.declarations) > 1:
                yield tuple(dict.fromkeys(map(self._named, part.declarations)))
        elif isinstance(part, GroupPart):
            single = [inner for inner in part.parts if isinstance(inner, ElementPart)]
            if part.kind is GroupKind.CHOICE and len(single) == len(part.parts):
                yield tuple(dict.fromkeys(self._named(i) for inner in single for i in inner.declarations))
            else:
                for inner in part.parts:
                    yield from self.choices(inner)


def _greatest(bounds: Iterable[int | None]) -> int | None:
    known = list(bounds)
    return None if None in known else max(filter(None, known), default=0)


def _joined(kind: GroupKind, first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return None
    return max(first, second) if kind is GroupKind.CHOICE else first + second


def _product(first: int | None, second: int | None) -> int | None:
    if first == 0 or second == 0:
        return 0
    return None if first is None or second is None else first * second
