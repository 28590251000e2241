"""Rules: event definitions that have been read and checked, ready for a detector."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import TypeVar
from weakref import WeakValueDictionary

from lxml import etree

from path_types import PathType

from ..algebra import ActiveRule, Disjunction, EventDefinition, External, Leaf, Reference, RuleParameter
from ..arguments import BY_NAME, ITERABLE, NAMES, TEXT, check, optional, refuse
from ..errors import ArgumentError, RuleError, RuleProblem
from ..events import ANY, CompositeEvent, CompositeType, PrimitiveType
from ..language import ParsedRules, print_definitions, print_xml_definitions, read_definitions
from ..language.parser import Printed, defined_twice
from ..languages import Language, Languages
from ..suggestions import listed
from ..xpath import Expression, Known, VariableKind
from .active_rules import compile_rules, own_events
from .additions import Additions, ParameterValue
from .drawing import draw_mermaid
from .event_graph import EventGraph, build_graph
from .parameters import with_windows
from .references import Documents, ReferenceSources, Source, mismatches, missing
from .rule_programs import Triggers
from .svg import draw_svg


class IgnoredRulesWarning(UserWarning):
    """Rules that act were given to what only looks for events."""


_LISTED = 5  # names


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Checked event definitions and action rules. Make them with `parse_rules`, `load_rules` or
    `Rules.from_definitions`.

    ``namespaces`` are the declared prefixes ("" for element names without a prefix). ``text`` is the text they were
    read from, None if they were made of definitions or several files; ``source_name`` is the file's name, for messages;
    ``files`` are the files they were loaded from. ``references`` are the reference documents that they name (V8),
    ``documents`` those that have been read, by name. ``languages`` are the languages that opaque leaves can use (O1).
    ``active_rules`` are the action rules, ``triggers`` these compiled (None if there are none). ``derived`` names
    events that come from a schema. ``parameters`` have the values that are used (V9).

    Rules are equal if their definitions, references, parameters and action rules are, and, if they have conditions, the
    namespaces of the names in these.
    """

    definitions: tuple[EventDefinition, ...]
    namespaces: Mapping[str, str]
    graph: EventGraph = field(repr=False)
    text: str | None = field(default=None, repr=False)
    source_name: str = "<rules>"
    references: tuple[Reference, ...] = ()
    files: tuple[str, ...] = ()
    documents: Documents = field(default_factory=dict, repr=False)
    languages: Languages = field(default_factory=Languages, repr=False)
    active_rules: tuple[ActiveRule, ...] = ()
    triggers: Triggers | None = field(default=None, repr=False)
    derived: frozenset[str] = field(default=frozenset(), repr=False)
    parameters: tuple[RuleParameter, ...] = ()

    @classmethod
    def from_definitions(
        cls,
        definitions: Iterable[EventDefinition],
        namespaces: Mapping[str, str] | None = None,
        *,
        active_rules: Iterable[ActiveRule] = (),
        references: Mapping[str, Source] | None = None,
        languages: Mapping[str, Language] | None = None,
        allow: Iterable[str] = (),
        params: Mapping[str, ParameterValue] | None = None,
    ) -> Rules:
        """Rules made of definitions that were built in Python; raises `RuleError` with all that is wrong.

        ``namespaces`` are for the names in conditions, and for printing; the others as for `load_rules`.
        """
        given = _values("definitions", definitions, EventDefinition)
        acting = _values("active_rules", active_rules, ActiveRule)
        check("from_definitions()", namespaces=(namespaces, optional(BY_NAME)))
        additions = Additions.of(
            "from_definitions()", references=references, languages=languages, allow=allow, params=params
        )
        problems: list[RuleProblem] = []
        first: dict[str, EventDefinition] = {}
        for definition in given:
            if definition.name in first:
                problems.append(defined_twice("event", definition, first[definition.name]))
            else:
                first[definition.name] = definition
        parsed = ParsedRules(
            given, dict(namespaces or {}), active_rules=acting, parameters=additions.declared()
        )
        return checked_rules(parsed, problems, None, "<rules>", additions)

    def part(self, names: Collection[str]) -> Rules:
        """The rules that define the events of these names only, which must be made of no others."""
        check("part()", names=(names, NAMES))
        chosen = tuple(definition for definition in self.definitions if definition.name in names)
        if len(chosen) == len(self.definitions):
            return self
        parsed = ParsedRules(
            chosen, dict(self.namespaces), references=self.references, parameters=self.parameters
        )
        additions = Additions(ReferenceSources(self.documents), self.languages)
        return checked_rules(parsed, [], None, "<rules>", additions)

    def reference_roots(self) -> Mapping[str, etree._Element]:
        """The root elements of the reference documents, by name.

        Raises `RuleError` if one is not there: rules that are mere text have to be given theirs.
        """
        if not self.references:
            return {}
        expressions = all_expressions(self.graph, self.triggers)
        asked = {name for expression in expressions for name in expression.variables}
        used = [reference for reference in self.references if reference.name in asked]
        absent = [missing(reference) for reference in used if reference.name not in self.documents]
        if absent:
            raise RuleError(absent, source_name=self.source_name, text=self.text)
        return {reference.name: self.documents[reference.name].root for reference in used}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        if self.definitions != other.definitions or self.references != other.references:
            return False
        if self.active_rules != other.active_rules or self.parameters != other.parameters:
            return False
        names_matter = self.graph.has_conditions or bool(self.active_rules)
        return not names_matter or self.namespaces == other.namespaces

    def __hash__(self) -> int:
        return hash(self.definitions)

    def __str__(self) -> str:
        """The rules as text that parses back to equal rules."""
        return print_definitions(*self.printed)

    @property
    def printed(self) -> Printed:
        """What `print_definitions` takes."""
        return self.definitions, self.namespaces, self.references, self.active_rules, self.parameters

    def __repr__(self) -> str:
        return f"<xmlcep.Rules {self.listed()}>"

    def listed(self) -> str:
        """The names of events and action rules, of many the first."""
        names = [each.name for each in self.definitions] + [each.name for each in self.active_rules]
        return listed(names, _LISTED)

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

    @property
    def said_of_across(self) -> str:
        """For callers with only one document: that an event is of several (V11); empty if none is."""
        trees = self.graph.across
        return f"event {trees[0].name} is about several documents (V11)" if trees else ""

    def ignored(self) -> str:
        """A sentence for callers that only look for events; empty if there are no action rules."""
        count = len(self.active_rules)
        if not count:
            return ""
        rules = "its action rule is" if count == 1 else f"its {count} action rules are"
        return f"{self.source_name}: {rules} ignored here; they run in doc.rules(…) and xmlcep apply"

    def warn_ignored(self, stacklevel: int) -> None:
        """Warns that action rules are ignored, once for these rules."""
        said = self.ignored()
        if said and id(self.triggers) not in _WARNED:
            _WARNED[id(self.triggers)] = self.triggers
            warnings.warn(said, IgnoredRulesWarning, stacklevel=stacklevel + 1)

    def xml(self) -> str:
        """The rules in XML, which `parse_rules` and `load_rules` read as they read text.

        Raises `XmlCepError` for rules with characters that XML has none for.
        """
        return print_xml_definitions(*self.printed)

    def mermaid(self) -> str:
        """The event trees as a Mermaid flow chart, joined where one takes the events of another.

        Rules that act are drawn by `xmlcep.actions.draw_mermaid`.
        """
        return draw_mermaid(self.graph, self.namespaces)

    def _repr_html_(self) -> str:
        """Each rule as text and as a drawing, for notebooks (Y8)."""
        parts = [
            f"<h4>{escape(tree.name)}</h4>{draw_svg(tree, self.graph.programs[tree.index], self.namespaces)}"
            for tree in self.graph.trees
        ]
        return f"<pre>{escape(str(self))}</pre>{''.join(parts)}"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Conditions hold compiled XPath, which cannot be copied; the definitions say all there is to say.
        return (
            _rebuilt,
            (
                self.definitions, dict(self.namespaces), self.text, self.source_name, self.references,
                dict(self.documents), self.languages, self.active_rules, self.parameters,
            ),
        )  # fmt: skip


