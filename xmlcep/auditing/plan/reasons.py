"""Why trees are divided as they are, and what keeps them from being divided further: in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from path_types import PathType

from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree
from .reach import is_external, looks_outside
from .timer_keys import TimerReach
from .value_keys import dividing_variables, obstacles


def reasons_for(
    graph: EventGraph,
    timers: TimerReach,
    keys: tuple[PathType, ...],
    parts: list[list[EventTree]],
    sources: Sequence[EventTree],
    *,
    by_value: bool,
) -> Iterator[str]:
    """Why these trees have these keys; ``by_value``: they are values."""
    trees = [tree for part in parts for tree in part]
    if by_value:
        for tree in trees:
            names = ", ".join(f"${name}" for name in sorted(dividing_variables(graph, tree)))
            yield f"all operators of {tree.name} group by {names}, the value of the event's own node (V2)"
    elif not keys:
        flat = [tree for tree in trees if tree.flat]
        if flat:
            verb = "is" if len(flat) == 1 else "are"
            names = ", ".join(tree.name for tree in flat)
            yield f"{names} {verb} flat: all events of a document form one group (H2)"
        for tree in flat:
            if graph.programs[tree.index][-1].grouping.names:
                yield f"values do not divide {tree.name}: it {next(obstacles(graph, tree), 'shares events')}"
        for tree in trees:
            obstacle = next(timers.obstacles(tree), None)
            if obstacle is not None:
                yield f"{tree.name} raises when time has passed, and {obstacle}"
        raised = [tree.name for tree in trees if is_external(tree)]
        if raised:
            yield f"{', '.join(raised)} come between the records of the document as rules have raised them (L7)"
        outside = [tree.name for tree in trees if looks_outside(graph, tree)]
        if outside:
            yield f"{_do(outside, 'ask')} what may lie anywhere in the document (U2)"
        for tree in trees:
            for language in sorted(
                {text.language for text in graph.opaque_texts(tree) if text.needs_document}
            ):
                yield f"{tree.name} asks {language}, which may look at all of the document (O1)"
    else:
        deeper = any(operator.path not in keys for tree in trees for operator in tree.operators)
        yield f"every operator groups by {' or '.join(map(str, keys))}{' or by a node below' if deeper else ''} (K1)"
    for part in parts:
        if len(part) > 1:
            yield f"{', '.join(tree.name for tree in part)} stay together: they use each other's events (G1)"
    taken = {used for tree in trees for used in tree.dependencies}
    direct = [tree.name for tree in sources if tree.index in taken]
    if direct:
        yield f"takes the events of {', '.join(direct)}, replayed before it under another key (G1, G2)"


def _do(names: Sequence[str], verb: str) -> str:
    return f"{', '.join(names)} {verb}{'s' if len(names) == 1 else ''}"
