"""What actions need of whoever runs them, beside the tree itself."""

from __future__ import annotations

from typing import Protocol

from lxml import etree

from ..xpath import Selected


class Host(Protocol):
    """Runs the actions of a firing."""

    @property
    def root(self) -> etree._Element:
        """The root element of the document."""
        ...

    def contains(self, element: etree._Element) -> bool:
        """Whether an element is in the document: what an action before has taken out is not."""
        ...

    def begin_edit(self) -> None:
        """What is done until `end_edit` is one edit (U1)."""

    def end_edit(self) -> None:
        """The other end."""

    def call(self, function: str) -> None:
        """A function of the application is to be called when the transaction is over."""

    def raise_event(self, name: str, node: Selected) -> None:
        """An external event happens at a node."""
