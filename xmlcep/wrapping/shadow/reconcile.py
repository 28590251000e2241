"""Comparing child lists with their shadow, after calls that can change them in any way (rule E6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..lxml_access import Element, Node, children_of, get_tail, get_text
from .comparison import different, has_its_name
from .longest_kept_run import longest_unchanged_run
from .mutations import (
    change_attributes,
    change_tail,
    change_text,
    insert,
    link,
    remove,
    rename,
    touch,
    unlink,
    write_down,
)
from .shadow import ShadowNode, ShadowTree, entry_of, parents_told, shadow_of, tree_of, visible


class _Site(NamedTuple):
    """An element whose children may have changed: as its shadow has them, as they are, and those that stay."""

    node: Node
    shadow: ShadowNode
    before: list[Node]
    now: list[Node]
    kept: set[Node]


def reconcile(tree: ShadowTree, nodes: Iterable[Node]) -> None:
    """Emits the difference between ``nodes`` (their names, attributes, texts and children) and their shadow.

    All deletions come first, then insertions and updates in document order; of the children that were there before,
    the longest run that kept its order stays, the others are moved (del + ins, E6). Children that may have gone must
    have shadow nodes, and so must what is below them if it is no longer there.
    """
    nodes = list(nodes)
    with tree.reading():
        if tree.root in nodes and not has_its_name(tree.root):
            tree.open_subtree(tree.root)
            tree.delivery.changing = True
            rename(tree, tree.root)
        sites = [_site(tree, node) for node in different(tree, nodes)]
        if tree.foreign and tree.remembers_losses:
            _add_robbed(tree, sites)
        tree.delivery.changing = True
        for site in reversed(sites):
            if entry_of(site.node) is site.shadow:
                _emit_gone(tree, site)
        for site in sites:
            if entry_of(site.node) is site.shadow:
                _emit_come(tree, site)


def _add_robbed(tree: ShadowTree, sites: list[_Site]) -> None:
    """Adds the elements from which something has come to these ones, unseen: their loss takes more than `take_over`."""
    known = {site.node for site in sites}
    for site in sites:  # which grow meanwhile
        taken: list[Node] = []
        for child in site.now:
            entry = entry_of(child)
            if entry is None:  # it has come with all that it had taken before
                taken += [each for each in Element.iter(child) if tree_of(each) is tree]
            elif type(entry) is ShadowNode and entry.parent is not site.shadow:
                taken.append(child)
        robbed = different(tree, [node for node in parents_told(taken) if tree_of(node) is tree])
        sites += [_site(tree, node) for node in robbed if node not in known]
        known.update(robbed)


def _site(tree: ShadowTree, node: Node) -> _Site:
    shadow = tree.open(node)
    if tree.journal is not None:
        if tree.foreign:  # what is different may have been changed by somebody nobody has seen
            write_down(node, tree.open_children(node))
        tree.journal.keep(shadow)
    before, now = tree.children(shadow), children_of(node)
    kept = {child for child in longest_unchanged_run(before, now) if has_its_name(child)}
    shadow.element_only = tree.has_element_only_content(node)
    return _Site(node, shadow, before, now, kept)


def _emit_gone(tree: ShadowTree, site: _Site) -> None:
    node, shadow, before, _, kept = site
    emit = tree.emit
    behind: Node = None  # the sibling that the shadow has behind
    for child in reversed(before):
        known = entry_of(child)
        if type(known) is not ShadowNode or known.parent is not shadow:
            continue
        if child not in kept:
            remove(tree, child, known)
            unlink(tree, known, behind)
            continue
        behind = child
        if visible(get_tail(child), shadow.element_only) is None:
            change_tail(tree, child, known, None, emit)
    if visible(get_text(node), shadow.element_only) is None:
        change_text(tree, node, shadow, None, emit)


def _emit_come(tree: ShadowTree, site: _Site) -> None:
    node, shadow, _, now, kept = site
    emit = tree.emit
    change_attributes(tree, node, shadow)
    change_text(tree, node, shadow, visible(get_text(node), shadow.element_only), emit)
    pos = 0 if shadow.text is None else 1
    prev = None
    for child in now:
        if child in kept:
            known = shadow_of(child)
            if known.prev is not prev:
                link(tree, child, prev)
            behind = visible(get_tail(child), shadow.element_only)
            change_tail(tree, child, known, behind, emit, pos + (known.trie is not None))
        else:
            insert(tree, child, shadow, pos, prev)
            known = shadow_of(child)
        pos += (known.trie is not None) + (known.tail is not None)
        prev = child
    if shadow.last is not prev:
        touch(tree, node, shadow)
        shadow.last = prev
