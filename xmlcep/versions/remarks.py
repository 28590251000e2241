"""What is odd about two documents or the keys given for them, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from path_types.names import local_name

from ..matching import Key
from ..matching.keys import is_called
from ..matching.outline import Outline
from ..matching.paths import Paths
from ..suggestions import did_you_mean

_MOST = 3  # of a kind and key


def root_remarks(old: str | None, new: str | None) -> Iterator[str]:
    """A sentence if root elements have different names: then they are not the same element, nor is anything below."""
    if old != new:
        yield f"the root elements have different names, {old} and {new}: everything is deleted, everything inserted"


def key_remarks(trees: Sequence[Outline], keys: Sequence[Key]) -> Iterator[str]:
    """A sentence for each key that no element is called by, that an element lacks, or that two siblings share."""
    for key in keys:
        named = [
            (tree, node)
            for tree in trees
            for node, tag in enumerate(tree.tag)
            if tag is not None and is_called(tag, key.element)
        ]
        if not named:
            names = {local_name(tag) for tree in trees for tag in tree.tag if tag is not None}
            hint = did_you_mean(key.element, names)
            yield f"key {key}: no element is called {key.element}{f'; {hint}' if hint else ''}"
        yield from list(_troubles(key, named))[:_MOST]


def _troubles(key: Key, named: Sequence[tuple[Outline, int]]) -> Iterator[str]:
    paths: dict[int, Paths] = {}
    seen: set[tuple[object, ...]] = set()
    lacking = 0
    for tree, node in named:
        value = key.value(tree, node)
        if value is None:
            lacking += 1
            continue
        known = (id(tree), tree.parent[node], tree.tag[node], value)
        if known in seen:
            at = paths.setdefault(id(tree), Paths(tree)).element(node)
            shown = ", ".join(map(repr, value))
            yield f"key {key}: {at} has the key {shown} of a sibling before it: such are matched by content"
        seen.add(known)
    if named and lacking == len(named):
        yield f"key {key}: no element called {key.element} has it"
    elif lacking:
        yield f"key {key}: {lacking:,} of {len(named):,} elements do not have it: they are matched by content"
