"""Savepoints: some edits undone alone, inside a transaction or outside, as if they had never been made (rule L6)."""

from __future__ import annotations

from ..lxml_access import is_element
from . import outside_proxies
from .journal import Journal
from .shadow import ShadowTree
from .undo import undo


def open_journal(tree: ShadowTree) -> Journal:
    """A new journal, that writes down all edits from now on; what nobody sees as it happens is in it beforehand."""
    journal = tree.journal = Journal(tree.journal)
    for node in tree.foreign:
        if not is_element(node):
            journal.whole(node)  # of the text of a comment the shadow knows nothing
    journal.beside(tree.root)  # what is there is in no table: nobody could say whose it is
    return journal


class Savepoint:
    """The state of a document to which `rollback` brings it back; either that or `release` ends it.

    Savepoints are in each other and in a transaction, which has one, too. The events since then must be waiting in the
    queue. ``ts`` and ``position`` are those of clock and queue then.
    """

    __slots__ = ("_around", "_blocks", "_outer", "_tree", "journal", "position", "ts")

    def __init__(self, tree: ShadowTree) -> None:
        self._tree = tree
        self._outer = tree.journal
        self.ts = tree.clock.ts
        self.position = tree.delivery.position
        self._around = tree.delivery.blocks
        self._blocks = tree.emitter.blocks
        self.journal = open_journal(tree)

    def release(self) -> None:
        """What has been done since then stays; whatever is around it can still undo it."""
        tree = self._tree
        if self._outer is not None:
            self._outer.absorb(self.journal)
        tree.journal = self._outer

    def rollback(self) -> None:
        """Undoes what has been done since then; the clock goes back, ids are not used again."""
        if self._tree.foreign:
            outside_proxies.catch_up(self._tree)
        self.undo()

    def undo(self) -> None:
        """As `rollback`, when nothing has been done unseen, or nobody can say."""
        tree = self._tree
        tree.journal = None
        undo(tree, self.journal)
        tree.emitter.take_back(self.ts, self.position, self._blocks)
        tree.delivery.blocks = self._around
        tree.delivery.changing = False
        tree.journal = self._outer
