"""Graphs of which something is asked: what leads back to itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node")


def strong_components(graph: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """The strongly connected components, each after those it leads to (Tarjan, without recursion).

    ``graph`` says of every node where it leads to.

    >>> strong_components({"a": "b", "b": "cd", "c": "b", "d": ""})
    [['d'], ['b', 'c'], ['a']]
    """
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: list[Node] = []
    is_open: set[Node] = set()
    components: list[list[Node]] = []
    for start in graph:
        if start in number:
            continue
        work = [(start, iter(graph[start]))]
        number[start] = low[start] = len(number)
        open_nodes.append(start)
        is_open.add(start)
        while work:
            node, following = work[-1]
            for target in following:
                if target not in number:
                    number[target] = low[target] = len(number)
                    open_nodes.append(target)
                    is_open.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in is_open:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = open_nodes.index(node)
                    components.append(open_nodes[at:])
                    is_open.difference_update(open_nodes[at:])
                    del open_nodes[at:]
    return components
