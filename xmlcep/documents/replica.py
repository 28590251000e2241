"""A document kept in step with primitive events: for conditions, rebuilding and recovery.

A `Replica` holds the elements, attributes and text nodes of a document by node id and a genuine lxml tree
that is always current. Comments and processing instructions are not part of it. Text nodes that stand next
to each other (because a comment separated them in the application's document) stay separate nodes here,
although lxml shows them in one slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from enum import Enum
from typing import Any

from lxml import etree

from path_types import Axis

from ..errors import XmlCepError
from ..events import PrimitiveEvent
from .snapshots import NodeTables, SnapshotError, dump_snapshot, load_snapshot


class ReplicaError(XmlCepError, ValueError):
    """An event that cannot have happened to the document as it is; says which and why."""


class Strictness(Enum):
    """What a replica does with an event that does not fit its state."""

    TOLERANT = "tolerant"
    """Do what makes sense of it: parts of a document, logs with holes."""
    STRICT = "strict"
    """Raise `ReplicaError`: complete logs, where it means that the log is damaged."""


class Replica:
    """The state of a document after the events it was given.

    It starts empty, or with `from_snapshot`; `add` gives it further parts. Fed only the events of some subtrees
    it holds these: an element whose parent is unknown becomes the root of a detached fragment.

    >>> from xmlcep.events import PrimitiveEvent
    >>> replica = Replica()
    >>> for record in [
    ...     {"ts": 1, "op": "ins", "path": "/order", "ids": [1], "pos": 0},
    ...     {"ts": 2, "op": "ins", "path": "/order/text()", "ids": [1, 2], "value": "new", "pos": 0},
    ... ]:
    ...     replica.apply(PrimitiveEvent.from_record(record))
    >>> etree.tostring(replica.element(1))
    b'<order>new</order>'
    """

    __slots__ = (
        "_attribute_ids", "_attributes", "_children", "_elements", "_nodes", "_parents", "_root", "_strict",
        "_texts",
    )  # fmt: skip

    def __init__(self, *, strictness: Strictness = Strictness.TOLERANT) -> None:
        self._strict = strictness is Strictness.STRICT
        self._root: int | None = None
        nodes = self._nodes = NodeTables()
        # The tables by names of their own: they are looked at for every event.
        self._elements, self._children, self._texts = nodes.elements, nodes.children, nodes.texts
        self._attributes, self._attribute_ids = nodes.attributes, nodes.attribute_ids
        self._parents = nodes.parents

    @classmethod
    def from_snapshot(
        cls, xml_text: str, ids: Sequence[int], *, strictness: Strictness = Strictness.TOLERANT
    ) -> Replica:
        """The document ``xml_text`` whose nodes have these ids, in document order (element, its attributes,
        its child nodes; a text slot that is not empty is one node).

        Raises `SnapshotError` when the text is not safe, well-formed XML or the number of ids is wrong.
        """
        replica = cls(strictness=strictness)
        replica._root = replica.add(xml_text, ids)
        return replica

    def add(self, xml_text: str, ids: Sequence[int]) -> int:
        """Adds a part of a document as a detached fragment to whatever it holds; returns its root's node id.

        ``ids`` as for `from_snapshot`. The root's parent stays unknown, even if it is here or comes later.
        Raises `SnapshotError` as `from_snapshot` does, and for ids that it has already; nothing is added then.
        """
        added = NodeTables()
        root = load_snapshot(added, xml_text, ids)
        for node in ids:
            if node in self._nodes:
                raise SnapshotError(f"ids has node id {node}, which the replica has already")
        self._elements.update(added.elements)
        self._children.update(added.children)
        self._texts.update(added.texts)
        self._attributes.update(added.attributes)
        self._attribute_ids.update(added.attribute_ids)
        self._parents.update(added.parents)
        return root

    # --- reading ---------------------------------------------------------------------------------------

    def element(self, node_id: int) -> etree._Element | None:
        """The current lxml element of an element node; None if there is none. Do not edit it."""
        return self._elements.get(node_id)

    def tree(self) -> etree._Element | None:
        """A copy of the document's root element with all below it; None without a root."""
        return None if self._root is None else deepcopy(self._elements[self._root])

    @property
    def root_id(self) -> int | None:
        """The node id of the document's root element; None without one."""
        return self._root

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def __len__(self) -> int:
        """How many nodes it holds: elements, attributes and text nodes."""
        return len(self._elements) + len(self._texts) + len(self._attributes)

    def snapshot(self) -> tuple[str | None, list[int]]:
        """The document as XML text and its ids in document order, as a log's header holds them.

        Adjacent text nodes are separated by an empty comment, which keeps them apart when it is read again.
        """
        if self._root is None:
            return None, []
        return dump_snapshot(self._nodes, self._root)

    def ids_for(self, other: Replica) -> list[int] | None:
        """The ids that the nodes of ``other`` have here, in its document order, if it is the same document.

        None if it is another one. Attributes may stand in another order.
        """
        if self._root is None or other._root is None:
            return None
        found: list[int] = []
        pending = [(self._root, other._root)]
        while pending:
            own, others = pending.pop()
            found.append(own)
            mine, theirs = self._elements.get(own), other._elements.get(others)
            if mine is None or theirs is None:
                if mine is not theirs or self._texts[own] != other._texts[others]:
                    return None
                continue
            children, their_children = self._children[own], other._children[others]
            same = mine.tag == theirs.tag and dict(mine.attrib) == dict(theirs.attrib)
            if not same or len(children) != len(their_children):
                return None
            names = self._attribute_ids.get(own, {})
            found += [names[str(name)] for name in theirs.attrib]
            pending += zip(reversed(children), reversed(their_children), strict=True)
        return found

    # --- changing --------------------------------------------------------------------------------------

    def apply(self, event: PrimitiveEvent) -> None:
        """Brings the replica to the state after ``event`` (or a plain tuple of the same layout).

        Raises `ReplicaError` for an event that does not fit, if it is strict, and in any case for
        names and text that XML cannot hold.
        """
        if type(event) is not PrimitiveEvent:
            event = PrimitiveEvent(*event)
        last = event.path.steps[-1]
        op = event.op
        try:
            if last.is_element:
                if op == "ins":
                    self._insert_element(event, last.test)
                elif op == "del":
                    self._delete_element(event)
                else:
                    self._misfit(event, "elements have no value that could be updated")
            elif last.axis is Axis.ATTRIBUTE:
                self._change_attribute(event, last.test)
            elif op == "ins":
                self._insert_text(event)
            elif op == "upd":
                self._update_text(event)
            else:
                self._delete_text(event)
        except (ValueError, TypeError) as error:
            if isinstance(error, ReplicaError):
                raise
            raise ReplicaError(f"{event} cannot be applied: {error}") from error

    def _insert_element(self, event: PrimitiveEvent, name: str) -> None:
        node = event.ids[-1]
        parent = event.ids[-2] if len(event.ids) > 1 else None
        if node in self._nodes:
            return self._misfit(event, "a node with this id is there already")
        if parent is None or parent not in self._elements:
            if parent is not None:
                self._misfit(event, f"its parent (node {parent}) is not there")
            elif self._root is not None:
                self._misfit(event, f"the document has a root already (node {self._root})")
            self._elements[node] = etree.Element(name)
            if parent is None and self._root is None:
                self._root = node
        else:
            siblings = self._children[parent]
            index = self._insertion_index(event, siblings)
            self._elements[node] = self._place_element(parent, siblings, index, name)
            siblings.insert(index, node)
            self._nodes.refresh_slot(parent, index)
            self._nodes.refresh_slot(parent, index + 1)
        self._parents[node] = parent
        self._children[node] = []

    def _place_element(self, parent: int, siblings: list[int], index: int, name: str) -> etree._Element:
        """A new element in the lxml tree before the sibling at ``index``; the caller fills the text slots."""
        above = self._elements[parent]
        if index == len(siblings):
            return etree.SubElement(above, name)
        element = above.makeelement(name)
        for position in range(index - 1, -1, -1):
            before = self._elements.get(siblings[position])
            if before is not None:
                before.addnext(element)
                return element
        above.insert(0, element)
        return element

    def _delete_element(self, event: PrimitiveEvent) -> None:
        node = event.ids[-1]
        element = self._elements.get(node)
        if element is None:
            return self._misfit(event, "there is no such element")
        if self._children[node] or self._attribute_ids.get(node):
            self._misfit(event, "it still has attributes or child nodes, whose deletion comes first (E6)")
        parent = self._parents[node]
        if parent is not None and parent in self._elements:
            siblings = self._children[parent]
            index = _index(siblings, node)
            element.tail = None
            self._elements[parent].remove(element)
            del siblings[index]
            self._forget(node)
            self._nodes.refresh_slot(parent, index)
        else:
            self._forget(node)
        if node == self._root:
            self._root = None

    def _forget(self, node: int) -> None:
        """Takes a node and all below it out of the tables."""
        pending = [node]
        while pending:
            node = pending.pop()
            del self._parents[node]
            if self._elements.pop(node, None) is None:
                del self._texts[node]
                continue
            pending += self._children.pop(node)
            for attribute in self._attribute_ids.pop(node, {}).values():
                del self._attributes[attribute]

    def _change_attribute(self, event: PrimitiveEvent, name: str) -> None:
        node = event.ids[-1]
        parent = event.ids[-2] if len(event.ids) > 1 else None
        element = None if parent is None else self._elements.get(parent)
        if element is None or parent is None:
            return self._misfit(event, f"its element (node {parent}) is not there")
        known = self._attributes.get(node)
        if event.op == "ins":
            if known is not None or name in element.attrib:
                self._misfit(event, "the attribute is there already")
        elif known != (parent, name):
            self._misfit(event, "there is no such attribute")
        elif self._strict and event.old is not None and element.get(name) != event.old:
            self._misfit(event, f"old is {event.old!r}, but the attribute is {element.get(name)!r}")
        if event.op == "del":
            self._attributes.pop(node, None)
            self._attribute_ids.get(parent, {}).pop(name, None)
            element.attrib.pop(name, None)
            return
        element.set(name, event.value or "")
        names = self._attribute_ids.setdefault(parent, {})
        if names.get(name, node) != node:
            self._attributes.pop(names[name], None)
        names[name] = node
        self._attributes[node] = (parent, name)

    def _insert_text(self, event: PrimitiveEvent) -> None:
        node = event.ids[-1]
        parent = event.ids[-2] if len(event.ids) > 1 else None
        if parent is None or parent not in self._elements:
            return self._misfit(event, f"its parent (node {parent}) is not there")
        if node in self._nodes:
            return self._misfit(event, "a node with this id is there already")
        siblings = self._children[parent]
        index = self._insertion_index(event, siblings)
        siblings.insert(index, node)
        self._texts[node] = event.value or ""
        self._parents[node] = parent
        try:
            self._nodes.refresh_slot(parent, index)
        except ValueError:
            # lxml took the old text out before it refused the new one.
            del siblings[index], self._texts[node], self._parents[node]
            self._nodes.refresh_slot(parent, index)
            raise

    def _update_text(self, event: PrimitiveEvent) -> None:
        node = event.ids[-1]
        before = self._texts.get(node)
        parent = self._parents.get(node)
        if before is None or parent is None:
            self._misfit(event, "there is no such text node")
            return self._insert_text(event)
        if self._strict and event.old is not None and event.old != before:
            self._misfit(event, f"old is {event.old!r}, but the text is {before!r}")
        self._texts[node] = event.value or ""
        index = _index(self._children[parent], node)
        try:
            self._nodes.refresh_slot(parent, index)
        except ValueError:
            self._texts[node] = before
            self._nodes.refresh_slot(parent, index)
            raise

    def _delete_text(self, event: PrimitiveEvent) -> None:
        node = event.ids[-1]
        before = self._texts.get(node)
        parent = self._parents.get(node)
        if before is None or parent is None:
            return self._misfit(event, "there is no such text node")
        if self._strict and event.old is not None and event.old != before:
            self._misfit(event, f"old is {event.old!r}, but the text is {before!r}")
        siblings = self._children[parent]
        index = _index(siblings, node)
        del siblings[index], self._texts[node], self._parents[node]
        self._nodes.refresh_slot(parent, index)

    def _insertion_index(self, event: PrimitiveEvent, siblings: list[int]) -> int:
        """Where among its siblings an inserted node goes: at pos, without one behind the last."""
        if event.pos is None:
            return len(siblings)
        if not 0 <= event.pos <= len(siblings):
            self._misfit(event, f"pos is {event.pos}, but its parent has {len(siblings)} child nodes")
            return len(siblings)
        return event.pos

    def _misfit(self, event: PrimitiveEvent, problem: str) -> None:
        if self._strict:
            raise ReplicaError(f"{event} does not fit the document: {problem}")

    # --- state -----------------------------------------------------------------------------------------

    def to_state(self) -> dict[str, Any]:
        """All it holds as a value that JSON can hold: the document and the detached fragments."""
        roots = [node for node in self._elements if self._parents[node] not in self._elements]
        fragments = [
            {"parent": self._parents[node], "xml": xml, "ids": ids}
            for node in roots
            for xml, ids in [dump_snapshot(self._nodes, node)]
        ]
        return {"version": 1, "root": self._root, "fragments": fragments}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, strictness: Strictness = Strictness.TOLERANT) -> Replica:
        """The replica that `to_state` described; raises `SnapshotError` for a state of another version."""
        if state.get("version") != 1:
            raise SnapshotError(
                f"replica state of version {state.get('version')!r}: this release reads version 1"
            )
        replica = cls(strictness=strictness)
        for fragment in state["fragments"]:
            node = replica.add(fragment["xml"], fragment["ids"])
            replica._parents[node] = fragment["parent"]
        replica._root = state["root"]
        return replica


def _index(siblings: list[int], node: int) -> int:
    """Where a node stands among its siblings; the last one is found at once (subtrees go backwards, E6)."""
    return len(siblings) - 1 if siblings[-1] == node else siblings.index(node)
