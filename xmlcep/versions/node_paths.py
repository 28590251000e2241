"""Readable paths of nodes of a document that is kept in step with a log, and of nodes in a tree of it."""

from __future__ import annotations

from itertools import islice

from lxml import etree

from path_types import Axis

from ..documents.replica import Replica
from ..events import PrimitiveEvent
from ..matching.paths import predicates, step_name, written

_MOST_SIBLINGS = (
    200  # looked at to tell an element from those of its name; for those behind, the node id does
)


def event_path(replica: Replica, event: PrimitiveEvent) -> str:
    """The path of the node of an event, in the document as it is when the node is there."""
    last = event.path.last
    if last.is_element:
        element = replica.element(event.ids[-1])
        return str(event.instance) if element is None else element_path(element, event.ids)
    element = replica.element(event.ids[-2]) if len(event.ids) > 1 else None
    if element is None:
        return str(event.instance)
    above = element_path(element, event.ids[:-1])
    return f"{above}/@{written(element, last.test)}" if last.axis is Axis.ATTRIBUTE else f"{above}/text()"


def element_path(element: etree._Element, ids: tuple[int, ...]) -> str:
    """The path of an element whose ids, from the root on, are these."""
    steps = []
    at: etree._Element | None = element
    for node in reversed(ids):
        if at is None:
            break
        steps.append(_step(at, node))
        at = at.getparent()
    return "/" + "/".join(reversed(steps))


def _step(element: etree._Element, node: int) -> str:
    name, parent = step_name(element), element.getparent()
    if parent is None:
        return name
    siblings = list(islice(parent.iterchildren(str(element.tag)), _MOST_SIBLINGS))
    if element not in siblings:
        return f"{name}#{node}"
    return name + predicates(siblings)[siblings.index(element)]
