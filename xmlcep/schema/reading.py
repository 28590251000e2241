"""From xmlschema's components to `Schema`: which elements there are and what is in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..checking.values import EMPTY, Values
from ..suggestions import did_you_mean_or_list
from .errors import SchemaError
from .model import (
    AttributePart,
    Content,
    Declaration,
    DerivedType,
    ElementPart,
    GroupKind,
    GroupPart,
    Part,
    Schema,
    TextKind,
    Wildcard,
    WildcardPart,
)
from .simple_types import SimpleTypes

if TYPE_CHECKING:
    from xmlschema import XMLSchema10

MAX_DECLARATIONS = 50_000
"""Element declarations in one schema."""

MAX_PARTS = 200_000
"""Particles in all types of one schema, group references written out."""

_XSD = "http://www.w3.org/2001/XMLSchema"
_BUILT_IN = {
    _XSD, "http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/2007/XMLSchema-versioning",
}  # fmt: skip
_ANY_TYPE = f"{{{_XSD}}}anyType"
_ANY_SIMPLE = {f"{{{_XSD}}}anySimpleType", f"{{{_XSD}}}anyAtomicType"}
_ERROR = f"{{{_XSD}}}error"
"""The type of which nothing is valid (XSD 1.1)."""


def read_schema(
    schema: XMLSchema10,
    *,
    root: str | None = None,
    unresolved: Iterable[str] = (),
    source_name: str = "",
    values: bool = False,
) -> Schema:
    """All that can be reached from ``root`` (a global element's name), or from every global element.

    ``unresolved`` are imports that failed; they become notes. ``values``: also what texts and attributes can be. Raises
    `SchemaError` for an unknown root and for schemas beyond `MAX_DECLARATIONS` and `MAX_PARTS`.
    """
    return _Reader(schema, SimpleTypes() if values else None).read(
        root, tuple(unresolved), source_name or str(schema.name or "schema")
    )


class _Reader:
    """Reads declarations as they are come upon; a declaration is known by its component."""

    def __init__(self, schema: XMLSchema10, values: SimpleTypes | None) -> None:
        self.schema = schema
        self.values = values
        self.indexes: dict[int, int] = {}
        self.waiting: deque[Any] = deque()
        self.components: list[Any] = []  # keeps the components alive, so that their ids stay theirs
        self.contents: dict[int, Content] = {}
        self.parts = 0
        self.derived = self._derived_types()

    def read(self, root: str | None, unresolved: tuple[str, ...], source_name: str) -> Schema:
        roots = [self._index(element) for element in self._roots(root) for element in _concrete(element)]
        declarations = []
        while self.waiting:
            declarations.append(self._declaration(self.waiting.popleft()))
        prefixes = self._prefixes()
        return Schema(
            tuple(declarations), tuple(dict.fromkeys(roots)), self.schema.target_namespace, tuple(prefixes),
            source_name, _documentation(*self.schema.annotations), unresolved, tuple(self._files()),
            frozenset(self.schema.maps.attributes),
        )  # fmt: skip

    def _files(self) -> Iterator[str]:
        """The files that the schema was read from; the library's own are none of them."""
        for schema in self.schema.maps.schemas:
            if schema.filepath and schema.target_namespace not in _BUILT_IN:
                yield str(schema.filepath)

    def _prefixes(self) -> list[tuple[str, str]]:
        """The prefixes that the schema documents themselves use, the main one's first."""
        schemas = [self.schema, *(schema for schema in self.schema.maps.schemas if schema is not self.schema)]
        found = {
            (prefix, uri): None
            for schema in schemas
            if schema.target_namespace != _XSD
            for prefix, uri in schema.namespaces.items()
            if uri not in ("", _XSD)
        }
        return list(found)

    def _roots(self, root: str | None) -> list[Any]:
        known = {
            name: element
            for name, element in self.schema.maps.elements.items()
            if not name.startswith(f"{{{_XSD}}}")
        }
        if root is None:
            if not known:
                raise SchemaError(
                    "the schema declares no global element: there is nothing to derive events from"
                )
            return list(known.values())
        name = root.rpartition(":")[2] if not root.startswith("{") else root
        found = [element for clark, element in known.items() if name in (clark, clark.rpartition("}")[2])]
        if len(found) > 1:
            found = [e for e in found if e.target_namespace == self.schema.target_namespace] or found[:1]
        if not found:
            names = sorted({clark.rpartition("}")[2] for clark in known})
            hint = did_you_mean_or_list(root, names)
            raise SchemaError(f"the schema declares no global element {root!r}: {hint}")
        return found

    def _index(self, element: Any) -> int:
        declared = element if element.ref is None else element.ref
        known = self.indexes.get(id(declared))
        if known is None:
            known = self.indexes[id(declared)] = len(self.indexes)
            self.components.append(declared)
            self.waiting.append(declared)
            if known >= MAX_DECLARATIONS:
                raise SchemaError(
                    f"the schema has more than {MAX_DECLARATIONS} element declarations (MAX_DECLARATIONS): "
                    "derive from one element of it with --root NAME"
                )
        return known

    def _declaration(self, element: Any) -> Declaration:
        type_ = element.type
        derived = [
            DerivedType(other.name, self._content(other))
            for other in self._derived_from(type_)
            if not other.abstract and not other.is_blocked(element)
        ]
        documentation = _documentation(element.annotation) or _documentation(type_.annotation)
        alternatives = self._alternatives(element)
        return Declaration(
            element.name,
            self._content(type_),
            type_name=type_.name or "",
            derived=tuple(derived),
            alternatives=tuple(map(self._content, alternatives)),
            abstract_type=bool(getattr(type_, "abstract", False)),
            simple_type=bool(type_.is_simple()),
            nillable=bool(element.nillable),
            has_default=element.default is not None or element.fixed is not None,
            is_global=element.is_global(),
            documentation=documentation,
            notes=("type alternatives are not looked at",) if alternatives else (),
            values=self._values(element, (type_, *self._instead_of(element, alternatives))),
        )

    def _alternatives(self, element: Any) -> list[Any]:
        """The types that attributes can select (XSD 1.1)."""
        types = [each.type for each in getattr(element, "alternatives", None) or ()]
        return [type_ for type_ in types if type_.name != _ERROR]

    def _instead_of(self, element: Any, alternatives: list[Any]) -> Iterator[Any]:
        """The types that an instance can have instead of the declared one."""
        yield from (other for other in self._derived_from(element.type) if not other.abstract)
        yield from alternatives

    def _values(self, element: Any, types: Iterable[Any]) -> Values | None:
        """What the text of an element can be; None if it is not known, as in mixed content."""
        if self.values is None:
            return None
        found = []
        for type_ in types:
            if not type_.is_simple() and not type_.has_simple_content():
                return None
            simple = type_ if type_.is_simple() else type_.content
            if simple.name in _ANY_SIMPLE:
                return None  # xsi:type can name any simple type
            fixed = element.fixed
            found.append(self.values.of(simple) if fixed is None else self.values.fixed(simple, fixed))
        if element.nillable or element.default is not None or element.fixed is not None:
            found.append(EMPTY)
        return self.values.any_of(found)

    def _derived_types(self) -> dict[int, list[Any]]:
        """For every type the named complex types derived from it, at any distance."""
        derived: dict[int, list[Any]] = {}
        for name, type_ in self.schema.maps.types.items():
            if name.startswith(f"{{{_XSD}}}") or type_.is_simple():
                continue
            base = type_.base_type
            while base is not None and base.name != _ANY_TYPE and base is not type_:
                derived.setdefault(id(base), []).append(type_)
                base = base.base_type
        return derived

    def _derived_from(self, type_: Any) -> list[Any]:
        """The types of `_derived_types` that can take the place of a type; of a union those of its members, too."""
        members = getattr(type_, "member_types", None) or ()
        found = [
            *self.derived.get(id(type_), ()),
            *(t for member in members for t in self._derived_from(member)),
        ]
        return list({id(other): other for other in found}.values())

    def _content(self, type_: Any) -> Content:
        known = self.contents.get(id(type_))
        if known is None:
            known = self.contents[id(type_)] = self._read_content(type_)
            self.components.append(type_)
        return known

    def _read_content(self, type_: Any) -> Content:
        if type_.is_simple():
            return Content(text=_text_of(type_))
        attributes, any_attribute = self._attributes(type_)
        notes = list(_notes(type_))
        if type_.has_simple_content():
            return Content(attributes, any_attribute, _text_of(type_.content), notes=tuple(notes))
        model = self._part(type_.content, type_.content)
        text = TextKind.OPTIONAL if type_.mixed else TextKind.NONE
        assert isinstance(model, GroupPart | None)
        beside = getattr(getattr(type_, "open_content", None), "any_element", None)
        if beside is not None:
            wildcard = WildcardPart(self._wildcard(beside, type_.content), 0, None)
            model = GroupPart(GroupKind.ALL, (*([] if model is None else [model]), wildcard))
        return Content(attributes, any_attribute, text, bool(type_.mixed), model, tuple(notes))

    def _part(self, particle: Any, model: Any) -> Part | None:
        """A particle of a content model as a part; None if it cannot occur."""
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise SchemaError(
                f"the types of the schema have more than {MAX_PARTS} particles (MAX_PARTS): "
                "derive from one element of it with --root NAME"
            )
        lower, upper = particle.min_occurs, particle.max_occurs
        if upper == 0:
            return None
        if hasattr(particle, "process_contents"):
            return WildcardPart(self._wildcard(particle, model), lower, upper)
        if hasattr(particle, "model"):
            parts = tuple(part for inner in particle if (part := self._part(inner, model)) is not None)
            kind = GroupKind.CHOICE if particle.model == "choice" else GroupKind.ALL
            return GroupPart(kind, parts, lower, upper)
        members = tuple(dict.fromkeys(self._index(member) for member in _concrete(particle)))
        return ElementPart(members, lower, upper)

    def _attributes(self, type_: Any) -> tuple[tuple[AttributePart, ...], tuple[Wildcard, ...]]:
        found = [
            AttributePart(
                name,
                attribute.use == "required",
                attribute.fixed is not None,
                self._attribute_values(attribute),
            )
            for name, attribute in type_.attributes.items()
            if name is not None and attribute.use != "prohibited"
        ]
        wildcard = type_.attributes.get(None)
        return tuple(found), () if wildcard is None else (self._wildcard(wildcard),)

    def _attribute_values(self, attribute: Any) -> Values | None:
        if self.values is None:
            return None
        if attribute.fixed is not None:
            return self.values.fixed(attribute.type, attribute.fixed)
        return self.values.of(attribute.type)

    def _wildcard(self, particle: Any, model: Any = None) -> Wildcard:
        """The wildcard of a particle of a content model, or of attributes."""
        names = {name for name in particle.not_qname if not name.startswith("##")}
        if "##defined" in particle.not_qname:
            maps = self.schema.maps
            declared = maps.elements if hasattr(particle, "max_occurs") else maps.attributes
            names.update(name for name in declared if not name.startswith(f"{{{_XSD}}}"))
        if "##definedSibling" in particle.not_qname:
            siblings = (each for each in model.iter_elements() if not hasattr(each, "process_contents"))
            names.update(member.name for each in siblings for member in _concrete(each))
        strict, skip = (particle.process_contents == word for word in ("strict", "skip"))
        listed = set(particle.not_namespace or particle.namespace)
        excluding = bool(particle.not_namespace)
        if listed & {"##any", "##other"}:
            listed, excluding = {"", particle.target_namespace} if "##other" in listed else set(), True
        return Wildcard(tuple(sorted(listed)), excluding, strict, tuple(sorted(names)), skip)


def _concrete(element: Any) -> list[Any]:
    """What can be where ``element`` is allowed: itself and its substitutes, without abstract ones."""
    declared = element if element.ref is None else element.ref
    own = [] if declared.abstract else [declared]
    substitutes = [] if "substitution" in declared.block else list(element.iter_substitutes())
    # the library keeps substitutes in sets: by name, so that the same schema always gives the same text
    return own + sorted({m for m in substitutes if m is not declared}, key=lambda member: str(member.name))


def _text_of(simple: Any) -> TextKind:
    """Required if the simple type does not take the empty string."""
    return TextKind.OPTIONAL if simple.is_valid("") else TextKind.REQUIRED


def _notes(type_: Any) -> Iterable[str]:
    """What XSD 1.1 can say about a type and an event cannot."""
    if getattr(type_, "assertions", None) or getattr(type_, "asserts", None):
        yield "assertions (xs:assert) are not looked at"


def _documentation(*annotations: Any) -> str:
    """The documentation of annotations as one line of text."""
    words: list[str] = []
    for annotation in annotations:
        for element in annotation.documentation if annotation is not None else ():
            words += "".join(element.itertext()).split()
    return " ".join(words)
