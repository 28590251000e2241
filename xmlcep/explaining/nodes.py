"""How nodes, events and spans of time are written for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from lxml import etree

from path_types import Axis, PathType, Step
from path_types.names import local_name

from ..algebra import Leaf, Operator
from ..engine.place import Place
from ..errors import XmlCepError
from ..events import CompositeEvent, Event, PrimitiveEvent, document_of
from ..language.printer import print_expression, print_path
from ..provenance import said_of

_LONGEST = 60
_NAMING = ("id", "name", "{http://www.w3.org/XML/1998/namespace}id")


class Elements(Protocol):
    """A document that knows its elements by node id, as `Replica` does."""

    def element(self, node_id: int) -> etree._Element | None:
        """The element with this id, None if there is none."""


class Nodes:
    """Writes nodes as ``/order/item[2]``, with ``@id`` or ``@name`` where the document has one.

    Without a document, or for a node that is no longer there, the ids are behind the names: ``/order#1/item#6``.
    ``several``: events are of several documents, so each is written with its own (V11).
    """

    def __init__(
        self, namespaces: Mapping[str, str] | None = None, document: Elements | None = None, *,
        several: bool = False,
    ) -> None:  # fmt: skip
        self.several = several
        self.namespaces = dict(namespaces or {})
        self.document = document

    def path(self, path: PathType) -> str:
        """A path type with its prefixes."""
        return print_path(path, self.namespaces)

    def name(self, path: PathType | None, ids: Sequence[int], *, mark: bool = True) -> str:
        """A node by its path instance; ``mark``: with its ``@id`` or ``@name``."""
        if path is None:
            return "the documents" if self.several else "the document"
        steps, behind = [], ""
        for length, (step, node) in enumerate(zip(path.steps, ids, strict=True), 1):
            own = self.path(PathType.of(False, (step,)))
            if not step.is_element:
                steps.append(own if step.axis is Axis.ATTRIBUTE else f"{own}#{node}")
                continue
            element = None if self.document is None else self.document.element(node)
            if element is None:
                steps.append(f"{own}#{node}")
                continue
            steps.append(own + _position(element))
            behind = _mark(element) if mark and length == len(path) else ""
        return ("/" if path.absolute else "") + "/".join(steps) + behind

    def of_id(self, node_id: int) -> str:
        """A node of which only the id is known."""
        element = None if self.document is None else self.document.element(node_id)
        if element is None:
            return f"#{node_id}"
        above = [one for one in reversed([element, *element.iterancestors()]) if isinstance(one.tag, str)]
        steps = [
            self.path(PathType.of(False, (Step.element(str(one.tag)),))) + _position(one) for one in above
        ]
        return "/" + "/".join(steps) + _mark(element)

    def event(self, event: Event) -> str:
        """An event in a few words: what, where, when."""
        if isinstance(event, CompositeEvent):
            return f"{event.operator or event.name} at {self._when(event)}"
        return f"{event.op}({self.name(event.path, event.ids)}) at {self._when(event)}"

    def _when(self, event: Event) -> str:
        """Its time point, and where that says nothing by itself its document."""
        known = isinstance(event.ts, Place) or not self.several
        return str(event.ts) if known else f"{event.ts} of {document_of(event)!r}"

    def event_in_full(self, event: Event) -> str:
        """An event with its values, its time, and who made it."""
        if isinstance(event, CompositeEvent):
            inside = ", ".join(f"{one.op}@{self._when(one)}" for one in event.flattened())
            node = self.name(event.path, event.ids)
            return f"{event.operator or event.name}({node}) at {self._when(event)} {{{inside}}}"
        said = [f"{event.op}({self.name(event.path, event.ids)}) at {self._when(event)}", change(event)]
        said += [event.at or "", *provenance(event)]
        return "  ".join(filter(None, said))


def written(expression: Leaf | Operator, namespaces: Mapping[str, str]) -> str:
    """An expression as rules write it."""
    try:
        return print_expression(expression, namespaces)
    except XmlCepError:  # of one operand, which the language has no notation for
        return " ".join(written(operand, namespaces) for operand in getattr(expression, "operands", ()))


def change(event: PrimitiveEvent) -> str:
    """The values of a change: ``'39' → '35'``."""
    if event.op == "upd":
        return f"{short(event.old or '')} → {short(event.value or '')}"
    value = event.old if event.op == "del" else event.value
    return "" if value is None else short(value)


def provenance(event: PrimitiveEvent) -> list[str]:
    """Who made a change, why, and in which transaction, as far as its record says."""
    return [*said_of(event.meta), *([] if event.txn is None else [f"transaction {event.txn}"])]


def short(text: str) -> str:
    """A text in quotes, shortened; what cannot be seen is escaped.

    >>> print(short("a\\tb"), short("x" * 70)[-5:])
    'a\\tb' xxx…'
    """
    shown = repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
    return shown


def span(amount: int, unit: int) -> str:
    """So much by a measure (the place of it in a `Moment`).

    >>> span(94, 0), span(90_000_000, 1), span(1, 2)
    ('94 changes', '0:01:30', '1 transaction')
    """
    if unit == 1:
        return str(timedelta(microseconds=amount))
    noun = "change" if unit == 0 else "transaction"
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def _position(element: etree._Element) -> str:
    parent = element.getparent()
    if parent is None:
        return ""
    alike = [child for child in parent if child.tag == element.tag]
    return f"[{alike.index(element) + 1}]" if len(alike) > 1 else ""


def _mark(element: etree._Element) -> str:
    for name in _NAMING:
        value = element.get(name)
        if value is not None:
            return f" (@{local_name(name)}={short(value)})"
    return ""


def times(count: int) -> str:
    """How often something has happened, in words."""
    return "once" if count == 1 else f"{count:,} times"


def has_steps(element: etree._Element, steps: Sequence[Step], prefix: str) -> bool:
    """Whether an element has a node at these steps below it; ``prefix`` is ``.//`` for any depth."""
    elements = [element]
    names = [step.test for step in steps if step.is_element]
    if names:
        elements = element.findall(prefix + "/".join(names))
        if prefix and not elements and element.tag == names[0]:
            elements = element.findall("/".join(names[1:])) if names[1:] else [element]
    last = steps[-1] if steps else None
    if last is None or last.is_element:
        return bool(elements)
    if last.axis is Axis.ATTRIBUTE:
        return any(last.test in one.attrib for one in elements)
    return any((one.text or "").strip() for one in elements)
