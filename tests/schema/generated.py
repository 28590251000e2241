"""Small random schemas, and random valid documents of them.

A schema has a root and five element names, each declared once: simple, of one of a few given types, or with a random
content model of its own over the same names, so that elements stand in themselves and in each other, also where they
are required. Models have wildcards; a simple type is extended, so that ``xsi:type`` can name the extension.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d", "e")
TYPES = ("xs:string", "xs:decimal", "inner", "flagged")
ANY = "any"
OTHER = "urn:other"
NEVER = 1_000
"""The height of content that no finite document has: it requires itself."""

DEEPEST = 4
"""How deep documents are filled beyond what they need."""


@dataclass(frozen=True)
class Particle:
    """``kind`` is an element's name, `ANY` for a wildcard, or sequence or choice with ``parts``."""

    kind: str
    lower: int
    upper: int | None
    parts: tuple[Particle, ...] = ()

    @property
    def is_group(self) -> bool:
        return self.kind in ("sequence", "choice")

    @property
    def is_fixed(self) -> bool:
        """Whether it is always the same number of children."""
        return self.lower == self.upper and all(part.is_fixed for part in self.parts)

    def names(self) -> Iterator[str]:
        """The names of the elements in it."""
        for part in self.parts:
            yield from part.names()
        if not self.is_group and self.kind != ANY:
            yield self.kind

    def counts(self, names: frozenset[str], unbounded: int) -> frozenset[int]:
        """How many elements of these names valid content can have, ``unbounded`` being taken for no bound."""
        if self.is_group:
            inner = [part.counts(names, unbounded) for part in self.parts]
            once = frozenset.union(*inner) if self.kind == "choice" else _sums(inner)
        else:
            once = frozenset([int(self.kind in names)])
        most = max(self.lower, unbounded) if self.upper is None else self.upper
        return frozenset[int].union(*(_sums([once] * times) for times in range(self.lower, most + 1)))

    def xsd(self, types: dict[str, str]) -> str:
        """The particle as XML Schema."""
        upper = "unbounded" if self.upper is None else self.upper
        occurs = f'minOccurs="{self.lower}" maxOccurs="{upper}"'
        if self.kind == ANY:
            return f'<xs:any namespace="##other" processContents="lax" {occurs}/>'
        if not self.is_group:
            return f'<xs:element name="{self.kind}" type="{types[self.kind]}" {occurs}/>'
        inner = "".join(part.xsd(types) for part in self.parts)
        return f"<xs:{self.kind} {occurs}>{inner}</xs:{self.kind}>"


def _sums(terms: list[frozenset[int]]) -> frozenset[int]:
    """All sums of one number of each set."""
    sums = frozenset([0])
    for numbers in terms:
        sums = frozenset(total + number for total in sums for number in numbers)
    return sums


@dataclass(frozen=True)
class Generated:
    """A schema and a valid document of it, as text; ``models`` are the content models by element name.

    ``recursive``: an element can stand inside another of its name.
    """

    schema: str
    document: str
    models: dict[str, Particle]
    recursive: bool


_COMMON = (
    '<xs:complexType name="inner"><xs:sequence><xs:element name="x" type="xs:string"/>'
    '<xs:element name="y" type="xs:integer" minOccurs="0"/></xs:sequence></xs:complexType>'
    '<xs:complexType name="flagged"><xs:simpleContent><xs:extension base="xs:decimal">'
    '<xs:attribute name="f" use="required"/><xs:attribute name="g"/></xs:extension></xs:simpleContent></xs:complexType>'
)
_BOUNDS = st.sampled_from([(0, 1), (1, 1), (1, 1), (1, 2), (2, 2), (0, None), (1, None), (2, 3)])
_TYPES = st.sampled_from(TYPES)
_ORDERS = {wildcards: st.permutations((*NAMES, ANY) if wildcards else NAMES) for wildcards in (False, True)}
_KINDS = st.sampled_from(["sequence", "choice"])
_ATTRIBUTES = st.sampled_from(["", '<xs:attribute name="r" use="required"/>', '<xs:attribute name="o"/>'])
_XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


@st.composite
def schemas(draw: st.DrawFn, *, recursive: bool = False, wildcards: bool = False) -> Generated:
    """A schema whose content models nest groups with occurrences; and a valid document.

    ``recursive``: elements have models of their own; ``wildcards``: these have some.
    """
    types = {name: draw(_TYPES) for name in NAMES}
    models = {"root": _model(draw, wildcards)}
    for name in NAMES if recursive else ():
        if draw(st.booleans()):
            types[name] = f"of-{name}"
            models[name] = _model(draw, wildcards)
    attribute = draw(_ATTRIBUTES)
    heights = _heights(models)
    assume(heights["root"] < NEVER)
    named = "".join(
        f'<xs:complexType name="of-{name}">{model.xsd(types)}</xs:complexType>'
        for name, model in models.items()
        if name != "root"
    )
    schema = (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="root"><xs:complexType>'
        f"{models['root'].xsd(types)}{attribute}</xs:complexType></xs:element>{named}{_COMMON}</xs:schema>"
    )
    inside = _Documents(draw, models, types, heights).contents("root", 0)
    given = ' r="1"' if 'name="r"' in attribute else ' o="1"' if attribute and draw(st.booleans()) else ""
    document = f'<root {_XSI} xmlns:o="{OTHER}"{given}>{inside}</root>'
    return Generated(schema, document, models, _is_recursive(models))


