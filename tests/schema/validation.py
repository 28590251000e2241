"""Documents inserted node by node in any order, and xmlschema as the judge of what is complete when.

An element counts as complete at the first time point at which xmlschema finds nothing missing in it, its complete
children being taken for all the children it has: what is still being written counts as not there yet. The judge
knows nothing of events; it asks xmlschema about the element with the attributes, text and children it has by then.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from lxml import etree

from path_types import PathType, Step
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules

XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


@dataclass(eq=False)
class Node:
    """A node of the document that is inserted; ``index`` is its id, ``xsd`` its declaration if it is an element."""

    index: int
    parent: Node | None
    step: Step
    value: str | None = None
    xsd: Any = None
    nsmap: tuple[tuple[str | None, str], ...] = ()
    children: list[Node] = field(default_factory=list)

    @property
    def is_element(self) -> bool:
        return self.step.is_element

    def ancestors(self) -> Iterator[Node]:
        """The node and those it stands in, from the root on."""
        if self.parent is not None:
            yield from self.parent.ancestors()
        yield self

    @property
    def path(self) -> PathType:
        return PathType.of(True, [node.step for node in self.ancestors()])


class Outcome(NamedTuple):
    """When elements became complete: by the judge, and by the events raised (every time point); when they ``came``."""

    expected: dict[int, int]
    raised: dict[int, list[int]]
    came: dict[int, int]


def nodes_of(root: etree._Element, schema: Any) -> list[Node]:
    """All nodes of a document, in document order; comments and processing instructions are none."""
    found: list[Node] = []

    def add(parent: Node | None, step: Step, value: str | None, xsd: Any = None) -> Node:
        node = Node(len(found) + 1, parent, step, value, xsd)
        found.append(node)
        if parent is not None:
            parent.children.append(node)
        return node

    def visit(element: etree._Element, parent: Node | None, xsd: Any) -> None:
        node = add(parent, Step.element(str(element.tag)), None, xsd)
        node.nsmap = tuple(sorted(element.nsmap.items(), key=str))  # for values that are QNames
        for name, value in element.attrib.items():
            add(node, Step.attribute(str(name)), str(value))
        texts = [element.text]
        for child in element:
            if isinstance(child.tag, str):
                for text in filter(None, texts):
                    add(node, Step.text(), text)
                texts = []
                visit(child, node, _declaration(xsd, element, str(child.tag), schema))
            texts.append(child.tail)
        for text in filter(None, texts):
            add(node, Step.text(), text)

    visit(root, None, schema.maps.elements[str(root.tag)])
    return found


def random_order(nodes: Iterable[Node], choose: random.Random) -> list[Node]:
    """The nodes in a random order with parents before children."""
    given = list(nodes)
    allowed = set(given)
    ready = [node for node in given if node.parent not in allowed]
    order: list[Node] = []
    while ready:
        at = choose.randrange(len(ready))
        ready[at], ready[-1] = ready[-1], ready[at]
        node = ready.pop()
        order.append(node)
        ready += [child for child in node.children if child in allowed]
    return order


def left_out(nodes: list[Node], parts: Iterable[Node]) -> list[Node]:
    """The nodes without these parts and what is in them."""
    gone = set(parts)
    return [node for node in nodes if not gone.intersection(node.ancestors())]


def insertions(order: Iterable[Node]) -> Iterator[PrimitiveEvent]:
    """The insertion of the nodes one after the other, each at its place among the siblings there are by then."""
    present: set[Node] = set()
    for ts, node in enumerate(order, 1):
        siblings = [] if node.parent is None else node.parent.children
        before = (
            s for s in siblings if s in present and s.index < node.index and s.step.axis is node.step.axis
        )
        pos = None if node.step.axis is not Step.text().axis else sum(1 for _ in before)
        present.add(node)
        ids = tuple(ancestor.index for ancestor in node.ancestors())
        yield PrimitiveEvent(ts, "ins", node.path, ids, value=node.value, pos=pos)


def outcome(order: list[Node], rules: Rules, schema: Any) -> Outcome:
    """Inserts the nodes in this order: what the judge says, and what the rules' completion events say."""
    detector = Detector(rules)
    raised: dict[int, list[int]] = {}
    for event in insertions(order):
        for composite in detector.feed(event):
            if composite.name.startswith("Complete"):
                raised.setdefault(composite.ids[-1], []).append(composite.ts)
    came = {node.index: ts for ts, node in enumerate(order, 1)}
    return Outcome(judged(order, schema), raised, came)


