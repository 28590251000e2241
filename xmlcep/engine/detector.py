"""The detector: primitive events in, composite events out (rules G1 to G5).

One engine for live documents and for replay.

One module because feeding, time, flushing and questions are about one object's state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from path_types import PathType

from ..arguments import COMPOSITE, ITERABLE, TEXT, check, check_event, optional, whole_number
from ..documents import Needs, Replica
from ..errors import ArgumentError
from ..events import Cause, CompositeEvent, PrimitiveEvent, TimePoint, as_event
from ..rules.comparison import compare, tree_digests
from ..suggestions import listed
from ..timestamps import as_microseconds, timestamp
from .dispatch import select
from .edits import Edit, by_time_point
from .errors import StateError
from .evaluation import NOTHING_OUTSIDE, Evaluation
from .release import Release
from .replacement import ON_REMOVED, OnRemoved, Replacement
from .setting import MOST_TRIES, Setting
from .timeline import Timeline
from .timer_firing import TimerFiring
from .tree import TreeState

if TYPE_CHECKING:
    from contexts.grouping import Key

    from ..explaining.evidence import Evidence
    from ..explaining.groups import TreeGroups
    from ..explaining.nodes import Elements, Nodes
    from ..explaining.proposals import Completion
    from ..explaining.releases import Releases
    from ..explaining.values import Explanation, Pending
    from ..rules import Rules

_new_tuple = tuple.__new__
_WIDTH = len(PrimitiveEvent._fields)

TimeGiven: TypeAlias = str | int | datetime
"""RFC 3339 text, microseconds since 1970, or a `datetime.datetime` with a time zone."""


class Detector:
    """Detects the composite events of a set of rules in the primitive events of one document.

    ``operators=True`` also reports the composites of inner operators (G5). ``document`` is the document before the
    first event; only rules that read the document need it (U2). Without it, the detector keeps its own, which starts
    empty. With ``trees``, names of events, it evaluates only these, as if the rules had no others; feed it what others
    raise, where these use it (see `feed`). Events over several documents (V11) are evaluated only if they are named.
    Raises `ValueError` for a name that is not an event of the rules. ``tries`` limits for how many combinations
    ``having`` is evaluated at one arrival (Q5). ``general`` raises the same without any short cut, slowly: tests
    compare both.

    Events are `PrimitiveEvent`, or plain tuples of the same layout, with ascending ``ts``.

    >>> from xmlcep.rules import parse_rules
    >>> detector = Detector(parse_rules("event Both = ins(item/price) & ins(item/quantity)"))
    >>> price, quantity = (
    ...     PrimitiveEvent(ts, "ins", PathType.parse(f"/order/item/{name}"), (1, 2, ts + 2))
    ...     for ts, name in [(1, "price"), (2, "quantity")]
    ... )
    >>> detector.feed(price)
    []
    >>> print(*detector.feed(quantity))
    Both(/order#1/item#2) at 2 {ins@1, ins@2}
    """

    def __init__(
        self,
        rules: Rules,
        *,
        operators: bool = False,
        document: Replica | None = None,
        trees: Collection[str] | None = None,
        tries: int = MOST_TRIES,
        general: bool = False,
    ) -> None:
        graph = getattr(rules, "graph", None)
        if graph is None:
            raise ArgumentError(
                f"a detector needs rules, not {rules!r}: use load_rules(file) or parse_rules(text)"
            )
        self._rules = rules
        self._operators = operators
        self._namespaces = rules.namespaces
        active = self._active = select(graph, trees)
        self._document = self._new_document(document) if active.asking else None
        self._setting = Setting(
            graph.programs, follows_time=active.follows_time, uses_time=active.uses_time, document=self._document,
            references=rules.reference_roots(), tries=tries, general=general,
        )  # fmt: skip
        self._clock = self._setting.clock
        self._evaluation = Evaluation(active, self._setting, operators=operators)
        self._edit = Edit(self._evaluation, self._setting, active)
        self._timers = TimerFiring(self._evaluation, self._setting, self._edit)
        self._timeline = Timeline(self._evaluation, self._setting, self._edit, self._timers)
        self._latest: Cause | None = None
        self._is_plain = self._follows_plainly()
        self._closed = False

    def __repr__(self) -> str:
        return f"<xmlcep.Detector of {self._rules.listed()}>"

    @property
    def types_fed(self) -> set[tuple[str, PathType]]:
        """The operations and absolute path types of the events it was fed, whether anything matches them or not."""
        by_operation = self._evaluation.dispatch
        return {(operation, path) for operation, known in by_operation.items() for path in known}

    # ---- feeding --------------------------------------------------------------------------------------

    def feed(self, event: PrimitiveEvent, composites: Sequence[CompositeEvent] = ()) -> list[CompositeEvent]:
        """Processes one primitive event; returns the composites raised at its time point, in raise order.

        Rules that read the document see it edit by edit (U2): what they raise at an event of which ``more`` is true is
        returned with the last event of its edit, by time point.

        ``composites`` are what the trees that this detector does not evaluate raised at the same time point
        (their roots, see `CompositeEvent`), in any order: they reach the trees that use them as if all were
        evaluated here (G2), without a look at their constituents. This needs all trees that are used,
        directly or not, and not evaluated to raise at events only, so that none of their operators may have
        ``end=non-local`` or ``end=custom``; conditions are fine.

        Raises `ValueError` for composites of trees that are evaluated here or that the rules do not have,
        and for those of inner operators.
        """
        if self._closed:
            return []
        evaluation = self._evaluation
        try:
            bound = evaluation.dispatch[event[1]][event[2]]
            if self._is_plain:
                self._clock.point = event[0]
            elif not self._timeline.passes(event, bound):
                return self._feed_in_full(event, composites)
        except Exception:
            check_event("feed()", event)
            raise
        self._latest = event
        if composites:
            evaluation.process(as_event(event), bound, self._active.by_outside_tree(composites))
        elif evaluation.waiting.elsewhere:
            evaluation.process_alone(as_event(event), bound)
        elif bound is None:
            return []
        elif bound.direct is not None:
            # What deliver does, without its call.
            ids = event[3]
            for accept, index in bound.direct:
                accept(ids[index], event)
            if bound.freed:
                evaluation.end_time_point(event, bound)
        else:
            evaluation.process_alone(as_event(event), bound)
        return evaluation.take_report() if evaluation.report else []

    def replay(self, events: Iterable[PrimitiveEvent], *, ends: bool = True) -> Iterator[CompositeEvent]:
        """Feeds all events, with a flush after the last of each transaction (D3); does not close.

        Without ``ends``, the transaction and the edit of the last event may continue after it: if they do not, flush
        before you feed what follows.
        """
        check("replay()", events=(events, ITERABLE))
        if self._closed:
            return
        evaluation, clock, timers = self._evaluation, self._clock, self._setting.timers
        is_plain, document = self._is_plain, self._document
        dispatch, waiting, report = evaluation.dispatch, evaluation.waiting, evaluation.report
        elsewhere = waiting.elsewhere
        txn: int | None = None
        last: PrimitiveEvent | None = None
        try:
            for event in events:
                try:
                    number, bound = event[9], dispatch[event[1]][event[2]]
                except Exception:
                    check_event("replay()", event)
                    raise
                if number != txn:
                    if txn is not None and (waiting.release or timers.size or document is not None):
                        self._latest = last
                        yield from self.flush()
                    txn = number
                last = event
                if is_plain:
                    clock.point = event[0]
                else:
                    if type(event[0]) is not int or len(event) != _WIDTH:
                        check_event("replay()", event)
                    if not self._timeline.passes(event, bound):
                        yield from self._feed_in_full(event)
                        continue
                if elsewhere:
                    if type(event) is tuple:  # of the layout of an event
                        event = _new_tuple(PrimitiveEvent, event)
                    evaluation.process_alone(event, bound)
                elif bound is None:
                    continue
                elif bound.direct is not None:
                    # What deliver does, without its call.
                    ids = event[3]
                    for accept, index in bound.direct:
                        accept(ids[index], event)
                    if bound.freed:
                        evaluation.end_time_point(event, bound)
                else:
                    evaluation.process_alone(as_event(event), bound)
                if report:
                    self._latest = event
                    if len(report) == 1 and not evaluation.says:
                        yield report.pop()
                    else:
                        yield from evaluation.take_report()
        finally:
            if last is not None:
                self._latest = last
        if not ends:
            return
        if txn is not None:
            yield from self.flush()
        else:
            yield from self.end_edit()

    def _feed_in_full(
        self, event: PrimitiveEvent, composites: Sequence[CompositeEvent] = ()
    ) -> list[CompositeEvent]:
        """One record that may be a part of an edit, before which something may be due."""
        check_event("feed()", event)
        outside = self._active.by_outside_tree(composites) if composites else NOTHING_OUTSIDE
        evaluation, timeline = self._evaluation, self._timeline
        timeline.move(event, self.last_fed)
        self._latest = event
        timeline.take(event, outside)
        return by_time_point(evaluation.take_report()) if evaluation.report else []

    def end_edit(self) -> list[CompositeEvent]:
        """Ends the edit, whatever its last event said (U1); returns what that raises."""
        self._timeline.end_edit()
        return by_time_point(self._evaluation.take_report()) if self._evaluation.report else []

    @property
    def is_in_edit(self) -> bool:
        """Whether the edit of the last event is still open: else there is nothing for `end_edit` to do."""
        return self._timeline.more or self._edit.is_open()

    def flush(self, cause: Cause | None = None) -> list[CompositeEvent]:
        """Releases the matches of deferred operators (D3, G3), and what is due by transactions (W5); returns what it
        raises.

        It happens at the time point of the last event fed, or of ``cause`` if that is given.
        """
        if self._closed or not (cause or self._latest):
            return []
        raised = self.end_edit() if self._document is not None else []
        self._timeline.more = False
        due = self._timers.take_by_transactions() if self._setting.timers.size else {}
        if self._evaluation.waiting.release or due:
            cause = cause or self.last_fed
            assert cause is not None
            self._evaluation.run(cause, {}, {}, Release.FLUSH, due)
        self._clock.flushes += 1
        self._evaluation.departed.look_after_releases()
        self._evaluation.departed.look_if_no_timer_is_left()
        return raised + self._evaluation.take_report()

    @property
    def last_fed(self) -> Cause | None:
        """What it was fed last; None if nothing."""
        latest = self._latest
        if type(latest) is tuple:  # of the layout of an event
            latest = self._latest = _new_tuple(PrimitiveEvent, latest)
        return latest

    def elsewhere(self, point: TimePoint) -> list[CompositeEvent]:
        """Something happens at this time point where no rule looks, an edit of its own: it releases matches that wait
        for that (D2). Returns what it raises."""
        if self._closed:
            return []
        raised = self.end_edit()
        self._latest = point
        clock, evaluation = self._clock, self._evaluation
        clock.edit += 1
        clock.ts, clock.point = point.ts, max(clock.point + 1, point.ts)
        if evaluation.waiting.elsewhere:
            evaluation.release_elsewhere(point)
        return raised + evaluation.take_report()

    def close(self, cause: Cause | None = None) -> list[CompositeEvent]:
        """Flushes (see there), then forgets everything; later events are ignored (G3)."""
        raised = self.flush(cause)
        self.reset()
        self._closed = True
        return raised

    def reset(self, document: Replica | None = None) -> None:
        """Forgets all that was fed, as if the detector were new; ``document`` as for a new one.

        What was worked out about event types is kept, so this is cheaper than a new detector.
        """
        if self._document is not None:
            self._give_document(self._new_document(document))
        self._setting.reset()
        self._evaluation.clear()
        self._edit.clear()
        self._latest = None
        self._timeline.more = False
        self._closed = False
        self._is_plain = self._follows_plainly()

    def _follows_plainly(self) -> bool:
        """Whether there is nothing but events to look at: no time, no document, no time points beside those of records
        (which rules may have left behind that are gone, G7)."""
        clock, last, active = self._setting.clock, self._latest, self._active
        if self._setting.general or active.follows_time or active.asking:
            return False
        return clock.point <= (0 if last is None else last[0])

    @property
    def needs(self) -> Needs | None:
        """What its rules need of the document (U2); a document given to it need not contain more. None: nothing."""
        return self._active.needs

    @property
    def remembering(self) -> str | None:
        """The language, if there is one, of an expression that remembers events (O1): what its engine remembers is not
        ours to write, so there is no `to_state`."""
        return self._active.remembering

    def _new_document(self, given: Replica | None) -> Replica:
        return Replica(needs=self._active.needs) if given is None else given

    def _give_document(self, document: Replica) -> None:
        """What expressions ask from now on."""
        self._document = self._setting.document = document

    def copy(self) -> Detector:
        """Another detector that has seen the same; from now on they are independent.

        It takes time in proportion to everything stored (`size`), and to the document if rules read it.
        """
        from .durable import copied

        trees, setting = [tree.name for tree in self._active.trees], self._setting
        other = Detector(
            self._rules, operators=self._operators, document=deepcopy(self._document), trees=trees,
            tries=setting.tries.limit, general=setting.general,
        )  # fmt: skip
        return copied(self, other)

    def to_state(self) -> dict[str, Any]:
        """Everything that it has seen, as plain data for JSON: `from_state` resumes from it.

        You may ask for it between any two events, also within an edit or a transaction. It grows with what is stored
        (`size`), and with the document if rules read it. Raises `StateError` if stored events have constituents that
        were found elsewhere, or if a rule is in a language that remembers events (``keeps_state``).
        """
        from .durable import state_of

        return state_of(self)

    @classmethod
    def from_state(cls, rules: Rules, state: Mapping[str, Any]) -> Detector:
        """The detector that `to_state` described: from now on it raises what that detector would.

        Raises `StateError` for a state that was written with other rules (also with other reference documents) or by
        another version, and for a damaged one.
        """
        from .durable import detector_from

        return detector_from(cls, rules, state)

    def replace(
        self, rules: Rules, *, on_removed: OnRemoved = "flush", document: Replica | None = None,
        trees: Collection[str] | None = None, past: Detector | None = None,
    ) -> Replacement:  # fmt: skip
        """Replaces the rules (G7); definitions that are the same in both keep their partial matches. Returns what
        became of each.

        A definition is the same if its text and everything that it uses are the same, wherever in the rules. Removed
        definitions are flushed (D3): the answer's ``raised`` has what that raises; with ``"drop"`` nothing is raised.
        New ones begin with the next event, or continue from ``past``, a detector of these rules. ``document`` is the
        document as it is now, for new definitions that read it (U2); ``trees`` as for a new detector.

        Raises `StateError` within an edit, for a closed detector, and as `to_state` does; `ArgumentError` if
        definitions need a document and there is none. Then nothing has changed.
        """
        check("replace()", on_removed=(on_removed, ON_REMOVED))
        if self._closed or self.is_in_edit:
            raise StateError(
                "replace() of a closed detector: make a new one" if self._closed else
                "replace() within an edit (U1): feed the rest of it before, or call end_edit()"
            )  # fmt: skip
        from .durable import move_trees

        tries, general = self._setting.tries.limit, self._setting.general
        now = Detector(
            rules, operators=self._operators, document=document, trees=trees, tries=tries, general=general
        )
        after = now._tree_digests()
        comparison = compare(self._tree_digests(), after)
        if document is None:
            now._refuse_without_document(comparison.begun)
        if past is not None:
            self._check_past(past, after)
        lost = {
            name: count for name in comparison.ended if (count := self.pending(event=name, limit=0).total)
        }
        raised = self._flush_of(comparison.ended) if on_removed == "flush" and comparison.ended else []
        clocks = [self._clock]
        if past is not None:
            move_trees(past, now, comparison.begun, with_document=False)
            clocks.append(past._clock)
            now._evaluation.have_seen(comparison.begun, past._clock.flushes - self._clock.flushes)
        move_trees(self, now, comparison.kept, with_document=document is None)
        now._clock.go_on_from(clocks, self.last_fed)
        now._is_plain = now._follows_plainly()
        for operation, path in self.types_fed:
            now._evaluation.dispatch[operation][path]
        vars(self).update(vars(now))
        return Replacement(*comparison, lost, tuple(raised))

    def _check_past(self, past: object, digests: Mapping[str, str]) -> None:
        """Raises `ArgumentError` for what is not a detector of these trees that counts as this one does."""
        same = isinstance(past, Detector) and digests.items() <= past._tree_digests().items()
        if not same or past.transactions_ahead_of(self):  # type: ignore[attr-defined]
            raise ArgumentError(
                f"replace(): past is {past!r}: expected a detector of these rules, fed with the same transactions"
            )

    def _flush_of(self, trees: Collection[str]) -> list[CompositeEvent]:
        """What a flush of these trees only would raise."""
        from .durable import move_trees

        if not self.awaits_end():
            return []
        tries, general = self._setting.tries.limit, self._setting.general
        other = Detector(self._rules, operators=self._operators, trees=trees, tries=tries, general=general)
        move_trees(self, other, trees)
        return other.flush()

    def _tree_digests(self) -> dict[str, str]:
        """The digests of the trees that it evaluates, by the names of their events (G7)."""
        digests = tree_digests(self._rules)
        return {tree.name: digests[tree.name] for tree in self._active.trees}

    def _refuse_without_document(self, begun: Collection[str]) -> None:
        asks = self._active.graph.asks_document
        asking = [tree.name for tree in self._active.trees if tree.name in begun and asks(tree)]
        if asking:
            raise ArgumentError(
                f"replace(): {listed(asking, 5)} would ask the document (U2): give document=, as it is now"
            )

    def raise_external(self, event: CompositeEvent) -> list[CompositeEvent]:
        """Takes an external event that an action rule has raised (L7), at the last time point. Returns the event, if
        its tree is evaluated here, and what it makes other trees raise.

        Raises `ValueError` for an event that the rules do not have.
        """
        check("raise_external()", event=(event, COMPOSITE))
        if self._closed:
            return []
        raised = self.end_edit()
        if self._is_plain:
            self._clock.point = event.cause.ts  # which it has not seen, if it was as new
        index = self._active.index_of(event.name)
        if index in self._evaluation.trees:
            moment = self._clock.moment()
            event = event._replace(span=(moment, moment))
            self._evaluation.report.append(event)
        if index in self._active.users:
            self._evaluation.run(event.cause, {}, {index: [event]}, Release.NOTHING)
        return raised + self._evaluation.take_report()

    @property
    def document(self) -> Replica | None:
        """The document that its rules read; None if they ask none."""
        return self._document

    @property
    def operators(self) -> bool:
        """Whether it reports the composites of inner operators."""
        return self._operators

    def count_transactions_from(self, number: int) -> None:
        """Begins with this ordinal of transactions (W2): only how far apart they are means anything."""
        self._clock.transaction = number

    def transactions_ahead_of(self, other: Detector) -> int:
        """How many more transactions it has counted than another one, if both count them."""
        both = self._clock.follows_time and other._clock.follows_time
        return self._clock.transaction - other._clock.transaction if both else 0

    def concerns(self, operation: str, path: PathType) -> bool:
        """Whether events of this type can matter; if not, they need not be fed.

        Deferred operators are released by any event (D2, D3), timers by any time (W5), and expressions may read the
        whole document (U2).
        """
        everything = not self._is_plain or self._active.defers
        return everything or self._active.by_type[operation, path] is not None

    # ---- time (W1 to W6) ------------------------------------------------------------------------------

    def advance(self, time: TimeGiven) -> list[CompositeEvent]:
        """Says that time has passed although nothing has changed (W6); returns the composites that were due until then,
        that time included.

        ``time`` is RFC 3339 text, a `datetime.datetime` with a time zone, or microseconds since 1970. A time before the
        document's time changes nothing. Raises `TimeError` for what is not a time.
        """
        now = as_microseconds(time)
        if self._closed:
            return []
        raised = self.end_edit()
        if not self._active.follows_time or self._clock.is_behind(now):
            return raised
        self._clock.advance(now)
        doc = "" if self.last_fed is None else self.last_fed.doc
        self._timers.fire_until(now, doc)
        self._timers.expire()
        return raised + self._evaluation.take_report()

    def set_clock(self, time: int | None, transaction: int) -> None:
        """Says what the clock shows at the event that is fed next, whatever that says (W1, W2): microseconds since 1970
        (None: not known), the ordinal of the transaction. It has to be called before each event."""
        self._clock.set(time, transaction)

    def next_due(self) -> str | None:
        """When something is due next by time, as RFC 3339 text (UTC); None if nothing is.

        If deadlines matter although nothing changes, set a timer, and call `advance` then.
        """
        due = min(self.deadlines(), default=None)
        return None if due is None else timestamp(due)

    def deadlines(self) -> Iterator[int]:
        """When something is due by time, in microseconds since 1970, in no particular order."""
        return (due.at for due in self._timers.by_time())

    # ---- explanations (Y1 to Y5) ------------------------------------------------------------------------

    def pending(
        self, *, event: str | None = None, limit: int | None = 1000, complete: bool = False,
        document: Elements | None = None,
    ) -> Pending:  # fmt: skip
        """The partial matches, the most complete first (Y1); changes nothing (Y5).

        ``event`` selects those of one event. The first ``limit`` (None: all) are described in full, ``total`` is their
        number. With ``complete``, each has what would complete it (Y4). ``document`` names the nodes; by default it is
        the one that expressions read, if all of it is there.
        """
        check("pending()", limit=(limit, optional(whole_number(0))))
        from ..explaining import pending as of_trees
        from ..explaining.releases import Releases

        nodes = self._nodes(document)
        doc = "" if self.last_fed is None else self.last_fed.doc
        releases = Releases(self)
        completion = partial(self._completion, releases) if complete else None
        return of_trees(
            self._evaluation.trees.values(), nodes, doc=doc, event=event, limit=limit, completion=completion,
            releases=releases, ended=lambda event, place: not self.can_still_raise(event, place),
        )  # fmt: skip

    def _completion(self, releases: Releases, groups: TreeGroups, key: Key) -> Completion:
        """What would complete a group, tried with detectors of the same rules (Y4)."""
        from ..explaining.completion import complete

        name = groups.tree.tree.name
        return complete(groups, key, lambda: Detector(self._rules, trees=(name,)), self.last_fed, releases)

    def can_still_raise(self, event: str, node: int, *, exists: bool = True) -> bool:
        """Whether an event may be raised (again) in the group of a node, which is in the document or, without
        ``exists``, was deleted (Y11).

        False only if it cannot, whatever happens. Raises `ValueError` for an event that the rules do not have.
        """
        check("can_still_raise()", event=(event, TEXT), node=(node, whole_number(0)))
        from ..explaining.ending import can_still_raise

        evaluation = self._evaluation
        departed = (*evaluation.departed.awaited, *evaluation.departed.late)
        can = can_still_raise(evaluation.trees, event, node, departed, exists=exists)
        return can or self.is_in_edit or bool(self._setting.waiting.passed_on)

    def why(
        self,
        finding: CompositeEvent,
        *,
        findings: Iterable[CompositeEvent] = (),
        document: Elements | None = None,
    ) -> Explanation:
        """Why a finding of these rules was raised, and why other events (stored or in ``findings``) are not in it."""
        check("why()", finding=(finding, COMPOSITE), findings=(findings, ITERABLE))
        from ..explaining.why import why

        given = [*findings, finding]
        return why(self._evidence(finding.name, given, document), finding, doc=finding.cause.doc)

    def why_not(
        self, event: str, *, node: int | None = None, findings: Iterable[CompositeEvent] = (),
        document: Elements | None = None,
    ) -> Explanation:  # fmt: skip
        """Why an event has not been raised, with ``node`` in the group of this node (Y3); changes nothing (Y5).

        The answer comes from the stored events and ``findings``. Raises `ValueError` for an event that the rules do not
        have.
        """
        from ..explaining.why_not import why_not

        doc = "" if self.last_fed is None else self.last_fed.doc
        check("why_not()", node=(node, optional(whole_number(0))), findings=(findings, ITERABLE))
        return why_not(
            self._evidence(event, findings, document), doc=doc, places=None if node is None else {node}
        )

    def _evidence(
        self, event: str, findings: Iterable[CompositeEvent], document: Elements | None
    ) -> Evidence:
        from ..explaining.present import evidence_now

        return evidence_now(self._evaluation.trees, self._setting, event, self._nodes(document), findings)

    def _nodes(self, document: Elements | None) -> Nodes:
        """What names nodes: by a document, or if none is given by the one that expressions ask, unless parts of it are
        left out."""
        from ..explaining.nodes import Nodes

        if document is None and self._document is not None and not self._document.is_partial:
            document = self._document
        several = any(tree.across for tree in self._active.trees)
        return Nodes(self._namespaces, document, several=several)

    @property
    def trees(self) -> Mapping[int, TreeState]:
        """The running states, by the tree's index: for explanations, which change nothing."""
        return self._evaluation.trees

    @property
    def setting(self) -> Setting:
        """What the running states share: for explanations."""
        return self._setting

    # ---- looking inside ---------------------------------------------------------------------------------

    def is_as_new(self) -> bool:
        """Whether it keeps nothing of what it was fed, so that it may be fed with another document next.

        False also where that is unknown: of rules that read the document or measure time, of absences, of empty
        composites.
        """
        if not (self._is_plain and self._active.forget) or self._closed:
            return False
        evaluation = self._evaluation
        waits = evaluation.waiting.release or evaluation.waiting.blocked
        return not (waits or evaluation.report or evaluation.size())

    def awaits_end(self) -> bool:
        """Whether the end of the transaction, of the edit or of the document (`flush`) may raise something."""
        return bool(self._evaluation.waiting.release or self._setting.timers.size or self.is_in_edit)

    def size(self) -> int:
        """How many events are stored in all groups of all trees: what memory depends on (G4)."""
        return self._evaluation.size()

    def _check(self) -> None:
        self._evaluation.check()
