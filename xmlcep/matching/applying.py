"""Bringing a document to the state of another tree through ordinary lxml calls, the fewest that will do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from ..xml_parser import is_blank
from .chains import differing
from .matcher import Matching, Site
from .outline import Node, Outline
from .paths import Paths

MOVED_FROM = "moved-from"
"""The key, in ``meta`` of the insertions of a move, of where the node stood before."""
MOVED_TO = "moved-to"
"""The key, in ``meta`` of the deletions of a move, of where the node is behind it."""
MOST_SINGLE_MOVES = 5_000_000
"""Up to so many moves times children of the parent nodes are moved one by one, each with its own place in ``meta``."""


class Editable(Protocol):
    """What is needed of a document (`xmlcep.wrapping.Document`)."""

    @property
    def root(self) -> Node:
        """The root element."""

    @property
    def ignore_whitespace(self) -> bool:
        """Whether its events leave out white space that only indents."""

    def transaction(self, *, immediate: bool = ..., **meta: object) -> AbstractContextManager[Any]:
        """Edits grouped, with pairs on their records; inside another its pairs are added."""


def apply(matching: Matching, document: Editable) -> Outline:
    """Brings ``document``, whose root is the old tree's, to the state of the new tree; best in a transaction.

    What moves goes first, then every child list that changes is set in one go, then what moves comes; records of its
    going have its new place as ``moved-to``, those of its coming its old one as ``moved-from``. Nodes of the new tree
    are copied. The tree stays as it is
    in what was not compared: white space that only indents, the order of attributes, prefixes. Returns the outline of
    the document as it is then.
    """
    if matching.old.content[0] == matching.new.content[0]:
        return matching.old
    edit = _Edit(matching, document)
    if matching.same_root:
        edit.run()
    else:
        edit.replace_root()
    return edit.outline()


class _Edit:
    """One update of a document."""

    def __init__(self, matching: Matching, document: Editable) -> None:
        self._old, self._new = matching.old, matching.new
        self._document = document
        self._sites = matching.sites
        self._origin = {new: old for old, new in matching.moved.items()}
        self._moves = MoveGroups(matching)
        self._hides = document.ignore_whitespace
        # The nodes of the document that stand for those of the new tree, by place; equal subtrees are filled in later.
        self._standing: list[Node] = [None] * len(matching.new)
        for site in matching.sites:
            self._standing[site.new] = matching.old.nodes[site.old]

    def outline(self) -> Outline:
        """The outline of the document once all is done: that of the new tree, but for the nodes."""
        for site in self._sites:
            for old, new in site.kept:
                self._fill(old, new)
        for new, old in self._origin.items():
            self._fill(old, new)
        return replace(self._new, nodes=self._standing)

    def _fill(self, old: int, new: int) -> None:
        """Equal subtrees stand as they stood."""
        if self._old.content[old] == self._new.content[new]:
            end = self._new.end[new]
            self._standing[new:end] = self._old.nodes[old : old + end - new]

    def replace_root(self) -> None:
        """Another element as root. The Python object stays; it is emptied first, so that nothing is reported twice."""
        root, new = self._document.root, self._copy(0)
        self._standing[0] = root
        root.clear()
        root.tag = new.tag
        for name, value in new.items():
            root.set(name, value)
        text, root[:] = new.text, list(new)
        root.text = text  # last: white space that only indents is not text then

    def run(self) -> None:
        """What moves goes, each element that differs is changed, what moves comes."""
        for group in self._moves.out_of_parents():
            with self._moving(MOVED_TO, group.elsewhere):
                _take_out([self._old.nodes[place] for place in group.places])
        for site in self._sites:
            self._change(site)
        for group in self._moves.into_parents():
            parent = self._standing[self._new.parent[group.places[0]]]
            nodes = [self._moved_node(place) for place in group.places]
            with self._moving(MOVED_FROM, group.elsewhere):
                _put_in(parent, nodes, group.indexes)

    def _moving(self, key: str, place: str) -> AbstractContextManager[Any]:
        """A transaction inside the one of the update: its records say where else their nodes are."""
        return self._document.transaction(immediate=False, **{key: place})

    def _moved_node(self, place: int) -> Node:
        """The node, taken out before, that is to come to a place of the new tree, with the text behind it there."""
        node = self._old.nodes[self._origin[place]]
        node.tail = self._text(self._new.tail[place], self._new.nodes[place].tail)
        return node

    def _change(self, site: Site) -> None:
        """Brings the attributes, the texts and the child list of one element to their new state."""
        element = self._old.nodes[site.old]
        before, after = dict(self._old.attributes[site.old]), dict(self._new.attributes[site.new])
        for name in before:
            if name not in after:
                del element.attrib[name]
        for name, value in after.items():
            if before.get(name) != value:
                element.set(name, value)
        early, late = self._texts(site)
        for text in early:
            text.set()
        kept = {new: self._old.nodes[old] for old, new in site.kept}
        children = [
            kept[child] if child in kept else self._copy(child)
            for child in self._new.children(site.new)
            if child not in self._origin
        ]
        _set_children(element, children)
        for text in late:
            text.set()

    def _texts(self, site: Site) -> tuple[list[_Text], list[_Text]]:
        """The texts to be set before and after the child list is.

        Where a document hides white space that only indents, an element's texts come into view with the first
        word and go with the last: the order is such that none comes or goes that need not.
        """
        i, j = site.old, site.new
        old, new = self._old, self._new
        showed, shows = _shows_blanks(old, i), _shows_blanks(new, j)
        appears = shows and not showed  # white space, which the outline has left out
        texts = [
            _Text(old.nodes[one], slot, self._text(after, getattr(new.nodes[other], slot)))
            for one, other, slot, before, after in (
                (i, j, "text", old.text[i], new.text[j]),
                *((one, other, "tail", old.tail[one], new.tail[other]) for one, other in site.kept),
            )
            if before != after or appears
        ]
        if not self._hides:
            return [], texts
        worded = [text for text in texts if _has_words(text.value)]
        blank = [text for text in texts if not _has_words(text.value)]
        if shows:
            return (worded, blank) if showed else (blank, worded)
        return [text._replace(value=None) for text in texts if _has_words(text.current)], texts

    def _text(self, visible: str | None, raw: str | None) -> str | None:
        """The text to be set: one that is hidden in the new tree stays in a document that hides it, too."""
        return (raw or None) if visible is None and self._hides else visible

    def _copy(self, place: int) -> Node:
        """A copy of a node of the new tree, without what is moved into it."""
        new = self._new
        copy = deepcopy(new.nodes[place])
        copy.tail = self._text(new.tail[place], copy.tail)
        leaving, behind = [], place
        for there, node in zip(range(place, new.end[place]), list(copy.iter()), strict=True):
            if there < behind:
                continue  # in what is moved into it: another node stands for this one
            if there in self._origin:
                leaving.append(node)
                behind = new.end[there]
            else:
                self._standing[there] = node
            if not self._hides and new.tag[place] is not None:
                if node.text and new.tag[there] is not None and new.text[there] is None:
                    node.text = None
                if there != place and node.tail and new.tail[there] is None:
                    node.tail = None
        for node in leaving:
            node.getparent().remove(node)
        return copy


class _Text(NamedTuple):
    """A text of the document and what it is to be."""

    node: Node
    slot: str
    value: str | None

    @property
    def current(self) -> str | None:
        return getattr(self.node, self.slot) or None

    def set(self) -> None:
        if self.current != self.value:
            setattr(self.node, self.slot, self.value)


def _has_words(text: str | None) -> bool:
    return text is not None and not is_blank(text)


def _shows_blanks(tree: Outline, element: int) -> bool:
    """Whether white space among the children of an element counts: it has words, or no child elements."""
    children = list(tree.children(element))
    return (
        all(tree.tag[child] is None for child in children)
        or _has_words(tree.text[element])
        or any(_has_words(tree.tail[child]) for child in children)
    )


def _take_out(nodes: Sequence[Node]) -> None:
    """Takes nodes, all of one parent, out of it; the text behind each goes, too."""
    parent = nodes[0].getparent()
    if len(nodes) == 1:
        parent.remove(nodes[0])
        return
    leaving = set(nodes)
    _set_children(parent, [child for child in parent if child not in leaving])


def _put_in(parent: Node, nodes: Sequence[Node], indexes: Sequence[int]) -> None:
    """Puts nodes into an element so that they have these indexes then, which ascend."""
    if len(nodes) == 1:
        parent.insert(indexes[0], nodes[0])
        return
    staying, coming = iter(parent.getchildren()), dict(zip(indexes, nodes, strict=True))
    size = len(parent) + len(nodes)
    _set_children(parent, [coming[at] if at in coming else next(staying) for at in range(size)])


def _set_children(element: Node, children: Sequence[Node]) -> None:
    """Sets the child list of an element in one go, from the first to the last child that is another."""
    present = list(element)
    first, end, new_end = differing(present, children)
    if end > first or new_end > first:
        element[first:end] = list(children[first:new_end])


class MoveGroup(NamedTuple):
    """What is moved in one call: old places of one parent, or new ones with their ``indexes`` in its child list;
    ``elsewhere`` is the path of the new place, or of the old one."""

    places: Sequence[int]
    indexes: Sequence[int]
    elsewhere: str


class MoveGroups:
    """The moves of a matching, one by one, or, where that would take too long, all that one parent gives or gets."""

    def __init__(self, matching: Matching) -> None:
        self._old, self._new = matching.old, matching.new
        self._moved = matching.moved
        self._origin = {new: old for old, new in matching.moved.items()}
        self._before, self._after = Paths(matching.old), Paths(matching.new)

    def out_of_parents(self) -> Iterator[MoveGroup]:
        """What is to be taken out, last first: so what is inside of something that moves goes before it."""
        for places, indexes in _groups(self._old, sorted(self._moved, reverse=True)):
            behind = [self._moved[place] for place in places]
            yield MoveGroup(places, indexes, _place(self._new, self._after, behind))

    def into_parents(self) -> Iterator[MoveGroup]:
        """What is to be put in, first first: so what goes into something that moves comes after it."""
        for places, indexes in _groups(self._new, sorted(self._origin)):
            before = [self._origin[place] for place in places]
            yield MoveGroup(places, indexes, _place(self._old, self._before, before))


def _place(tree: Outline, paths: Paths, places: Sequence[int]) -> str:
    """The path of a node; of several that of the nearest element that holds all of them."""
    if len(places) == 1:
        return paths.element(places[0])
    first, last = min(places), max(places)
    above = tree.parent[first]
    while tree.end[above] <= last:
        above = tree.parent[above]
    return paths.element(above)


def _groups(tree: Outline, places: Sequence[int]) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The places in their order, with their indexes in the child lists; those of some parents all at once."""
    by_parent: dict[int, list[int]] = {}
    for place in places:
        by_parent.setdefault(tree.parent[place], []).append(place)
    index = {
        parent: {child: index for index, child in enumerate(tree.children(parent))} for parent in by_parent
    }
    for place in places:
        parent = tree.parent[place]
        own = by_parent.get(parent)
        if own is None:
            continue  # gone with the others of its parent
        if len(own) * len(index[parent]) <= MOST_SINGLE_MOVES:
            yield (place,), (index[parent][place],)
        else:
            together = sorted(by_parent.pop(parent))
            yield together, [index[parent][each] for each in together]
