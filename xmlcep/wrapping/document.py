"""The wrapped document: what an application sees of it."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from ..events import CompositeEvent, PrimitiveEvent
from .delivery import Listener
from .elements import DEFAULT_LOOKUP, LOOKUP, LXML_CLASSES, OWN_CLASSES, TrackedElement
from .errors import DocumentError, RefusedError, WrapError
from .observation import Observation, differences
from .parsing import Source, parse_bytes, parse_file, safe_parser
from .records import TABLE, Node
from .snapshots import restore_ids, take_snapshot
from .tracker import Tracker
from .transactions import Transaction

if TYPE_CHECKING:
    from ..rules import Rules
    from .watches import Watch


class Document:
    """A wrapped document; made by `parse`, `fromstring` or `wrap`.

    It is tracked as long as this object lives (a watch or an attached recorder keeps it alive) and is not closed.
    ``root`` is the genuine lxml root element; edit it and everything below through ordinary lxml calls.
    """

    __slots__ = ("__weakref__", "_finalizer", "_tracker")

    def __init__(self, tracker: Tracker) -> None:
        self._tracker = tracker
        self._finalizer = weakref.finalize(self, _release, tracker)

    # --- what it is

    @property
    def root(self) -> Node:
        """The root element."""
        return self._tracker.root

    @property
    def tree(self) -> Any:
        """The lxml ElementTree."""
        return self._tracker.root.getroottree()

    @property
    def name(self) -> str:
        """The document identifier, field ``doc`` of its records."""
        return self._tracker.name

    @property
    def clock(self) -> int:
        """The time point of the last event (E3); 0 before the first."""
        self._tracker.catch_up()
        self._tracker.delivery.settle()
        return self._tracker.clock

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction's block is open."""
        return self._tracker.transaction is not None

    @property
    def ignore_whitespace(self) -> bool:
        """Whether white-space-only text of element-only content is left out of the events."""
        return self._tracker.ignore_whitespace

    @property
    def foreign(self) -> tuple[Node, ...]:
        """Elements whose proxies are older than the wrapping: edits through them are seen late, at `catch_up`."""
        return tuple(self._tracker.foreign)

    @property
    def closed(self) -> bool:
        """Whether tracking has ended."""
        return not self._finalizer.alive

    def resume(self, ids: Sequence[int], *, clock: int, txn: int = 0, next_id: int | None = None) -> None:
        """Goes on with a recorded history that ends in this very document: its ids (as in a snapshot), clock, ``txn``.

        As the arguments of `wrap`, for a document that nothing has been told of; raises `RefusedError` otherwise.
        """
        self._settled("resume()")
        tracker = self._tracker
        if tracker.clock or tracker.delivery.audience:
            raise RefusedError(
                f"resume() of the document {self.name!r}, whose events are told already: wrap it anew"
            )
        restore_ids(tracker, ids)
        tracker.clock, tracker.txns = clock, txn
        if next_id is not None:
            tracker.next_id = max(tracker.next_id, next_id)

    # --- listening

    def subscribe(self, callback: Callable[[PrimitiveEvent], Any]) -> Callable[[], None]:
        """Calls ``callback`` with every primitive event from now on; the callable returned ends that.

        It is called after the edit is complete, in order. An exception in it reaches whoever made the edit as a
        `CallbackError`, when everybody else has been told.
        """
        if not callable(callback):
            raise WrapError(f"{callback!r} cannot be called: pass a function of one argument, the event")
        self._settled("subscribe()")
        return self._tracker.delivery.subscribe(callback, self._tracker.clock)

    def attach(self, listener: Listener, *, ahead: bool = False) -> None:
        """Adds an internal listener (`Listener`), told before subscribers are.

        ``ahead``: a recorder, told of all events of a transaction before any other listener hears of the first.
        """
        self._settled("attach()")
        self._tracker.delivery.attach(listener, self._tracker.clock, ahead=ahead)

    def detach(self, listener: Listener) -> None:
        """Takes an internal listener away."""
        self._tracker.delivery.detach(listener)

    def watch(
        self,
        rules: Rules,
        *,
        on_event: Callable[[CompositeEvent], Any] | None = None,
        operators: bool = False,
        keep: int | None = 1000,
    ) -> Watch:
        """Opens the event trees of ``rules`` on this document; leaving the ``with`` block closes them.

        ``on_event`` is called with every composite event; ``operators``: those of inner operators, too. The last
        ``keep`` composites (None: all) stay in ``watch.findings``. Raises `WrapError` if ``rules`` are no rules.
        """
        from ..rules import Rules  # rules and engine are only needed by those who watch
        from .watches import Watch

        if not isinstance(rules, Rules):
            raise WrapError(
                f"a watch needs rules, not {rules!r}: use load_rules(file), parse_rules(text) or derive(schema)"
            )
        self._settled("watch()")
        rules.warn_ignored(stacklevel=2)
        return Watch(self, rules, on_event=on_event, operators=operators, keep=keep)

    # --- editing in one go

    def transaction(self, *, immediate: bool = False, **meta: object) -> Transaction:
        """Groups the edits of a ``with`` block: one ``txn`` number, the string pairs ``meta`` on each record.

        Events are delivered when the block ends, then watches are flushed (D3). If an exception leaves the block,
        all its edits are undone and nobody hears of them. ``immediate=True`` delivers at once; an undo then is
        told as the inverse edits. A transaction inside another joins it. Pairs whose value is None are left out.
        """
        self._open("transaction()")
        given = {key: str(value) for key, value in meta.items() if value is not None}
        return Transaction(self._tracker, immediate, given)

    def observe(self, element: Node = None) -> Observation:
        """Tells of what C code changes at or below ``element`` (default: anywhere) in a ``with`` block, at its end.

        For functions that change trees from outside (strip_tags, indent, xinclude …). Costs a walk of the subtree.
        """
        self._open("observe()")
        return Observation(self._tracker, self.root if element is None else element)

    def catch_up(self) -> None:
        """Tells of edits made through `foreign` elements; every tracked edit and every commit does so, too."""
        self._tracker.catch_up()
        self._tracker.delivery.settle()

    # --- what it knows

    def snapshot(self) -> tuple[str, list[int]]:
        """The document as XML text and the ids of all its nodes, in document order.

        An element's id comes first, then its attributes', then those of its child nodes. Raises `RefusedError` if the
        tree is too deep to be parsed again, or a transaction is open.
        """
        self._settled("snapshot()")
        return take_snapshot(self._tracker)

    def verify(self) -> list[str]:
        """What is different in the tree from what events have told; an empty list when nothing slipped through."""
        self._open("verify()")
        self.catch_up()
        return differences(self._tracker)

    def _check(self) -> None:
        """Raises AssertionError unless records, counts and tree are in step."""
        found = self.verify()
        assert not found, "\n".join(found)
        assert not self._tracker.delivery.queue or self._tracker.delivery.held, "events are waiting"
        assert not self._tracker.quiet, "left quiet"

    # --- ending

    def close(self) -> None:
        """Ends tracking: the tree stays, an ordinary lxml tree from now on. Closing twice is harmless."""
        self._finalizer()

    def __enter__(self) -> Document:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<xmlcep.Document {self.name!r} <{self.root.tag}> at {self._tracker.clock}>"

    def _open(self, call: str) -> None:
        if self.closed:
            raise RefusedError(f"{call} on the closed document {self.name!r}: wrap its tree again")

    def _settled(self, call: str) -> None:
        self._open(call)
        if self._tracker.delivery.held:
            raise RefusedError(f"{call} inside a transaction, which may be undone: call it before or after")
        self.catch_up()