_WARNED: MutableMapping[int, Triggers | None] = WeakValueDictionary()
"""The rules that somebody has been warned of."""


def parse_rules(
    text: str,
    source_name: str = "<rules>",
    *,
    references: Mapping[str, Source] | None = None,
    languages: Mapping[str, Language] | None = None,
    allow: Iterable[str] = (),
    params: Mapping[str, ParameterValue] | None = None,
) -> Rules:
    """The rules in ``text``; raises one `RuleError` with all mistakes in it.

    The text is in the event language or in XML. ``references`` are its reference documents (V8) by name: files, bytes
    of XML, or trees. A text reads no files; without its references, rules can be inspected, but not run. ``languages``
    are additional engines for opaque leaves by name; ``allow`` names unsafe languages, such as ``python`` (O2).
    ``params`` are values of parameters by name, in place of those in the rules (V9). Raises `TypeError` for what is not
    text.

    >>> parse_rules("event Priced = ins(item/price)").definitions[0].name
    'Priced'
    """
    if not isinstance(text, str):
        raise ArgumentError(f"rules are text, not {text!r}: use load_rules(file) for a file")
    check("parse_rules()", source_name=(source_name, TEXT))
    additions = Additions.of(
        "parse_rules()", references=references, languages=languages, allow=allow, params=params
    )
    problems: list[RuleProblem] = []
    if text.strip().endswith(".xcep") and len(text.split()) == 1:
        hint = f"use load_rules({text.strip()!r})"
        problems.append(RuleProblem(f"{text.strip()!r} is the name of a file, not rules", hint))
        raise RuleError(problems, source_name=source_name, text=text)
    return checked_rules(read_definitions(text, problems), problems, text, source_name, additions)


