"""What is known beforehand of the nodes that documents have: nothing, or what a schema says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from path_types import PathType, Step

from .values import Values

Kinds = frozenset[int]
"""Kinds of nodes: what a schema tells apart, such as element declarations. None: there are no such nodes."""
States: TypeAlias = "Kinds | None"
"""The kinds that an element can be of; None: not known."""
UNKNOWN = -1
"""The kind of elements of which nothing is known."""


class Mismatch(NamedTuple):
    """Where a path leaves the schema: at the step with this index; ``near`` is the path as far as it can be saved."""

    step: int
    message: str
    near: PathType | None


class Names:
    """What is known of the names and values in documents: nothing. Who knows more, such as a schema, says so."""

    @property
    def roots(self) -> States:
        """The kinds of root elements."""
        return None

    @property
    def is_open(self) -> bool:
        """Whether there can be elements that are not known."""
        return True

    def mismatch(self, path: PathType) -> Mismatch | None:
        """Why no node has a path that is, or ends with, ``path``; None if one can have it."""
        return None

    def allows(self, path: PathType) -> bool:
        """Whether a node can have a path that is, or ends with, ``path``."""
        return True

    def states(self, path: PathType) -> States:
        """The kinds of the elements with a path that is, or ends with, ``path``."""
        return None

    def having(self, step: Step) -> States:
        """The kinds of the elements with such an attribute, or with text."""
        return None

    def follow(self, states: Iterable[int], step: Step) -> Sequence[int] | None:
        """The kinds one step further."""
        return None

    def children(self, states: Iterable[int]) -> States:
        """The kinds of the child elements."""
        return None

    def inside(self, states: Iterable[int]) -> States:
        """The kinds of all elements inside."""
        return None

    def parents(self, states: Iterable[int]) -> States:
        """The kinds of the elements that such elements can be in."""
        return None

    def around(self, states: Iterable[int]) -> States:
        """The kinds of all elements around."""
        return None

    def has(self, index: int, step: Step) -> bool:
        """Whether elements of a kind can have such an attribute, or text."""
        return True

    def has_element(self, name: str) -> bool:
        """Whether an element of this name can be anywhere."""
        return True

    def values(self, states: Iterable[int], inner: Step | None) -> Values | None:
        """What the text of such elements can be, or this attribute of theirs; None: not known, or ``inner`` is None."""
        return None

    def contents(self, states: Iterable[int]) -> list[Values | None]:
        """What such elements can be as texts, each."""
        return [None]

    def most(self, group: PathType, path: PathType) -> int | None:
        """The most nodes at ``path`` that one node at ``group`` has at once; None: no bound, or not known."""
        return None

    def to_write(self, states: Iterable[int], inner: Step | None) -> list[Values] | None:
        """What the text of such elements (``inner`` None or a text) or this attribute can be when it is written."""
        return None

    def name(self, index: int) -> str:
        """The name of the elements of a kind."""
        return ""

    def names(self, states: States) -> list[str]:
        """The names of these elements; None: of all."""
        return []

    def attributes(self, states: States) -> list[str]:
        """The names of the attributes of these elements; None: of all."""
        return []


class Ground(Protocol):
    """Which nodes documents can have. It may err on the side of yes."""

    @property
    def names(self) -> Names:
        """What is known of names and values."""

    def ending(self, path: PathType) -> Kinds:
        """The kinds of the nodes whose path is, or ends with, ``path``."""

    def onward(self, kind: int, steps: Sequence[Step]) -> Kinds:
        """The kinds of the nodes to which these steps lead from a node of this kind; without steps this one."""

    def below(self, kind: int, path: PathType) -> Kinds:
        """The kinds of the nodes to which ``path`` leads from anywhere inside a node of this kind."""

    def example(self, path: PathType) -> PathType | None:
        """A short absolute path that is, or ends with, ``path``; None if none is known."""


class AnyGround:
    """Documents of which nothing is known: all there can be is one kind of node."""

    _ALL = frozenset([UNKNOWN])
    names = Names()

    def ending(self, path: PathType) -> Kinds:
        return self._ALL

    def onward(self, kind: int, steps: Sequence[Step]) -> Kinds:
        return self._ALL

    def below(self, kind: int, path: PathType) -> Kinds:
        return self._ALL

    def example(self, path: PathType) -> PathType | None:
        return None
