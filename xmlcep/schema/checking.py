"""Rules that can never match documents of a schema, and values in their conditions that these never have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from path_types import PathType, Step

from ..algebra import EventDefinition, Leaf, Position, leaves_of, operators_of, path_of
from ..algebra.active_rules import Mode, SetValue
from ..checking.comparisons import of_primitive
from ..checking.ground import Kinds
from ..checking.impossible import impossible
from ..checking.meetings import Meetings
from ..checking.values import EMPTY, Values, any_of
from ..checking.variable_values import Known, VariableValues
from ..errors import RuleProblem
from ..events import PrimitiveType, Scope
from ..language.printer import print_path
from ..rules import Rules
from ..rules.active_rules import own_events
from ..rules.rule_programs import RuleProgram
from ..xpath import NodeKind
from .combining import require_rules
from .condition_paths import Nodes, misfits, values_in
from .counts import more_than_there_may_be
from .deriving import open_schema
from .ground import UNKNOWN, SchemaGround
from .loading import Locations
from .vocabulary import Vocabulary
from .writing import Writer

if TYPE_CHECKING:
    from xmlschema import XMLSchema10

_LOCATION = "nothing is fetched from the network; give the file of a namespace with --location NAMESPACE=FILE"
_NO_VARIABLES: Mapping[str, Values] = {}
_ATTRIBUTE = re.compile(r"/?@[^/@]*$")
"""The attribute that a path ends in."""


def check_rules(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> list[RuleProblem]:
    """What in the rules can never occur in valid documents of the schema, with the nearest that can.

    Found are paths that no node can have, operands that are never at or below the node that their operator joins events
    of, names in conditions and filters that nothing they look at has, updates of elements (which have no value), uses
    of events at paths at which they are never raised, and what can never match whatever the schema (`impossible`).
    Of rules that act: names in what they ask, and where they act.
    The rules themselves are right. A bound of the schema, such as maxOccurs, limits what is there at once, not what
    happens, as a deletion can lie between: more insertions than it are no problem here (`check_values` says it).
    Values that no node has are not among them (`check_values`).
    Raises `SchemaError` for a schema that cannot be read, `TypeError` for rules that are none.
    """
    return check_names_and_values(rules, schema, locations=locations)[0]


def check_values(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> list[RuleProblem]:
    """Comparisons in conditions, filters and the like that are the same for all values that valid documents have, and
    counts that are more than there may be at once (`counts`).

    Such are those with a text that is no value of the type (its enumeration, pattern, length, lexical form, a fixed
    value), or with a number outside of its range. A text is taken as a whole, not parted by comments.

    No mistakes by themselves: rules may look for documents that are not valid. Raises what `check_rules` raises.
    """
    return check_names_and_values(rules, schema, locations=locations)[1]


def check_names_and_values(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> tuple[list[RuleProblem], list[RuleProblem]]:
    """What `check_rules` says, and what `check_values` says."""
    require_rules(rules)
    read = open_schema(schema, locations)
    vocabulary = Vocabulary(read)
    meetings = Meetings(rules, SchemaGround(vocabulary))
    checker = _Checker(rules, vocabulary, meetings)
    problems = [problem for definition in rules.definitions for problem in checker.definition(definition)]
    problems += [
        problem for own in own_events(rules.active_rules) for problem in checker.definition(own, "rule")
    ]
    for program in rules.triggers.programs if rules.triggers is not None else ():
        problems += checker.active_rule(program)
    problems += meetings.problems
    problems += impossible(rules, nodes=False)
    missing = [RuleProblem(f"of the schema something is missing: {note}", _LOCATION) for note in read.notes]
    return _in_order([*problems, *missing] if problems else []), _in_order([*checker.of_values, *missing])


def _in_order(problems: list[RuleProblem]) -> list[RuleProblem]:
    return sorted(problems, key=lambda problem: (problem.line, problem.column))


class _Checker:
    """Checks definitions against what the schema allows."""

    def __init__(self, rules: Rules, vocabulary: Vocabulary, meetings: Meetings) -> None:
        self.rules = rules
        self.vocabulary = vocabulary
        self.meetings = meetings
        self.of_values: list[RuleProblem] = []
        """What was found of values that are never there, beside the problems that methods give."""
        self._variables = VariableValues(rules, self._of_event, self._bound)
        self.documents = frozenset([*rules.documents, *(each.name for each in rules.references)])

    def definition(self, definition: EventDefinition, kind: str = "event") -> Iterator[RuleProblem]:
        subject = f"{kind} {definition.name}"
        for leaf in leaves_of(definition.expression):
            for message, hint in self._leaf(leaf):
                yield RuleProblem(f"{subject}: {message}", hint, leaf.at)
            asked = {"filter": leaf.filter, **{f"as {name}": value for name, value in leaf.bindings}}
            for name, expression in asked.items():
                kinds = self.meetings.taken(leaf)
                yield from self._names(
                    subject, expression, leaf.type.path, leaf.place(name), is_root=False, kinds=kinds,
                    variables=self._variables.seen_by(leaf),
                )  # fmt: skip
        for operator in operators_of(definition.expression):
            self.of_values += more_than_there_may_be(
                operator, subject, self.vocabulary, self.rules.namespaces
            )
            options = operator.options
            group = path_of(operator)
            places = self.meetings.groups(operator)
            kinds = None if places is None else frozenset(chain.from_iterable(places.values()))
            at = options.place("when", operator.at)
            yield from self._names(subject, options.when, group, at, is_root=True, kinds=kinds)
            at = options.place("if", operator.at)
            known = self._variables.of_operator(operator)
            yield from self._names(
                subject, options.guard, group, at, is_root=False, kinds=kinds, variables=known
            )
            asked = {"having": options.having, **{f"let {name}": value for name, value in options.let}}
            for name, expression in asked.items():
                at = options.place(name, operator.at)
                yield from self._names(subject, expression, None, at, is_root=False, variables=known)
            path = options.path
            mismatch = None if path is None else self.vocabulary.mismatch(path)
            if path is not None and mismatch is not None:
                at = options.place("path", operator.at)
                hint = self._near(mismatch.near)
                yield RuleProblem(f"{subject}: {mismatch.message}: {self._shown(path)}", hint, at)

    def active_rule(self, program: RuleProgram) -> Iterator[RuleProblem]:
        """What a rule asks and where it acts; attributes that it sets are its own business."""
        rule = program.definition
        path: PathType | None = program.path or program.tree.path
        kinds = frozenset(self.vocabulary.schema.roots) if program.mode is Mode.SET else None  # L3
        if kinds or (NodeKind.ELEMENT in program.forms and path is not None and not path.last.is_element):
            path = None  # of a node that was deleted it is the element that it stood in (L1)
        asked = [(rule.condition, rule.place("if"))]
        for action in rule.actions:
            for name in ("target", "source", "value"):
                expression = getattr(action, name, None)
                at = action.places.get(name, rule.at)
                if name == "target" and isinstance(action, SetValue):
                    expression = _ATTRIBUTE.sub("", action.target) or None
                    at = replace(at, width=at.width - len(action.target) + len(expression or ""))
                asked.append((expression, at))
        known = self._of_trigger(program)
        for expression, at in asked:
            subject = f"rule {rule.name}"
            yield from self._names(subject, expression, path, at, is_root=False, kinds=kinds, variables=known)
        writer = Writer(self.rules.namespaces, self.vocabulary, self._nodes(path, kinds), known)
        form = next(iter(program.forms.values()))
        self.of_values += writer.problems(form.actions, f"rule {rule.name}")

    def _of_trigger(self, program: RuleProgram) -> Known:
        """What is known of the variables that a rule sees (L1, L2)."""
        definition = program.tree.definition
        of_event = self._variables.of_event(definition)
        if not program.of_leaf or program.mode is Mode.SET:
            return of_event
        (leaf,) = leaves_of(definition.expression)
        return {**of_event, **self._variables.seen_by(leaf)}

    def _leaf(self, leaf: Leaf) -> Iterator[tuple[str, str]]:
        path = leaf.type.path
        mismatch = self.vocabulary.mismatch(path)
        if mismatch is not None:
            yield f"{mismatch.message}: {self._shown(path)}", self._near(mismatch.near)
        elif isinstance(leaf.type, PrimitiveType) and leaf.type.operation == "upd" and path.last.is_element:
            yield from self._element_update(path)

    def _element_update(self, path: PathType) -> Iterator[tuple[str, str]]:
        text = path.child(Step.text())
        has_text = self.vocabulary.allows(text)
        yield (
            f"an element has no value that could be updated: upd({self._shown(path)})",
            f"write upd({self._shown(text)})"
            if has_text
            else "write upd of one of its attributes, or * for any operation",
        )

    def _names(
        self,
        subject: str,
        expression: str | None,
        path: PathType | None,
        at: Position,
        *,
        is_root: bool,
        kinds: Kinds | None = None,
        variables: Mapping[str, Values] = _NO_VARIABLES,
    ) -> Iterator[RuleProblem]:
        """Names that are never there, in a condition (of the subtree of ``path``: ``is_root``), filter or the like.

        ``kinds`` are those of the nodes at ``path`` that it is asked of, if these are known.
        """
        if expression is None:
            return
        context = self._nodes(path, kinds)
        namespaces = self.rules.namespaces
        for found in misfits(
            expression, namespaces, self.vocabulary, context,
            is_root=is_root, variables=variables, documents=self.documents,
        ):  # fmt: skip
            message = f"{subject}: {found.message}: {expression}"
            place = at.part(expression, found.at.start, found.at.width)
            problem = RuleProblem(message, found.hint, place)
            if found.of_value:
                self.of_values.append(problem)
            else:
                yield problem

    def _of_event(self, leaf: Leaf) -> Known:
        """What is known of the variables of a leaf's event (F2)."""
        known, value = of_primitive(leaf), self._of_node(leaf)
        if value is None:
            return known
        given = any_of([value, EMPTY])
        return {"old": given, "new": given, **known}

    def _of_node(self, leaf: Leaf) -> Values | None:
        """The values of the text or attribute that an event of a leaf is about."""
        path = leaf.type.path
        if (
            not isinstance(leaf.type, PrimitiveType)
            or leaf.type.scope is not Scope.NODE
            or path.last.is_element
        ):
            return None
        owners = self._nodes(path, self.meetings.taken(leaf)).owners
        return None if owners is None else self.vocabulary.values(owners, path.last)

    def _bound(self, leaf: Leaf, expression: str | None, seen: Known) -> Values | None:
        """The values of what a leaf binds (V1)."""
        if expression is None:
            return self._of_node(leaf)
        if isinstance(leaf.type, PrimitiveType) and leaf.type.scope is Scope.NODE:
            context = self._nodes(leaf.type.path, self.meetings.taken(leaf))
        else:
            context = self._nodes(None, None)
        return values_in(expression, self.rules.namespaces, self.vocabulary, context, seen)

    def _nodes(self, path: PathType | None, kinds: Kinds | None) -> Nodes:
        """What nodes at a path can be, those of these kinds if they are known."""
        if path is None:
            return Nodes(kinds) if kinds else Nodes(None, None, document=True)
        above = path if path.last.is_element else path.parent
        states = self.vocabulary.having(path.last) if above is None else self.vocabulary.states(above)
        if kinds and states is not None and UNKNOWN not in kinds:
            states &= kinds
        return Nodes(states) if path.last.is_element else Nodes(frozenset(), states, inner=path.last)

    def _near(self, path: PathType | None) -> str:
        return "" if path is None else f"the nearest path in the schema is {self._shown(path)}"

    def _shown(self, path: PathType) -> str:
        return print_path(path, self.rules.namespaces)