def _rebuilt(
    definitions: tuple[EventDefinition, ...], namespaces: dict[str, str], text: str | None, source_name: str,
    references: tuple[Reference, ...], documents: Documents, languages: Languages,
    active_rules: tuple[ActiveRule, ...], parameters: tuple[RuleParameter, ...],
) -> Rules:  # fmt: skip
    parsed = ParsedRules(
        definitions, namespaces, references=references, active_rules=active_rules, parameters=parameters
    )
    additions = Additions(ReferenceSources(documents), languages)
    return checked_rules(parsed, [], text, source_name, additions)


_NOTHING = Additions()


def all_expressions(graph: EventGraph, triggers: Triggers | None) -> list[Expression]:
    """All expressions of events and of action rules."""
    found = list(graph.expressions())
    if triggers is not None:
        found += triggers.graph.expressions()
        found += (each for rule in triggers.programs for each in rule.expressions)
    return found


Value = TypeVar("Value")


def _values(name: str, given: Iterable[Value], kind: type[Value]) -> tuple[Value, ...]:
    """What is given in place of a text; raises `ArgumentError` for something else."""
    check("from_definitions()", **{name: (given, ITERABLE)})
    values = tuple(given)
    if not all(isinstance(each, kind) for each in values):
        refuse("from_definitions()", name, values, f"a list of {kind.__name__}")
    return values


def checked_rules(
    parsed: ParsedRules,
    problems: list[RuleProblem],
    text: str | None,
    source_name: str,
    additions: Additions = _NOTHING,
) -> Rules:
    """The rules that have been read, with graph, reference documents and parameters; raises `RuleError` if there are
    problems."""
    standing_in = tuple(map(_placeholder, parsed.unreadable))
    sources, languages = additions.sources, additions.languages
    references = sources.declarations(parsed.references)
    parameters = additions.parameters(parsed.parameters, problems)
    parsed = with_windows(parsed, parameters, problems)
    given: Known = {
        **{reference.name: VariableKind.NODES for reference in references},
        **{parameter.name: parameter.value for parameter in parameters},
    }
    graph = build_graph(
        (*parsed.definitions, *standing_in), problems, namespaces=parsed.namespaces, given=given,
        languages=languages,
    )  # fmt: skip
    triggers: Triggers | None = None
    if parsed.active_rules:
        triggers = _triggers(parsed, graph, standing_in, problems, given, languages)
    documents = sources.read(parsed.references, problems)
    if references:
        expressions = all_expressions(graph, triggers)
        problems += sources.problems(parsed.references, expressions, all_read=not problems)
        problems += mismatches(references, documents, expressions)
    if problems:
        raise RuleError(problems, source_name=source_name, text=text)
    namespaces = MappingProxyType(dict(parsed.namespaces))
    return Rules(
        parsed.definitions, namespaces, graph, text, source_name, references,
        documents=MappingProxyType(documents), languages=languages,
        active_rules=parsed.active_rules, triggers=triggers, parameters=parameters,
    )  # fmt: skip


def _triggers(
    parsed: ParsedRules, graph: EventGraph, standing_in: Sequence[EventDefinition], problems: list[RuleProblem],
    given: Known, languages: Languages,
) -> Triggers:  # fmt: skip
    """The action rules, compiled; a graph of their own if they have events of their own."""
    own = own_events(parsed.active_rules)
    if own:
        found: list[RuleProblem] = []
        taken = {definition.name for definition in parsed.definitions}
        own = [event for event in own if event.name not in taken]  # which has been said
        graph = build_graph(
            (*parsed.definitions, *standing_in, *own), found, namespaces=parsed.namespaces, given=given,
            languages=languages, private={event.name for event in own},
        )  # fmt: skip
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
            return compile_rules(rules, graph, problems, namespaces=parsed.namespaces, given=given)
    return compile_rules(parsed.active_rules, graph, problems, namespaces=parsed.namespaces, given=given)


def _placeholder(name: str) -> EventDefinition:
    """Stands in for an event with a syntax error, so that the events that use it can be checked."""
    return EventDefinition(name, Disjunction((Leaf(PrimitiveType(ANY, PathType.parse(name))),)))
