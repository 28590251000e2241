"""The changes between two trees, as a person would tell them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from lxml import etree

from .matcher import Matching, Site
from .outline import Node, Outline
from .paths import Paths, written


class ChangeKind(Enum):
    """What happened to a node."""

    INSERTED = "inserted"
    DELETED = "deleted"
    UPDATED = "updated"
    MOVED = "moved"
    RENAMED = "renamed"


class NodeKind(Enum):
    """What a node is."""

    ELEMENT = "element"
    ATTRIBUTE = "attribute"
    TEXT = "text"
    COMMENT = "comment"
    INSTRUCTION = "processing instruction"


@dataclass(frozen=True, slots=True)
class Change:
    """One change: of a value (an attribute, a text, a comment), or of an element with all that is in it.

    ``path`` is its place in the new document, of what was deleted that in the old one; ``moved_from`` the old
    place of what was moved or renamed. ``old`` and ``new`` are the values of what has one. ``element`` is the lxml
    node, or the one that has the attribute or text. ``nodes`` counts the elements, attributes and texts it concerns.
    """

    kind: ChangeKind
    node: NodeKind
    path: str
    old: str | None = None
    new: str | None = None
    moved_from: str | None = None
    nodes: int = 1
    element: Node = field(default=None, compare=False, repr=False)

    def to_record(self) -> dict[str, str | int]:
        """As plain data: ``kind`` and ``node`` by name, the fields that have a value."""
        fields = {"path": self.path, "moved_from": self.moved_from, "old": self.old, "new": self.new}
        given = {name: value for name, value in fields.items() if value is not None}
        return {"kind": self.kind.value, "node": self.node.value, **given, "nodes": self.nodes}

    def __str__(self) -> str:
        sign = _SIGNS[self.kind]
        if self.moved_from is not None:
            return f"{sign} {self.moved_from} → {self.path}{_amount(self.nodes)}"
        if self.node is NodeKind.ELEMENT:
            return f"{sign} {self.path}{_start_tag(self.element, self.path)}{_amount(self.nodes)}"
        values = [value for value in (self.old, self.new) if value is not None]
        return f"{sign} {self.path} {' → '.join(excerpts(*values))}"


_SIGNS = {
    ChangeKind.INSERTED: "+", ChangeKind.DELETED: "-", ChangeKind.UPDATED: "~", ChangeKind.MOVED: ">",
    ChangeKind.RENAMED: "~",
}  # fmt: skip
_LONGEST_SHOWN = 72  # of a value, in characters
_CONTEXT = 16  # what is shown of it before the first difference
_MOST_ATTRIBUTES = 4
_MOST_RENAMED = 50  # between two neighbours that stay: so many are compared with so many


def excerpts(*values: str) -> list[str]:
    """One or two values as they are shown: quoted, without control characters, of long ones what differs.

    >>> excerpts("9.95", "10.95")
    ["'9.95'", "'10.95'"]
    """
    start = 0
    if len(values) > 1 and max(map(len, values)) > _LONGEST_SHOWN:
        one, other = values
        shorter = min(len(one), len(other))
        equal = next((at for at in range(shorter) if one[at] != other[at]), shorter)
        start = max(0, equal - _CONTEXT)
    return [_excerpt(value, start) for value in values]


def _excerpt(value: str, start: int) -> str:
    text = value[start : start + _LONGEST_SHOWN]
    return f"{'…' if start else ''}{text!r}{'…' if start + len(text) < len(value) else ''}"


def _start_tag(node: Node, path: str) -> str:
    """The attributes of an element, but for the one in its path, and its text if it has no children."""
    pairs = [(written(node, name), value) for name, value in node.items()]
    shown = [f"{name}={excerpts(value)[0]}" for name, value in pairs if not path.endswith(_key(name, value))]
    if len(shown) > _MOST_ATTRIBUTES:
        shown[_MOST_ATTRIBUTES:] = ["…"]
    if len(node) == 0 and node.text:
        shown += excerpts(node.text)
    return f" {' '.join(shown)}" if shown else ""


def _key(name: str, value: str) -> tuple[str, str]:
    return f"[@{name}='{value}']", f'[@{name}="{value}"]'


def _amount(nodes: int) -> str:
    return f" ({nodes} nodes)" if nodes > 1 else ""


def changes(matching: Matching) -> Iterator[Change]:
    """The changes that lead from the old tree of a matching to the new one, in document order."""
    return _Telling(matching).changes()


class _Telling:
    def __init__(self, matching: Matching) -> None:
        self._matching = matching
        self._old, self._new = matching.old, matching.new
        self._before, self._after = Paths(matching.old), Paths(matching.new)
        self._moved = matching.moved
        self._arrived = {new: old for old, new in matching.moved.items()}
        self._departures, self._arrivals = sorted(self._moved), sorted(self._arrived)

    def changes(self) -> Iterator[Change]:
        if self._old.content[0] == self._new.content[0]:
            return
        if not self._matching.same_root:
            if self._is_renamed(0, 0):
                yield self._renamed(0, 0)
            else:
                yield self._gone(0)
                yield self._come(0)
            return
        found = [each for site in self._matching.sites for each in self._at(site)]
        found.sort(key=lambda each: each[0])
        for _, change in found:
            yield change

    def _at(self, site: Site) -> Iterator[tuple[tuple[int, int], Change]]:
        """The changes at a site, each with its place in the new tree; what went is before what comes there."""
        for change in self._own_values(site.old, site.new):
            yield (site.new, 1), change
        renamed = self._renames(site)
        kept = dict(site.kept) | renamed
        place = site.new + 1
        for child in self._old.children(site.old):
            other = kept.get(child)
            if other is not None:
                place = self._new.end[other]
                if child in renamed:
                    yield (other, 1), self._renamed(child, other)
                for change in self._tail(child, other):
                    yield (place - 1, 2), change
                continue
            if child not in self._moved:
                yield (place, 0), self._gone(child)
            for change in self._tail(child, None):
                yield (place, 0), change
        stays = set(kept.values())  # and what was renamed
        for child in self._new.children(site.new):
            if child not in stays:
                yield (child, 1), self._come(child)
                if child not in self._arrived:
                    for inside in _within(self._new, child, self._arrivals):
                        yield (inside, 1), self._come(inside)
                for change in self._tail(None, child):
                    yield (self._new.end[child] - 1, 2), change

    def _renames(self, site: Site) -> dict[int, int]:
        """Elements between the same two that stay, in their order, that are the same but for their names."""
        gone, come = (
            _by_gap(tree.children(node), {pair[side]: number for number, pair in enumerate(site.kept)})
            for side, (tree, node) in enumerate(((self._old, site.old), (self._new, site.new)))
        )
        found: dict[int, int] = {}
        for gap, leaving in gone.items():
            coming = come.get(gap, [])
            for i in leaving[:_MOST_RENAMED]:
                j = next((j for j in coming[:_MOST_RENAMED] if self._is_renamed(i, j)), None)
                if j is not None:
                    found[i] = j
                    coming = coming[coming.index(j) + 1 :]
        return found

    def _is_renamed(self, i: int, j: int) -> bool:
        """Whether two elements have the same attributes, texts and children, which moved along with them if at all."""
        old, new = self._old, self._new
        if (
            None in (old.tag[i], new.tag[j])
            or old.tag[i] == new.tag[j]
            or i in self._moved
            or j in self._arrived
        ):
            return False
        size = old.end[i] - i
        if size != new.end[j] - j or old.text[i] != new.text[j]:
            return False
        if dict(old.attributes[i]) != dict(new.attributes[j]):
            return False
        pairs = zip(old.children(i), new.children(j), strict=False)
        return all(
            old.content[one] == new.content[other] and old.tail[one] == new.tail[other]
            for one, other in pairs
        ) and all(
            self._moved.get(i + step, j + step) == j + step
            and self._arrived.get(j + step, i + step) == i + step
            for step in range(1, size)
        )

    def _renamed(self, i: int, j: int) -> Change:
        return _whole(ChangeKind.RENAMED, self._new, j, self._after.element(j), self._before.element(i))

    def _own_values(self, i: int, j: int) -> Iterator[Change]:
        element = self._new.nodes[j]
        before, after = dict(self._old.attributes[i]), dict(self._new.attributes[j])
        for name in [*before, *(name for name in after if name not in before)]:
            old, new = before.get(name), after.get(name)
            if old != new:
                path = self._after.attribute(j, name) if new is not None else self._before.attribute(i, name)
                yield _value(NodeKind.ATTRIBUTE, path, old, new, element)
        old, new = self._old.text[i], self._new.text[j]
        if old != new:
            path = self._after.text(j) if new is not None else self._before.text(i)
            yield _value(NodeKind.TEXT, path, old, new, element)

    def _tail(self, i: int | None, j: int | None) -> Iterator[Change]:
        """The text behind a child that stayed, went or came."""
        old = None if i is None else self._old.tail[i]
        new = None if j is None else self._new.tail[j]
        if j is not None and new is not None and new != old:
            above = self._new.nodes[self._new.parent[j]]
            yield _value(NodeKind.TEXT, self._after.tail(j), old, new, above)
        elif i is not None and old is not None and new is None:
            above = self._old.nodes[self._old.parent[i]]
            yield _value(NodeKind.TEXT, self._before.tail(i), old, new, above)

    def _gone(self, i: int) -> Change:
        leaving = sum(self._old.weight[place] for place in _within(self._old, i, self._departures))
        change = _whole(ChangeKind.DELETED, self._old, i, self._before.element(i))
        return replace(change, nodes=change.nodes - leaving)

    def _come(self, j: int) -> Change:
        i = self._arrived.get(j)
        if i is None:
            arriving = sum(self._new.weight[place] for place in _within(self._new, j, self._arrivals))
            change = _whole(ChangeKind.INSERTED, self._new, j, self._after.element(j))
            return replace(change, nodes=change.nodes - arriving)
        return _whole(ChangeKind.MOVED, self._new, j, self._after.element(j), self._before.element(i))


def _by_gap(children: Iterable[int], kept: Mapping[int, int]) -> dict[int, list[int]]:
    """The children that do not stay, by the number of the last one before them that does."""
    found: dict[int, list[int]] = {}
    gap = -1
    for child in children:
        if child in kept:
            gap = kept[child]
        else:
            found.setdefault(gap, []).append(child)
    return found


def _within(tree: Outline, place: int, sorted_places: Sequence[int]) -> Iterator[int]:
    """Those of some places that are inside the subtree of a node, but not inside of each other."""
    at = bisect_right(sorted_places, place)
    while at < len(sorted_places) and sorted_places[at] < tree.end[place]:
        yield sorted_places[at]
        at = bisect_left(sorted_places, tree.end[sorted_places[at]], at + 1)


def _value(kind: NodeKind, path: str, old: str | None, new: str | None, element: Node) -> Change:
    what = ChangeKind.INSERTED if old is None else ChangeKind.DELETED if new is None else ChangeKind.UPDATED
    return Change(what, kind, path, old, new, element=element)


def _whole(kind: ChangeKind, tree: Outline, place: int, path: str, moved_from: str | None = None) -> Change:
    """The change of a node with all that is in it."""
    node = tree.nodes[place]
    if tree.tag[place] is not None:
        return Change(kind, NodeKind.ELEMENT, path, None, None, moved_from, tree.weight[place], node)
    what = NodeKind.COMMENT if node.tag is etree.Comment else NodeKind.INSTRUCTION
    text = node.text if what is NodeKind.COMMENT else f"{node.target} {node.text or ''}".rstrip()
    old, new = (text, None) if kind is ChangeKind.DELETED else (None, text)
    return Change(kind, what, path, old, new, moved_from, 0, node)
