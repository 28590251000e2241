"""What a Schematron file asserts: the rules of the patterns that a phase has, with the variables that they see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree
from lxml.isoschematron import iso_abstract_expand

from ..errors import RuleError, RuleProblem
from ..language.xml_form.markup import Tag, offsets, tags, without_declaration
from ..position import NOWHERE, Position
from ..suggestions import did_you_mean_or_list
from ..xml_parser import parse_data

_ISO = "http://purl.oclc.org/dsdl/schematron"
_BEFORE_ISO = "http://www.ascc.net/xml/schematron"
_TAG = "{urn:xmlcep:schematron}tag"
"""The number of an element's start tag: the stylesheet keeps attributes that it does not know, and no lines."""
_EVERYTHING = "#ALL"
_MOST = 1000
"""Of one rule: abstract ones that extend each other twice can make any number."""


def iso(name: str) -> str:
    """The name of an element of Schematron."""
    return f"{{{_ISO}}}{name}"


def is_schematron(text: str) -> bool:
    """Whether an XML text is a Schematron schema."""
    try:
        return bool(_schema(text).tag == iso("schema"))
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Assertion:
    """An ``assert`` or ``report`` of a rule, which may have it from an abstract one."""

    element: Any
    is_report: bool
    diagnostics: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a pattern; ``variables`` are the elements that declare what it sees, with whether they are of the rule
    itself: those of the pattern and the schema are asked at the document's root."""

    element: Any
    pattern: Any
    assertions: tuple[Assertion, ...]
    variables: tuple[tuple[Any, bool], ...]


class SchematronFile:
    """A Schematron file, its abstract patterns expanded. Raises `RuleError` for text that is no such file."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        try:
            schema = _schema(text)
        except ValueError as error:
            raise RuleError([RuleProblem(str(error))], source_name=name) from error
        self._tags: list[Tag] = list(tags(without_declaration(text)))
        for number, element in enumerate(schema.iter()):
            element.set(_TAG, str(number))
        self.problems = [
            RuleProblem(
                "another file is to be included, and no files are read", "write it here", self.place(element)
            )
            for element in schema.iter(iso("include"))
        ]
        self._refuse_growth(schema)
        self.schema = iso_abstract_expand(schema).getroot()
        self._by_id = {element.get("id"): element for element in self.schema.iter("{*}*")}

    def _refuse_growth(self, schema: Any) -> None:
        """Parameters in each other could make a text of any length of a short one: raises `RuleError`."""
        for pattern in schema.iter(iso("pattern")):
            parameters = pattern.findall(iso("param"))
            names = [f"${each.get('name')}" for each in parameters]
            for each in parameters:
                if any(name in each.get("value", "") for name in names):
                    at = self.place(each, "value")
                    self.problems.append(RuleProblem("a parameter in another", "write its value", at))
                    raise self.error()

    def place(self, element: Any, attribute: str = "", offset: int = 0, width: int = 0) -> Position:
        """Where an element is written, or a part of the value of its attribute."""
        number = element.get(_TAG)
        if number is None:
            return NOWHERE
        tag = self._tags[int(number)]
        start, end = tag.start, tag.end
        if (written := tag.attributes.get(attribute)) is not None:
            characters = offsets(without_declaration(self._text), written)
            start, end = written.value_start, written.value_end
            if width and offset + width <= len(characters):
                start, end = characters[offset], characters[offset + width - 1] + 1
        line_start = self._text.rfind("\n", 0, start) + 1
        return Position(self._text.count("\n", 0, start) + 1, start - line_start + 1, end - start)

    def error(self) -> RuleError:
        """All that is wrong in it."""
        return RuleError(self.problems, source_name=self._name, text=self._text)

    @property
    def namespaces(self) -> dict[str, str]:
        """The prefixes that its expressions have."""
        return {each.get("prefix", "ns"): each.get("uri", "") for each in self.schema.iter(iso("ns"))}

    @property
    def binding(self) -> str:
        """The language that it says its expressions are in."""
        return str(self.schema.get("queryBinding", "xslt"))

    def patterns(self, phase: str | None) -> Iterator[list[Rule]]:
        """The rules of each pattern of a phase, of the default one without it; raises `RuleError` if there is none."""
        phases: dict[str, Any] = {each.get("id", ""): each for each in self.schema.iter(iso("phase"))}
        wanted = phase or self.schema.get("defaultPhase") or _EVERYTHING
        if wanted != _EVERYTHING and wanted not in phases:
            hint = did_you_mean_or_list(wanted, [*phases, _EVERYTHING])
            raise RuleError([RuleProblem(f"there is no phase {wanted!r}", hint)], source_name=self._name)
        chosen = phases.get(wanted)
        active = None if chosen is None else {each.get("pattern") for each in chosen.iter(iso("active"))}
        outer = [*self._lets(self.schema), *([] if chosen is None else self._lets(chosen))]
        for pattern in self.schema.iter(iso("pattern")):
            if active is None or pattern.get("id") in active:
                yield list(self._rules(pattern, [*outer, *self._lets(pattern)]))

    @staticmethod
    def _lets(element: Any) -> list[tuple[Any, bool]]:
        return [(each, element.tag == iso("rule")) for each in element.iterchildren(iso("let"))]

    def _rules(self, pattern: Any, variables: list[tuple[Any, bool]]) -> Iterator[Rule]:
        for rule in pattern.iterchildren(iso("rule")):
            if rule.get("abstract") != "true":
                parts = list(islice(self._parts(rule, set()), _MOST + 1))
                if len(parts) > _MOST:
                    problem = f"more than {_MOST:,} assertions, with those of the rules that it extends"
                    self.problems.append(RuleProblem(problem, "", self.place(rule)))
                    raise self.error()
                lets = [(each, True) for each in parts if each.tag == iso("let")]
                made = [self._assertion(each) for each in parts if each.tag != iso("let")]
                yield Rule(rule, pattern, tuple(made), (*variables, *lets))

    def _parts(self, rule: Any, inside: set[str]) -> Iterator[Any]:
        """The variables and assertions of a rule, those of the abstract rules that it extends among them."""
        for each in rule.iterchildren(iso("let"), iso("assert"), iso("report"), iso("extends")):
            if each.tag != iso("extends"):
                yield each
                continue
            wanted = each.get("rule", "")
            extended = self._by_id.get(wanted)
            if extended is None or wanted in inside:
                problem = f"there is no abstract rule {wanted!r}" if extended is None else "it extends itself"
                self.problems.append(RuleProblem(problem, "", self.place(each, "rule")))
            else:
                yield from self._parts(extended, inside | {wanted})

    def _assertion(self, element: Any) -> Assertion:
        named = [self._by_id.get(name) for name in element.get("diagnostics", "").split()]
        return Assertion(
            element, element.tag == iso("report"), tuple(each for each in named if each is not None)
        )


def _schema(text: str) -> Any:
    """The root element; raises `ValueError` for what is not XML. Files of before 2006 have another namespace."""
    root = parse_data(without_declaration(text).encode("utf-8"))
    for element in root.iter(f"{{{_BEFORE_ISO}}}*"):
        element.tag = iso(etree.QName(element).localname)
    return root
