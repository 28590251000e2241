"""How many children of a name an element of a schema may have at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import demands
from .model import Declaration, ElementPart, GroupKind, GroupPart, Part, Schema, WildcardPart, elements


def most_children(schema: Schema, declaration: Declaration, name: str) -> int | None:
    """The most children of a name that an element may have; None: no bound."""
    return _greatest(_Bounds(schema, model, (name,)).single.get(name, 0) for model in _models(declaration))


def _models(declaration: Declaration) -> list[Part]:
    """The models that the element can have, by ``xsi:type`` and where several were taken together."""
    models = (model for content in declaration.contents() for model in content.models)
    return [found for model in models if (found := demands.simplified(model)) is not None]


def bounds(schema: Schema, declaration: Declaration) -> Iterator[tuple[tuple[str, ...], int]]:
    """Names of children and how many of them there may be together: each by itself, and those of a choice.

    An element can have several models, by ``xsi:type``: what one of them allows is allowed.
    """
    models = _models(declaration)
    found = dict.fromkeys(schema.declarations[index].name for model in models for index in elements(model))
    known = [_Bounds(schema, model, tuple(found)) for model in models]
    single = {name: _greatest(each.single.get(name, 0) for each in known) for name in found}
    for name, most in single.items():
        if most is not None:
            yield (name,), most
    for names in dict.fromkeys(names for each in known for names in each.choices(each.model)):
        most = _greatest(each.together(each.model, frozenset(names)) for each in known)
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
