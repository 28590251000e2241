"""Small random schemas, and random valid documents of them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d", "e")
TYPES = ("xs:string", "xs:decimal", "inner", "flagged")


@dataclass(frozen=True)
class Particle:
    """``kind`` is an element's name, or sequence or choice with ``parts``."""

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

    def xsd(self, types: dict[str, str]) -> str:
        """The particle as XML Schema."""
        upper = "unbounded" if self.upper is None else self.upper
        occurs = f'minOccurs="{self.lower}" maxOccurs="{upper}"'
        if not self.is_group:
            return f'<xs:element name="{self.kind}" type="{types[self.kind]}" {occurs}/>'
        inner = "".join(part.xsd(types) for part in self.parts)
        return f"<xs:{self.kind} {occurs}>{inner}</xs:{self.kind}>"


@dataclass(frozen=True)
class Generated:
    """A schema and a valid document of it, as text."""

    schema: str
    document: str


_COMMON = (
    '<xs:complexType name="inner"><xs:sequence><xs:element name="x" type="xs:string"/>'
    '<xs:element name="y" type="xs:integer" minOccurs="0"/></xs:sequence></xs:complexType>'
    '<xs:complexType name="flagged"><xs:simpleContent><xs:extension base="xs:decimal">'
    '<xs:attribute name="f" use="required"/><xs:attribute name="g"/></xs:extension></xs:simpleContent></xs:complexType>'
)
_BOUNDS = st.sampled_from([(0, 1), (1, 1), (1, 1), (1, 2), (2, 2), (0, None), (1, None), (2, 3)])


@st.composite
def schemas(draw: st.DrawFn) -> Generated:
    """A schema with one root, whose content nests groups with occurrences; and a valid document."""
    names = list(draw(st.permutations(NAMES)))
    types = {name: draw(st.sampled_from(TYPES)) for name in NAMES}
    model = draw(_groups(names, depth=2))
    attribute = draw(
        st.sampled_from(["", '<xs:attribute name="r" use="required"/>', '<xs:attribute name="o"/>'])
    )
    schema = (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="root"><xs:complexType>'
        f"{model.xsd(types)}{attribute}</xs:complexType></xs:element>{_COMMON}</xs:schema>"
    )
    children = draw(_contents(model))
    inside = "".join(draw(_elements(name, types[name])) for name in children)
    given = ' r="1"' if 'name="r"' in attribute else ' o="1"' if attribute and draw(st.booleans()) else ""
    return Generated(schema, f"<root{given}>{inside}</root>")


@st.composite
def _groups(draw: st.DrawFn, names: list[str], depth: int) -> Particle:
    """A group; every name is used once in the schema, so that content models are unambiguous."""
    parts: list[Particle] = []
    for _ in range(draw(st.integers(1, 3))):
        if not names:
            break
        if depth and len(names) > 1 and draw(st.booleans()):
            parts.append(draw(_groups(names, depth - 1)))
        else:
            lower, upper = draw(_BOUNDS)
            parts.append(Particle(names.pop(), lower, upper))
    lower, upper = draw(_BOUNDS)
    kind = draw(st.sampled_from(["sequence", "choice"]))
    if lower > 1 and not all(part.is_fixed for part in parts):
        lower = (
            1  # xmlschema gives every round as much as it can take, and finds too little left for the next
        )
    return Particle(kind, lower, upper, tuple(parts))


@st.composite
def _contents(draw: st.DrawFn, particle: Particle) -> list[str]:
    """The names of the children of valid content."""
    most = particle.lower + 1 if particle.upper is None else min(particle.upper, particle.lower + 1)
    times = draw(st.integers(particle.lower, most))
    if not particle.is_group:
        return [particle.kind] * times
    found: list[str] = []
    for _ in range(times):
        chosen = particle.parts if particle.kind == "sequence" else (draw(st.sampled_from(particle.parts)),)
        for part in chosen:
            found += draw(_contents(part))
    return found


@st.composite
def _elements(draw: st.DrawFn, name: str, type_: str) -> str:
    if type_ == "inner":
        more = "<y>7</y>" if draw(st.booleans()) else ""
        return f"<{name}><x>x</x>{more}</{name}>"
    if type_ == "flagged":
        more = ' g="1"' if draw(st.booleans()) else ""
        return f'<{name} f="1"{more}>1.5</{name}>'
    return f"<{name}>1</{name}>"
