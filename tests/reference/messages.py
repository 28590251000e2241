"""What findings say: the message of an event, with what its expressions are (Y10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from xmlcep.algebra import EventDefinition
from xmlcep.events import PrimitiveEvent

from . import expressions, leaves, paths
from .events import Composite, Event
from .operators.surroundings import Surroundings
from .values import as_text


def say(definition: EventDefinition, composite: Composite, around: Surroundings) -> None:
    """Gives a composite the severity and the message of its event."""
    if definition.severity is not None:
        composite.severity = definition.severity.value
    if definition.message is None:
        return
    composite.message = "".join(
        _value(text, definition, composite, around) if is_expression else text
        for text, is_expression in _parts(definition.message)
    )


def ask_document(definition: EventDefinition) -> bool:
    """Whether the message asks the document (U2)."""
    return any(
        is_expression and _asks(text, definition) for text, is_expression in _parts(definition.message or "")
    )


def _parts(message: str) -> Iterator[tuple[str, bool]]:
    """The message in pieces, each with whether it is an expression."""
    while message:
        if message[:2] in ("{{", "}}"):
            yield message[0], False
            message = message[2:]
        elif message[0] == "{":
            inside = _inside(message[1:])
            yield inside, True
            message = message[len(inside) + 2 :]
        else:
            yield message[0], False
            message = message[1:]


def _asks(expression: str, definition: EventDefinition) -> bool:
    path = paths.path_of(definition.expression)
    return expressions.asks_document(expression, dot_does=path is None or path.last.is_element)


def _inside(text: str) -> str:
    """What stands before the brace that closes; strings hide what is in them."""
    quote = ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "}":
            return text[:place]
    raise ValueError("a brace that is not closed")


def _value(expression: str, definition: EventDefinition, composite: Composite, around: Surroundings) -> str:
    change = _last_change(composite)
    known: dict[str, Any] = {**around.references, **leaves.knowledge(composite)}
    known |= {"old": "", "new": "", "op": ""}
    if change is not None:
        known |= {"old": change.old or "", "new": change.value or "", "op": change.op}
    for name in expressions.names_in(expression):
        if name.startswith("meta:"):
            known.setdefault(name, "")
    if expression.startswith("$") and isinstance(known.get(expression[1:]), list):
        return ", ".join(map(as_text, known[expression[1:]]))
    if not _asks(expression, definition):
        here = etree.Element("here")
        here.text = "" if change is None else (change.old if change.op == "del" else change.value) or ""
        return _text(expressions.evaluate(expression, here, known))
    if composite.instance is None:
        return ""
    return _text(around.after.ask(expression, composite.instance.ids[-1], known))


def _text(result: Any) -> str:
    value = expressions.value_of(result)
    return "" if value is None else as_text(value)


def _last_change(composite: Composite) -> PrimitiveEvent | None:
    found: PrimitiveEvent | None = None
    for change in _changes(composite):
        if found is None or change.ts >= found.ts:
            found = change
    return found


def _changes(event: Event) -> list[PrimitiveEvent]:
    if isinstance(event, PrimitiveEvent):
        return [event]
    return [change for inner in event.constituents for change in _changes(inner)]
