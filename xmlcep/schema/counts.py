"""Counts in rules, ``x[2,*] ins(order/total)``, that are more than a valid document has at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from path_types import Axis, PathType

from ..algebra import Expression, Leaf, Multiplicity, path_of
from ..errors import RuleProblem
from ..events import PrimitiveType, Scope
from ..language.printer import print_path
from .bounds import most_children
from .vocabulary import Vocabulary


def more_than_there_may_be(
    operator: Expression, subject: str, vocabulary: Vocabulary, namespaces: Mapping[str, str]
) -> Iterator[RuleProblem]:
    """A warning for a count of insertions that is met only if some are deleted in between."""
    if not isinstance(operator, Multiplicity) or not isinstance(operator.operand, Leaf):
        return
    inserted, group = operator.operand.type, path_of(operator)
    if group is None or not isinstance(inserted, PrimitiveType):
        return
    if inserted.operation != "ins" or inserted.scope is not Scope.NODE:
        return
    most = _most(vocabulary, group, inserted.path)
    if most is None or operator.lower <= most:
        return
    count, what = operator.lower, print_path(inserted.path, namespaces)
    yield RuleProblem(
        f"{subject}: x[{count},…] ins({what}), but there is never more than {most} of it at once in"
        f" {print_path(group, namespaces)}",
        "it is met only if some are deleted in between; to count by an element further up give {path=…}",
        operator.at,
    )


def _most(vocabulary: Vocabulary, group: PathType, path: PathType) -> int | None:
    """The most nodes at ``path`` that one node at ``group`` has at once; None: no bound, or not known."""
    depth = len(group)
    if group.absolute != path.absolute or group.steps != path.steps[:depth] or len(path) == depth:
        return None
    states: Iterable[int] | None = vocabulary.states(group)
    most = 1
    for step in path.steps[depth:]:
        if states is None:
            return None
        if not step.is_element:
            return most if step.axis is Axis.ATTRIBUTE else None  # comments part a text
        found = [
            most_children(vocabulary.schema, vocabulary.schema.declarations[at], step.test) for at in states
        ]
        if not found or None in found:
            return None
        most *= max(filter(None, found), default=0)
        states = vocabulary.follow(states, step)
    return most
