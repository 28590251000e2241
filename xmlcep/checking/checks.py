"""Rules that can never match, and conditions that no value makes true: all that a `Ground` knows of is asked once.

`check_rules` walks through the leaves, operators and actions of rules. Without a schema only what can never be,
whatever the document, is found: comparisons of something that is not a number with ``<``, of ``$op`` with another word
than ``ins``, ``upd`` or ``del``, of ``count($x)`` with more than there can be; and what asks nothing, ``false()``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from path_types import PathType, Step

from ..algebra import (
    Becomes,
    EventDefinition,
    Leaf,
    Multiplicity,
    Operator,
    Position,
    leaves_of,
    operators_of,
    path_of,
)
from ..algebra.active_rules import Mode, SetValue
from ..errors import RuleProblem
from ..events import ANY, OPERATIONS, PrimitiveType, Scope
from ..language.printer import print_path
from ..rules import Rules
from ..rules.rule_programs import RuleProgram
from ..xpath import NodeKind
from ..xpath.values import text_of
from .definitions import definitions_of, in_order, operation_of
from .expressions import Nodes, misfits, values_in
from .ground import UNKNOWN, AnyGround, Ground, Kinds, Names
from .impossible import impossible
from .meetings import Meetings
from .slips import text_meant
from .values import EMPTY, Held, Values, Variables, any_of, some_of
from .variables import NOTHING, KnownVariables
from .writing import Writer

_ATTRIBUTE = re.compile(r"/?@[^/@]*$")
"""The attribute that a path ends in."""


class Checked(NamedTuple):
    """What can never match, and comparisons with values that are never there, both in the order of the text."""

    problems: list[RuleProblem]
    of_values: list[RuleProblem]


def check_rules(rules: Rules, ground: Ground | None = None) -> Checked:
    """What in the rules can never happen, or be true, in documents of which so much is known; None: nothing."""
    ground = AnyGround() if ground is None else ground
    meetings = Meetings(rules, ground)
    checker = _Checker(rules, ground.names, meetings)
    problems = [problem for each in definitions_of(rules) for problem in checker.definition(*each)]
    if rules.triggers is not None:
        problems += [each for program in rules.triggers.programs for each in checker.active_rule(program)]
    return Checked(in_order([*problems, *meetings.problems, *impossible(rules)]), in_order(checker.of_values))


class _Checker:
    """Checks definitions against what the schema allows."""

    def __init__(self, rules: Rules, names: Names, meetings: Meetings) -> None:
        self.rules = rules
        self.names = names
        self.meetings = meetings
        self.of_values: list[RuleProblem] = []
        """What was found of values that are never there, beside the problems that methods give."""
        self._variables = KnownVariables(rules, self._of_event, self._bound)
        self.documents = frozenset([*rules.documents, *(each.name for each in rules.references)])
        self._parameters = {name: Held(some_of([text_of(value)]), 1) for name, value in _values(rules)}

    def definition(self, subject: str, definition: EventDefinition) -> Iterator[RuleProblem]:
        for leaf in leaves_of(definition.expression):
            for message, hint in self._leaf(leaf):
                yield RuleProblem(f"{subject}: {message}", hint, leaf.at)
            kinds = self.meetings.taken(leaf)
            asked = {"filter": leaf.filter, **{f"as {name}": value for name, value in leaf.bindings}}
            for name, expression in asked.items():
                yield from self._names(
                    subject, expression, leaf.type.path, leaf.place(name), is_root=False, kinds=kinds,
                    variables=self._variables.seen_by(leaf), asks=name == "filter",
                )  # fmt: skip
        for operator in operators_of(definition.expression):
            self.of_values += self._counts_at_once(subject, operator)
            options = operator.options
            group = path_of(operator)
            places = self.meetings.groups(operator)
            kinds = None if places is None else frozenset(chain.from_iterable(places.values()))
            at = options.place("when", operator.at)
            yield from self._names(subject, options.when, group, at, is_root=True, kinds=kinds)
            at = options.place("if", operator.at)
            known = self._variables.of_expression(operator)
            yield from self._names(
                subject, options.guard, group, at, is_root=False, kinds=kinds, variables=known
            )
            if isinstance(operator, Becomes):
                yield from self._names(
                    subject, operator.test, group, operator.test_at, is_root=False, kinds=kinds
                )
            asked = {"having": options.having, **{f"let {name}": value for name, value in options.let}}
            for name, expression in asked.items():
                at = options.place(name, operator.at)
                yield from self._names(
                    subject, expression, None, at, is_root=False, variables=known,
                    asks=name == "having",
                )  # fmt: skip
            path = options.path
            mismatch = None if path is None else self.names.mismatch(path)
            if path is not None and mismatch is not None:
                at = options.place("path", operator.at)
                hint = self._near(mismatch.near)
                yield RuleProblem(f"{subject}: {mismatch.message}: {self._shown(path)}", hint, at)

    def active_rule(self, program: RuleProgram) -> Iterator[RuleProblem]:
        """What a rule asks and where it acts; attributes that it sets are its own business."""
        rule = program.definition
        path: PathType | None = program.path or program.tree.path
        kinds = self.names.roots if program.mode is Mode.SET else None  # L3
        if program.mode is Mode.SET:
            path = None
        elif NodeKind.ELEMENT in program.forms and path is not None and not path.last.is_element:
            path = None  # of a node that was deleted it is the element that it stood in (L1)
        asked = [(rule.condition, rule.place("if"), True)]
        for action in rule.actions:
            for name in ("target", "source", "value"):
                expression = getattr(action, name, None)
                at = action.places.get(name, rule.at)
                if name == "target" and isinstance(action, SetValue):
                    expression = _ATTRIBUTE.sub("", action.target) or None
                    at = replace(at, width=at.width - len(action.target) + len(expression or ""))
                asked.append((expression, at, False))
        known = self._of_trigger(program)
        for expression, at, asks in asked:
            yield from self._names(
                f"rule {rule.name}", expression, path, at, is_root=False, kinds=kinds, variables=known,
                asks=asks,
            )  # fmt: skip
        writer = Writer(self.rules.namespaces, self.names, self._nodes(path, kinds), known)
        form = next(iter(program.forms.values()))
        self.of_values += writer.problems(form.actions, f"rule {rule.name}")

    def _of_trigger(self, program: RuleProgram) -> Variables:
        """What is known of the variables that a rule sees (L1, L2)."""
        definition = program.tree.definition
        of_event = self._variables.of_event(definition)
        if not program.of_leaf or program.mode is Mode.SET:
            return of_event
        (leaf,) = leaves_of(definition.expression)
        return {**of_event, **self._variables.seen_by(leaf)}

    def _leaf(self, leaf: Leaf) -> Iterator[tuple[str, str]]:
        path = leaf.type.path
        mismatch = self.names.mismatch(path)
        if mismatch is not None:
            yield f"{mismatch.message}: {self._shown(path)}", self._near(mismatch.near)
        elif path.last.is_element and operation_of(leaf) == "upd":
            yield from self._element_update(path)

    def _counts_at_once(self, subject: str, operator: Operator) -> Iterator[RuleProblem]:
        """A warning for a count of insertions that is met only if some are deleted in between."""
        group = path_of(operator)
        if not isinstance(operator, Multiplicity) or not isinstance(operator.operand, Leaf) or group is None:
            return
        leaf = operator.operand
        most = self.names.most(group, leaf.type.path) if operation_of(leaf) == "ins" else None
        if most is None or operator.lower <= most:
            return
        said = f"x[{operator.lower},…] ins({self._shown(leaf.type.path)}), but there is never more than {most} of it"
        hint = (
            "it is met only if some are deleted in between; to count by an element further up give {path=…}"
        )
        yield RuleProblem(f"{subject}: {said} at once in {self._shown(group)}", hint, operator.at)

    def _element_update(self, path: PathType) -> Iterator[tuple[str, str]]:
        said = (
            f"an element has no value that could be updated, so that upd({self._shown(path)}) never happens"
        )
        texts = [
            text for text in (text_meant(path), path.child(Step.text())) if text and self.names.allows(text)
        ]
        hint = f"write upd({self._shown(texts[0])}) for its text, or upd" if texts else "write upd"
        yield said, f"{hint} of one of its attributes"

    def _names(
        self,
        subject: str,
        expression: str | None,
        path: PathType | None,
        at: Position,
        *,
        is_root: bool,
        kinds: Kinds | None = None,
        variables: Variables = NOTHING,
        asks: bool = True,
    ) -> Iterator[RuleProblem]:
        """Names that are never there, in a condition (of the subtree of ``path``: ``is_root``), filter or the like.

        ``kinds`` are those of the nodes at ``path`` that it is asked of, if these are known.
        """
        if expression is None:
            return
        context = self._nodes(path, kinds)
        namespaces = self.rules.namespaces
        for found in misfits(
            expression, namespaces, self.names, context,
            is_root=is_root, variables={**self._parameters, **variables}, documents=self.documents, asks=asks,
        ):  # fmt: skip
            message = f"{subject}: {found.message}: {expression}"
            place = at.part(expression, found.at.start, found.at.width)
            problem = RuleProblem(message, found.hint, place)
            if found.of_value:
                self.of_values.append(problem)
            else:
                yield problem

    def _of_event(self, leaf: Leaf) -> Variables:
        """What is known of the variables of a leaf's event (F2)."""
        known, value = of_primitive(leaf), self._of_node(leaf)
        if value is None:
            return known
        given = Held(any_of([value, EMPTY]))
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
        return None if owners is None else self.names.values(owners, path.last)

    def _bound(self, leaf: Leaf, expression: str | None, seen: Variables) -> Values | None:
        """The values of what a leaf binds (V1)."""
        if expression is None:
            return self._of_node(leaf)
        if isinstance(leaf.type, PrimitiveType) and leaf.type.scope is Scope.NODE:
            context = self._nodes(leaf.type.path, self.meetings.taken(leaf))
        else:
            context = self._nodes(None, None)
        return values_in(expression, self.rules.namespaces, self.names, context, seen)

    def _nodes(self, path: PathType | None, kinds: Kinds | None) -> Nodes:
        """What nodes at a path can be, those of these kinds if they are known."""
        if path is None:
            return Nodes(kinds) if kinds else Nodes(None, None, document=True)
        above = path if path.last.is_element else path.parent
        states = self.names.having(path.last) if above is None else self.names.states(above)
        if kinds and states is not None and UNKNOWN not in kinds:
            states &= kinds
        return Nodes(states) if path.last.is_element else Nodes(frozenset(), states, inner=path.last)

    def _near(self, path: PathType | None) -> str:
        return "" if path is None else f"the nearest path in the schema is {self._shown(path)}"

    def _shown(self, path: PathType) -> str:
        return print_path(path, self.rules.namespaces)


def _values(rules: Rules) -> Iterator[tuple[str, float | str]]:
    return ((parameter.name, parameter.value) for parameter in rules.parameters)


def of_primitive(leaf: Leaf) -> Variables:
    """What is known of every event that a leaf takes (F2)."""
    if not isinstance(leaf.type, PrimitiveType):
        return {}
    operation = leaf.type.operation
    words = OPERATIONS if operation == ANY else [operation]
    known = {} if operation is None else {"op": Held(some_of(map(str, words)))}
    if leaf.type.scope is Scope.NODE:
        is_element = leaf.type.path.last.is_element
        known |= {"old": Held(EMPTY)} if is_element or operation == "ins" else {}
        known |= {"new": Held(EMPTY)} if is_element or operation == "del" else {}
    return known
