"""What actions need of whoever runs them, beside the tree itself."""

from __future__ import annotations

from typing import Protocol

from ..xpath import Selected


class Host(Protocol):
    """Runs the actions of a firing."""

    def call(self, function: str) -> None:
        """A function of the application is to be called when the transaction is over."""

    def raise_event(self, name: str, node: Selected) -> None:
        """An external event happens at a node."""
