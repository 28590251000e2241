"""A document kept in step with primitive events: for expressions, rebuilding and recovery.

A `Replica` holds the elements, attributes and text nodes of a document by node id in tables, and, where somebody asks
for elements, a genuine lxml tree that is always current. Comments and processing instructions are not part of it. Text
nodes that are next to each other (because a comment separated them in the application's document) stay separate nodes
here, although lxml shows them in one slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from lxml import etree

from path_types import Axis, PathType, Step, equals_or_ends

from ..arguments import IDS, ITERABLE, MAPPING, STRING, check, check_event, refuse
from ..digests import is_as_written, with_digest
from ..errors import XmlCepError
from ..events import OP, PATH, PrimitiveEvent
from ..xpath import Environment
from ..xpath.environment import NO_VARIABLES
from ..xpath.values import Value
from .element_changes import delete_element, insert_element, update_element
from .node_tables import NodeTables
from .pruning import prune
from .snapshots import SnapshotError, dump_snapshot, empty_texts, load_snapshot
from .state import Instance, Needs, PathKind, ReplicaError, State, Strictness, instance_of
from .value_changes import (
    delete_attribute,
    delete_text,
    insert_attribute,
    insert_text,
    update_attribute,
    update_text,
)
from .xml_trees import XmlTrees

_Handle: TypeAlias = Callable[[State, PrimitiveEvent, PathKind], None]
_HANDLES: dict[tuple[str, str], _Handle] = {
    ("ins", "element"): insert_element, ("upd", "element"): update_element, ("del", "element"): delete_element,
    ("ins", "attribute"): insert_attribute, ("upd", "attribute"): update_attribute,
    ("del", "attribute"): delete_attribute,
    ("ins", "text"): insert_text, ("upd", "text"): update_text, ("del", "text"): delete_text,
}  # fmt: skip


_STATE_VERSION = 4
_new_tuple = tuple.__new__


class Replica:
    """The state of a document after the events it was given.

    It starts empty, or with `from_snapshot`; `add` gives it further parts. Fed only the events of some subtrees
    it holds these: an element whose parent is unknown becomes the root of a detached fragment. With ``needs`` it holds
    only what is needed; without, everything.

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

    __slots__ = ("_handles", "_needs", "_nodes", "_state")

    def __init__(self, *, strictness: Strictness = Strictness.TOLERANT, needs: Needs | None = None) -> None:
        if needs is not None and not isinstance(needs, Needs):
            refuse("Replica()", "needs", needs, "what the needs of a Detector are, or None")
        self._needs = needs
        self._state = State(strictness, needs)
        self._nodes = self._state.nodes
        # By operation and path type: what to do with an event, and what that has to know of its path type.
        self._handles: dict[str, dict[PathType, tuple[_Handle, PathKind]]] = {"ins": {}, "upd": {}, "del": {}}

    @classmethod
    def from_snapshot(
        cls,
        xml_text: str,
        ids: Sequence[int],
        *,
        strictness: Strictness = Strictness.TOLERANT,
        needs: Needs | None = None,
    ) -> Replica:
        """The document ``xml_text`` whose nodes have these ids, in document order (element, its attributes,
        its child nodes; a text slot that is not empty is one node).

        Raises `SnapshotError` when the text is not safe, well-formed XML or the number of ids is wrong.
        """
        check("from_snapshot()", xml_text=(xml_text, STRING), ids=(ids, IDS))
        replica = cls(strictness=strictness, needs=needs)
        nodes = NodeTables()
        trees, root = load_snapshot(nodes, xml_text, ids), ids[0]
        replica._take(nodes, trees, root, PathType.of(True, (Step.element(nodes.names[root]),)))
        replica._state.root = root if root in replica._nodes.names else None
        return replica

    def add(self, xml_text: str, ids: Sequence[int], path: PathType | None = None) -> int:
        """Adds a part of a document as a detached fragment to whatever it holds; returns its root's node id.

        ``ids`` as for `from_snapshot`; ``path`` is the absolute path type of its root: without it all of it counts as
        needed. The root's parent stays unknown, even if it is here or comes later. Raises `SnapshotError` as
        `from_snapshot` does, and for ids that it has already; nothing is added then.
        """
        added = NodeTables()
        trees, root = load_snapshot(added, xml_text, ids), ids[0]
        for node in ids:
            if node in self._nodes:
                raise SnapshotError(f"ids has node id {node}, which the replica has already")
        self._take(added, trees, root, path)
        return root

    def _take(self, nodes: NodeTables, trees: XmlTrees, root: int, path: PathType | None) -> None:
        """Takes over a tree that has been read, or what is needed of it."""
        needs, state = self._needs, self._state
        shown = None if state.trees is None else trees
        roots = {root: None if path is None else instance_of(path, (root,))}
        if needs is not None and path is not None:
            roots = prune(nodes, shown, root, path, needs)
        self._nodes.update(nodes)
        if state.trees is not None:
            state.trees.elements.update(trees.elements)
        state.roots.update(roots)

    # --- reading ---------------------------------------------------------------------------------------

    def element(self, node_id: int) -> etree._Element | None:
        """The current lxml element of an element node; None if there is none. Do not edit it."""
        if not isinstance(node_id, int):
            refuse("element()", "node_id", node_id, "a node id")
        return self._elements().get(node_id)

    def _elements(self) -> Mapping[int, etree._Element]:
        """The elements, which are kept in step from now on."""
        state = self._state
        if state.trees is None:
            state.trees = state.shown()
        return state.trees.elements

    def ids_of(self, elements: Iterable[etree._Element]) -> list[int]:
        """The node ids of elements of this very tree, in ascending order."""
        check("ids_of()", elements=(elements, ITERABLE))
        wanted = set(elements)
        return sorted(node for node, element in self._elements().items() if element in wanted)

    def environment(
        self,
        path: PathType,
        ids: Sequence[int],
        variables: Mapping[str, Value | etree._Element] = NO_VARIABLES,
    ) -> Environment | None:
        """What an expression sees that is asked of a node (of any kind) as it is now, in tables; None if it is not
        there."""
        nodes, node = self._nodes, ids[-1]
        if node in nodes.names:
            # Without the call that a NamedTuple costs.
            return _new_tuple(Environment, (variables, None, "", "", 1, (nodes, node)))
        if path.last.axis is Axis.ATTRIBUTE:
            parent, name = nodes.attributes.get(node, (0, ""))
            value = nodes.values.get(parent, {}).get(name, "")
            return Environment(variables, None, value, name, 1, (nodes, parent)) if name else None
        if node not in nodes.texts or ids[-2] not in nodes.names:
            return None
        number = nodes.text_number(ids[-2], node)
        return Environment(variables, None, nodes.texts[node], "", number, (nodes, ids[-2]))

    def environment_in_tree(
        self,
        path: PathType,
        ids: Sequence[int],
        variables: Mapping[str, Value | etree._Element] = NO_VARIABLES,
    ) -> Environment | None:
        """The same with lxml elements: for whoever is going to change what an expression selects."""
        seen = self.environment(path, ids, variables)
        if seen is None or seen.place is None:
            return None
        return seen._replace(element=self._elements()[seen.place[1]], place=None)

    def instances(self, path: PathType) -> Iterator[Instance]:
        """The elements of this path type (E2), each with its absolute path type and the ids that lead to it; without
        those of fragments of which nobody has said where they are."""
        names, children = self._nodes.names, self._nodes.children
        waiting = [place for place in self._state.roots.values() if place is not None]
        while waiting:
            here, ids = waiting.pop()
            if equals_or_ends(path, here):
                yield here, ids
            waiting += [
                (here.child(Step.element(names[child])), (*ids, child))
                for child in children[ids[-1]]
                if child in names
            ]

    def tree(self) -> etree._Element | None:
        """A copy of the document's root element with all below it; None without a root."""
        root = self._state.root
        return None if root is None else deepcopy(self._state.shown().elements[root])

    @property
    def is_partial(self) -> bool:
        """Whether it holds only what is needed of its document."""
        return self._state.partial

    @property
    def root_id(self) -> int | None:
        """The node id of the document's root element; None without one."""
        return self._state.root

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def __len__(self) -> int:
        """How many nodes it holds: elements, attributes and text nodes."""
        return len(self._nodes.names) + len(self._nodes.texts) + len(self._nodes.attributes)

    def snapshot(self) -> tuple[str | None, list[int]]:
        """The document as XML text and its ids in document order, as a log's header holds them.

        Adjacent text nodes are separated by an empty comment, which keeps them apart when it is read again.
        """
        if self._state.root is None:
            return None, []
        return dump_snapshot(self._nodes, self._state.shown(), self._state.root)

    def ids_for(self, other: Replica) -> list[int] | None:
        """The ids that the nodes of ``other`` have here, in its document order, if it is the same document.

        None if it is another one. Attributes may be in another order.
        """
        if self._state.root is None or other._state.root is None:
            return None
        found: list[int] = []
        pending = [(self._state.root, other._state.root)]
        while pending:
            own, others = pending.pop()
            found.append(own)
            mine, theirs = self._nodes, other._nodes
            if mine.names.get(own) != theirs.names.get(others):
                return None
            if own not in mine.names:
                if mine.texts[own] != theirs.texts[others]:
                    return None
                continue
            children, their_children = mine.children[own], theirs.children[others]
            attributes = theirs.values.get(others, {})
            if mine.values.get(own, {}) != attributes or len(children) != len(their_children):
                return None
            names = mine.attribute_ids.get(own, {})
            found += [names[name] for name in attributes]
            pending += zip(reversed(children), reversed(their_children), strict=True)
        return found

    # --- changing --------------------------------------------------------------------------------------

    def apply(self, event: PrimitiveEvent) -> None:
        """Brings the replica to the state after ``event`` (or a plain tuple of the same layout).

        Raises `ReplicaError` for an event that does not fit, if it is strict, and in any case for
        names and text that XML cannot hold.
        """
        try:
            try:
                handle, kind = self._handles[event[1]][event[2]]
            except (LookupError, TypeError):
                check_event("apply()", event)
                handle, kind = self._learn(event[OP], event[PATH])
            handle(self._state, event, kind)
        except (ValueError, TypeError) as error:
            if isinstance(error, XmlCepError):
                raise
            raise ReplicaError(f"{PrimitiveEvent(*event)} cannot be applied: {error}") from error

    def apply_edit(self, events: Iterable[PrimitiveEvent]) -> None:
        """Brings the replica to the state after all the events of an edit (U1); raises as `apply` does."""
        check(
            "apply_edit()",
            events=(events, ITERABLE),
        )
        for event in events:
            self.apply(event)

    def _learn(self, operation: str, path: PathType) -> tuple[_Handle, PathKind]:
        """How events of this type are handled; looked up from now on. Raises `ValueError` for what cannot be a name."""
        last, needs = path.last, self._needs
        kind = PathKind(last.test, needs is None or not last.is_element or needs.orders(path))
        handle: _Handle = _ignore
        if needs is None or needs.keeps_node(path):
            what = "element" if last.is_element else "attribute" if last.axis is Axis.ATTRIBUTE else "text"
            handle = _HANDLES[operation, what]
            if (operation, what) == ("ins", "element"):
                etree.Element(last.test)
            elif what == "attribute":
                etree.Element("any").set(last.test, "")
        self._handles[operation][path] = handle, kind
        return handle, kind

    # --- state -----------------------------------------------------------------------------------------

    def to_state(self) -> dict[str, Any]:
        """All it holds as a value that JSON can hold: the document and the detached fragments."""
        return with_digest({"version": _STATE_VERSION, **self._contents()})

    def _contents(self) -> dict[str, Any]:
        """The same for a state that has a digest of its own.

        What XML text cannot say goes beside it: ``empty`` are text nodes without text (parent, index, id),
        ``unordered`` the elements whose children are in no order, ``partial`` says that not all nodes are needed.
        """
        nodes, shown = self._nodes, self._state.shown()
        fragments = [
            {"place": place and [str(place[0]), list(place[1])], "xml": xml, "ids": ids}
            for node, place in self._state.roots.items()
            for xml, ids in [dump_snapshot(nodes, shown, node)]
        ]
        return {
            "root": self._state.root, "fragments": fragments,
            "empty": empty_texts(nodes), "partial": self._state.partial,
            "unordered": sorted(node for node, children in nodes.children.items() if isinstance(children, dict)),
        }  # fmt: skip

    def __deepcopy__(self, memo: object) -> Replica:
        other = Replica(needs=self._needs)
        other._state = self._state.copy()
        other._nodes = other._state.nodes
        return other

    @classmethod
    def from_state(
        cls,
        state: Mapping[str, Any],
        *,
        strictness: Strictness = Strictness.TOLERANT,
        needs: Needs | None = None,
    ) -> Replica:
        """The replica that `to_state` described, for the same ``needs`` if it was ``partial``; raises `SnapshotError`
        for a state of another version, and for one that is not what was written."""
        check("from_state()", state=(state, MAPPING))
        if state.get("version") != _STATE_VERSION:
            raise SnapshotError(
                f"replica state of version {state.get('version')!r}: this release reads version {_STATE_VERSION}"
            )
        if not is_as_written(state):
            raise SnapshotError("the replica state is damaged: it is not what was written")
        return cls._of_contents(state, strictness=strictness, needs=needs)

    @classmethod
    def _of_contents(
        cls,
        state: Mapping[str, Any],
        *,
        strictness: Strictness = Strictness.TOLERANT,
        needs: Needs | None = None,
    ) -> Replica:
        """The replica that `_contents` described."""
        replica = cls(strictness=strictness, needs=needs if state["partial"] else None)
        nodes = replica._nodes
        for fragment in state["fragments"]:
            node = replica.add(fragment["xml"], fragment["ids"])
            place = fragment["place"]
            replica._state.roots[node] = place and (PathType.parse(place[0]), tuple(place[1]))
        for parent, index, text in state["empty"]:
            nodes.ordered_siblings(parent).insert(index, text)
            nodes.texts[text] = ""
        for node in state["unordered"]:
            nodes.children[node] = dict.fromkeys(nodes.children[node])
        replica._state.root = state["root"]
        return replica


def _ignore(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """What happens to nodes that are not needed."""
