"""Matching two trees: which node of the old one is which of the new one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .alignment import ALIKE, Aligner
from .keys import Key, is_called
from .outline import Outline
from .similarity import Similarity

SMALLEST_MOVE = 3
"""An element of fewer nodes that comes up elsewhere was not moved: it may be there by chance."""
_IDS = ("{http://www.w3.org/XML/1998/namespace}id", "id")

_Name: TypeAlias = int | tuple[str, ...]
_Names: TypeAlias = Callable[[Outline, int, Sequence[Key]], Iterator[_Name]]


@dataclass(frozen=True, slots=True)
class Site:
    """Two matched elements that are not equal: ``kept`` are the pairs of children that stay, in their order."""

    old: int
    new: int
    kept: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """Two outlines and what is the same in them.

    ``sites`` are the matched elements that differ, in document order of the new tree; kept children that are no
    site are equal, with all that is below them. ``moved`` are matched nodes that are elsewhere, old to new; they
    and what they hold may be sites, too.
    """

    old: Outline
    new: Outline
    sites: tuple[Site, ...]
    moved: dict[int, int]

    @property
    def same_root(self) -> bool:
        """Whether the roots are matched; if not, nothing is."""
        return self.old.tag[0] == self.new.tag[0]


def match(old: Outline, new: Outline, keys: Sequence[Key] = ()) -> Matching:
    """The matching of two outlines that were made with the same contents.

    Roots of different names are different elements, and so is everything below. Of the children of matched
    elements first those known by the same key are matched, then equal ones, then those most alike; last,
    what goes in one place and comes, unchanged or with the same id, in another, is found to have moved.
    """
    if old.content[0] == new.content[0] or old.tag[0] != new.tag[0]:
        return Matching(old, new, (), {})
    aligner = Aligner(old, new, keys)
    sites: list[Site] = []
    moved: dict[int, int] = {}
    come: set[int] = set()
    pending = [(0, 0)]
    while pending:
        i, j = pending.pop()
        alignment = aligner.align(i, j, moved, come)
        sites.append(Site(i, j, alignment.kept))
        moved.update(alignment.moved)
        come.update(new for _, new in alignment.moved)
        pending += _differing(old, new, (*alignment.kept, *alignment.moved))
        if not pending:  # all lists are aligned: what is left over may have moved from one to another
            elsewhere = _moves(old, new, keys, sites, moved)
            moved.update(elsewhere)
            come.update(elsewhere.values())
            pending += _differing(old, new, elsewhere.items())
    sites.sort(key=lambda site: site.new)
    return Matching(old, new, tuple(sites), moved)


def _differing(old: Outline, new: Outline, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs of elements that are not equal."""
    return [(i, j) for i, j in pairs if old.content[i] != new.content[j]]


def _moves(
    old: Outline, new: Outline, keys: Sequence[Key], sites: Sequence[Site], moved: Mapping[int, int]
) -> dict[int, int]:
    """What goes in one place and comes in another: equal, or of the same id or given key, and no second like it."""
    matched_old = {one for site in sites for one, _ in site.kept} | moved.keys()
    matched_new = {other for site in sites for _, other in site.kept} | set(moved.values())
    gone = list(_unmatched(old, [site.old for site in sites], matched_old))
    come = list(_unmatched(new, [site.new for site in sites], matched_new))
    found: dict[int, int] = {}
    if gone and come:
        inside_old: set[int] = set()
        inside_new: set[int] = set()
        similarity = Similarity()
        for names in (_contents, _identities):
            here, there = _single(names, old, gone, keys), _single(names, new, come, keys)
            for name, j in there.items():
                i = here.get(name, -1)
                if i < 0 or j < 0 or i in inside_old or j in inside_new:
                    continue
                if names is _contents or similarity.between(old, i, new, j) >= ALIKE:
                    found[i] = j
                    inside_old.update(range(i, old.end[i]))
                    inside_new.update(range(j, new.end[j]))
    return found


def _unmatched(tree: Outline, sites: Iterable[int], matched: Collection[int]) -> Iterator[int]:
    """The nodes of the subtrees that are matched with nothing, an element before what is below it."""
    for site in sites:
        for child in tree.children(site):
            place, behind = child, tree.end[child]
            while place < behind:
                if place in matched:
                    place = tree.end[place]
                    continue
                yield place
                place += 1


def _single(names: _Names, tree: Outline, nodes: Iterable[int], keys: Sequence[Key]) -> dict[_Name, int]:
    """The nodes by what they are called, -1 where several are called so."""
    found: dict[_Name, int] = {}
    for node in nodes:
        if tree.tag[node] is not None and tree.weight[node] >= SMALLEST_MOVE:
            for name in names(tree, node, keys):
                found[name] = -1 if name in found else node
    return found


def _contents(tree: Outline, node: int, _: Sequence[Key]) -> Iterator[_Name]:
    yield tree.content[node]


def _identities(tree: Outline, node: int, keys: Sequence[Key]) -> Iterator[_Name]:
    tag = tree.tag[node]
    assert tag is not None
    for name, value in tree.attributes[node]:
        if name in _IDS:
            yield (tag, name, value)
    for key in keys:
        if is_called(tag, key.element):
            values = key.value(tree, node)
            if values is not None:
                yield (tag, str(key), *values)
