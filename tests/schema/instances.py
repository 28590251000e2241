"""Random valid documents of any schema, made from the library's components."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import xmlschema
from lxml import etree

XSI = "http://www.w3.org/2001/XMLSchema-instance"
_VALUES = (
    "1",
    "a",
    "true",
    "A1",
    "1.5",
    "2020-01-01",
    "x y",
    "1 2",
    "10:00:00",
    "P1D",
    "urn:x",
    "2020-01-01T10:00:00Z",
    "2020",
    "",
)
_FOREIGN = ("{urn:foreign}thing", "thing", "{urn:foreign}other")


@cache
def library(main: Path) -> Any:
    """The schema as the library has it: XSD 1.1 where its document asks for that."""
    version = xmlschema.XMLSchema11 if "minVersion" in main.read_text() else xmlschema.XMLSchema10
    return version(str(main))


class NoDocument(Exception):
    """None was found that is short and valid."""


def random_document(
    schema: Any, choose: random.Random, *, deepest: int = 5, filled: bool = False
) -> etree._Element:
    """A random document of the schema, no more than ``deepest`` elements deep beyond what must be there.

    ``filled``: with what only wildcards, open content and type alternatives let in, and something inside of it.
    Raises `NoDocument` when the way that was taken has no end, or the library does not agree.
    """
    roots = [element for element in schema.elements.values() if not element.abstract]
    maker = (_Filler if filled else _Maker)(schema, choose, deepest)
    root = maker.element(choose.choice(roots), None, 0)
    if not schema.is_valid(root):
        raise NoDocument
    return root


class _Maker:
    def __init__(self, schema: Any, choose: random.Random, deepest: int) -> None:
        self.schema = schema
        self.choose = choose
        self.deepest = deepest
        self.size = 0
        self.prefixes = {
            uri: prefix for prefix, uri in schema.namespaces.items() if prefix and uri != schema.meta_schema
        }

    def element(self, declared: Any, parent: etree._Element | None, depth: int) -> etree._Element:
        self.size += 1
        if self.size > 60 or depth > 3 * self.deepest:
            raise NoDocument
        declaration = declared if declared.ref is None else declared.ref
        members = [each for each in (declaration, *self._substitutes(declaration)) if not each.abstract]
        if not members:
            raise NoDocument
        declaration = self.choose.choice(members)
        if parent is None:
            nsmap = {"xsi": XSI, **{f"n{n}": uri for n, uri in enumerate(self._uris())}}
            made = etree.Element(declaration.name, nsmap=nsmap)
        else:
            made = etree.SubElement(parent, declaration.name)
        type_ = self._type(declaration, made)
        self._attributes(type_, made)
        if declaration.nillable and self.choose.random() < 0.3:
            made.set(f"{{{XSI}}}nil", self.choose.choice(("true", "1")))
            return made
        if type_.is_simple() or type_.has_simple_content():
            simple = type_ if type_.is_simple() else type_.content
            if declaration.fixed is not None:
                made.text = declaration.fixed
            elif declaration.default is None or self.choose.random() < 0.5:
                made.text = self._value(simple) or None
        else:
            self._particle(type_.content, made, depth)
            if type_.mixed and self.choose.random() < 0.5:
                made.text = "mixed"
        return made

    def _uris(self) -> list[str]:
        return sorted(
            {uri for uri in self.schema.maps.namespaces if uri and "w3.org" not in uri} | {"urn:foreign"}
        )

    def _substitutes(self, declaration: Any) -> list[Any]:
        if "substitution" in declaration.block:
            return []
        return sorted(declaration.iter_substitutes(), key=lambda each: str(each.name))

    def _type(self, declaration: Any, made: etree._Element) -> Any:
        type_ = self._alternative(declaration, made)
        derived = []
        for name, other in sorted(self.schema.maps.types.items()):
            own = "w3.org" not in name and other is not type_ and type_.name != _ANY_TYPE
            named = own and not other.is_simple() and not other.abstract
            if named and _derives(other, type_) and not other.is_blocked(declaration):
                derived.append(other)
        if derived and (type_.abstract or self.choose.random() < 0.4):
            other = self.choose.choice(derived)
            uri, _, name = other.name.rpartition("}")
            prefix = next((p for p, u in made.nsmap.items() if p and f"{{{u}" == uri), None)
            if uri and prefix is None:
                raise NoDocument
            made.set(f"{{{XSI}}}type", f"{prefix}:{name}" if prefix else name)
            return other
        if type_.is_complex() and type_.abstract:
            raise NoDocument
        return type_

    def _alternative(self, declaration: Any, made: etree._Element) -> Any:
        """The type that attributes select which the tests of type alternatives name, some of them set."""
        tests = " ".join(
            each.elem.get("test", "") for each in getattr(declaration, "alternatives", None) or ()
        )
        values = [*(value for _, value in re.findall(r"(['\"])(.*?)\1", tests)), "1", "2"]
        for name in sorted(set(re.findall(r"@(\w+)", tests))):
            if self.choose.random() < 0.6:
                made.set(name, self.choose.choice(values))
        return declaration.get_alternative_type(made)

    def _attributes(self, type_: Any, made: etree._Element) -> None:
        if type_.is_simple():
            return
        for name, attribute in type_.attributes.items():
            if name is None or attribute.use == "prohibited" or name in made.attrib:
                continue
            if attribute.use == "required" or self.choose.random() < 0.3:
                made.set(
                    name, attribute.fixed if attribute.fixed is not None else self._value(attribute.type)
                )

    def _value(self, simple: Any) -> str:
        """A value of a simple type, not the empty one where another will do."""
        for value in (*(str(each) for each in simple.enumeration or ()), *_VALUES):
            if simple.is_valid(value):
                return value
        raise NoDocument

    def _particle(self, particle: Any, made: etree._Element, depth: int) -> None:
        most = particle.min_occurs
        if depth < self.deepest:
            upper = particle.max_occurs
            most = most + self.choose.choice((0, 0, 1, 2))
            most = most if upper is None else min(most, upper)
        for _ in range(self.choose.randint(particle.min_occurs, max(most, particle.min_occurs))):
            if hasattr(particle, "process_contents"):
                self._wildcard(particle, made, depth)
            elif not hasattr(particle, "model"):
                self.element(particle, made, depth + 1)
            elif particle.model == "choice":
                parts = list(particle)
                if parts:
                    self._particle(self.choose.choice(parts), made, depth)
            else:
                parts = list(particle)
                if particle.model == "all":
                    self.choose.shuffle(parts)
                for part in parts:
                    self._particle(part, made, depth)

    def _wildcard(self, particle: Any, made: etree._Element, depth: int) -> None:
        fitting = [name for name in _FOREIGN if particle.is_matching(name, default_namespace="")]
        if not fitting or particle.process_contents == "strict":
            raise NoDocument
        etree.SubElement(made, self.choose.choice(fitting))


def _derives(type_: Any, from_: Any) -> bool:
    """Whether a type can stand for another; the library takes a list for derived from the type of its items."""
    if type_ is from_ or any(
        _derives(type_, member) for member in getattr(from_, "member_types", None) or ()
    ):
        return True
    return type_.base_type not in (None, type_) and _derives(type_.base_type, from_)


class _Filler(_Maker):
    """Uses what schemas leave open."""

    def element(self, declared: Any, parent: etree._Element | None, depth: int) -> etree._Element:
        made = super().element(declared, parent, depth)
        opened = getattr(declared.type, "open_content", None)
        if opened is not None and opened.any_element is not None and self.choose.random() < 0.7:
            self._wildcard(opened.any_element, made, depth)
        return made

    def _attributes(self, type_: Any, made: etree._Element) -> None:
        super()._attributes(type_, made)
        wildcard = None if type_.is_simple() else type_.attributes.get(None)
        declared = [name for name in self.schema.maps.attributes if "w3.org" not in name]
        for name in (*_FOREIGN, *declared) if wildcard is not None else ():
            if wildcard.is_matching(name, default_namespace="") and self.choose.random() < 0.5:
                made.set(name, "1")

    def _wildcard(self, particle: Any, made: etree._Element, depth: int) -> None:
        known = [
            each
            for name, each in sorted(self.schema.maps.elements.items())
            if "w3.org" not in name and particle.is_matching(name, default_namespace="")
        ]
        skipped = particle.process_contents == "skip"
        if known and not skipped and (particle.process_contents == "strict" or self.choose.random() < 0.5):
            self.element(self.choose.choice(known), made, depth + 1)
            return
        fitting = [name for name in _FOREIGN if particle.is_matching(name, default_namespace="")]
        names = [*fitting, *(each.name for each in known if skipped)]
        if not names:
            raise NoDocument
        etree.SubElement(self._anything(made, names), self.choose.choice(_FOREIGN)).text = "inside"

    def _anything(self, made: etree._Element, names: list[str]) -> etree._Element:
        """An element that no declaration is about, with an attribute."""
        inside = etree.SubElement(made, self.choose.choice(names))
        inside.set("loose", "1")
        return inside


_ANY_TYPE = "{http://www.w3.org/2001/XMLSchema}anyType"
