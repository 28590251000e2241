"""A schema as the derivation sees it: element declarations and what their content consists of.

Values without any knowledge of the XML Schema library; `reading` makes them. A declaration refers to its
children by their index in `Schema.declarations`, so that recursive schemas are no recursive values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from path_types.names import local_name, namespace_of

from ..checking.values import Values


class GroupKind(Enum):
    """``ALL`` of the parts (XML's ``sequence`` and ``all``: XML order is not time order), or one of them."""

    ALL = "all"
    CHOICE = "choice"


class TextKind(Enum):
    """Whether an element has text: none that means anything, some perhaps, or some in any case."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Namespaces that ``xs:any`` or ``xs:anyAttribute`` admits: those listed, or all but those listed; "" is no
    namespace.

    ``names`` (Clark notation) are excluded by name. ``strict``: only what is declared globally can stand for it.
    ``skip``: what stands for it is not validated, so that anything can be in it, whatever it is called.
    """

    namespaces: tuple[str, ...]
    excluding: bool
    strict: bool = False
    names: tuple[str, ...] = ()
    skip: bool = False

    def admits(self, name: str) -> bool:
        """Whether an element or attribute of this name (Clark notation) can stand for the wildcard."""
        return (namespace_of(name) in self.namespaces) is not self.excluding and name not in self.names


@dataclass(frozen=True, slots=True)
class ElementPart:
    """A child element, one of the declarations (several: a substitution group)."""

    declarations: tuple[int, ...]
    lower: int = 1
    upper: int | None = 1


@dataclass(frozen=True, slots=True)
class WildcardPart:
    """Children that the schema does not name."""

    wildcard: Wildcard
    lower: int = 1
    upper: int | None = 1


@dataclass(frozen=True, slots=True)
class GroupPart:
    """A model group."""

    kind: GroupKind
    parts: tuple[Part, ...]
    lower: int = 1
    upper: int | None = 1


Part: TypeAlias = ElementPart | WildcardPart | GroupPart


@dataclass(frozen=True, slots=True)
class AttributePart:
    """An attribute that an element can have. ``values`` is what it can be, None where that was not asked for."""

    name: str
    required: bool
    fixed: bool = False
    values: Values | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Content:
    """What a type says about the inside of an element; ``notes`` says what could not be taken from it.

    Open content (XSD 1.1) is a wildcard beside the rest of the model, ``any_attribute`` the wildcards of attributes.
    ``together`` are the models of the contents that were taken together in this one, which may allow different numbers.
    """

    attributes: tuple[AttributePart, ...] = ()
    any_attribute: tuple[Wildcard, ...] = ()
    text: TextKind = TextKind.NONE
    mixed: bool = False
    model: GroupPart | None = None
    notes: tuple[str, ...] = ()
    together: tuple[GroupPart, ...] = ()

    @property
    def models(self) -> tuple[GroupPart, ...]:
        """The models that an instance can have: that of the type, or those that were taken together."""
        return self.together or (() if self.model is None else (self.model,))

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing inside that a path could name and an element would need."""
        return not self.attributes and self.text is not TextKind.REQUIRED and not has_elements(self.model)


@dataclass(frozen=True, slots=True)
class DerivedType:
    """A type that ``xsi:type`` can name in an instance instead of the declared one."""

    name: str
    content: Content


@dataclass(frozen=True, slots=True)
class Declaration:
    """An element declaration. ``name`` and ``type_name`` ("" when anonymous) are in Clark notation.

    ``abstract_type``: the declared type is abstract, so that an instance has to name one of ``derived``.
    ``simple_type``: the declared type is a simple one. ``alternatives``: the contents of type alternatives (XSD 1.1).
    ``values`` is what its text can be, None where that is not known or was not asked for.
    """

    name: str
    content: Content
    type_name: str = ""
    derived: tuple[DerivedType, ...] = ()
    alternatives: tuple[Content, ...] = ()
    abstract_type: bool = False
    simple_type: bool = False
    nillable: bool = False
    has_default: bool = False
    is_global: bool = False
    documentation: str = ""
    notes: tuple[str, ...] = ()
    values: Values | None = field(default=None, compare=False, repr=False)

    def contents(self) -> Iterator[Content]:
        """The contents that an instance can have: the declared type's, and those of derived types and alternatives."""
        yield self.content
        for derived in self.derived:
            yield derived.content
        yield from self.alternatives


@dataclass(frozen=True, slots=True)
class Schema:
    """The declarations reachable from ``roots``, the elements a document can start with (indexes).

    ``files`` are all that were read, ``attributes`` the names of those declared globally.
    """

    declarations: tuple[Declaration, ...]
    roots: tuple[int, ...]
    target: str
    prefixes: tuple[tuple[str, str], ...]
    source_name: str
    documentation: str = ""
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()


local, namespace = local_name, namespace_of
"""The parts of a name in Clark notation, by words as short as they are common here."""


MOST_LISTED = 8
"""Names in a comment."""


def walk(part: Part | None) -> Iterator[Part]:
    """The part and all parts in it, in document order."""
    if part is None:
        return
    yield part
    if isinstance(part, GroupPart):
        for inner in part.parts:
            yield from walk(inner)


def elements(part: Part | None) -> Iterator[int]:
    """The declarations of all element parts in a part, again for every occurrence."""
    for inner in walk(part):
        if isinstance(inner, ElementPart):
            yield from inner.declarations


def has_elements(part: Part | None) -> bool:
    """Whether an element part is in a part. (The first declaration is 0: `any` does not see it.)"""
    return any(isinstance(inner, ElementPart) and inner.declarations for inner in walk(part))


def wildcards(part: Part | None) -> Iterator[Wildcard]:
    """The wildcards in a part."""
    for inner in walk(part):
        if isinstance(inner, WildcardPart):
            yield inner.wildcard
