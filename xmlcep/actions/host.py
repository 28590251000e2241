"""What actions need of whoever runs them, beside the tree itself."""

from __future__ import annotations

from typing import Protocol

from ..xpath import Selected


class Host(Protocol):
    """Runs the actions of a firing."""

    def begin_edit(self) -> None:
        """What is done until `end_edit` is one edit (U1)."""

    def end_edit(self) -> None:
        """The other end."""

    def call(self, function: str) -> None:
        """A function of the application is to be called when the transaction is over."""

    def raise_event(self, name: str, node: Selected) -> None:
        """An external event happens at a node."""
