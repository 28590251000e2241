"""The document that expressions look at, as nested lists and dicts, rendered anew for every look (D4, U2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lxml import etree

from path_types import Axis, PathInstance
from xmlcep.events import PrimitiveEvent

from . import expressions


class Place(NamedTuple):
    """Where a node is in a rendered document: an element, and the step from there if it is not an element."""

    element: Any
    step: str | None = None


class NaiveView(NamedTuple):
    """A document rendered for an engine of another language: its root, and where its nodes are."""

    root: Any
    places: Mapping[int, Place]

    def element(self, event: PrimitiveEvent) -> Any:
        """The element of the event's node; of an attribute or text its parent's."""
        place = self.places.get(event.ids[-1])
        return None if place is None else place.element

    def text_number(self, event: PrimitiveEvent) -> int:
        """Which text of that element it is."""
        place = self.places.get(event.ids[-1])
        return int(place.step[7:-1]) if place and place.step and place.step.startswith("text()") else 0


class NaiveDocument:
    """All nodes by id. A node is a dict: step, parent (id or None), children (ids), attributes, value."""

    def __init__(self) -> None:
        self.nodes: dict[int, dict[str, Any]] = {}

    def copy(self) -> NaiveDocument:
        """The document as it is now."""
        other = NaiveDocument()
        other.nodes = {
            node: {**inside, "children": [*inside["children"]], "attributes": [*inside["attributes"]]}
            for node, inside in self.nodes.items()
        }
        return other

    def apply(self, event: PrimitiveEvent) -> None:
        """The document after the event (E6)."""
        node = event.ids[-1]
        above = event.ids[-2] if len(event.ids) > 1 else None
        parent = self.nodes.get(above) if above is not None else None
        if event.op == "ins":
            step = event.path.last
            self.nodes[node] = {
                "step": step, "children": [], "attributes": [], "value": event.value,
                "parent": above if parent is not None else None, "top": above is None, "instance": event.instance,
            }  # fmt: skip
            if parent is not None and step.axis is Axis.ATTRIBUTE:
                parent["attributes"].append(node)
            elif parent is not None:
                parent["children"].insert(len(parent["children"]) if event.pos is None else event.pos, node)
        elif event.op == "upd" and node in self.nodes:
            self.nodes[node]["value"] = event.value
        elif event.op == "del":
            self.nodes.pop(node, None)
            for siblings in (parent["children"], parent["attributes"]) if parent else ():
                if node in siblings:
                    siblings.remove(node)

    def instance(self, node: int) -> PathInstance:
        """Where a node is."""
        instance: PathInstance = self.nodes[node]["instance"]
        return instance

    def holds(self, condition: str, node: int, variables: Mapping[str, Any]) -> bool:
        """Whether the condition is true with this node as context node and root (U2); False once it is gone (U6)."""
        if node not in self.nodes or not self.nodes[node]["step"].is_element:
            return False
        element = self._render(node, {})
        return expressions.is_true(expressions.evaluate(condition, element, variables))

    def ask(self, expression: str, node: int, variables: Mapping[str, Any]) -> Any:
        """What an expression is with this node as context node, in the whole document (F1); None if it is not there."""
        if node not in self.nodes:
            return None
        root = node
        while self.nodes[root]["parent"] in self.nodes:
            root = self.nodes[root]["parent"]
        if not self.nodes[root]["step"].is_element:
            return None  # an attribute or a text of an element that is not there
        places: dict[int, Place] = {}
        self._render(root, places)
        place = places[node]
        return expressions.evaluate(expression, place.element, variables, step=place.step)

    def view(self) -> NaiveView:
        """The whole document as engines of other languages look at it (O1)."""
        places: dict[int, Place] = {}
        for node, inside in self.nodes.items():
            if inside["parent"] is None and inside["step"].is_element:
                self._render(node, places)
        tops = [node for node, inside in self.nodes.items() if inside["top"]]
        return NaiveView(places[tops[0]].element if tops else None, places)

    def _render(self, node: int, places: dict[int, Place]) -> Any:
        """The element of a node with all that is in it; ``places`` is filled."""
        here = self.nodes[node]
        element = etree.Element(here["step"].test)
        places[node] = Place(element)
        for attribute in here["attributes"]:
            name = self.nodes[attribute]["step"].test
            element.set(name, self.nodes[attribute]["value"] or "")
            places[attribute] = Place(element, f"@{name}")
        texts = 0
        before = None
        for child in here["children"]:
            is_element = self.nodes[child]["step"].is_element
            if is_element:
                element.append(self._render(child, places))
            else:
                value = self.nodes[child]["value"] or ""
                texts += before != "text"  # neighbours are one text to XPath
                places[child] = Place(element, f"text()[{texts}]")
                if len(element):
                    element[-1].tail = (element[-1].tail or "") + value
                else:
                    element.text = (element.text or "") + value
            before = "element" if is_element else "text"
        return element