# What follows are functions: a strategy made for each particle that is drawn takes several times as long.


def _model(draw: st.DrawFn, wildcards: bool) -> Particle:
    """A content model; every name is used once in it, so that it is unambiguous."""
    return _group(draw, list(draw(_ORDERS[wildcards])), depth=2)


def _group(draw: st.DrawFn, names: list[str], depth: int) -> Particle:
    parts: list[Particle] = []
    for _ in range(draw(st.integers(1, 3))):
        if not names:
            break
        if depth and len(names) > 1 and draw(st.booleans()):
            parts.append(_group(draw, names, depth - 1))
        else:
            lower, upper = draw(_BOUNDS)
            parts.append(Particle(names.pop(), lower, upper))
    lower, upper = draw(_BOUNDS)
    kind = draw(_KINDS)
    if lower > 1 and not all(part.is_fixed for part in parts):
        lower = (
            1  # xmlschema gives every round as much as it can take, and finds too little left for the next
        )
    return Particle(kind, lower, upper, tuple(parts))


def _heights(models: dict[str, Particle]) -> dict[str, int]:
    """How many elements the least content of each element nests; `NEVER` where there is no finite content."""
    heights = dict.fromkeys(models, NEVER)
    for _ in range(len(models) + 1):
        heights = {name: _height(model, heights) for name, model in models.items()}
    return heights


def _height(part: Particle, heights: dict[str, int]) -> int:
    if part.lower == 0:
        return 0
    if part.is_group:
        inner = [_height(each, heights) for each in part.parts]
        return min(inner) if part.kind == "choice" else max(inner)
    return min(NEVER, 1 + heights.get(part.kind, 0))


def _is_recursive(models: dict[str, Particle]) -> bool:
    below = {name: set(model.names()) for name, model in models.items()}
    for _ in models:
        below = {
            name: names | {inner for child in names for inner in below.get(child, ())}
            for name, names in below.items()
        }
    return any(name in names for name, names in below.items())


@dataclass(frozen=True)
class _Documents:
    """Random valid contents; below `DEEPEST` elements only what must be there."""

    draw: st.DrawFn
    models: dict[str, Particle]
    types: dict[str, str]
    heights: dict[str, int]

    def contents(self, name: str, depth: int) -> str:
        """The inside of an element with a content model."""
        return self._particle(self.models[name], depth)

    def _particle(self, particle: Particle, depth: int) -> str:
        most = particle.lower + 1 if particle.upper is None else min(particle.upper, particle.lower + 1)
        if depth >= DEEPEST or _height(_once(particle), self.heights) >= NEVER:
            most = particle.lower
        found = ""
        for _ in range(self.draw(st.integers(particle.lower, most))):
            if not particle.is_group:
                found += self._element(particle.kind, depth + 1)
                continue
            for part in self._chosen(particle, depth):
                found += self._particle(part, depth)
        return found

    def _chosen(self, group: Particle, depth: int) -> tuple[Particle, ...]:
        """The parts of one round of a group."""
        if group.kind == "sequence":
            return group.parts
        heights = [_height(part, self.heights) for part in group.parts]
        least = min(heights) if depth >= DEEPEST else NEVER - 1
        fit = [part for part, height in zip(group.parts, heights, strict=True) if height <= least]
        return (fit[self.draw(st.integers(0, len(fit) - 1))],)

    def _element(self, name: str, depth: int) -> str:
        if name == ANY:
            return "<o:any/>"
        if name in self.models:
            return f"<{name}>{self.contents(name, depth)}</{name}>"
        type_ = self.types[name]
        if type_ == "inner":
            more = "<y>7</y>" if self.draw(st.booleans()) else ""
            return f"<{name}><x>x</x>{more}</{name}>"
        extended = type_ == "xs:decimal" and self.draw(st.integers(0, 3)) == 0
        if type_ == "flagged" or extended:
            more = ' g="1"' if self.draw(st.booleans()) else ""
            more += ' xsi:type="flagged"' if extended else ""
            return f'<{name} f="1"{more}>1.5</{name}>'
        return f"<{name}>1</{name}>"


def _once(part: Particle) -> Particle:
    return Particle(part.kind, 1, part.upper, part.parts)
