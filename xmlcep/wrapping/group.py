"""Documents that are watched together: events over documents, live (rule V11)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from threading import RLock
from typing import Any

from ..arguments import ITERABLE, check
from ..closing import Closing
from ..engine import OnRemoved, Replacement
from ..engine.across import Across
from ..events import CompositeEvent, PrimitiveEvent
from ..rules import Rules
from ..rules.comparison import compare, tree_digests
from ..timestamps import as_microseconds, microseconds
from .detecting import detector_on, replace_on
from .document import Document
from .errors import WrapError
from .not_copyable import Single
from .settled import check_told
from .watches import check_opening, check_rules


class Group:
    """Wrapped documents whose changes rules combine; each must have its own name.

    >>> import xmlcep
    >>> order, stock = xmlcep.fromstring("<order/>", name="order"), xmlcep.fromstring("<stock/>", name="stock")
    >>> rules = xmlcep.parse_rules('''
    ...     event Shipped {across, within="3 days"} = ins(order/@part) as $part ; ins(stock/@part) as $part
    ... ''')
    >>> with xmlcep.Group([order, stock]).watch(rules, on_event=print):
    ...     order.root.set("part", "926-AA")
    ...     stock.root.set("part", "926-AA")
    Shipped(None) at 1 {ins@1, ins@1}

    Raises `WrapError` for what are no documents, or two of one name.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        check("Group()", documents=(documents, ITERABLE))
        self.documents = tuple(documents)
        for document in self.documents:
            if not isinstance(document, Document):
                raise WrapError(f"Group() of {document!r}: expected documents, as of xmlcep.parse(file)")
        names = [document.name for document in self.documents]
        for name in names:
            if names.count(name) > 1:
                raise WrapError(f"Group() of two documents called {name!r}: findings say which by its name")

    def __repr__(self) -> str:
        return f"<xmlcep.Group of {len(self.documents)} documents>"

    def watch(
        self, rules: Rules, *, on_event: Callable[[CompositeEvent], Any] | None = None, operators: bool = False,
        keep: int | None = 1000,
    ) -> GroupWatch:  # fmt: skip
        """Opens the event trees of ``rules``: those over documents on all, any other on each; leaving the ``with``
        block closes them. Arguments and errors as for `Document.watch`."""
        for document in self.documents:
            check_opening(document, rules, on_event, keep, across=True)
        return GroupWatch(self.documents, rules, on_event, operators=operators, keep=keep)


class GroupWatch(Single, Closing):
    """Detects composite events on the documents of a group, until `close`; made by `Group.watch`.

    The last of them are in ``findings``.
    """

    _instead = "open another one, group.watch(rules)"

    def __init__(
        self, documents: Sequence[Document], rules: Rules, on_event: Callable[[CompositeEvent], Any] | None, *,
        operators: bool, keep: int | None,
    ) -> None:  # fmt: skip
        self._rules = rules
        self._operators = operators
        self._across = Across(rules, operators=operators) if rules.graph.across else None
        self._on_event = on_event
        self._lock = RLock()  # documents may change in several threads
        self.findings: deque[CompositeEvent] = deque(maxlen=keep)
        self._members = [_Member(self, document, rules, operators=operators) for document in documents]
        for member in self._members:
            member.document.attach(member)

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return not self._members

    def advance(self, time: str | int | datetime) -> None:
        """Says that it is this time, although nothing has changed: `Document.advance` of each document."""
        for member in self._members:
            member.document.advance(time)

    def next_due(self) -> str | None:
        """When something is due next, as RFC 3339 text (UTC); None if nothing is (W6)."""
        due = [member.detector.next_due() for member in self._members]
        if self._across is not None and self._members:
            due.append(self._across.next_due())
        return min((each for each in due if each is not None), key=as_microseconds, default=None)

    def replace(self, rules: Rules, *, on_removed: OnRemoved = "flush") -> Replacement:
        """Goes on with other rules, between two edits, as `Watch.replace` does on one document (G7)."""
        if self.closed:
            raise WrapError("replace() on a closed watch: open another one")
        check_rules(rules, across=True)
        for member in self._members:
            member.document.catch_up()
            check_told(member.document._tree, "replace()")
        with self._lock:
            theirs = [member.replace(rules, on_removed) for member in self._members]
            lost = sum(
                (Counter(one.lost) for one in theirs), Counter(self._replace_across(rules, on_removed))
            )
            trees = compare(tree_digests(self._rules), tree_digests(rules))
            self._rules = rules
        raised: list[CompositeEvent] = []
        for member, one in zip(self._members, theirs, strict=True):
            if one.raised:
                raised += member.document.delivery.tell(partial(self.tell, member, None, one.raised))
        return Replacement(*trees, lost, tuple(raised))

    def _replace_across(self, rules: Rules, on_removed: OnRemoved) -> Mapping[str, int]:
        """The same of the events over documents; says what is lost."""
        if self._across is None:
            self._across = Across(rules, operators=self._operators) if rules.graph.across else None
            return {}
        self._across, replacement = self._across.replaced(rules, on_removed)
        return replacement.lost

    def close(self) -> list[CompositeEvent]:
        """Flushes the events of each document, ends the watch, and returns what was raised. Closing twice is
        harmless."""
        members, self._members = self._members, []
        raised: list[CompositeEvent] = []
        for member in members:
            if not member.document.closed:
                member.document.catch_up()
            member.document.detach(member)
        for member in members:
            raised += member.document.delivery.tell(member.end)
        return raised

    def tell(
        self,
        member: _Member,
        record: PrimitiveEvent | None,
        raised: Sequence[CompositeEvent],
        at: str | None = None,
    ) -> list[CompositeEvent]:
        """Takes a change of a document, or the time there, and what the events of the document raise; tells all that is
        found."""
        with self._lock:
            now = record.at if record is not None else at
            if now is not None:
                member.time = max(microseconds(now), member.time or 0)
            found = [*raised]
            if self._across is not None:
                found += self._across.feed(member.time, record, raised)
                if at is not None:
                    found += self._across.advance(microseconds(at))
            self.findings.extend(found)
        if self._on_event is not None:
            for composite in found:
                member.document.delivery.call(self._on_event, composite)
        return found


class _Member:
    """A document of a group: it hears of its changes, and has what its own events have seen."""

    def __init__(self, watch: GroupWatch, document: Document, rules: Rules, *, operators: bool) -> None:
        self._watch = watch
        self._takes = rules.takes_external
        self.document = document
        self.detector = detector_on(document._tree, rules, operators=operators)
        self.time: int | None = None

    def replace(self, rules: Rules, on_removed: OnRemoved) -> Replacement:
        """Its own events go on with other rules."""
        self._takes = rules.takes_external
        return replace_on(self.document._tree, self.detector, rules, on_removed)

    def _on_change(self, event: PrimitiveEvent) -> None:
        """A primitive event."""
        self._watch.tell(self, event, self.detector.feed(event))

    def _on_commit(self, txn: int) -> None:
        """The end of a transaction is a flush (D3)."""
        self._watch.tell(self, None, self.detector.flush())

    def _on_raised(self, event: CompositeEvent) -> None:
        """An external event that a rule has raised (L7)."""
        if self._takes(event):
            self._watch.tell(self, None, self.detector.raise_external(event))

    def _on_together(self, count: int) -> None:
        """Nothing: changes are taken in turn."""

    def _on_advance(self, at: str) -> None:
        """Time has passed (W6)."""
        self._watch.tell(self, None, self.detector.advance(at), at)

    def end(self) -> list[CompositeEvent]:
        """The watch is over."""
        return self._watch.tell(self, None, self.detector.close())
