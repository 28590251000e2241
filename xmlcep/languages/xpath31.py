"""XPath 3.1 as opaque expressions, by elementpath: ``opaque["xpath31", "matches(., '[13579]$')"](price/text())`` (O2).

The context item is the changed node; ``$old``, ``$new``, ``$op``, ``$at``, ``$doc``, ``$meta:NAME`` are strings,
``$ts`` and ``$txn`` numbers. A map gives variables, anything else counts as yes or no. What reaches out of the
document, reads XML, asks the clock, or searches with a pattern in a time that depends on the pattern, is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from ..errors import MissingExtraError
from ..events import PrimitiveEvent
from ..xpath.regex import matcher
from .protocol import Answer, DocumentView, Question, Value

try:
    from elementpath import ElementPathError, XPathContext
    from elementpath.xpath31 import XPath31Parser
    from elementpath.xpath_nodes import TextNode
except ImportError as error:
    raise MissingExtraError("the language xpath31", "elementpath", "xpath31") from error

KNOWN = ("old", "new", "op", "ts", "at", "doc", "txn")
META = "urn:xmlcep:meta"
_BINDING = ("for", "let", "some", "every")

# Files, addresses, the environment; XML parsed by others; the clock and chance, after which a replay would find
# something else; patterns run by a search that goes back and forth.
_ABSENT = (
    "doc", "doc-available", "collection", "uri-collection", "unparsed-text", "unparsed-text-available",
    "unparsed-text-lines", "json-doc", "environment-variable", "available-environment-variables",
    "load-xquery-module", "transform", "parse-xml", "parse-xml-fragment", "current-date", "current-dateTime",
    "current-time", "implicit-timezone", "random-number-generator", "trace", "replace", "tokenize", "analyze-string",
)  # fmt: skip
_LEFT_OUT = "{}() is not there: see what xpath31 leaves out, in docs/language.md"


class _Parser(XPath31Parser):
    """XPath 3.1 without `_ABSENT`; its ``matches`` is that of `xmlcep.xpath.regex`."""


for _name in (*_ABSENT, "matches"):
    del _Parser.symbol_table[_name]


@_Parser.method(
    _Parser.function(
        "matches", nargs=(2, 3), sequence_types=("xs:string?", "xs:string", "xs:string", "xs:boolean")
    )
)
def evaluate_matches(self: Any, context: Any = None) -> bool:
    """``matches(text, pattern, flags)``, in time linear in the text."""
    context = self.context if self.context is not None else context
    text = self.get_argument(context, default="", cls=str)
    pattern = self.get_argument(context, 1, required=True, cls=str)
    flags = self.get_argument(context, 2, required=True, cls=str) if len(self) > 2 else ""
    return matcher(pattern, flags)(text)


def _names(function: str, text: str) -> bool:
    """Whether a function is called, or named, in a text that perhaps cannot be read."""
    return re.search(rf"(?<![\w.-]){function}\s*[(#]", text) is not None


class XPath31:
    """The engine; its texts need the document, whatever they say."""

    def compile(self, text: str) -> Question:
        """The question that an expression asks; raises `ValueError` for what is none, or has unknown variables.

        Raises `MissingExtraError` for patterns without RE2.
        """
        try:
            token = _Parser(namespaces={"meta": META}).parse(text)
        except ElementPathError as error:
            absent = [name for name in _ABSENT if _names(name, text)]
            if absent:
                raise ValueError(_LEFT_OUT.format(absent[0])) from error
            raise
        for each in _tokens(token):
            if each.symbol == "#" and str(each[0].value) in _ABSENT:  # doc#1 is looked up when it is called
                raise ValueError(_LEFT_OUT.format(each[0].value))
        if _names("matches", text):
            matcher("")  # what it needs is missing now, or not in the middle of an audit
        unknown = [
            name for name in _free_variables(token) if name not in KNOWN and not name.startswith("meta:")
        ]
        if unknown:
            raise ValueError(
                f"the unknown variable ${unknown[0]}: there are ${', $'.join(KNOWN)} and $meta:NAME"
            )
        return _Expression(token, [name for name in _free_variables(token) if name.startswith("meta:")])


class _Expression:
    """An expression, ready to be asked."""

    needs_document = True

    def __init__(self, token: Any, metas: list[str]) -> None:
        self._token = token
        self._metas = [name.removeprefix("meta:") for name in metas]

    def __call__(self, event: PrimitiveEvent, document: DocumentView | None) -> Answer:
        element = None if document is None else document.element(event)
        if document is None or element is None:
            return False
        root: Any = element.getroottree().getroot()
        item: Any = element
        context = XPathContext(root, item=item, variables=self._variables(event))
        last = event.path.last
        if not last.is_element:
            context.item = _own_node(context.item, event, document.text_number(event))
        items = list(self._token.select(context))
        if len(items) == 1 and hasattr(items[0], "items"):
            return {str(name): _value(value) for name, value in items[0].items()}
        return bool(self._token.boolean_value(items))

    def _variables(self, event: PrimitiveEvent) -> dict[str, Any]:
        meta = event.meta or {}
        return {
            "old": event.old or "", "new": event.value or "", "op": event.op, "ts": event.ts, "at": event.at or "",
            "doc": event.doc, "txn": [] if event.txn is None else event.txn,
            **{f"meta:{name}": meta.get(name, "") for name in self._metas},
        }  # fmt: skip


def _own_node(element: Any, event: PrimitiveEvent, number: int) -> Any:
    """The attribute or text node in elementpath's tree that the event is about."""
    last = event.path.last
    if last.test != "text()":
        return next(node for node in element.attributes if node.name == last.test)
    return [child for child in element.children if isinstance(child, TextNode)][number - 1]


def _value(value: Any) -> Value | None:
    """A value of XPath 3.1 as that of a variable."""
    if isinstance(value, list):
        if len(value) > 1:
            raise ValueError("a variable has one value, not a sequence: use string-join()")
        return _value(value[0]) if value else None
    if hasattr(value, "string_value"):
        return str(value.string_value)
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, (int, float, Decimal)) else str(value)


def _free_variables(token: Any) -> list[str]:
    """The names of the variables that an expression does not bind itself."""
    bound: set[str] = set()
    used: list[str] = []
    for each in _tokens(token):
        if each.symbol in _BINDING:
            bound |= {_name_of(child) for child in each[:-1] if child.symbol == "$"}
        bound |= set(getattr(each, "varnames", None) or ())
        if each.symbol == "$":
            used.append(_name_of(each))
    return [name for name in dict.fromkeys(used) if name not in bound]


def _tokens(token: Any) -> Iterator[Any]:
    yield token
    for child in token:
        yield from _tokens(child)


def _name_of(variable: Any) -> str:
    named = variable[0]
    return f"{named[0].value}:{named[1].value}" if named.symbol == ":" else str(named.value)
