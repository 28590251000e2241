"""Event types from an XML Schema: the parts put together."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from path_types import PathType

from ..algebra import Leaf, Operator, Termination, walk
from ..arguments import NAMES, TEXT, check, optional
from ..rules import Rules
from ..suggestions import did_you_mean_or_list
from . import building
from .absences import Absences
from .building import DerivedEvent
from .changes import change_event, has_change
from .combining import used_names
from .completion import Completion, has_event
from .enough import Enough, XsiType
from .errors import NothingToDeriveError, SchemaError
from .loading import Locations, load_schema
from .model import Schema, local
from .naming import EventNames, Prefixes
from .places.alike import places_of_alike
from .places.cycles import find_recursion
from .places.merging import merge_equal
from .printing import print_events
from .reading import read_schema
from .violations import violation_events
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from xmlschema import XMLSchema10

MAX_LEAVES = 500_000
"""Leaves of all derived events together."""

_E = TypeVar("_E", bound=Enum)

DEFAULT_DEPTH = 4
"""How deep conditions look into elements that may contain themselves."""


def derive(
    schema: str | Path | XMLSchema10,
    *,
    root: str | None = None,
    only: Collection[str] = (),
    end: str | Termination | None = None,
    changes: bool = False,
    violations: bool = False,
    absences: bool = False,
    deletions: bool = True,
    locations: Locations | None = None,
    depth: int = DEFAULT_DEPTH,
    xsi_type: str | XsiType = XsiType.COMPLEX,
) -> Rules:
    """Event definitions for the elements of an XML Schema: each event is raised when an element is complete.

    ``schema`` is a file, or a schema of the xmlschema library.

    - ``root``: only elements that can occur in documents with this root element. ``only``: only these elements, and
      those that their events use.
    - ``end``: ``"non-local"`` raises an event only at the next change elsewhere.
    - ``changes`` adds events for elements changed as a whole, ``violations`` for more children than allowed,
      ``absences`` for elements that lack something at the end of their transaction (with ``end="non-local"``: at the
      next change elsewhere).
    - ``deletions`` adds conditions, so that parts that were deleted again do not count. Use False for documents in
      which nothing is deleted.
    - ``depth``: how many levels conditions look into elements that may contain themselves.
    - ``xsi_type``: which elements' ``xsi:type`` counts: those of complex types, of ``"all"`` or of ``"none"``.
    - ``locations`` maps namespaces to files.

    The rules' ``text`` is for people to read and edit. Raises `SchemaError`, and `MissingExtraError` without xmlschema.
    """
    check("derive()", root=(root, optional(TEXT)))
    if isinstance(only, str):
        raise SchemaError(f"only is {only!r}: expected a list of element names, such as [{only!r}]")
    check("derive()", only=(only, NAMES))
    if not isinstance(depth, int):
        raise SchemaError(f"depth is {depth!r}: expected a whole number, 0 or more")
    read = _read(schema, root, locations)
    termination = None if end is None else _choice("end", end, Termination)
    derivation = _Derivation(
        merge_equal(read), termination, depth, _choice("xsi_type", xsi_type, XsiType), deletions=deletions
    )
    events = derivation.events(only, changes=changes, violations=violations, absences=absences)
    namespaces = derivation.prefixes.namespaces
    text = print_events(events, namespaces, (*_heading(read, root, only, deletions), *derivation.left_out()))
    rules = Rules.from_definitions([event.definition for event in events], namespaces)
    return replace(
        rules, text=text, source_name=f"{read.source_name} (derived)", files=read.files,
        derived=frozenset(event.definition.name for event in events),
    )  # fmt: skip


def derive_text(schema: str | Path | XMLSchema10, **options: object) -> str:
    """The text of the rules that `derive` gives, with the same options."""
    text = derive(schema, **options).text  # type: ignore[arg-type]
    assert text is not None
    return text


def open_schema(schema: str | Path | XMLSchema10, locations: Locations | None = None) -> Schema:
    """A schema's declarations with the values there can be, equal ones merged; raises like `derive`."""
    return merge_equal(_read(schema, None, locations, values=True))


def _read(
    schema: str | Path | XMLSchema10, root: str | None, locations: Locations | None, *, values: bool = False
) -> Schema:
    if isinstance(schema, str | Path):
        loaded, unresolved = load_schema(schema, locations=locations)
        return read_schema(
            loaded, root=root, unresolved=unresolved, source_name=Path(schema).name, values=values
        )
    if not hasattr(schema, "maps"):
        raise SchemaError(
            f"the schema is a {type(schema).__name__}: give a file, or a schema of the xmlschema library"
        )
    return read_schema(schema, root=root, values=values)


def _choice(name: str, given: object, choices: type[_E]) -> _E:
    """The member of an enumeration that an argument says, by itself or by its value."""
    try:
        return choices(given)
    except ValueError:
        known = ", ".join(str(member.value) for member in choices)
        raise SchemaError(f"{name} is {given!r}: expected one of {known}") from None


def _heading(schema: Schema, root: str | None, only: Collection[str], deletions: bool) -> Iterator[str]:
    part = f", documents with the root {root}" if root else ""
    part += f", only {', '.join(only)}" if only else ""
    yield f"Event types derived from {schema.source_name} by xmlcep derive{part}."
    if schema.documentation:
        yield schema.documentation
    yield ""
    yield "CompleteX: an X has been inserted and now has what its type demands; raised once for each X."
    yield "Parts that may be missing (x[0,…]) are in it if they came before. Comments say what an event cannot see."
    if deletions:
        yield "Conditions: parts that were deleted again before the rest came do not count."
    else:
        yield "What was inserted counts, even if it was deleted again before the rest came (docs/schema.md)."
    for note in schema.notes:
        yield f"not read: {note}"


