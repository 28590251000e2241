"""Rules: event definitions that have been read and checked, ready for a detector."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from weakref import WeakValueDictionary

from path_types import PathType

from ..algebra import ActiveRule, Disjunction, EventDefinition, External, Leaf, Reference
from ..errors import RuleError, RuleProblem
from ..events import ANY, CompositeEvent, CompositeType, PrimitiveType
from ..language import ParsedRules, parse_definitions, print_definitions
from .active_rules import compile_rules, own_events
from .drawing import draw_mermaid
from .event_graph import EventGraph, build_graph
from .rule_programs import Triggers


class IgnoredRulesWarning(UserWarning):
    """Rules that act were given to what only looks for events."""


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Checked event definitions with their event graph. Make them with `parse_rules`, `load_rules` or
    `Rules.from_definitions`.

    ``namespaces`` are the declared prefixes ("" for unprefixed element names); ``text`` is what they were read from,
    None if from definitions or several files; ``source_name`` is the file's name, for messages; ``references`` are
    the reference documents that they name (V8), ``files`` the files they were loaded from. ``active_rules`` are the
    rules that act, ``triggers`` these compiled (None if there are none). Rules are equal when their definitions,
    references and rules that act are (and, if they have conditions, the namespaces of the names in these).
    """

    definitions: tuple[EventDefinition, ...]
    namespaces: Mapping[str, str]
    graph: EventGraph = field(repr=False)
    text: str | None = field(default=None, repr=False)
    source_name: str = "<rules>"
    references: tuple[Reference, ...] = ()
    files: tuple[str, ...] = ()
    active_rules: tuple[ActiveRule, ...] = ()
    triggers: Triggers | None = field(default=None, repr=False)

    @classmethod
    def from_definitions(
        cls,
        definitions: Iterable[EventDefinition],
        namespaces: Mapping[str, str] | None = None,
        *,
        active_rules: Iterable[ActiveRule] = (),
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
        parsed = ParsedRules(given, dict(namespaces or {}), active_rules=tuple(active_rules))
        return checked_rules(parsed, problems, None, "<rules>")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        if self.definitions != other.definitions or self.references != other.references:
            return False
        if self.active_rules != other.active_rules:
            return False
        names_matter = self.graph.has_conditions or bool(self.active_rules)
        return not names_matter or self.namespaces == other.namespaces

    def __hash__(self) -> int:
        return hash(self.definitions)

    def __str__(self) -> str:
        """The rules as text that parses back to equal rules."""
        return print_definitions(self.definitions, self.namespaces, self.references, self.active_rules)

    def takes_external(self, event: CompositeEvent) -> bool:
        """Whether an external event that somebody raises is one of these rules' (L7)."""
        declared = self.externals.get(event.name)
        return declared is not None and event.path is not None and declared.accepts(event.name, event.path)

    @property
    def externals(self) -> dict[str, CompositeType]:
        """The external events that the rules declare, by name."""
        return {
            tree.name: CompositeType(tree.name, tree.path)
            for tree in self.graph.trees
            if isinstance(tree.definition.expression, External)
        }

    def ignored(self) -> str:
        """A sentence for whoever only looks for events; empty if there are no rules that act."""
        count = len(self.active_rules)
        if not count:
            return ""
        rules = "its rule that acts is" if count == 1 else f"its {count} rules that act are"
        return f"{self.source_name}: {rules} ignored here; they run in doc.rules(…) and xmlcep apply"

    def warn_ignored(self, stacklevel: int) -> None:
        """Warns that rules that act are ignored, once for these rules."""
        said = self.ignored()
        if said and id(self.triggers) not in _WARNED:
            _WARNED[id(self.triggers)] = self.triggers
            warnings.warn(said, IgnoredRulesWarning, stacklevel=stacklevel + 1)

    def mermaid(self) -> str:
        """The event trees as a Mermaid flow chart, joined where one takes the events of another."""
        return draw_mermaid(self.graph, self.namespaces)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Conditions hold compiled XPath, which cannot be copied; the definitions say all there is to say.
        return (
            _rebuilt,
            (
                self.definitions,
                dict(self.namespaces),
                self.text,
                self.source_name,
                self.references,
                self.active_rules,
            ),
        )


_WARNED: MutableMapping[int, Triggers | None] = WeakValueDictionary()
"""The rules that somebody has been warned of."""


def parse_rules(text: str, source_name: str = "<rules>") -> Rules:
    """The rules that ``text`` says; raises one `RuleError` with everything that is wrong in it.

    >>> [definition.name for definition in parse_rules("event Priced = ins(item/price)").definitions]
    ['Priced']
    """
    problems: list[RuleProblem] = []
    return checked_rules(parse_definitions(text, problems), problems, text, source_name)


def _rebuilt(
    definitions: tuple[EventDefinition, ...], namespaces: dict[str, str], text: str | None, source_name: str,
    references: tuple[Reference, ...], active_rules: tuple[ActiveRule, ...],
) -> Rules:  # fmt: skip
    parsed = ParsedRules(definitions, namespaces, references=references, active_rules=active_rules)
    return checked_rules(parsed, [], text, source_name)


def checked_rules(
    parsed: ParsedRules, problems: list[RuleProblem], text: str | None, source_name: str
) -> Rules:
    """The rules that have been read, with their graph; raises `RuleError` if there are problems."""
    standing_in = tuple(map(_placeholder, parsed.unreadable))
    names = [reference.name for reference in parsed.references]
    graph = build_graph(
        (*parsed.definitions, *standing_in), problems, namespaces=parsed.namespaces, references=names
    )
    triggers = _triggers(parsed, graph, standing_in, problems) if parsed.active_rules else None
    if problems:
        raise RuleError(problems, source_name=source_name, text=text)
    namespaces = MappingProxyType(dict(parsed.namespaces))
    return Rules(
        parsed.definitions, namespaces, graph, text, source_name, parsed.references,
        active_rules=parsed.active_rules, triggers=triggers,
    )  # fmt: skip


def _triggers(
    parsed: ParsedRules,
    graph: EventGraph,
    standing_in: Sequence[EventDefinition],
    problems: list[RuleProblem],
) -> Triggers:
    """The rules that act, compiled; a graph of their own if they have events of their own."""
    own = own_events(parsed.active_rules)
    names = [reference.name for reference in parsed.references]
    if own:
        found: list[RuleProblem] = []
        taken = {definition.name for definition in parsed.definitions}
        own = [event for event in own if event.name not in taken]  # which has been said
        graph = build_graph(
            (*parsed.definitions, *standing_in, *own),
            found,
            namespaces=parsed.namespaces,
            references=names,
            private={event.name for event in own},
        )
        # What is wrong with defined events has been said.
        said = {(problem.message, problem.at) for problem in problems}
        of_rules = {event.name for event in own}
        for problem in found:
            if (problem.message, problem.at) not in said:
                name = problem.message.removeprefix("event ").partition(":")[0]
                message = problem.message
                if name in of_rules:
                    message = f"rule{message.removeprefix('event')}"
                problems.append(RuleProblem(message, problem.hint, problem.at))
        if found:
            # A graph with problems lacks trees: what uses them would be called wrong for that.
            known = {tree.name for tree in graph.trees}
            rules = [rule for rule in parsed.active_rules if rule.trigger.name in known]
            return compile_rules(rules, graph, problems, namespaces=parsed.namespaces, references=names)
    return compile_rules(parsed.active_rules, graph, problems, namespaces=parsed.namespaces, references=names)


def _placeholder(name: str) -> EventDefinition:
    """Stands in for an event with a syntax error, so that the events that use it can be checked."""
    return EventDefinition(name, Disjunction((Leaf(PrimitiveType(ANY, PathType.parse(name))),)))
