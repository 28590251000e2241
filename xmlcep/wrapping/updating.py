"""Bringing a wrapped document to another state by the least edits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Any, Protocol

from lxml import etree

from ..element_classes import given_root
from ..matching import Contents, Editable, Key, apply, match, outline
from ..matching.outline import Outline, no_collections
from .errors import WrapError
from .lxml_access import Element, Node, get_parent, root_tree
from .parsing import parse_file
from .xml_validity import check_contents, check_parser

_MOST_KEPT = 8  # so many times the nodes of the document may be kept of the contents of its states


class Updatable(Editable, Protocol):
    """What is needed of a document (`Document`)."""

    @property
    def clock(self) -> int:
        """The time point of its last event."""

    def one_edit(self) -> AbstractContextManager[None]:
        """Makes one edit of all calls in a block."""


def update(
    document: Updatable, new: Any, keys: Sequence[str], ignore_whitespace: bool, meta: Mapping[str, object]
) -> int:
    """What `Document.update_to` does."""
    return Follower(document, keys, ignore_whitespace).update(new, meta)


class Follower:
    """Brings a document from state to state; all edits of an update are made here, in one transaction.

    What it knows of the document after one update serves the next, unless the document was edited in between.
    """

    def __init__(self, document: Updatable, keys: Sequence[str], ignore_whitespace: bool) -> None:
        self._document = document
        self._keys = [Key.parse(key) for key in keys]
        self._ignore_whitespace = ignore_whitespace
        self._contents = Contents()
        self._outline: Outline | None = None
        self._clock = -1

    def update(self, new: Any, meta: Mapping[str, object]) -> int:
        """Brings the document to the state of another tree, whose form is any that `_root_of` takes."""
        document = self._document
        root = _root_of(new)
        check_parser(root)
        # Before anything is done: what came through foreign proxies nobody could take out again.
        for node in Element.iter(root):
            check_contents(node)
        before = document.clock  # what was edited through foreign proxies is reported first
        beside = root if get_parent(root) is None else None  # what is beside a part is not beside a root
        if root_tree(root).getroot() is document.root:
            root = deepcopy(root)  # a part of the document itself, which is about to change
        with no_collections():
            present = self._present(before)
            matching = match(present, self._laid_out(root), self._keys)
            # One edit (U1): rules see the document before and after, not the states on the way.
            with document.transaction(immediate=False, **meta), document.one_edit():
                self._outline = apply(matching, document)
        if beside is not None:
            _surround(document.root, beside)
        self._clock = document.clock
        return self._clock - before

    def _present(self, clock: int) -> Outline:
        """The document as it is, anew if it was edited by others, or if too much is kept of what it was."""
        known, self._outline = self._outline, None
        if known is not None and clock == self._clock and self._contents.size < _MOST_KEPT * len(known):
            return known
        self._contents = Contents()
        return self._laid_out(self._document.root)

    def _laid_out(self, root: Node) -> Outline:
        return outline(root, self._contents, ignore_whitespace=self._ignore_whitespace)


def _root_of(new: Any) -> Node:
    """The root element of what was given: a tree, an element, another wrapped document, a file."""
    is_tree = isinstance(new, (etree._Element, etree._ElementTree))
    if not is_tree and (isinstance(new, (str, os.PathLike)) or hasattr(new, "read")):
        return parse_file(new).getroot()
    root = given_root(new)
    if root is None:
        raise WrapError(
            f"{new!r} is not a state that a document can be brought to: give an lxml tree or element, or an XML file"
        )
    return root


def _surround(root: Node, new: Node) -> None:
    """Brings the comments and processing instructions before and behind the root element to their new state."""
    for preceding in (True, False):
        there = list(root.itersiblings(preceding=preceding))
        wanted = list(new.itersiblings(preceding=preceding))
        if [_said(node) for node in there] == [_said(node) for node in wanted]:
            continue
        for node in there:
            etree.Element("none").append(node)  # which takes it out
        put = root.addprevious if preceding else root.addnext
        for node in reversed(wanted):  # both lists begin next to the root
            put(deepcopy(node))


def _said(node: Node) -> tuple[Any, ...]:
    return node.tag, getattr(node, "target", None), node.text
