"""The event types that did occur and are nearest to one that did not (rule Y3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from path_types import Axis, PathType, Step

from ..events import ANY, PrimitiveType
from ..suggestions import KnownNames
from .nodes import Nodes

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
    for find in (_other_operation, _other_namespace, _like_it, _other_place):
        found = find(wanted, types, nodes)
        if found is not None:
            return found
    common = Counter(dict(types)).most_common(FEW)
    return Nearest(f"what has is {_listed(common, nodes)}", "")


def _other_operation(wanted: PrimitiveType, types: Types, nodes: Nodes) -> Nearest | None:
    any_ = wanted._replace(operation=ANY)
    found = [(type_, count) for type_, count in types.items() if any_.accepts(*type_)]
    if not found:
        return None
    operations = sorted({operation for (operation, _), _ in found})
    path = nodes.path(wanted.path) + wanted.scope.value
    return Nearest(
        f"other operations have: {_listed(found, nodes)}",
        "write " + " or ".join(f"{operation}({path})" for operation in operations),
    )


def _other_namespace(wanted: PrimitiveType, types: Types, nodes: Nodes) -> Nearest | None:
    local = _local(wanted.path.steps)
    found = []
    for (operation, path), count in types.items():
        ending = path.steps[-len(local) :]
        if (
            wanted.operation in (ANY, operation)
            and _local(ending) == local
            and ending != wanted.path.steps
            and (not wanted.path.absolute or len(path) == len(local))
        ):
            found.append(((operation, path), count, ending))
    if not found:
        return None
    (type_, count, ending) = max(found, key=lambda one: one[1])
    uris = sorted({_uri(step) for step in ending} - {_uri(step) for step in wanted.path.steps})
    shown = " and ".join(repr(uri) if uri else "no namespace" for uri in uris)
    written = nodes.path(PathType.of(wanted.path.absolute, ending))
    return Nearest(
        f"the same names in another namespace have: {_listed([(type_, count)], nodes)}, in {shown}",
        f"declare the namespace and write {wanted.operation}({written})",
    )


def _like_it(wanted: PrimitiveType, types: Types, nodes: Nodes) -> Nearest | None:
    length = len(wanted.path)
    endings: dict[str, PathType] = {}
    for operation, path in types:
        if wanted.operation in (ANY, operation) and len(path) >= length:
            ending = PathType.of(wanted.path.absolute and len(path) == length, path.steps[-length:])
            endings.setdefault(_text(ending), ending)
    name = KnownNames(endings).nearest(_text(wanted.path))
    if name is None:
        return None
    type_ = wanted._replace(path=endings[name])
    counts = [
        (type_, count)
        for type_, count in types.items()
        if wanted._replace(path=endings[name]).accepts(*type_)
    ]
    written = f"{wanted.operation}({nodes.path(type_.path)})"
    return Nearest(f"what has is {_listed(counts, nodes)}", f"did you mean {written}?")


def _other_place(wanted: PrimitiveType, types: Types, nodes: Nodes) -> Nearest | None:
    last = wanted.path.last
    found = [
        (type_, count)
        for type_, count in types.items()
        if wanted.operation in (ANY, type_[0]) and type_[1].last == last
    ]
    if not found:
        return None
    return Nearest(f"at other places it has: {_listed(found, nodes)}", "compare the path with these")


def _listed(found: Iterable[tuple[tuple[str, PathType], int]], nodes: Nodes) -> str:
    """Types with how often they have occurred, the most frequent first."""
    by_count = sorted(found, key=lambda one: (-one[1], one[0][0], str(one[0][1])))
    shown = [
        f"{operation}({nodes.path(path)}) ({_times(count)})" for (operation, path), count in by_count[:FEW]
    ]
    more = f" and {len(by_count) - FEW} more types" if len(by_count) > FEW else ""
    return "; ".join(shown) + more


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _text(path: PathType) -> str:
    return "/".join(_local(path.steps))


def _local(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(f"{'@' if s.axis is Axis.ATTRIBUTE else ''}{s.test.rpartition('}')[2]}" for s in steps)


def _uri(step: Step) -> str:
    return step.test[1:].partition("}")[0] if step.test.startswith("{") else ""
