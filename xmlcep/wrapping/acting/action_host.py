"""What the actions of a firing ask of the document, and what they have done to it (`xmlcep.actions.nodes.Host`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ...actions.errors import RefusedActionError
from ...events import CompositeEvent, PrimitiveEvent
from ...xpath import Selected
from ..lxml_access import Node
from ..nodes import instance_of
from ..shadow.shadow import ShadowTree, tree_of
from .rule_set import RuleSet

Deed: TypeAlias = Sequence[PrimitiveEvent] | CompositeEvent
"""What a firing has done: the events of an edit, or an external event."""


class Deeds:
    """The document as actions see it; what they do to it is written down, and whom they have called.

    ``done`` is None while no firing is under way: edits are then those of the application.
    """

    __slots__ = ("_open", "_tree", "calls", "done")

    def __init__(self, tree: ShadowTree) -> None:
        self._tree = tree
        self._open: tuple[RuleSet, ...] = ()
        self.done: list[Deed] | None = None
        self.calls: list[str] = []

    def begin(self, open_rules: tuple[RuleSet, ...] = ()) -> list[Deed]:
        """Edits are those of a firing from now on, until `end`; returns the list that they are written to."""
        self._open = open_rules
        self.done, self.calls = [], []
        return self.done

    def end(self) -> None:
        """Edits are those of the application again."""
        self.done = None

    @property
    def root(self) -> Node:
        """The root element of the document."""
        return self._tree.root

    def contains(self, element: Node) -> bool:
        """Whether an element is in the document."""
        return tree_of(element) is self._tree

    def begin_edit(self) -> None:
        """What is done until `end_edit` is one edit (U1)."""
        self._tree.emitter.begin_block()

    def end_edit(self) -> None:
        """The other end."""
        self._tree.emitter.end_block()

    def call(self, function: str) -> None:
        """A function of the application is to be called when the transaction is over."""
        self.calls.append(function)

    def raise_event(self, name: str, node: Selected) -> None:
        """An external event happens at a node, at the time point of the last record."""
        tree = self._tree
        path, ids = instance_of(tree, node)
        accepted = [rules for rules in self._open if name in rules.externals]
        if not any(rules.externals[name].accepts(name, path) for rules in accepted):
            declared = accepted[0].externals[name].path
            raise RefusedActionError(f"{name} is declared for {declared}, and was raised for {path}")
        event = tree.emitter.external_event(name, path, ids, tree.emitter.txn, tree.emitter.meta_now())
        assert self.done is not None
        self.done.append(event)
        tree.emitter.delivery.put(event)
