"""Watches: event trees open on a wrapped document."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from path_types import PathType

from ..arguments import NAMES, check, function_of, is_function, optional, whole_number
from ..checking.left_out import LeftOut
from ..checking.unmatched import Happened, misfits
from ..closing import Closing
from ..engine import Detector, OnRemoved, Replacement
from ..events import CompositeEvent, PrimitiveEvent
from ..rules import Rules
from ..suggestions import did_you_mean_or_list
from .detecting import detector_on, replace_on
from .errors import WrapError
from .lxml_access import Node
from .not_copyable import Single
from .settled import check_told

if TYPE_CHECKING:
    from ..explaining.values import Explanation, Pending
    from .document import Document

_LOG = logging.getLogger("xmlcep")
_MOST_WARNINGS = 5


def check_opening(
    document: Document, rules: Rules, on_event: Callable[[CompositeEvent], Any] | None, keep: int | None,
    *, across: bool = False,
) -> None:  # fmt: skip
    """What a watch can be opened with, and when; says that action rules are ignored, to whoever called the caller.

    Raises `WrapError` for the rules and the callback, `ArgumentError` for the rest, `RefusedError` in a transaction.
    """
    check_rules(rules, across=across)
    check("watch()", keep=(keep, optional(whole_number(0))))
    if on_event is not None and not is_function(on_event):
        raise WrapError(f"on_event is {on_event!r}: {function_of(', the composite event', on_event)}")
    document._settled("watch()")
    rules.warn_ignored(stacklevel=3)


def check_rules(rules: object, *, across: bool = False) -> None:
    """Raises `WrapError` for what are no rules, and for events over documents unless these are ``across``."""
    if not isinstance(rules, Rules):
        raise WrapError(
            f"a watch needs rules, not {rules!r}: use load_rules(file), parse_rules(text) or derive(schema)"
        )
    if rules.said_of_across and not across:
        raise WrapError(
            f"{rules.said_of_across}: watch all of them, xmlcep.Group([document, …]).watch(rules)"
        )


class Watch(Single, Closing):
    """Detects composite events on a document until it is closed; made by `Document.watch`."""

    _instead = "open another one, document.watch(rules)"

    __slots__ = (
        "__weakref__", "_advanced", "_detector", "_document", "_is_left_out", "_left_out", "_left_out_changes",
        "_names", "_on_event", "_only", "_rules", "_streams", "_takes", "_untold", "findings",
    )  # fmt: skip

    def __init__(
        self,
        document: Document,
        rules: Rules,
        *,
        on_event: Callable[[CompositeEvent], Any] | None,
        operators: bool,
        keep: int | None,
        only: Collection[str] | None = None,
        detector: Detector | None = None,
    ) -> None:
        _check_names(rules, only)
        # A detector that is given has been fed what happened before (recovery).
        if detector is None:
            detector = detector_on(document._tree, rules, operators=operators)
        self._advanced: list[CompositeEvent] = []
        self._document = document
        self._detector = detector
        self._on_event = on_event
        self._only = None if only is None else frozenset(only)
        self._streams: list[_Stream] = []
        self._have(rules)
        self._left_out_changes: Counter[tuple[str, PathType]] = Counter()
        self._names: set[str] = set()  # of what was raised
        self._untold: deque[CompositeEvent] = deque()  # what has been raised and not been told yet
        self.findings: deque[CompositeEvent] = deque(maxlen=keep)
        document.attach(self)

    # --- what the document tells

    def _on_change(self, event: PrimitiveEvent) -> None:
        """A primitive event (called by the document)."""
        raised = self._detector.feed(event)
        if self._is_left_out(event[1], event[2]):
            self._left_out_changes[event[1], event[2]] += 1
        if raised:
            self._raise(raised)

    def _on_commit(self, txn: int) -> None:
        """The end of a transaction is a flush (D3; called by the document)."""
        self._raise(self._detector.flush())

    def _on_raised(self, event: CompositeEvent) -> None:
        """An external event that a rule has raised, if these rules declare it (L7; called by the document)."""
        if self._takes(event):
            self._raise(self._detector.raise_external(event))

    def _on_together(self, count: int) -> None:
        """Nothing: a watch takes events in turn."""

    def _on_advance(self, at: str) -> None:
        """Time has passed (W6; called by the document)."""
        self._advanced = self._raise(self._detector.advance(at))

    # --- what the application asks for

    def advance(self, time: str | int | datetime) -> list[CompositeEvent]:
        """Says what time it is although nothing has changed: `Document.advance`, for all watches of the document.

        Returns what this watch raised. On a closed watch nothing happens.
        """
        if self.closed:
            return []
        self._advanced = []
        self._document.advance(time)
        return self._advanced

    def next_due(self) -> str | None:
        """When something is due next, as RFC 3339 text (UTC); None if nothing is (W6)."""
        return None if self.closed else self._detector.next_due()

    def flush(self) -> list[CompositeEvent]:
        """Releases what is deferred (D3), calls ``on_event``, and returns what was raised.

        A closed watch has nothing to release (G3).
        """
        if self.closed:
            return []
        self._document.catch_up()
        return self._raise_now(self._detector.flush())

    @property
    def rules(self) -> Rules:
        """The rules that it has now."""
        return self._rules

    def replace(self, rules: Rules, *, on_removed: OnRemoved = "flush") -> Replacement:
        """Replaces the rules between two edits: definitions that are the same in both keep their partial matches (G7).

        New ones begin here. What is due in removed ones is raised (D3), or with ``on_removed="drop"`` dropped. ``only``
        stays. Returns what became of each definition. Raises `RefusedError` in a transaction or a callback, `WrapError`
        for what are no rules and on a closed watch; then nothing has changed.
        """
        self._check_replacing(rules)
        replacement = replace_on(self._document._tree, self._detector, rules, on_removed)
        self._have(rules)
        self._raise_now(replacement.raised)
        return replacement

    def _check_replacing(self, rules: Rules) -> None:
        if self.closed:
            raise WrapError("replace() on a closed watch: open another one")
        check_rules(rules)
        self._document.catch_up()
        check_told(self._document._tree, "replace()")
        rules.warn_ignored(stacklevel=3)

    def _have(self, rules: Rules) -> None:
        """Has these rules, whose events its detector detects, from now on."""
        self._rules = rules
        self._takes = rules.takes_external
        self._left_out = LeftOut(rules)
        self._is_left_out = self._left_out.has

    def close(self) -> list[CompositeEvent]:
        """Flushes, forgets, and ends the watch; returns what was raised. Closing twice is harmless."""
        if self.closed:
            return []
        if not self._document.closed:
            self._document.catch_up()
        self._document.detach(self)
        happened = frozenset(self._detector.types_fed)
        try:
            raised = self._raise_now(self._detector.close())
            self._say_what_matched_nothing(happened)
            return raised
        finally:
            self._document = None  # type: ignore[assignment]
            for stream in self._streams:
                stream.end()

    # --- explanations, which change nothing (Y5)

    def pending(
        self, *, event: str | None = None, limit: int | None = 1000, complete: bool = False
    ) -> Pending:
        """The partial matches, the most complete first (Y1).

        ``event`` selects those of one event. The first ``limit`` (None: all) are described in full. With ``complete``,
        each has what would complete it (Y4). A closed watch has none.
        """
        return self._detector.pending(event=event, limit=limit, complete=complete, document=self._elements())

    def why(self, finding: CompositeEvent) -> Explanation:
        """Why a finding was raised, and why other events that are stored or kept are not in it (Y2)."""
        return self._detector.why(finding, findings=self.findings, document=self._elements())

    def why_not(self, event: str, *, node: Node | int | None = None) -> Explanation:
        """Why an event has not been raised, with ``node``, an element or its id, in the group of that node (Y3).

        The answer comes from the stored events and the findings that are kept; only a log knows events that were
        consumed and forgotten. Raises `ValueError` for an event that the rules do not have, or an element that is not
        in the document.
        """
        elements = self._elements()
        if node is not None and not isinstance(node, int):
            if elements is None:
                raise ValueError("the watch is closed: ask by node id")
            node = elements.ids_of(node)[-1]
        return self._detector.why_not(event, node=node, findings=self.findings, document=elements)

    def can_still_raise(self, event: str, node: Node | int) -> bool:
        """Whether an event may be raised (again) in the group of a node, an element or its id (Y11).

        False only if it cannot, whatever happens: the node is gone and nothing is pending there, or it needs an event
        that comes only once, and that event led to nothing. In a transaction or a callback more may happen. Raises
        `ValueError` for an event that the rules do not have.
        """
        document = self._elements()
        if document is None:
            return False
        if not isinstance(node, int):
            node, exists = document.ids_of(node)[-1], True
        else:
            exists = document.element(node) is not None
        can = self._detector.can_still_raise(event, node, exists=exists)
        return can or document.in_transaction or document.delivery.is_busy

    def _elements(self) -> Document | None:
        if self.closed:
            return None
        self._document.catch_up()
        return self._document

    @property
    def closed(self) -> bool:
        """Whether the watch has been closed."""
        return self._document is None

    def __repr__(self) -> str:
        where = "closed" if self.closed else f"on {self._document.name!r}"
        return f"<xmlcep.Watch {where}: {self._rules.listed()}>"

    def __dir__(self) -> list[str]:
        """Without what the document calls."""
        return [name for name in super().__dir__() if not name.startswith(("_on", "on_"))]

    def __aiter__(self) -> AsyncIterator[CompositeEvent]:
        """The composite events raised from now on; ends when the watch is closed. Needs a running event loop."""
        stream = _Stream(asyncio.get_running_loop())
        if self.closed:
            stream.end()
        self._streams.append(stream)
        return stream

    # --- telling

    def _say_what_matched_nothing(self, happened: Happened) -> None:
        """A warning in the log ``xmlcep`` of leaves that matched none of the changes because of how they are written,
        of all leaves if there were changes and none matched, and of changes that are in no group (H1)."""
        found = (
            misfits(self._rules, happened, self._names),
            self._left_out.by_event(self._left_out_changes),
        )
        said = [str(one) for each in found for one in islice(each, _MOST_WARNINGS)]
        if said:
            _LOG.warning("a watch ended: %s", "\n".join(said))

    def _raise(self, composites: Sequence[CompositeEvent]) -> list[CompositeEvent]:
        only, delivery = self._only, self._document.delivery
        self._names.update([composite.name for composite in composites])
        raised = [composite for composite in composites if only is None or composite.name in only]
        # Where ``on_event`` flushes or closes the watch, what comes of that is reported after the present event.
        untold = self._untold
        untold.extend(raised)
        while untold:
            composite = untold.popleft()
            self.findings.append(composite)
            for stream in self._streams:
                stream.put(composite)
            if self._on_event is not None:
                delivery.call(self._on_event, composite)
        return raised

    def _raise_now(self, composites: Sequence[CompositeEvent]) -> list[CompositeEvent]:
        """As `_raise`, outside a delivery: edits made by callbacks are queued all the same."""
        return self._document.delivery.tell(lambda: self._raise(composites))


def _check_names(rules: Rules, names: Collection[str] | None) -> None:
    if names is None:
        return
    check("watch()", only=(names, NAMES))
    known = [tree.name for tree in rules.graph.trees]
    for name in names:
        if name not in known:
            raise WrapError(
                f"only has {name!r}, which is not an event of the rules: {did_you_mean_or_list(name, known)}"
            )


class _Stream(AsyncIterator[CompositeEvent]):
    """Composite events on their way from whatever thread edits to the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[CompositeEvent | None] = asyncio.Queue()

    def put(self, event: CompositeEvent | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    def end(self) -> None:
        self.put(None)

    async def __anext__(self) -> CompositeEvent:
        event = await self._queue.get()
        if event is None:
            self.end()  # for whoever asks again
            raise StopAsyncIteration
        return event
