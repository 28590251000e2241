"""What the engine of a language is, and what it is asked (rule O1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from lxml import etree

from ..events import PrimitiveEvent

Value: TypeAlias = str | float | bool
Answer: TypeAlias = "bool | Mapping[str, Value | None] | None"
"""Yes or no, or yes with variables; None is no."""


class DocumentView(Protocol):
    """The document as U2 says: after the edit, at a deletion before it. Nothing of it may be changed."""

    @property
    def root(self) -> etree._Element | None:
        """The document element; None if it is not there."""

    def element(self, event: PrimitiveEvent) -> etree._Element | None:
        """The element that the event is about, for attributes and texts their parent; None if it is not there."""

    def text_number(self, event: PrimitiveEvent) -> int:
        """Which of its element's text nodes the event is about, from 1; 0 if about none."""


Question: TypeAlias = Callable[[PrimitiveEvent, "DocumentView | None"], Answer]
"""What `Language.compile` gives. It can have attributes:

``needs_document``: False if it never looks at the document, which is None then; else that of its language counts.
``variables``: the names of the variables that it returns and binds; without them it binds none, and what it returns
is only seen by the leaf's filter and ``as`` (O1).
``keeps_state``: True if its answers depend on what it was asked before; a detector then has no state to write (G6).
"""


class Language(Protocol):
    """The engine of a language. It can have attributes:

    ``needs_document``: False if none of its texts looks at the document; not said, they do, and an audit cannot
    divide the document.
    ``on_workers``: False if it cannot be used in the processes of an audit with Spark.
    ``needs_permission``: True if its texts can do anything, so that whoever loads the rules has to allow it by name.
    """

    def compile(self, text: str) -> Question:
        """The question that a text asks of events; raises any exception, of which the message says what is wrong."""
