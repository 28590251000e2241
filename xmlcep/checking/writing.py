"""Values that rules write and that no valid document has there (L7): with a schema such a firing is undone (L12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from path_types import Step
from path_types.names import local_name as local

from ..algebra.active_rules import Call, Insert, Raise, Replace, SetValue, Where
from ..errors import RuleProblem
from ..position import NOWHERE
from ..rules.braces import Text
from ..rules.fragments import ElementTemplate
from ..rules.rule_programs import ActionProgram
from .expressions import Nodes, targets, written_in
from .ground import Names, States
from .values import Values, Variables
from .written import WrittenText, constant


class Writer(NamedTuple):
    """What a rule's expressions are about: the ``context`` they are asked in, and what is known of ``variables``."""

    namespaces: Mapping[str, str]
    names: Names
    context: Nodes
    variables: Variables

    def problems(self, actions: Iterable[ActionProgram], subject: str) -> Iterator[RuleProblem]:
        """What the actions of a firing write, and leave as it is, that is never valid there."""
        programs = list(actions)
        for at, program in enumerate(programs):
            later = programs[at + 1 :]
            match program.action:
                case SetValue():
                    yield from self._set(program, program.action, later, subject)
                case Insert() | Replace():
                    yield from self._built(program, program.action, later, subject)

    def _set(
        self, program: ActionProgram, action: SetValue, later: list[ActionProgram], subject: str
    ) -> Iterator[RuleProblem]:
        attribute = None if program.target is None else program.target.attribute
        written = self._text_of(action.value)
        if written is None or _may_change(attribute, later):
            return
        for shown, nodes in targets(action.target, self.namespaces, self.names, self.context):
            wanted = self._wanted(nodes)
            if wanted and all(map(written.is_never, wanted)):
                message = f"{subject}: {shown} is set to {action.value}, which is never valid there"
                yield RuleProblem(message, _hint(shown, wanted), action.places.get("value", NOWHERE))

    def _wanted(self, nodes: Nodes) -> list[Values]:
        """What may be written to nodes; empty if that is not known."""
        if nodes.document or nodes.elements is None or nodes.owners is None:
            return []
        found = [self.names.to_write(nodes.elements, None)]
        if nodes.owners:
            found.append(None if nodes.inner is None else self.names.to_write(nodes.owners, nodes.inner))
        return [] if None in found else [values for some in found for values in some or ()]

    # fragments

    def _built(
        self, program: ActionProgram, action: Insert | Replace, later: list[ActionProgram], subject: str
    ) -> Iterator[RuleProblem]:
        assert program.fragment is not None
        inside = isinstance(action, Insert) and action.where in (Where.FIRST_INTO, Where.LAST_INTO)
        into: States = frozenset()
        for _, nodes in targets(action.target, self.namespaces, self.names, self.context):
            states = nodes.elements
            if states is not None and not inside:
                states = self.names.parents(states)
            into = None if into is None or states is None or nodes.document else into | states
        for child in program.fragment.children:
            for shown, attribute, text, wanted in self._parts(child, into):
                written = self._text(text)
                if written is None or not wanted or not all(map(written.is_never, wanted)):
                    continue
                if not _may_change(attribute, later):
                    message = f"{subject}: {shown} is never valid as it is inserted: {action.fragment}"
                    yield RuleProblem(message, _hint(shown, wanted), action.places.get("fragment", NOWHERE))

    def _parts(
        self, template: ElementTemplate, into: States
    ) -> Iterator[tuple[str, str | None, Text, list[Values] | None]]:
        """The texts and attributes of an element of a fragment: what they are called, what they are and can be."""
        if template.node is not None or not into:
            return
        found = self.names.follow(into, Step.element(template.tag))
        if not found:
            return
        name = local(template.tag)
        for attribute, text in template.attributes:
            step = Step.attribute(attribute)
            yield f"{name}/@{local(attribute)}", attribute, text, self.names.to_write(found, step)
        if template.text and not template.children:
            yield name, None, template.text, self.names.to_write(found, None)
        for child in template.children:
            yield from self._parts(child, frozenset(found))

    def _text(self, text: Text) -> WrittenText | None:
        """What is known of a text of a fragment: all of it is said, or it is one expression."""
        words = [part for part in text if isinstance(part, str)]
        if len(words) == len(text):
            return constant("".join(words))
        (part, *others) = text
        return None if others or isinstance(part, str) else self._text_of(part.text)

    def _text_of(self, expression: str) -> WrittenText | None:
        return written_in(expression, self.namespaces, self.names, self.context, self.variables)


def _may_change(attribute: str | None, later: Iterable[ActionProgram]) -> bool:
    """Whether what is written to attributes of this name, or (None) to texts, is perhaps not what the firing leaves."""
    return any(_changes(program, attribute) for program in later)


def _changes(program: ActionProgram, attribute: str | None) -> bool:
    match program.action:
        case Call() | Raise():
            return False  # these come after the firing
        case Insert():
            return attribute is None
        case SetValue(target):
            assert program.target is not None
            other = program.target.attribute
            if attribute is None or other is not None:
                return other == attribute
            return "@" in target  # as //@name
    return True


def _hint(shown: str, wanted: Iterable[Values]) -> str:
    """What could be written instead."""
    said = dict.fromkeys(values.said for values in wanted if values.said)
    return f"{shown} is {' or '.join(said)}" if said else ""
