"""Rules: event definitions that have been read and checked, ready for a detector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from path_types import PathType

from ..algebra import Disjunction, EventDefinition, Leaf, Reference
from ..errors import RuleError, RuleProblem
from ..events import ANY, PrimitiveType
from ..language import ParsedRules, parse_definitions, print_definitions
from .drawing import draw_mermaid
from .event_graph import EventGraph, build_graph


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Checked event definitions with their event graph. Make them with `parse_rules`, `load_rules` or
    `Rules.from_definitions`.

    ``namespaces`` are the declared prefixes ("" for unprefixed element names); ``text`` is what they were read from,
    None if from definitions or several files; ``source_name`` is the file's name, for messages; ``references`` are
    the reference documents that they name (V8), ``files`` the files they were loaded from. Rules are equal when
    their definitions and references are (and, if they have conditions, the namespaces of the names in these).
    """

    definitions: tuple[EventDefinition, ...]
    namespaces: Mapping[str, str]
    graph: EventGraph = field(repr=False)
    text: str | None = field(default=None, repr=False)
    source_name: str = "<rules>"
    references: tuple[Reference, ...] = ()
    files: tuple[str, ...] = ()

    @classmethod
    def from_definitions(
        cls, definitions: Iterable[EventDefinition], namespaces: Mapping[str, str] | None = None
    ) -> Rules:
        """Rules made of definitions that were built in Python; raises `RuleError` with all that is wrong.

        ``namespaces`` are for the names in conditions, and for printing.
        """
        given = tuple(definitions)
        problems: list[RuleProblem] = []
        seen: set[str] = set()
        for definition in given:
            if definition.name in seen:
                message = f"the event {definition.name!r} is defined twice"
                problems.append(RuleProblem(message, "choose another name", definition.at))
            seen.add(definition.name)
        return checked_rules(ParsedRules(given, dict(namespaces or {})), problems, None, "<rules>")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        if self.definitions != other.definitions or self.references != other.references:
            return False
        return not self.graph.has_conditions or self.namespaces == other.namespaces

    def __hash__(self) -> int:
        return hash(self.definitions)

    def __str__(self) -> str:
        """The rules as text that parses back to equal rules."""
        return print_definitions(self.definitions, self.namespaces, self.references)

    def mermaid(self) -> str:
        """The event trees as a Mermaid flow chart, joined where one takes the events of another."""
        return draw_mermaid(self.graph, self.namespaces)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Conditions hold compiled XPath, which cannot be copied; the definitions say all there is to say.
        return (
            _rebuilt,
            (self.definitions, dict(self.namespaces), self.text, self.source_name, self.references),
        )


def parse_rules(text: str, source_name: str = "<rules>") -> Rules:
    """The rules that ``text`` says; raises one `RuleError` with everything that is wrong in it.

    Raises `TypeError` for what is no text.

    >>> [definition.name for definition in parse_rules("event Priced = ins(item/price)").definitions]
    ['Priced']
    """
    if not isinstance(text, str):
        raise TypeError(f"rules are text, not {text!r}: use load_rules(file) for a file")
    problems: list[RuleProblem] = []
    if text.strip().endswith(".xcep") and len(text.split()) == 1:
        hint = f"use load_rules({text.strip()!r})"
        problems.append(RuleProblem(f"{text.strip()!r} is the name of a file, not rules", hint))
        raise RuleError(problems, source_name=source_name, text=text)
    return checked_rules(parse_definitions(text, problems), problems, text, source_name)


def _rebuilt(
    definitions: tuple[EventDefinition, ...], namespaces: dict[str, str], text: str | None, source_name: str,
    references: tuple[Reference, ...],
) -> Rules:  # fmt: skip
    return checked_rules(ParsedRules(definitions, namespaces, references=references), [], text, source_name)


def checked_rules(
    parsed: ParsedRules, problems: list[RuleProblem], text: str | None, source_name: str
) -> Rules:
    """The rules that have been read, with their graph; raises `RuleError` if there are problems."""
    standing_in = tuple(map(_placeholder, parsed.unreadable))
    names = [reference.name for reference in parsed.references]
    graph = build_graph(
        (*parsed.definitions, *standing_in), problems, namespaces=parsed.namespaces, references=names
    )
    if problems:
        raise RuleError(problems, source_name=source_name, text=text)
    namespaces = MappingProxyType(dict(parsed.namespaces))
    return Rules(parsed.definitions, namespaces, graph, text, source_name, parsed.references)


def _placeholder(name: str) -> EventDefinition:
    """Stands in for an event with a syntax error, so that the events that use it can be checked."""
    return EventDefinition(name, Disjunction((Leaf(PrimitiveType(ANY, PathType.parse(name))),)))