_open_documents = 0
_installed = False  # whether lxml's default element classes are ours


def _install_classes() -> None:
    """Makes our element classes lxml's default, unless the application has set its own: those are left alone.

    Raises `WrapError` where the application's classes leave no room for those of a parser.
    """
    global _installed
    if _installed:
        return
    if type(etree.Element("probe")) is etree._Element:
        etree.set_element_class_lookup(DEFAULT_LOOKUP)
        _installed = True
    elif type(safe_parser(LOOKUP).makeelement("probe")) is not TrackedElement:
        raise WrapError(
            "the application has set element classes for all of lxml (etree.set_element_class_lookup), so documents "
            "cannot be tracked: set them on its parsers, or as the fallback of a ParserBasedElementClassLookup"
        )


def _reset_classes() -> None:
    """Gives lxml its own element classes back when no document is open."""
    global _installed
    if _installed and not _open_documents:
        etree.set_element_class_lookup(None)
        _installed = False


def _release(tracker: Tracker) -> None:
    """Takes a document's nodes out of the table; the last one resets lxml's default element classes."""
    global _open_documents
    tracker.forget_all()
    _open_documents -= 1
    _reset_classes()


def wrap(
    tree: Any,
    *,
    name: str = "document",
    now: Callable[[], float] = time.time,
    ignore_whitespace: bool = False,
    ids: Sequence[int] | None = None,
    clock: int = 0,
    txn: int = 0,
    next_id: int | None = None,
) -> Document:
    """Wraps an lxml tree (or its root element) in place.

    ``name`` goes into field ``doc``; ``now`` gives the wall clock in seconds since 1970. ``ids`` (as in a snapshot),
    ``clock``, ``txn`` (the last ones used) and ``next_id`` continue a recorded history.

    Raises `WrapError` if it is no lxml tree, not the root, wrapped already, or has element classes of its own
    (objectify, lxml.html); `DocumentError` if it has entity references.
    """
    root = _renewed_root(tree) if isinstance(tree, etree._ElementTree) else tree
    if not isinstance(root, etree._Element) or not isinstance(root.tag, str):
        raise WrapError(
            f"{tree!r} is not an lxml element or tree: use fromstring(text), parse(file), "
            "or wrap(lxml.etree.parse(file))"
        )
    if root in TABLE:
        raise WrapError(
            f"<{root.tag}> belongs to a wrapped document already: use that Document, or close() it first"
        )
    if root.getparent() is not None:
        raise WrapError(
            f"<{root.tag}> is not the root of its tree: wrap its getroottree(), or a copy.deepcopy of it"
        )
    return _wrapped(root, name, now, ignore_whitespace, ids, clock, txn, next_id)


