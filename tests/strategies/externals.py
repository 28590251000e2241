"""Random rules that take external events (L7), and histories in which these are raised: several at one time
point, within edits and transactions, before and behind flushes, when time has passed.

Nothing in the document makes an external event: it is a time point of no record, releases nothing, asks nothing.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from path_types import PathInstance, PathType
from tests.reference import Advance, Raise
from tests.reference.relations import equals_or_ends
from xmlcep.algebra import OPERATORS, EventDefinition, External, Options, Periodic, PeriodicStar
from xmlcep.events import PrimitiveEvent

from .full_rules import EVERYTHING, FullRuleBuilder, full_rule_sets
from .histories import History, HistoryStep
from .late import LateBuilder, late_histories
from .meetings import MeetingBuilder, meeting_histories
from .timed import timed_histories

PLACES = {
    name: PathType.parse(path)
    for name, path in (("Here", "item"), ("There", "/order"), ("Deep", "item/price"))
}
"""The external events that are declared, with their path types."""
DECLARED = tuple(EventDefinition(name, External(options=Options(path=path))) for name, path in PLACES.items())


_TIMED = frozenset({"within", "gap", "plus", "periodic", "periodic_star", "trailing", "relation", "slide"})


class _Taking:
    """Half of the leaves take composites, mostly external ones; windows that events open come often."""

    reuses = (1, 2)


class _FullBuilder(_Taking, FullRuleBuilder):
    pass


class _MeetingBuilder(_Taking, MeetingBuilder):
    pass


class _LateBuilder(_Taking, LateBuilder):
    pass


@st.composite
def external_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One to three definitions, small, behind those of the external events."""
    constructs = draw(st.sampled_from((EVERYTHING, _TIMED, _TIMED, frozenset())))
    if not constructs:
        constructs = frozenset(draw(st.sets(st.sampled_from(sorted(EVERYTHING)), min_size=1, max_size=6)))
    root = draw(st.sampled_from((None, None, None, Periodic, PeriodicStar, *OPERATORS)))
    return draw(
        full_rule_sets(
            constructs=constructs | ({root.kind} if root else set()), root=root,
            max_depth=draw(st.sampled_from((0, 1, 1, 2))), max_events=draw(st.sampled_from((1, 1, 2, 3))),
            builder=draw(st.sampled_from((_FullBuilder, _MeetingBuilder, _LateBuilder))), known=DECLARED,
        )
    )  # fmt: skip


@st.composite
def external_histories(draw: st.DrawFn, *, doc: str = "doc") -> History:
    """A history in which external events are raised, at nodes that are there (L7)."""
    whole = draw(st.sampled_from((timed_histories, meeting_histories, late_histories)))
    return draw(with_externals(whole(doc=doc)))


@st.composite
def with_externals(draw: st.DrawFn, histories: st.SearchStrategy[History]) -> History:
    """One of these histories, in which external events are raised, too."""
    steps: tuple[HistoryStep, ...] = draw(histories).steps
    raised = draw(
        st.lists(
            st.tuples(st.integers(1, 60), st.integers(0, 8), st.sampled_from(sorted(PLACES))), max_size=10
        )
    )
    behind: dict[int, list[tuple[int, str]]] = {}
    passed = [number for number, step in enumerate(steps, 1) if isinstance(step, Advance)]
    for place, node, name in raised:  # a third of them when time has passed
        number = passed[place % len(passed)] if passed and place % 3 == 0 else place % (len(steps) + 1)
        behind.setdefault(number, []).append((node, name))
    found: list[Any] = []
    nodes: dict[PathInstance, None] = {}
    for number, step in enumerate(steps, 1):
        found.append(step)
        if isinstance(step, PrimitiveEvent):
            nodes[step.instance] = None
            if step.op == "del":
                del nodes[step.instance]
        for choice, name in behind.get(number, ()):
            meant = [instance for instance in nodes if equals_or_ends(PLACES[name], instance.path)]
            if meant:
                found.append(Raise(name, meant[choice % len(meant)]))
    return History(tuple(found))
