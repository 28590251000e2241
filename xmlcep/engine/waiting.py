"""Which event trees wait, and for what, so that an event need not ask those that do not (D2 to D4)."""

from __future__ import annotations


class Waiting:
    """The trees, by index, in which something waits.

    ``release``: for a release, now or once something has happened (D2, D3); ``elsewhere``: those of them that an event
    elsewhere releases (D2); ``blocked``: for what their conditions read to change (D4, U2).
    ``released``: those in which something has ceased to wait for a release since somebody looked.
    ``passed_on``: those of which others, which wait for the end of the edit, have yet to take something (D4).
    """

    __slots__ = ("blocked", "elsewhere", "passed_on", "release", "released")

    def __init__(self) -> None:
        self.release: set[int] = set()
        self.elsewhere: set[int] = set()
        self.blocked: set[int] = set()
        self.released: set[int] = set()
        self.passed_on: set[int] = set()

    def all_taken(self, tree: int) -> None:
        """Others have taken all that this tree has raised in the edit."""
        if tree in self.passed_on:
            self.passed_on.remove(tree)
            self.released.add(tree)

    def clear(self) -> None:
        """None waits."""
        self.release.clear()
        self.elsewhere.clear()
        self.blocked.clear()
        self.released.clear()
        self.passed_on.clear()
