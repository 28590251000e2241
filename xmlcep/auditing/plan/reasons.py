"""Why trees are divided as they are, and what keeps them from being divided further: in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from path_types import PathType

from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree
from . import reach, value_keys


def reasons_for(
    graph: EventGraph,
    keys: tuple[PathType, ...],
    parts: list[list[EventTree]],
    sources: Sequence[EventTree],
    *,
    by_value: bool,
) -> Iterator[str]:
    """Why these trees have these keys; ``by_value``: they are values."""
    trees = [tree for part in parts for tree in part]
    taken = {used for tree in trees for used in tree.dependencies}
    if by_value:
        for tree in trees:
            names = ", ".join(f"${name}" for name in sorted(value_keys.dividing_variables(graph, tree)))
            whose = "of whatever document (V11)" if tree.across else "the value of the event's own node (V2)"
            yield f"all operators of {tree.name} group by {names}, {whose}"
    elif not keys:
        own = {tree.index for tree in trees}
        for tree in trees:
            for obstacle in reach.obstacles(graph, tree):
                yield f"{tree.name} {obstacle}"
            if tree.flat and graph.programs[tree.index][-1].grouping.names:
                for obstacle in islice(value_keys.obstacles(graph, tree), 1):
                    yield f"values do not divide {tree.name}: it {obstacle}"
            used = [other.name for other in trees if other.index in tree.dependencies and other.index in own]
            if used:
                yield f"{tree.name} takes the events of {', '.join(used)} (G1)"
        return
    else:
        deeper = any(operator.path not in keys for tree in trees for operator in tree.operators)
        yield f"every operator groups by {' or '.join(map(str, keys))}{' or by a node below' if deeper else ''} (H1)"
    for part in parts:
        if len(part) > 1:
            yield f"{', '.join(tree.name for tree in part)} stay together: they use each other's events (G1)"
    direct = [tree.name for tree in sources if tree.index in taken]
    if direct:
        yield f"takes the events of {', '.join(direct)}, replayed before it under another key (G1, G2)"
