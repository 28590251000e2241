"""The wrapped document: what an application sees of it.

One module because it is one object to whoever has it; what each call does is in a module of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from ..arguments import BY_NAME, FUNCTION, IDS, NAMES, check, function_of, is_function, optional, whole_number
from ..closing import Closing
from ..events import CompositeEvent, PrimitiveEvent
from ..rules import Rules
from ..timestamps import as_microseconds, microseconds, timestamp
from .acting.active_rules import ActiveRules
from .acting.cascades import Cascades
from .announcing import announce
from .calls.observation import Observation, compare_all
from .classes import LOOKUPS
from .delivery import TRIGGER_DEPTH, Delivery
from .doubt import CUT_SHORT
from .errors import EndlessTriggerError, RefusedError, WrapError
from .listeners import Listener
from .lxml_access import Node, name_of
from .not_copyable import Single
from .settled import check_settled
from .shadow import outside_proxies
from .shadow.comparison import differences
from .shadow.shadow import ShadowTree, tree_of
from .shadow.snapshots import check_ids, restore_ids, take_snapshot
from .signals import signal
from .transactions import Transaction, Transactions
from .updating import update

if TYPE_CHECKING:
    from ..actions.firing import FiringRecord
    from ..errors import XmlCepError
    from .watches import Watch


class Document(Single, Closing):
    """A wrapped document; made by `parse`, `fromstring` or `wrap` (see `opening`).

    It is tracked until it is closed, or nobody holds this object; a watch or an attached recorder holds it. ``root`` is
    the genuine lxml root element: edit it and everything below through ordinary lxml calls.
    """

    _instead = "wrap a copy of its tree, wrap(copy.deepcopy(document.tree))"

    __slots__ = ("__weakref__", "_finalizer", "_transactions", "_tree")

    def __init__(self, tree: ShadowTree, parser: Any, txn: int = 0) -> None:
        self._tree = tree
        self._transactions = Transactions()
        self._transactions.count = txn
        self._finalizer = weakref.finalize(self, _release, tree, parser)

    # --- what it is

    @property
    def root(self) -> Node:
        """The root element."""
        if self._tree.foreign:
            self._catch_up()
        return self._tree.root

    @property
    def tree(self) -> Any:
        """The lxml ElementTree."""
        return self.root.getroottree()

    @property
    def name(self) -> str:
        """The document identifier, field ``doc`` of its records."""
        return self._tree.name

    @property
    def clock(self) -> int:
        """The time point of the last event (E3); 0 before the first."""
        self._catch_up()
        return self._tree.clock.ts

    @property
    def last_txn(self) -> int:
        """The number of the last transaction that has changed anything; 0 if none has."""
        return self._transactions.count

    @property
    def next_id(self) -> int:
        """The id that the next new node will get (P7)."""
        return self._tree.clock.next_id

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction's block is open."""
        opened = self._transactions.open
        return opened is not None and not opened.is_cut_short

    @property
    def ignore_whitespace(self) -> bool:
        """Whether white-space-only text of element-only content is left out of the events."""
        return self._tree.ignore_whitespace

    @property
    def foreign(self) -> tuple[Node, ...]:
        """Nodes whose proxies are not of the wrapper's classes; what is done through them is seen at `catch_up`."""
        return tuple(self._tree.foreign)

    @property
    def delivery(self) -> Delivery:
        """Internal: who gets its events, for those who call callbacks of the application."""
        return self._tree.emitter.delivery

    @property
    def missed(self) -> int:
        """1 after an edit, or its report, was cut short (by a KeyboardInterrupt, a MemoryError), else 0.

        Events, records or findings may be missing then: every call that would edit or report the document raises
        `RefusedError`, and no recorder writes anything more. An edit that is undone with its transaction does not
        count.
        """
        return int(self.delivery.is_cut_short)

    @property
    def closed(self) -> bool:
        """Whether tracking has ended."""
        return not self._finalizer.alive

    def resume(self, ids: Sequence[int], *, clock: int, txn: int = 0, next_id: int | None = None) -> None:
        """Continues a recorded history that ends in this very document: its ids (as in a snapshot), clock, ``txn``.

        The arguments are those of `wrap`, for a document without events so far; otherwise it raises `RefusedError`.
        """
        check(
            "resume()", ids=(ids, IDS), clock=(clock, whole_number(0)), txn=(txn, whole_number(0)),
            next_id=(next_id, optional(whole_number(1))),
        )  # fmt: skip
        self._settled("resume()")
        if self._tree.clock.ts or self.delivery.audience:
            raise RefusedError(
                f"resume() of the document {self.name!r}, whose events have been delivered: wrap it again"
            )
        check_ids(self._tree, ids)
        restore_ids(self._tree, ids)
        self._tree.clock.go_on(clock, next_id)
        self._transactions.count = txn

    # --- from events to elements and back

    def element(self, of: PrimitiveEvent | CompositeEvent | int) -> Node | None:
        """The element of an event (of a text or attribute: the one it belongs to), or the one with this id; None if it
        is gone.

        The first call costs a walk of the tree, others do not. Raises `WrapError` for any other object.
        """
        self._open("element()")
        if isinstance(of, int) and not isinstance(of, bool):
            return self._tree.element_by_id(of)
        if not isinstance(of, (PrimitiveEvent, CompositeEvent)):
            raise WrapError(f"element() of {of!r}: pass an event of this document, or a node id")
        if of.path is None:  # a flat composite whose constituents have no common ancestor (T4)
            return None
        ids = of.ids if of.path.last.is_element else of.ids[:-1]
        return self._tree.element_by_id(ids[-1])

    def ids_of(self, element: Node) -> tuple[int, ...]:
        """The ids of an element of this document, from the root's down to its own, as events have them (P7).

        Raises `WrapError` for anything else.
        """
        self._open("ids_of()")
        if (
            not isinstance(element, etree._Element)
            or tree_of(element) is not self._tree
            or name_of(element) is None
        ):
            raise WrapError(f"ids_of() of {element!r}, which is not an element of the document {self.name!r}")
        shadow = self._tree.open(element)
        return shadow.ids or shadow.make_ids()

    # --- listening

    def subscribe(self, callback: Callable[[PrimitiveEvent], Any]) -> Callable[[], None]:
        """Calls ``callback`` with every primitive event from now on; the callable returned ends that.

        It is called after the edit is complete, in order. An exception in it reaches the caller of the edit as
        a `CallbackError`, after all other callbacks. Raises `WrapError` for what cannot be called.
        """
        if not is_function(callback):
            what = "is not a function to call" if callable(callback) else "cannot be called"
            raise WrapError(f"{callback!r} {what}: {function_of(', the event', callback)}")
        self._settled("subscribe()")
        return self.delivery.subscribe(callback)

    def attach(self, listener: Listener, *, ahead: bool = False) -> None:
        """Adds an internal listener (`Listener`), which gets events before subscribers do.

        ``ahead``: a recorder, which gets all events of a transaction before any other listener gets the first.
        """
        check("attach()", listener=(getattr(listener, "_on_change", None), FUNCTION))
        self._settled("attach()")
        self.delivery.attach(listener, ahead=ahead)

    def detach(self, listener: Listener) -> None:
        """Takes an internal listener away."""
        self.delivery.detach(listener)

    def watch(
        self,
        rules: Rules,
        *,
        on_event: Callable[[CompositeEvent], Any] | None = None,
        operators: bool = False,
        keep: int | None = 1000,
        only: Collection[str] | None = None,
    ) -> Watch:
        """Opens the event definitions of ``rules`` on this document; leaving the ``with`` block closes them.

        ``on_event`` is called with every composite event; with ``operators`` also with those of inner operators, with
        ``only`` only with events of these names. The last ``keep`` of them (None: all) stay in ``watch.findings``.
        Raises `WrapError` if ``rules`` are no rules, ``on_event`` cannot be called, or ``only`` has a name that the
        rules do not have.
        """
        from .watches import Watch, check_opening  # which need documents

        check_opening(self, rules, on_event, keep)
        return Watch(self, rules, on_event=on_event, operators=operators, keep=keep, only=only)

    def rules(
        self,
        rules: Rules,
        *,
        actions: Mapping[str, Callable[[FiringRecord], Any]] | None = None,
        on_fire: Callable[[FiringRecord], Any] | None = None,
        on_error: Callable[[XmlCepError], Any] | None = None,
        limit: int = 64,
        firings: int = 10_000,
        strict: bool = False,
        schema: str | Path | etree.XMLSchema | None = None,
        initial: bool = False,
    ) -> ActiveRules:
        """Lets action rules act on this document (docs/actions.md); leaving the ``with`` block ends that.

        ``actions`` are the application's functions that rules call, by name; ``on_fire`` is called with the record of
        every firing; both after all events are delivered. ``on_error`` is called with errors, an `ActionError` or
        `CascadeError`; without it, the edit raises them, or the end of the transaction, after all events are delivered.
        A cascade may be ``limit`` deep and ``firings`` long (L8); with ``strict``, an endless one also undoes the
        application's own edit, and the error is raised at once. With ``schema``, an XML Schema, a firing that makes the
        document invalid is undone (L12). Raises `WrapError` for wrong arguments.
        """
        if not isinstance(rules, Rules):
            raise WrapError(
                f"action rules are needed, not {rules!r}: use load_rules(file) or parse_rules(text)"
            )
        check("rules()", actions=(actions, optional(BY_NAME)))
        self._settled("rules()")
        if initial and (self.delivery.audience or self._tree.clock.ts):
            raise RefusedError("initial=True after other watches or rules: open these rules first")
        reactor = self.delivery.reactor
        cascades = reactor if isinstance(reactor, Cascades) else Cascades(self._tree)
        opened = ActiveRules(
            cascades, rules, actions=actions, on_fire=on_fire, on_error=on_error, limit=limit, most=firings,
            strict=strict, schema=schema, initial=initial,
        )  # fmt: skip
        if initial:
            try:
                announce(self._tree)
            except BaseException:
                opened.close()
                raise
        return opened

    # --- editing in one go

    def transaction(self, *, immediate: bool = False, **meta: object) -> Transaction:
        """Groups the edits of a ``with`` block: one ``txn`` number, the string pairs ``meta`` on each record.

        Events are delivered when the block ends, then watches are flushed (D3). If an exception leaves the block,
        all its edits are undone and nothing is delivered. ``immediate=True`` delivers at once; an undo then is
        delivered as the inverse edits. A transaction inside another joins it. Pairs whose value is None are left out.
        """
        self._refuse_closed("transaction()")
        given = {key: str(value) for key, value in meta.items() if value is not None}
        return Transaction(self._tree, self._transactions, immediate, given)

    def signal(self, event: str, node: Node = None, /, **values: object) -> CompositeEvent:
        """Raises an external event (L7) of the application at a node (default: the root element).

        It is recorded. Every watch and rule that declares it (``event NAME(path) = external``) sees it, here and in
        audits. ``values`` are recorded as pairs of its ``meta``, as text, without those that are None. It belongs to
        the last edit, and is undone with its transaction. Raises `WrapError` if no change has been made yet, for a node
        that is not in the document, and if open rules declare external events, but not this one.
        """
        self._open("signal()")
        transaction = self._transactions.open
        in_transaction = transaction is not None and transaction.has_records
        target = self.root if node is None else node
        return signal(self._tree, event, target, values, in_transaction=in_transaction)

    def one_edit(self) -> AbstractContextManager[None]:
        """Makes one edit (U1) of all calls in a ``with`` block: rules see the document only before and after it.

        For changes that are one to the application but many calls to lxml: an update to another version, a paste. Its
        events are delivered at the end of the block; all but the last have ``more``. If an exception leaves the block,
        the calls made so far remain (a transaction around it undoes them).
        """
        self._open("one_edit()")
        outside_proxies.catch_up(self._tree)
        return self._tree.emitter.one_edit()

    def observe(self, element: Node = None) -> Observation:
        """Finds the changes that C code makes at or below ``element`` (default: anywhere) in a ``with`` block, at its
        end.

        For functions that change trees from outside (strip_tags, indent, xinclude …). Costs a walk of the subtree.
        Other edits in the block are also found at its end, wherever they are, by a walk of the document.
        """
        self._open("observe()")
        return Observation(self._tree, self.root if element is None else element)

    def update_to(
        self, new: Any, /, *, keys: Sequence[str] = (), ignore_whitespace: bool = True, **meta: object
    ) -> int:
        """Edits the document into the state of another tree (or XML file), with the fewest edits; returns the number of
        its events.

        It is one transaction, whose records have ``meta``; those of a move also have ``moved-to`` or ``moved-from``,
        the other place. ``keys``, such as ``"item=@partNum"``, identify elements. Raises `TreeError`, `DocumentError`,
        `WrapError`.
        """
        self._open("update_to()")
        check("update_to()", keys=(keys, NAMES))
        return update(self, new, keys, ignore_whitespace, meta)

    def catch_up(self) -> None:
        """Finds edits made through `foreign` proxies, and what those of other documents have taken from this one.

        Every commit, and every call of the document, does so for its own. Raises `RefusedError` for what has come that
        cannot be tracked, and for a root that has been moved away, `EndlessTriggerError` if callbacks make such
        edits without end. Costs a walk of all documents while any has such.
        """
        self._find(lambda: None)

    def _find(self, compare: Callable[[], None]) -> None:
        """Tells what has been done unseen, ``compare`` what else, and what callbacks do so when they hear of it."""
        tree = self._tree
        self.delivery.check()
        for _ in range(TRIGGER_DEPTH):
            before = tree.clock.ts
            outside_proxies.catch_up(tree)
            tree.end_edit()
            compare()
            if tree.clock.ts == before or not self.delivery.audience:
                return
        raise EndlessTriggerError(
            f"callbacks of the document {self.name!r} make edits that are not seen, through proxies that are older "
            f"than the wrapping, at each edit that they receive: {TRIGGER_DEPTH} times. Let a callback look whether "
            "there is still something to change"
        )

    def _catch_up(self) -> None:
        if self.delivery.is_cut_short:
            return
        outside_proxies.catch_up(self._tree)
        self._tree.end_edit()

    # --- time

    def advance(self, time: str | int | datetime) -> None:
        """Says what time it is although nothing has changed, so that watches raise what is due (W6), and action rules
        fire.

        ``time``: RFC 3339 text, a `datetime.datetime` with a time zone, or microseconds since 1970. A time before that
        of the last change changes nothing. A recorder writes it down. Raises `TimeError` for what is not a time,
        `RefusedError` in a transaction, in a block that is one edit and in callbacks.
        """
        at = timestamp(as_microseconds(time))
        self._settled("advance()")
        delivery = self.delivery
        if delivery.delivering is not None:
            raise RefusedError("advance() in a callback: other callbacks have not received the change yet")
        for each in delivery.recorders:
            each.advance(at)
        reactor = delivery.reactor

        # What rules do is done at the end, also where a callback fails; who comes in a callback does not hear of it.
        def tell() -> None:
            for each in delivery.present(delivery.listeners):
                each.advance(at)

        with nullcontext() if reactor is None else reactor.on_advance(at):
            delivery.tell(tell)

    def next_due(self) -> str | None:
        """When a watch will raise something next, or a rule fire, if nothing changes, as RFC 3339 text (UTC); None if
        nothing is due (W6).

        No thread is started: set a timer, and call `advance` when no edit is under way (in an event loop, say; not in a
        signal's handler).
        """
        from .watches import Watch

        watches = [each.listener for each in self.delivery.listeners if isinstance(each.listener, Watch)]
        due = [watch.next_due() for watch in watches]
        if self.delivery.reactor is not None:
            due.append(self.delivery.reactor.next_due())
        return min((at for at in due if at), key=microseconds, default=None)

    # --- what it knows

    def snapshot(self) -> tuple[str, list[int]]:
        """The document as XML text and the ids of all its nodes, in document order.

        An element's id comes first, then its attributes', then those of its child nodes. Raises `RefusedError` if the
        tree is too deep to be parsed again, or cannot be parsed again at all, or a transaction is open.
        """
        self._settled("snapshot()")
        self._find(lambda: compare_all(self._tree))
        return take_snapshot(self._tree)

    def verify(self) -> list[str]:
        """How the tree differs from what events have reported; an empty list if nothing was missed."""
        self._refuse_closed("verify()")
        if not self.delivery.is_cut_short:
            self.catch_up()
        found = differences(self._tree)
        if self.delivery.is_cut_short:
            self.delivery.said = True
            found.append(CUT_SHORT.format(self.name))
        return found

    def _check(self) -> None:
        """Raises AssertionError unless tree and shadow are in step."""
        found = self.verify()
        assert not found, "\n".join(found)
        assert not self.delivery.is_busy or self.delivery.blocks, "a mark was left"
        assert not self.delivery.queue or self.delivery.held, "events are waiting"
        assert not self._tree.muted, "left muted"
        assert not self._tree.others, "other documents' edits have no end"

    # --- ending

    def close(self) -> None:
        """Ends tracking: the tree remains, an ordinary lxml tree from now on. Closing twice is harmless.

        Edits through `foreign` proxies, also those of other documents, that have not been found yet are reported
        before, or refused after it is closed. If an edit was cut short, this is said after it is closed, unless it was
        said before.
        """
        try:
            if not self.closed and self.delivery.is_cut_short:
                if not self.delivery.said:
                    self.delivery.check()
                return
            if not self.closed and self._tree.observed is not None:
                self._tree.observed.finish()
            if not self.closed and not self.delivery.held:
                if self.delivery.audience:
                    self._find(lambda: compare_all(self._tree))
                elif self._tree.foreign:
                    self.catch_up()
        finally:
            self._finalizer()

    def __repr__(self) -> str:
        return f"<xmlcep.Document {self.name!r} <{name_of(self._tree.root)}> at {self._tree.clock.ts}>"

    def _refuse_closed(self, call: str) -> None:
        if self.closed:
            raise RefusedError(f"{call} on the closed document {self.name!r}: wrap its tree again")

    def _open(self, call: str) -> None:
        self._refuse_closed(call)
        self.delivery.check()

    def _settled(self, call: str) -> None:
        self._open(call)
        check_settled(self._tree, call)
        self.catch_up()


def _release(tree: ShadowTree, parser: Any) -> None:
    """Takes a document's nodes out of the table; lxml has its own element classes again when no document is open."""
    tree.drop()
    LOOKUPS.give_back(parser)
