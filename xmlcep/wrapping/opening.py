"""The ways to a wrapped document: a tree that is there is wrapped, text or a file is parsed and wrapped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from lxml import etree

from ..arguments import FUNCTION, IDS, TEXT, check, optional, refuse, whole_number
from ..events import UNNAMED
from ..xml_writer import xml_text
from .calls.lxml_methods import LOOKUP
from .calls.own_classes import track
from .classes import LOOKUPS
from .document import Document
from .errors import WrapError
from .lxml_access import get_parent, name_of
from .parsing import Source, name_of_source, parse_bytes, parse_file
from .shadow import outside_proxies
from .shadow.shadow import ShadowTree, Tracked, tree_of
from .shadow.snapshots import restore_ids
from .wrappable import check_spelling, refuse_entities, renewed_root


def wrap(
    tree: Any,
    *,
    name: str = UNNAMED,
    now: Callable[[], float] = time.time,
    ignore_whitespace: bool = False,
    ids: Sequence[int] | None = None,
    clock: int = 0,
    txn: int = 0,
    next_id: int | None = None,
) -> Document:
    """Wraps an lxml tree (or its root element) in place.

    ``name`` is the document's name in records (``doc``); ``now`` gives the wall clock in seconds since 1970. ``ids``
    (as in a snapshot), ``clock``, ``txn`` (the last ones used) and ``next_id`` continue a recorded history. With
    ``ignore_whitespace``, white space between child elements makes no events.

    Elements of an application's classes (python-docx, lxml.html) get tracked subclasses of these.

    Raises `WrapError` if it is not an lxml tree, not the root, wrapped already, or of objectify; `DocumentError` if it
    has entity references, or names or characters that XML cannot hold.
    """
    _check(name, now)
    check(
        "wrap()", ids=(ids, optional(IDS)), clock=(clock, whole_number(0)), txn=(txn, whole_number(0)),
        next_id=(next_id, optional(whole_number(1))),
    )  # fmt: skip
    given = tree.getroot() if isinstance(tree, etree._ElementTree) else tree
    if not isinstance(given, etree._Element) or name_of(given) is None:
        raise WrapError(
            f"{tree!r} is not an lxml element or tree: use fromstring(text), parse(file), "
            "or wrap(lxml.etree.parse(file))"
        )
    if tree_of(given) is not None:
        raise WrapError(
            f"<{name_of(given)}> belongs to a wrapped document already: use that Document, or close() it first"
        )
    if get_parent(given) is not None:
        raise WrapError(
            f"<{name_of(given)}> is not the root of its tree: wrap its getroottree(), or a copy.deepcopy of it"
        )
    check_spelling(given)
    holder = [tree]
    del tree, given
    return _wrapped(holder, name, now, ignore_whitespace, ids, clock, txn, next_id)


def _wrapped(
    given: list[Any], name: str, now: Callable[[], float], ignore_whitespace: bool,
    ids: Sequence[int] | None = None, clock: int = 0, txn: int = 0, next_id: int | None = None,
) -> Document:  # fmt: skip
    """The document of the tree, or root element, that is all ``given`` has, and that is not held beside that."""
    root = given[0].getroot() if isinstance(given[0], etree._ElementTree) else given[0]
    parser = LOOKUPS.take(root)
    try:
        del root
        root = renewed_root(given)
        tree = ShadowTree(root, name, now, ignore_whitespace)
        classes = tree.pin()
    except BaseException:
        LOOKUPS.give_back(parser)
        raise
    document = Document(tree, parser, txn)
    try:
        refuse_entities(classes)
        tree.original.text = xml_text(root).encode()
        if not all(issubclass(kind, Tracked) for kind in classes):
            for node in tree.original.nodes:
                track(node)
            outside_proxies.adopt(tree)
        if ids is not None:
            restore_ids(tree, ids)
    except BaseException:
        document.close()
        raise
    tree.clock.go_on(clock, next_id)
    return document


def fromstring(
    text: str | bytes, *, name: str = UNNAMED, now: Callable[[], float] = time.time,
    ignore_whitespace: bool = False,
) -> Document:  # fmt: skip
    """Parses XML text safely and wraps it; ``name``, ``now`` and ``ignore_whitespace`` are as for `wrap`.

    Raises `DocumentError` (which names line and reason) if the text is refused, `ArgumentError` for what is not text.
    """
    if not isinstance(text, (str, bytes, bytearray)):
        refuse("fromstring()", "text", text, "XML as text or bytes (of a file: parse(file))")
    _check(name, now)
    return _wrapped([parse_bytes(text, lookup=LOOKUP)], name, now, ignore_whitespace)


def parse(
    source: Source, *, name: str | None = None, now: Callable[[], float] = time.time,
    ignore_whitespace: bool = False,
) -> Document:  # fmt: skip
    """Parses an XML file (a path or an open file) safely and wraps it; the default name is that of the file.

    Otherwise like `fromstring`. A file that cannot be opened or read raises the `OSError` of `open`.
    """
    _check("" if name is None else name, now)
    tree = parse_file(source, lookup=LOOKUP)
    return _wrapped([tree], name_of_source(source) if name is None else name, now, ignore_whitespace)


def _check(name: str, now: Callable[[], float]) -> None:
    check("a document", name=(name, TEXT), now=(now, FUNCTION))
