"""The languages in which opaque leaves of tables and of docs/semantics.md are written (O1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xmlcep.languages import DocumentView
from xmlcep.languages.xpath31 import XPath31


def odd(event: Any, document: DocumentView | None) -> bool:
    """Whether the value is odd."""
    assert document is None or document.root is None or document.root.tag == "order"
    return int((event.old if event.op == "del" else event.value) or 0) % 2 == 1


def digits(event: Any, _: DocumentView | None) -> dict[str, Any] | None:
    """The first digit of the value and how many there are, if it has more than one."""
    text = event.value or ""
    return {"first": text[0], "count": len(text), "none": None} if len(text) > 1 else None


def unnamed(event: Any, _: DocumentView | None) -> dict[str, Any]:
    """The length of the value, without a word of that before."""
    return {"length": len(event.value or "")}


def priced(event: Any, document: DocumentView | None) -> bool:
    """Whether the item has a price."""
    assert document is not None
    element = document.element(event)
    return element is not None and element.find("price") is not None


def document_size(_: Any, document: DocumentView | None) -> dict[str, Any]:
    """How many elements the document has."""
    assert document is not None
    return {"size": 0 if document.root is None else len(list(document.root.iter()))}


def document_order(_: Any, document: DocumentView | None) -> dict[str, Any]:
    """The same, without a word of that before."""
    return document_size(_, document)


odd.needs_document = digits.needs_document = unnamed.needs_document = False  # type: ignore[attr-defined]
digits.variables = ("first", "count", "none")  # type: ignore[attr-defined]
document_size.variables = ("size",)  # type: ignore[attr-defined]


class Own:
    """A language that has a word for each of these questions."""

    def compile(self, text: str) -> Callable[..., Any]:
        """The question of that name."""
        return {
            each.__name__: each for each in (odd, digits, unnamed, priced, document_size, document_order)
        }[text]


LANGUAGES = {"own": Own(), "xpath31": XPath31()}
COMPILE: dict[str, Callable[[str], Callable[..., Any]]] = {
    name: engine.compile for name, engine in LANGUAGES.items()
}
"""The same as the reference evaluator takes them."""