def judged(order: list[Node], schema: Any) -> dict[int, int]:
    """For every element that becomes complete the time point at which it first does.

    What is complete can be so no longer, for its parents too: when an attribute selects another type.
    """
    present: set[Node] = set()
    now: set[int] = set()
    first: dict[int, int] = {}
    for ts, node in enumerate(order, 1):
        present.add(node)
        element = node if node.is_element else node.parent
        while element is not None:
            was = element.index in now
            if was is is_complete(element, present, now, schema):
                break
            if was:
                now.discard(element.index)
            else:
                now.add(element.index)
                first.setdefault(element.index, ts)
            element = element.parent
    return first


def is_complete(element: Node, present: set[Node], complete: Collection[int], schema: Any) -> bool:
    """Whether xmlschema finds nothing missing in an element with the parts that are there and complete."""
    there = [c for c in element.children if c in present and (not c.is_element or c.index in complete)]
    if element.xsd is None:
        return True  # skipped by a wildcard
    attributes = tuple((c.step.test, c.value or "") for c in there if c.step.axis is not Step.text().axis)
    text = "".join(c.value or "" for c in there if c.step == Step.text())
    children = tuple(c.step.test for c in there if c.is_element)
    return _nothing_missing(Bare(element.xsd, element.step.test, attributes, text, element.nsmap), children)


class Bare(NamedTuple):
    """An element without its children."""

    xsd: Any
    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str
    nsmap: tuple[tuple[str | None, str], ...]


@lru_cache(maxsize=100_000)
def _nothing_missing(bare: Bare, children: tuple[str, ...]) -> bool:
    if _is_valid(bare, children):
        return True
    # Is there enough, in some order? Rounds of a repeated group can be under way beside complete ones, and events
    # do not see positions.
    if not 2 <= len(children) <= 6:
        return any(_is_valid(bare, children[:i] + children[i + 1 :]) for i in range(len(children)))
    return any(
        _is_valid(bare, some)
        for count in range(len(children), -1, -1)
        for some in sorted(set(itertools.permutations(children, count)))
    )


@lru_cache(maxsize=100_000)
def _is_valid(bare: Bare, children: tuple[str, ...]) -> bool:
    """Whether xmlschema finds no error in the element itself; children are bare, their errors are their own."""
    element = etree.Element(bare.tag, dict(bare.attributes), nsmap=dict(bare.nsmap))
    for child in children:
        etree.SubElement(element, child)
    element.text = bare.text or None
    errors = bare.xsd.iter_errors(element, namespaces={k or "": v for k, v in bare.nsmap})
    return not any(error.elem is element and _is_about_content(error) for error in errors)


def _is_about_content(error: Any) -> bool:
    reason = str(error.reason)
    about_others = (
        "IDREF",
        "not found for",
        "duplicated",
        "attribute not allowed",
        "assertion test",
        "[err:",
    )  # of a type still to be named; assertions, also those that cannot be asked yet
    return not any(words in reason for words in about_others)


def _declaration(xsd: Any, parent: etree._Element, tag: str, schema: Any) -> Any:
    """The declaration of a child element; None where the schema leaves it open."""
    if xsd is None:
        return schema.maps.elements.get(tag)
    type_ = xsd.get_alternative_type(parent)
    given = parent.get(f"{XSI}type")
    if given is not None:
        prefix, _, name = given.rpartition(":")
        uri = parent.nsmap.get(prefix or None)
        type_ = schema.maps.types.get(f"{{{uri}}}{name}" if uri else name, type_)
    content = getattr(type_, "content", None)
    if content is not None and hasattr(content, "iter_elements"):
        for particle in content.iter_elements():
            if hasattr(particle, "process_contents"):
                continue
            matched = particle.match(tag)
            if matched is not None:
                return matched if matched.ref is None else matched.ref
    return schema.maps.elements.get(tag)
