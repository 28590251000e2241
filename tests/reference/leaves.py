"""Leaves: which events they store, and the variables they bind (T5, E2, F1 to F3, V1, O1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from path_types import PathInstance
from xmlcep.algebra import Leaf
from xmlcep.events import CompositeType, PrimitiveEvent

from . import expressions
from .events import Event
from .relations import compatible
from .values import Variables

if TYPE_CHECKING:
    from .document import NaiveDocument
    from .operators.surroundings import Surroundings


def taken(leaf: Leaf, event: Event, around: Surroundings, *, unasked: bool = False) -> Variables | None:
    """The variables of an event that the leaf stores; None: it does not. ``unasked``: whatever its filter (A8)."""
    if not compatible(event, leaf.type):
        return None
    known = {**around.references, **knowledge(event)}
    bound: Variables = {}
    if leaf.opaque is not None:
        answer = around.languages[leaf.opaque.language](leaf.opaque.text)
        said = answer(event, document_of(event, around).view())
        if said is None or said is False:
            return None
        if isinstance(said, Mapping):  # O1
            said = {name: value for name, value in said.items() if value is not None}
            known |= said
            bound = {name: said[name] for name in getattr(answer, "variables", ()) if name in said}
    asked = replace(leaf, filter=None) if unasked else leaf
    values = _asked(asked, event, known, document_of(event, around), event.instance)
    return None if values is None else bound | values


def admitted(
    leaf: Leaf, change: PrimitiveEvent, node: PathInstance, around: Surroundings
) -> Variables | None:
    """What a leaf binds of a node that turned true by a change; None if its filter is false (B2)."""
    return _asked(leaf, change, {**around.references, **knowledge(change)}, around.after, node)


def _asked(
    leaf: Leaf, event: Event, known: dict[str, Any], document: NaiveDocument, node: PathInstance | None
) -> Variables | None:
    """The variables of an event that is seen at a node; None if the filter is false."""
    if leaf.filter is not None and not expressions.is_true(
        ask(leaf, leaf.filter, event, known, document, node)
    ):
        return None
    bound: Variables = {}
    for binding in leaf.bindings:
        if binding.expression is None:
            value = _value(event)
        else:
            value = expressions.value_of(ask(leaf, binding.expression, event, known, document, node))
        if value is not None:
            bound[binding.name] = value
    return bound


def knowledge(event: Event) -> dict[str, Any]:
    """F2: what a filter knows of an event; a composite's variables as well."""
    where = event if isinstance(event, PrimitiveEvent) else event.cause
    known: dict[str, Any] = {"old": "", "new": "", "op": ""}
    if isinstance(event, PrimitiveEvent):
        known = {"old": event.old or "", "new": event.value or "", "op": event.op}
    else:
        known |= event.bindings or {}
    known |= {"ts": where.ts, "at": where.at or "", "doc": where.doc}
    known["txn"] = "" if where.txn is None else where.txn
    return known | {f"meta:{name}": value for name, value in (where.meta or {}).items()}


def ask(
    leaf: Leaf, expression: str, event: Event, known: dict[str, Any], document: NaiveDocument, node: PathInstance | None
) -> Any:  # fmt: skip
    """What an expression of a leaf is for an event at a node (F1, F3); None if that is not there (U2)."""
    for name in expressions.names_in(expression):
        if name.startswith("meta:"):
            known.setdefault(name, "")
    if not asks_document(leaf, expression):
        here = etree.Element("here")
        here.text = _value(event)
        return expressions.evaluate(expression, here, known)
    return None if node is None else document.ask(expression, node.ids[-1], known)


def asks_document(leaf: Leaf, expression: str) -> bool:
    """F3: ``.`` of a text or attribute of a record is in the record."""
    valued = not isinstance(leaf.type, CompositeType) and not leaf.type.path.last.is_element
    return expressions.asks_document(expression, dot_does=not valued)


def document_of(event: Event, around: Surroundings) -> NaiveDocument:
    """U2: as it is after the edit; for a deletion as it was before."""
    deleted = isinstance(event, PrimitiveEvent) and event.op == "del"
    return around.before if deleted else around.after


def _value(event: Event) -> str | None:
    """V1: the value of a text or attribute, of a deleted one that it had."""
    if not isinstance(event, PrimitiveEvent):
        return None
    return event.old if event.op == "del" else event.value
