"""The document that conditions look at, as nested lists and dicts, rendered anew for every look (D4, X5)."""

from __future__ import annotations

from typing import Any

from lxml import etree

from path_types import Axis
from xmlcep.events import PrimitiveEvent


class NaiveDocument:
    """All nodes by id. A node is a dict: test, parent (id or None), children (ids), attributes, value."""

    def __init__(self) -> None:
        self.nodes: dict[int, dict[str, Any]] = {}

    def apply(self, event: PrimitiveEvent) -> None:
        """The document after the event (E6)."""
        node = event.ids[-1]
        parent = self.nodes.get(event.ids[-2]) if len(event.ids) > 1 else None
        if event.op == "ins":
            step = event.path.last
            self.nodes[node] = {"step": step, "children": [], "attributes": [], "value": event.value}
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

    def holds(self, condition: str, node: int) -> bool:
        """Whether the condition is true with this node as context node and root; False once it is gone."""
        if node not in self.nodes or not self.nodes[node]["step"].is_element:
            return False
        root = self._render(node)
        return bool(root.xpath(f"boolean({condition})"))

    def _render(self, node: int) -> Any:
        here = self.nodes[node]
        element = etree.Element(here["step"].test)
        for attribute in here["attributes"]:
            element.set(self.nodes[attribute]["step"].test, self.nodes[attribute]["value"] or "")
        for child in here["children"]:
            if self.nodes[child]["step"].is_element:
                element.append(self._render(child))
            elif len(element):
                element[-1].tail = (element[-1].tail or "") + (self.nodes[child]["value"] or "")
            else:
                element.text = (element.text or "") + (self.nodes[child]["value"] or "")
        return element
