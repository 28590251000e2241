"""Which variables there are where: bound by leaves, joined, grouped by, passed on (rules V1 to V5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from path_types.names import is_ncname

from ..algebra import ContextName
from ..events import CompositeType
from ..position import Position
from ..suggestions import did_you_mean_or_list
from ..xpath import Known, VariableKind
from .trees import LeafNode, OperatorNode


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of an event. ``kind`` is what expressions see: a list, or one value where it is that of a join, of
    ``by`` or of ``let`` (V5). ``several`` says that it can have more than one value, so that it cannot join (V2);
    ``counts`` that nobody bound it, so that it joins nothing (W10)."""

    kind: VariableKind
    several: bool = False
    counts: bool = False

    @property
    def is_single(self) -> bool:
        """Whether it has one value, not a list."""
        return not self.kind.is_list


Variables = Mapping[str, Variable]
NONE: Variables = {}

BUILT_IN = ("old", "new", "op", "ts", "at", "doc", "txn")
"""What every leaf knows of its event (F2), beside ``$meta:NAME``."""
META = "meta:"


class EventVariables(Mapping[str, "VariableKind | float | str"]):
    """What expressions about an event may refer to: what is ``known``, and any ``meta:NAME`` (F2, L2), of this kind."""

    def __init__(self, known: Known, meta: VariableKind = VariableKind.STRING) -> None:
        self._known = known
        self._meta = meta

    def __getitem__(self, name: str) -> VariableKind | float | str:
        return self._meta if is_meta(name) else self._known[name]

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class LeafVariables(EventVariables):
    """What the expressions of a leaf may refer to: what is known of the event, the variables of the composite it takes
    (of one taken by ``?``: any name, V5), reference documents."""

    def __init__(self, given: Known, *, any_name: bool) -> None:
        known = dict.fromkeys(BUILT_IN, VariableKind.STRING)
        # A number where there is one: $txn of a record without is empty (F2).
        super().__init__({**known, "ts": VariableKind.NUMBER, "txn": VariableKind.VALUE, **given})
        self._any_name = any_name

    def is_any(self, name: str) -> bool:
        """Whether nothing is known of a name but that it can be one."""
        return self._any_name and name not in self._known and is_ncname(name)

    def with_(self, others: Known) -> LeafVariables:
        """The same with others (A8)."""
        return LeafVariables({**self._known, **others}, any_name=self._any_name) if others else self

    def __getitem__(self, name: str) -> VariableKind | float | str:
        if self.is_any(name):
            return VariableKind.LIST
        return super().__getitem__(name)


def is_meta(name: str) -> bool:
    """Whether a variable is a pair of the ``meta`` of an event's record."""
    return name.startswith(META) and is_ncname(name.removeprefix(META))


class Problem(NamedTuple):
    """Something that is wrong with variables: what, what to write instead, where."""

    message: str
    hint: str
    at: Position


@dataclass(frozen=True, slots=True)
class Grouping:
    """The variables by which an operator groups beside the place: those of its join and of ``by``, by name (V2, V3).

    ``bound`` says of each operand which of them it binds; only negated operands, and what closes a window, may bind
    fewer than all (V4).
    """

    names: tuple[str, ...] = ()
    bound: tuple[tuple[str, ...], ...] = ()


PLACE_ONLY = Grouping()


def joins(node: OperatorNode, operands: Sequence[Variables], problems: list[Problem]) -> Grouping:
    """V2, V3: what an operator groups by, given what its operands bind; what is wrong is appended to ``problems``."""
    definition = node.definition
    needed = [k for k in range(len(operands)) if k not in definition.optional_binders]
    names: set[str] = set()
    if definition.joins:
        for name in sorted({name for variables in operands for name in variables}):
            if sum(name in variables and not variables[name].counts for variables in operands) < 2:
                continue
            if not all(name in operands[k] for k in needed):
                problems.append(
                    Problem(
                        f"${name} is bound by some operands of the {definition.title} and not by others (V2)",
                        "where operands share a variable, their values have to be equal: bind it in all of them, "
                        "rename it, or put parentheses around those that share it",
                        definition.at,
                    )
                )
            names.add(name)
    at = definition.options.place("by", definition.at)
    for name in definition.options.by:
        if not all(name in operands[k] for k in needed):
            known = sorted(set.intersection(*(set(operands[k]) for k in needed)))
            of_event = any(_is_of_event(node.children[k]) for k in needed if name not in operands[k])
            bind = f"as ${name} = (${name}), if its event has it" if of_event else f"as ${name}"
            problems.append(
                Problem(
                    f"by ${name}: {'an operand' if len(needed) > 1 else 'the operand'} does not bind it (V3)",
                    f"bind it with  {bind}" + (f"; {did_you_mean_or_list(name, known)}" if known else ""),
                    at,
                )
            )
        names.add(name)
    for name in sorted(names):
        if any(operands[k][name].several for k in needed if name in operands[k]):
            problems.append(
                Problem(
                    f"${name} can have several values, so it cannot say what belongs together (V2)",
                    f'group the operand by it, {{by="{name}"}}, so that it has one',
                    definition.at,
                )
            )
    ordered = tuple(sorted(names))
    return Grouping(ordered, tuple(tuple(n for n in ordered if n in operand) for operand in operands))


def _is_of_event(operand: LeafNode | OperatorNode) -> bool:
    """Whether it takes the composites of an event, whose variables it does not bind by itself."""
    return isinstance(operand, LeafNode) and isinstance(operand.type, CompositeType)


def passed_on(node: OperatorNode, operands: Sequence[Variables], grouping: Grouping) -> dict[str, Variable]:
    """V5: the variables of the operator's composites that come from its constituents."""
    definition = node.definition
    constituents = definition.constituent_operands
    names = [name for k in constituents for name in operands[k]]
    gathers = definition.gathers or node.context is ContextName.CUMULATIVE
    found: dict[str, Variable] = {}
    for name in dict.fromkeys(names):
        if name in grouping.names:
            found[name] = Variable(VariableKind.VALUE)
        else:
            given = [operands[k][name] for k in constituents if name in operands[k]]
            along = any(name in operands[each.operand] for each in definition.collected)
            several = gathers or along or any(variable.several for variable in given)
            found[name] = Variable(VariableKind.LIST, several, any(variable.counts for variable in given))
    for name in definition.own_variables:
        found[name] = Variable(VariableKind.NUMBER, counts=True)
    return found


def kinds(variables: Variables) -> dict[str, VariableKind]:
    """What expressions see of variables."""
    return {name: variable.kind for name, variable in variables.items()}
