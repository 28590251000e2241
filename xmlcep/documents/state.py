"""What a replica holds, and what it does with what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from copy import copy
from enum import Enum
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from path_types import Axis, PathType, Step
from path_types.relations import offsets

from ..errors import XmlCepError
from ..events import IDS, POS, PrimitiveEvent
from ..xpath import Reads
from .node_tables import NodeTables
from .xml_trees import XmlTrees

Instance: TypeAlias = tuple[PathType, tuple[int, ...]]
"""An element's absolute path type and the ids that lead to it."""
_MOST_PATHS = 10_000  # of which an answer is kept: documents may have names without end


def instance_of(path: PathType, ids: tuple[int, ...]) -> Instance | None:
    """The path instance of these; None if they do not begin at the document element."""
    return (path, ids) if len(path) == len(ids) else None


class ReplicaError(XmlCepError, ValueError):
    """An event that cannot have happened to the document as it is; says which and why."""


class Strictness(Enum):
    """What a replica does with an event that does not fit its state."""

    TOLERANT = "tolerant"
    """Do what makes sense of it: parts of a document, logs with holes."""
    STRICT = "strict"
    """Raise `ReplicaError`: complete logs, where it means that the log is damaged."""


class Needs(NamedTuple):
    """What a replica is for, by absolute path types: whether it ``keeps`` nodes there, and whether it ``orders`` the
    children of elements there, all of which have to be kept then. What it does not keep is not there for anybody;
    children without an order stand in any. Both are asked once for each path type.
    """

    keeps: Callable[[PathType], bool]
    orders: Callable[[PathType], bool]
    elements: bool = False
    """Whether lxml elements are asked for all the time; else they are made, without the prefixes that they were read
    with, when somebody asks for one."""

    @classmethod
    def of(
        cls,
        subtrees: Iterable[tuple[PathType, Reads]] = (),
        documents: Iterable[Reads] = (),
    ) -> Needs:
        """What expressions need: those that see the subtree of nodes that a path type leads to, wherever it occurs on
        a path (H1), and those that see the document."""
        below, anywhere = tuple(subtrees), tuple(documents)

        def ask(path: PathType, question: Callable[[Reads, Sequence[Step]], bool]) -> bool:
            for part, reads in below:
                ends = [start + len(part) for start in offsets(part, path)]
                if any(question(reads, path.steps[end:]) for end in ends):
                    return True
            return any(question(reads, path.steps) for reads in anywhere)

        # One answer does for all replicas that share these needs.
        return cls(
            lru_cache(_MOST_PATHS)(lambda path: ask(path, Reads.keeps)),
            lru_cache(_MOST_PATHS)(lambda path: ask(path, Reads.orders)),
        )

    @classmethod
    def everything(cls) -> Needs:
        """The whole document in its order."""
        return cls(_always, _always, elements=True)

    def keeps_node(self, path: PathType) -> bool:
        """Whether it keeps such nodes; text nodes only where there is an order."""
        if not self.keeps(path):
            return False
        last, parent = path.last, path.parent
        return last.is_element or last.axis is Axis.ATTRIBUTE or (parent is not None and self.orders(parent))


def _always(path: PathType) -> bool:
    return True


class PathKind(NamedTuple):
    """What handling an event has to know of its path type: the element's or attribute's name, whether the order of
    the element's children matters."""

    name: str
    ordered: bool


class State:
    """The nodes of a replica; ``trees``: what shows them, None while nobody asks for elements; ``root``: the document's
    root element; ``roots``: the roots of trees (the document's and those of detached fragments), with their path
    instances, as far as they are known; ``partial``: not all nodes are needed."""

    __slots__ = ("nodes", "partial", "root", "roots", "strict", "trees")

    def __init__(self, strictness: Strictness, needs: Needs | None) -> None:
        self.strict = strictness is Strictness.STRICT
        self.partial = needs is not None
        self.nodes = NodeTables()
        self.trees = XmlTrees(self.nodes) if needs is None or needs.elements else None
        self.root: int | None = None
        self.roots: dict[int, Instance | None] = {}

    def copy(self) -> State:
        """Another state with the same nodes."""
        other = copy(self)
        other.nodes, other.roots = self.nodes.copy(), dict(self.roots)
        if self.trees is not None:
            other.trees = self.trees.copy(other.nodes, self.roots)
        return other

    def shown(self) -> XmlTrees:
        """The trees as they are now, made if there are none; who does not keep these pays again next time."""
        return XmlTrees.of(self.nodes, self.roots) if self.trees is None else self.trees

    def misfit(self, event: PrimitiveEvent, problem: str) -> None:
        """An event that does not fit: raises `ReplicaError` if it is strict."""
        if self.strict:
            raise ReplicaError(f"{PrimitiveEvent(*event)} does not fit the document: {problem}")

    def parent(self, event: PrimitiveEvent) -> int:
        """The element in which the event's node is: what the event says, unless that is wrong."""
        ids, children = event[IDS], self.nodes.children
        node = ids[-1]
        if len(ids) > 1 and ids[-2] in children:
            siblings = children[ids[-2]]
            if node in siblings:
                return ids[-2]
        self.misfit(event, "it has another parent")
        return next(parent for parent, siblings in children.items() if node in siblings)

    def index(self, event: PrimitiveEvent, siblings: Sized) -> int:
        """Where among its siblings an inserted node goes: at pos, without one behind the last."""
        pos, length = event[POS], len(siblings)
        if pos is None or pos == length:
            return length
        if not 0 <= pos < length:
            self.misfit(event, f"pos is {pos}, but its parent has {length} child nodes")
            return length
        return pos