def fromstring(
    text: str | bytes, *, name: str = "document", now: Callable[[], float] = time.time,
    ignore_whitespace: bool = False,
) -> Document:  # fmt: skip
    """Parses XML text safely and wraps it; raises `DocumentError` (which names line and reason) when it is refused."""
    tree = parse_bytes(text, lookup=LOOKUP)
    return _wrapped(tree.getroot(), name, now, ignore_whitespace)


def parse(
    source: Source, *, name: str | None = None, now: Callable[[], float] = time.time,
    ignore_whitespace: bool = False,
) -> Document:  # fmt: skip
    """Parses an XML file (a path or an open file) safely and wraps it; its name defaults to the file's."""
    tree = parse_file(source, lookup=LOOKUP)
    return _wrapped(tree.getroot(), _name_of(source) if name is None else name, now, ignore_whitespace)


def _name_of(source: Source) -> str:
    """The last part of a file's name; a file without one (a buffer) gives the default name."""
    given = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return Path(given).name if isinstance(given, (str, os.PathLike)) else "document"


def _wrapped(
    root: Node, name: str, now: Callable[[], float], ignore_whitespace: bool,
    ids: Sequence[int] | None = None, clock: int = 0, txn: int = 0, next_id: int | None = None,
) -> Document:  # fmt: skip
    global _open_documents
    tracker = Tracker(root, name, now, ignore_whitespace)
    _install_classes()
    _open_documents += 1
    document = Document(tracker)
    try:
        _take_parser(root)
        found = tracker.pin()
        _check_classes(found)
        tracker.take_baseline()
        if found - OWN_CLASSES:
            tracker.adopt_foreign([node for node in root.iter() if type(node) not in OWN_CLASSES])
        if ids is not None:
            restore_ids(tracker, ids)
    except BaseException:
        document.close()
        raise
    tracker.clock, tracker.txns = clock, txn
    if next_id is not None:
        tracker.next_id = max(tracker.next_id, next_id)
    return document


def _renewed_root(tree: Any) -> Node:
    """The root of an ElementTree, with a new proxy if nobody but the ElementTree holds the old one.

    An ElementTree keeps its root's proxy alive, which would stay of lxml's own class. A comment put before the root
    for a moment leads back to the root when that proxy has gone.
    """
    root = tree.getroot()
    if root is None or type(root) is not etree._Element or root in TABLE:
        return root
    _install_classes()
    try:
        _take_parser(root)
        anchor = etree.Comment("")
        root.addprevious(anchor)
        tree._setroot(etree.Element("none"))
        del root
        root = anchor.getnext()
        tree._setroot(root)
        etree.Element("none").append(anchor)
    finally:
        _reset_classes()
    return root


def _take_parser(root: Node) -> None:
    """Gives a parser that has a class lookup of its own, which goes before lxml's default one, ours."""
    parser = root.getroottree().parser
    if parser is not None and type(root.makeelement("none")) is not TrackedElement:
        _check_classes({type(node) for node in root.iter()})
        parser.set_element_class_lookup(LOOKUP)


def _check_classes(found: set[type]) -> None:
    for kind in found:
        if kind not in LXML_CLASSES and kind not in OWN_CLASSES:
            raise WrapError(
                f"the tree has elements of class {kind.__module__}.{kind.__qualname__}: trees with element classes "
                "of their own (objectify, lxml.html) cannot be tracked; parse the XML with xmlcep.parse()"
            )
        if kind.__name__.endswith("Entity"):
            raise DocumentError("the tree has entity references: replace them by their text before wrapping")
