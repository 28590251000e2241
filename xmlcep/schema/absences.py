"""Events for what did not come: an element that was inserted and lacks something when its transaction ends, or when
the work moves on (rule A3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from path_types import PathType, Step

from ..algebra import Expression, Order, Termination
from . import building
from .building import DerivedEvent
from .enough import Enough
from .model import (
    Declaration,
    ElementPart,
    GroupKind,
    GroupPart,
    Part,
    Schema,
    TextKind,
    WildcardPart,
    elements,
    local,
    wildcards,
)
from .naming import XSI, EventNames, Prefixes, capitalised, element_path

_WHEN = {
    Termination.CUSTOM: "at the end of the transaction in which it was inserted",
    Termination.NON_LOCAL: "at the next change elsewhere",
}


class _Missing(NamedTuple):
    """A required part: its name, what is inserted when it comes, how often at least."""

    name: str
    paths: tuple[PathType, ...]
    lower: int


@dataclass(frozen=True, slots=True)
class Absences:
    """Derives events for missing parts.

    ``exists`` tells which paths there are; ``end`` when it is decided that a part is missing.
    """

    schema: Schema
    enough: Enough
    names: EventNames
    prefixes: Prefixes
    exists: Callable[[PathType], bool]
    end: Termination

    def events(self, index: int, place: PathType, complete: str) -> Iterator[DerivedEvent]:
        """``ins(item) ; not (CompleteItem(item) | del(item))``, and the same for each required part by itself.

        What was moved has neither come nor gone, hence the filters. ``complete`` is the completion event of the
        elements of declaration ``index`` at ``place``. Nothing is raised for elements that are gone again, and
        nothing is derived for those that are complete as soon as they are there.
        """
        if self.enough.demands_nothing(index):
            return
        declaration = self.schema.declarations[index]
        name = self.names.name("Incomplete", place)
        shown = local(declaration.name)
        yield self._event(
            name, place, building.raised(complete, place), f"{shown}: not complete {_WHEN[self.end]}",
            Order.DETECTION,
        )  # fmt: skip
        missing = list(self._required(declaration, place))
        if len(missing) == 1 and missing[0].lower == 1 and self._is_all(missing[0], index):
            return  # it would say the same
        for part in missing:
            leaves: list[Expression] = [building.inserted(path) for path in part.paths]
            comes = building.disjunction(leaves, place)
            assert comes is not None
            often = f"less than {part.lower} of " if part.lower > 1 else "no "
            yield self._event(
                self.names.unique(f"{name}Without{part.name}"), place,
                building.times(comes, part.lower, None, place) if part.lower > 1 else comes,
                f"{shown}: {often}{', '.join(_shown(path) for path in part.paths)} {_WHEN[self.end]}",
            )  # fmt: skip

    def _event(
        self, name: str, place: PathType, comes: Expression, comment: str, order: Order = Order.INTERVAL
    ) -> DerivedEvent:
        ends = building.alternatives([comes, building.deleted(place, moved=False)], place)
        operands: list[Expression] = [building.inserted(place, moved=False), ends]
        definition = building.event(name, place, operands, end=self.end, negated=(1,), order=order)
        return DerivedEvent(definition, (comment,))

    def _is_all(self, part: _Missing, index: int) -> bool:
        """Whether the part is there as soon as it is inserted, so that nothing else can be missing."""
        if self.schema.declarations[index].content.text is TextKind.REQUIRED:
            return True
        if not all(path.last.is_element for path in part.paths):
            return True
        named = {path.last.test for path in part.paths}
        children = elements(self.schema.declarations[index].content.model)
        return all(
            self.enough.demands_nothing(child)
            for child in children
            if self.schema.declarations[child].name in named
        )

    def _required(self, declaration: Declaration, place: PathType) -> Iterator[_Missing]:
        """What every element of the declaration must have, and that a path can find."""
        if declaration.alternatives:
            return  # what they select can demand less
        content = declaration.content
        for attribute in content.attributes:
            if attribute.required:
                path = place.child(Step.attribute(attribute.name))
                yield _Missing(capitalised(local(attribute.name)), (path,), 1)
        nil: tuple[PathType, ...] = ()
        if declaration.nillable:
            nil = (place.child(Step.attribute(f"{{{XSI}}}nil")),)
        if content.text is TextKind.REQUIRED:
            if not declaration.has_default:
                yield _Missing("Text", (place.child(Step.text()), *nil), 1)
            return
        for part in self._parts(self.enough.model(content), 1):
            found = self._missing(part, place)
            if found is not None and not (nil and found.lower > 1):
                for path in nil:
                    self.prefixes.use(path)
                yield found._replace(paths=(*found.paths, *nil))

    def _parts(self, part: Part | None, times: int) -> Iterator[Part]:
        """The parts of a content model that have to be there by themselves."""
        if part is None or part.lower == 0:
            return
        if isinstance(part, GroupPart) and part.kind is GroupKind.ALL:
            for inner in part.parts:
                yield from self._parts(inner, times * part.lower)
        elif isinstance(part, ElementPart):
            yield ElementPart(part.declarations, part.lower * times, part.upper)
        elif not any(wildcards(part)):
            yield part

    def _missing(self, part: Part, place: PathType) -> _Missing | None:
        if isinstance(part, WildcardPart):
            return None
        members = part.declarations if isinstance(part, ElementPart) else tuple(elements(part))
        names = tuple(dict.fromkeys(self.schema.declarations[child].name for child in members))
        paths = tuple(path for name in names if self.exists(path := element_path(place, name)))
        if not paths:
            return None
        lower = part.lower if isinstance(part, ElementPart) else 1
        said = "Or".join(capitalised(local(name)) for name in names[:3]) + ("OrOther" if names[3:] else "")
        return _Missing(said, paths, lower)


def _shown(path: PathType) -> str:
    return str(Step(path.last.axis, local(path.last.test)))
