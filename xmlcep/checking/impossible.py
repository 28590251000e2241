"""Rules that are right and can never match, whatever the document: what `xmlcep check` warns of.

All events of a group (H1) happen to its node or below it: its insertion is the first of them, its deletion the last,
each happens once (E6, P7). So no sequence goes on after the deletion of the node it is about, or begins before its
insertion. What follows from every change having a time point of its own, `time_points` knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from path_types import PathType, ends

from ..algebra import (
    EventDefinition,
    Leaf,
    Multiplicity,
    Operator,
    Order,
    Relation,
    Sequence,
    operators_of,
    path_of,
)
from ..errors import RuleProblem
from ..events import PrimitiveType
from ..language import print_path
from ..rules.ruleset import Rules
from .definitions import definitions_of, in_order, operation_of
from .time_points import Found, TimePoints, needs_change

_FIRST_LASTS = frozenset(["overlaps", "overlapped-by", "contains", "started-by", "finished-by"])
_SECOND_LASTS = frozenset(["overlaps", "overlapped-by", "during", "starts", "finishes"])
"""The relations whose first, or second, operand begins before it ends (R1)."""


def impossible(rules: Rules) -> list[RuleProblem]:
    """What in the rules can never match, whatever nodes there are, with what to write instead, from top to bottom."""
    checker = _Checker(rules)
    return in_order(problem for each in definitions_of(rules) for problem in checker.definition(*each))


class _Checker:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def definition(self, subject: str, definition: EventDefinition) -> Iterator[RuleProblem]:
        found: list[Found] = []
        if not definition.flat:
            for operator in operators_of(definition.expression):
                found += self._lifetimes(operator, definition.order)
        points = TimePoints(definition, self.rules.namespaces)
        for operator in operators_of(definition.expression):
            of_moments = list(self._moments(operator))
            found += of_moments or points.problems(operator)
        for part, message, hint in found:
            yield RuleProblem(f"{subject}: {message}", hint, part.at)

    def _lifetimes(self, operator: Operator, order: Order) -> Iterator[tuple[Leaf, str, str]]:
        path = path_of(operator)
        if path is None:
            return
        if isinstance(operator, Sequence):
            yield from self._sequence(operator, path, order)
        elif isinstance(operator, Multiplicity) and operator.lower > 1:
            leaf = operator.operand
            if (
                isinstance(leaf, Leaf)
                and operation_of(leaf) in ("ins", "del")
                and _is_node(leaf.type.path, path)
            ):
                happens = "inserted" if operation_of(leaf) == "ins" else "deleted"
                said = f"the same {path.last} is {happens} only once, and {operator.drawn} asks for {operator.lower}"
                yield leaf, f"{said} times", self._above(path)

    def _moments(self, operator: Operator) -> Iterator[tuple[Leaf, str, str]]:
        """Relations (R1) that ask of a change to last: it has one time point (E5)."""
        if not isinstance(operator, Relation):
            return
        for operand, lasting in zip(operator.operands, (_FIRST_LASTS, _SECOND_LASTS), strict=True):
            if (
                operator.word in lasting
                and isinstance(operand, Leaf)
                and isinstance(operand.type, PrimitiveType)
            ):
                said = f"a single change has no duration, so that {operator.word!r} never holds of "
                yield (
                    operand,
                    f"{said}{operand.type.operation}({self._shown(operand.type.path)})",
                    "write 'before' or 'after', or an operand that is made of several changes",
                )

    def _sequence(self, operator: Sequence, path: PathType, order: Order) -> Iterator[tuple[Leaf, str, str]]:
        operands = [operator.operands[k] for k in operator.positive]
        for k, leaf in enumerate(operands):
            if not isinstance(leaf, Leaf) or not _is_node(leaf.type.path, path):
                continue
            if operation_of(leaf) == "del" and any(needs_change(other, order) for other in operands[k + 1 :]):
                said = f"after del({self._shown(leaf.type.path)}) nothing happens to the same {path.last} or below it"
            elif operation_of(leaf) == "ins" and any(needs_change(other, order) for other in operands[:k]):
                said = f"before ins({self._shown(leaf.type.path)}) nothing happens to the same {path.last} or below it"
            else:
                continue
            yield leaf, f"{said}, so that the sequence never matches", self._above(path)
            return

    def _above(self, path: PathType) -> str:
        above = self._shown(path.parent) if path.parent is not None else "order"
        return (
            f"operands are joined if they are about the same {self._shown(path)}: to join those of different ones, "
            f"give the operator the path of an element above them, such as {{path={above}}}"
        )

    def _shown(self, path: PathType) -> str:
        return print_path(path, self.rules.namespaces)


def _is_node(path: PathType, group: PathType) -> bool:
    """Whether events with this path happen to the very node that they are grouped by."""
    return path is group or ends(group, path)
