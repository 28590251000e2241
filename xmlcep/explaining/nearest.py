"""The event types that did occur and are nearest to one that did not (rule Y3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from path_types import PathType, Step
from path_types.names import namespace_of

from ..checking.occurred import Occurred
from ..events import PrimitiveType
from .nodes import Nodes, times

Types = Mapping[tuple[str, PathType], int]
"""How often what has occurred: by operation and absolute path type."""

FEW = 3


class Nearest(NamedTuple):
    """What did occur, and what could be written instead; empty texts if nothing is near."""

    text: str
    fix: str


def nearest(wanted: PrimitiveType, types: Types, nodes: Nodes) -> Nearest:
    """The nearest of what did occur: another operation, another namespace, a path that is much like it, the same name
    at another place; else what there is."""
    if not types:
        return Nearest("nothing at all has occurred", "")
    occurred = Occurred(types)
    for find in (_other_operation, _anchored, _other_namespace, _like_it, _other_place):
        found = find(wanted, occurred, nodes)
        if found is not None:
            return found
    common = Counter(dict(types)).most_common(FEW)
    return Nearest(f"similar: {_listed(common, nodes)}", "")


def _other_operation(wanted: PrimitiveType, occurred: Occurred, nodes: Nodes) -> Nearest | None:
    found = occurred.of_any_operation(wanted)
    if not found:
        return None
    operations = sorted({operation for (operation, _), _ in found})
    path = nodes.path(wanted.path) + wanted.scope.value
    fix = "write " + " or ".join(f"{operation}({path})" for operation in operations)
    inner = occurred.text_to_update(wanted)
    if inner is not None:
        fix += f", or upd({nodes.path(inner)}): an element has no value that could be updated"
    return Nearest(f"other operations: {_listed(found, nodes)}", fix)


def _anchored(wanted: PrimitiveType, occurred: Occurred, nodes: Nodes) -> Nearest | None:
    """An absolute path at which there is nothing, although something ends like it."""
    if occurred.anywhere(wanted.path) is None:
        return None
    relative = wanted._replace(path=wanted.path.relative)
    found = occurred.of_any_operation(relative)
    if not found:
        return None
    path = nodes.path(relative.path) + wanted.scope.value
    return Nearest(
        f"at other places: {_listed(found, nodes)}",
        f"leave out the / at the beginning for any place: {wanted.operation}({path})",
    )


def _other_namespace(wanted: PrimitiveType, occurred: Occurred, nodes: Nodes) -> Nearest | None:
    found = occurred.in_other_namespaces(wanted)
    if found is None:
        return None
    type_, path = found
    uris = sorted(_namespaces(path) - _namespaces(wanted.path))
    shown = " and ".join(repr(uri) if uri else "no namespace" for uri in uris)
    listed = _listed([(type_, occurred.types[type_])], nodes)
    return Nearest(
        f"the same names occurred in another namespace: {listed}, in {shown}",
        f"declare the namespace and write {wanted.operation}({nodes.path(path)})",
    )


def _like_it(wanted: PrimitiveType, occurred: Occurred, nodes: Nodes) -> Nearest | None:
    path = occurred.respelt(wanted.path)
    if path is None:
        return None
    found = [
        (type_, count)
        for type_, count in occurred.types.items()
        if wanted._replace(path=path).accepts(*type_)
    ]
    if not found:
        return None
    written = f"{wanted.operation}({nodes.path(path)})"
    return Nearest(f"similar: {_listed(found, nodes)}", f"did you mean {written}?")


def _other_place(wanted: PrimitiveType, occurred: Occurred, nodes: Nodes) -> Nearest | None:
    steps = wanted.path.steps
    # A text is called as its element.
    above = steps[-2] if steps[-1] == Step.text() and len(steps) > 1 else None
    found = occurred.of_nodes(steps[-1], wanted.operation, above)
    if not found:
        return None
    return Nearest(f"at other places: {_listed(found, nodes)}", "compare the path with these")


def _namespaces(path: PathType) -> set[str]:
    return {namespace_of(step.test) for step in path.steps}


def _listed(found: Iterable[tuple[tuple[str, PathType], int]], nodes: Nodes) -> str:
    """Types with how often they have occurred, the most frequent first."""
    by_count = sorted(found, key=lambda one: (-one[1], one[0][0], str(one[0][1])))
    shown = [
        f"{operation}({nodes.path(path)}) ({times(count)})" for (operation, path), count in by_count[:FEW]
    ]
    more = f" and {len(by_count) - FEW} more types" if len(by_count) > FEW else ""
    return "; ".join(shown) + more