class _Derivation:
    """Derives the events of one schema: names are given first, so that events can refer to each other."""

    def __init__(
        self, schema: Schema, end: Termination | None, depth: int, xsi_type: XsiType, *, deletions: bool
    ) -> None:
        if depth < 0:
            raise SchemaError(f"depth is {depth}: expected 0 or more")
        vocabulary = Vocabulary(schema)
        self.exists = vocabulary.allows
        schema, self.places = places_of_alike(schema)
        self.schema = schema
        self.end = end
        self.prefixes = Prefixes(schema)
        self.event_names = EventNames(schema)
        self.spots = list(self._spots())
        self.names: dict[tuple[int, PathType], str] = {
            (index, place): self.event_names.name("Complete", place)
            for index, place in self.spots
            if has_event(schema.declarations[index])
        }
        self.completion = Completion(
            schema,
            self.places,
            self.names,
            find_recursion(schema),
            self.prefixes,
            Enough(schema, self.prefixes, depth, xsi_type),
            self.end,
            self.exists,
            deletions,
        )

    def _spots(self) -> Iterator[tuple[int, PathType]]:
        """Every declaration at every one of its places."""
        for index in range(len(self.schema.declarations)):
            for place in self.places[index]:
                if self.exists(place):
                    yield index, place

    def left_out(self) -> Iterator[str]:
        """Elements without an event because no path tells their declarations apart (`places`), and ``xsi:type``."""
        declarations = enumerate(self.schema.declarations)
        names = dict.fromkeys(local(d.name) for i, d in declarations if has_event(d) and not self.places[i])
        if names:
            yield f"no events, as no paths of reasonable length tell their declarations apart: {', '.join(names)}"
        types = self.completion.enough.types
        if any(declaration.derived and not types(declaration) for declaration in self.schema.declarations):
            kind = "simple types" if self.completion.enough.xsi_type is XsiType.COMPLEX else "all types"
            yield f"xsi:type is not looked at in elements of {kind} (--xsi-type says where it is)."

    def events(
        self, only: Collection[str], *, changes: bool, violations: bool, absences: bool
    ) -> list[DerivedEvent]:
        wanted = self._wanted(only)
        found: list[DerivedEvent] = []
        leaves = 0
        for event in self._all(wanted, changes, violations, absences):
            leaves += building.size(event.definition.expression)
            if leaves > MAX_LEAVES:
                raise SchemaError(
                    f"the derived events have more than {MAX_LEAVES} leaves together (MAX_LEAVES): "
                    "derive from one element with --root NAME, or some events with --only NAME"
                )
            found.append(event)
        if only:
            found = _with_needed(found, self._names_of(wanted))
        if not found:
            raise NothingToDeriveError(
                "there is nothing to derive: no element that was asked for has content to wait for"
                + (f" ({', '.join(only)})" if only else "")
                + "".join(f"\n  {note}" for note in self.schema.notes)
            )
        for event in found:
            self._use_prefixes(event.definition.expression)
        return found

    def _all(
        self, wanted: set[int], changes: bool, violations: bool, absences: bool
    ) -> Iterator[DerivedEvent]:
        missing = self._absences()
        for index, place in self.spots:
            declaration = self.schema.declarations[index]
            if (index, place) in self.names:
                yield self.completion.event(index, place)
            if index not in wanted:
                continue
            if changes and has_change(declaration):
                yield change_event(declaration, place, self.event_names.name("Changed", place), self.end)
            if violations:
                yield from violation_events(self.schema, declaration, place, self.event_names, self.prefixes)
            if absences and (index, place) in self.names:
                yield from missing.events(index, place, self.names[index, place])

    def _absences(self) -> Absences:
        end = Termination.NON_LOCAL if self.end is Termination.NON_LOCAL else Termination.CUSTOM
        return Absences(
            self.schema, self.completion.enough, self.event_names, self.prefixes, self.exists, end
        )

    def _wanted(self, only: Collection[str]) -> set[int]:
        """The declarations asked for by name."""
        declarations = self.schema.declarations
        if not only:
            return set(range(len(declarations)))
        found: set[int] = set()
        for name in only:
            plain = name if name.startswith("{") else name.rpartition(":")[2]
            named = {i for i, d in enumerate(declarations) if plain in (d.name, local(d.name))}
            if not named:
                known = sorted({local(d.name) for d in declarations})
                hint = did_you_mean_or_list(name, known)
                raise SchemaError(f"the schema declares no element {name!r}: {hint}")
            found |= named
        return found

    def _names_of(self, wanted: set[int]) -> set[str]:
        return {name for (index, _), name in self.names.items() if index in wanted}

    def _use_prefixes(self, operator: Operator) -> None:
        for path in _paths(operator):
            self.prefixes.use(path)


def _with_needed(events: list[DerivedEvent], names: set[str]) -> list[DerivedEvent]:
    """The completion events of these names with those they build on, and all events of other kinds."""
    by_name = {event.definition.name: event for event in events}
    completion = {name for name in by_name if name.startswith("Complete")}
    wanted = [by_name[name].definition for name in by_name if name in names]
    needed = used_names(wanted, {name: by_name[name].definition for name in completion})
    keep = (set(by_name) - completion) | names | needed
    return [event for event in events if event.definition.name in keep]


def _paths(operator: Operator) -> Iterator[PathType]:
    for part in walk(operator):
        if isinstance(part, Leaf):
            yield part.type.path
        elif part.options.path is not None:
            yield part.options.path
