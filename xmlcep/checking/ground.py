"""What is known beforehand of the nodes that documents have: nothing, or what a schema says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from path_types import PathType, Step

Kinds = frozenset[int]
"""Kinds of nodes: what a schema tells apart, such as element declarations. None: there are no such nodes."""


class Ground(Protocol):
    """Which nodes documents can have. It may err on the side of yes."""

    def ending(self, path: PathType) -> Kinds:
        """The kinds of the nodes whose path is, or ends with, ``path``."""

    def alone(self, path: PathType, group: PathType) -> Kinds:
        """Those of them in whose path ``group``, which stands in ``path``, stands once only (P3)."""

    def onward(self, kind: int, steps: Sequence[Step]) -> Kinds:
        """The kinds of the nodes to which these steps lead from a node of this kind; without steps this one."""

    def below(self, kind: int, path: PathType, group: PathType) -> Iterable[int]:
        """The kinds of the nodes to which ``path`` leads from anywhere inside a node of this kind; ``group`` stands on
        the way only where it stands in ``path`` (P3)."""

    def example(self, path: PathType) -> PathType | None:
        """A short absolute path that is, or ends with, ``path``; None if none is known."""


class AnyGround:
    """Documents of which nothing is known: all there can be is one kind of node."""

    _ALL = frozenset([0])

    def ending(self, path: PathType) -> Kinds:
        return self._ALL

    def alone(self, path: PathType, group: PathType) -> Kinds:
        return self._ALL

    def onward(self, kind: int, steps: Sequence[Step]) -> Kinds:
        return self._ALL

    def below(self, kind: int, path: PathType, group: PathType) -> Iterable[int]:
        return self._ALL

    def example(self, path: PathType) -> PathType | None:
        return None
