"""The documents of an audit in one process: what of them is in memory, and what on disk.

A document is *awake* with a detector of its own. It goes to *sleep* when nothing waits in it: what is known of it then
is how far it has come, and its detector is for others. It is *at rest* when it is on disk, whether something waits in
it or not, until it has records again. So memory follows the waiting matches and what is going on, not the number of
documents.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from ...engine import Detector
from ...engine.durable import Interpreter, read_detector
from ...log import Header
from ...rules import Rules
from ..document_lines import DocumentLines, line_of
from ..failures import Failure, Failures
from ..findings.collector import Collector
from ..findings.order import Ranking
from ..inputs import LogFile
from ..since import Since
from ..since.state_file import document_line
from ..snapshots import snapshot_of
from .across import PartsOfDocuments
from .document_findings import DocumentFindings
from .document_replay import DocumentReplay

_MOST_AWAKE = 64  # documents that keep a detector whether they need one or not
_MOST_WAITING = 2048  # documents with a detector, in which something waits; or twice as many
_MOST_OPERATORS = 8192  # that these have, or twice as many
_MOST_ASLEEP = 4096  # documents that need none, of which the rest is on disk
_BYTES_PER_RECORD = 1000  # of a line that are read and written again, at most
_MOST_HELD = 16 << 20  # bytes of findings in memory


class Documents:
    """The replays of documents by name, from their first record to the end of the audit.

    ``until``: as far as time goes on at the end of each document (W6). With ``since`` they go on from where earlier
    runs have left them.
    """

    def __init__(
        self, rules: Rules, collector: Collector, *, operators: bool, until: str | None, since: Since | None,
        across: PartsOfDocuments | None = None,
    ) -> None:  # fmt: skip
        self._rules = rules
        self._collector = collector
        self._operators = operators
        self._until = until
        self._since = since
        self._across = across
        self._ranking = Ranking(rules)
        self._failures = Failures()
        first = self._made_detector()
        self.concerns, self.needs = first.concerns, first.needs
        """What the detectors are concerned with and need, as `Detector` has it."""
        self._idle = [first]  # as new
        self._can_rest = first.remembering is None
        nodes = [node for tree in rules.graph.trees for node in tree.operators]
        self._defers = any(node.deferred or node.windows for node in nodes)
        self._asks = bool(rules.graph.waiting_for_edits)
        self._externals = bool(rules.externals)
        self._replays: dict[str, DocumentReplay] = {}
        self._new: set[str] = set()  # those of the batch that have not begun, as far as was asked
        self._touched: dict[str, None] = {}  # those of the batch, or of the run
        # Those that have a detector, and those that have none, those that had records last at the end.
        self._awake: dict[str, None] = {}
        self._asleep: dict[str, None] = {}
        self._at_rest = DocumentLines()  # all others of which nothing has to be kept in memory
        self._most_waiting = max(_MOST_AWAKE, min(_MOST_WAITING, _MOST_OPERATORS // max(1, len(nodes))))
        self._most_awake = 2 * self._most_waiting

    # ---- a document has records ---------------------------------------------------------------------------

    def replay_of(self, doc: str, header: Header | None, file: str) -> DocumentReplay:
        """The replay of a document that has records now; it begins if it has not yet, with what the header of the file
        says of it."""
        replay = self.known(doc)
        if replay is None:
            replay = self._replays[doc] = self.begin(doc, header, file)
        elif replay.is_asleep:
            self._asleep.pop(doc, None)
            self.wake(replay)
        self._touched.setdefault(doc)
        return replay

    def known(self, doc: str) -> DocumentReplay | None:
        """The replay of a document that has begun, in this run or in an earlier one."""
        replay = self._replays.get(doc)
        if replay is not None or doc in self._new:
            return replay
        replay = self.revived(doc)
        if replay is None:
            self._new.add(doc)
            return None
        self._replays[doc] = replay
        if replay.is_asleep:
            self._asleep[doc] = None
        return replay

    def known_place(self, doc: str) -> DocumentReplay | None:
        """The same; of one that is at rest only the place that it has reached."""
        replay = self._replays.get(doc)
        if replay is not None or doc in self._new:
            return replay
        state, _ = self._left(doc)
        if state is None:
            self._new.add(doc)
            return None
        replay = self._new_replay(doc, None)
        replay.place(state)
        return replay

    def revived(self, doc: str) -> DocumentReplay | None:
        """A document at rest, or as earlier runs have left it; None if there was nothing of it."""
        state, size = self._left(doc)
        if state is None:
            return None
        replay = self._new_replay(doc, None)
        before = None if self._since is None else self._since.left(doc)
        replay.go_on(state, self._read_detector, before, size // _BYTES_PER_RECORD)
        return replay

    def detector_of(self, doc: str) -> Detector | None:
        """The detector of a document at rest, or as earlier runs have left it; None if there was nothing of it."""
        replay = self.revived(doc)
        if replay is not None and replay.is_asleep:
            self.wake(replay)
        return None if replay is None else replay.give_detector()

    def begin(self, doc: str, header: Header | None, file: str) -> DocumentReplay:
        """The replay of a document that has had no records; ``header`` says what it was like, in this file."""
        document = None
        if header is not None and header.snapshot is not None and self._asks:
            document = snapshot_of(header, file, self.needs)
        detector = self._new_detector()
        if document is not None:
            detector.reset(document)
        return self._new_replay(doc, detector)

    def wake(self, replay: DocumentReplay) -> None:
        """Gives one that is asleep a detector."""
        replay.wake(self._new_detector())

    def add_seconds(self, doc: str, seconds: float) -> None:
        """Notes what the records of a document have taken, if it is in memory."""
        if doc in self._replays:
            self._replays[doc].seconds += seconds

    def drop(self, replay: DocumentReplay) -> None:
        """Forgets a document that is not in order, and what was found in it."""
        replay.take_back()
        self._collector.summary.documents.replayed_anew(replay.doc)
        self._collector.quarantine.forget(replay.doc)
        self._take_detector(replay)
        del self._replays[replay.doc]
        self._asleep.pop(replay.doc, None)
        self._awake.pop(replay.doc, None)
        self._at_rest.discard(replay.doc)

    # ---- others go to rest ----------------------------------------------------------------------------------

    def rest(self) -> None:
        """Between two batches: documents go to rest, if there are many; findings go to disk."""
        self._new.clear()
        self.let_rest()
        if self._collector.held > _MOST_HELD:
            for replay in self._replays.values():
                replay.spool()

    @property
    def are_many(self) -> bool:
        """Whether so many had records that some of them should go to rest within a batch."""
        return len(self._touched) > _MOST_AWAKE

    def let_rest(self) -> None:
        """Those of the last documents that nothing waits in give their detectors away, for others; those that had
        records long ago go to the disk."""
        are_many = len(self._replays) > _MOST_AWAKE
        for doc in self._touched:
            replay = self._replays.get(doc)
            if replay is None:
                continue
            self._awake.pop(doc, None)
            detector = replay.sleep() if are_many else None
            if detector is not None:
                self._idle.append(detector)
                self._asleep[doc] = None
            else:
                self._awake[doc] = None
        self._touched.clear()
        if len(self._asleep) > 2 * _MOST_ASLEEP:
            self._put_to_rest(self._asleep, _MOST_ASLEEP)
        if len(self._awake) > self._most_awake and self._can_rest:
            self._put_to_rest(self._awake, self._most_waiting)
            self._most_awake = len(self._awake) + self._most_waiting

    def _put_to_rest(self, docs: dict[str, None], most: int) -> None:
        """Puts all but the last of these on disk. One of which much would be written for the records that it has had
        since that was read stays: so this costs no more than in proportion to the records."""
        for doc in list(islice(docs, len(docs) - most)):
            replay = self._replays[doc]
            if replay.count < replay.rests_from:
                continue
            self._collector.occurred(doc, replay.types)
            state, is_open = replay.rest(until=self._until)
            self._at_rest.add(doc, line_of(state), is_open=is_open)
            self._take_detector(replay)
            del docs[doc], self._replays[doc]
            self._new.discard(doc)

    # ---- the end ------------------------------------------------------------------------------------------

    def finish_all(self, disordered: Collection[str]) -> None:
        """The log is over, or all there is of it so far, for all but those that are not in order."""
        for replay in self._replays.values():
            self.finish(replay)
        since = self._since
        if since is None or since.state.final:
            for doc in self._left_waiting(disordered):
                self._finish_left(doc)
        else:
            self._leave_all(since)
        self._replays = {}
        self._at_rest.close()

    def finish(self, replay: DocumentReplay) -> None:
        """The log is over for one document: waiting matches are raised, or left to the next run."""
        since = self._since
        self._collector.occurred(replay.doc, replay.types)
        if since is None or since.state.final:
            replay.finish(self._until)
        elif replay.failure is None:
            since.state.documents[replay.doc] = document_line(replay.pause())
        if replay.failure is not None:
            self._failures.add(replay.doc, replay.failure)
        self._take_detector(replay)

    def check(self, files: Sequence[LogFile]) -> None:
        """Raises what went wrong in documents, if anything did but in those that one bad record has ended."""
        if self._since is None:  # else the next run has to know of the document
            self._failures.put_aside(files, self._collector.quarantine)
        self._failures.check()

    def _left_waiting(self, disordered: Collection[str]) -> Iterator[str]:
        """Documents that are at rest, or that earlier runs have left, and in which something may wait."""
        yield from (doc for doc, _ in self._at_rest.lines(only_open=True) if doc not in self._replays)
        if self._since is not None:
            for doc in self._since.state.documents:
                if not (doc in self._replays or doc in disordered or doc in self._at_rest):
                    yield doc

    def _finish_left(self, doc: str) -> None:
        replay = self.revived(doc)
        if replay is not None and not replay.is_asleep:
            self.finish(replay)

    def _leave_all(self, since: Since) -> None:
        """What documents that are at rest leave to the next run."""
        for doc, line in self._at_rest.lines():
            if doc in self._replays:
                continue
            state = json.loads(line)
            failure = state.pop("run").get("failure")
            if failure is None:
                since.state.documents[doc] = document_line(state)
            else:
                self._failures.add(doc, Failure(*failure))

    # ---- states and detectors -------------------------------------------------------------------------------

    def _left(self, doc: str) -> tuple[dict[str, Any] | None, int]:
        """The state in which a document is at rest, or earlier runs have left it, and how many bytes that is; None if
        there was nothing of it."""
        line = self._at_rest.get(doc)
        if line is None and self._since is not None:
            line = self._since.state.documents.get(doc)
        return (None, 0) if line is None else (json.loads(line), len(line))

    def _read_detector(self, reader: Interpreter, data: object) -> Detector:
        detector = self._new_detector()
        read_detector(reader, data, detector)
        return detector

    def _new_replay(self, doc: str, detector: Detector | None) -> DocumentReplay:
        return DocumentReplay(
            doc, detector, DocumentFindings(doc, self._ranking, self._collector), self._collector,
            defers=self._defers, follows_edits=self._asks, externals=self._externals, across=self._across,
        )  # fmt: skip

    def _new_detector(self) -> Detector:
        return self._idle.pop() if self._idle else self._made_detector()

    def _made_detector(self) -> Detector:
        return Detector(self._rules, operators=self._operators)

    def _take_detector(self, replay: DocumentReplay) -> None:
        """Takes the detector of a replay that is done, for others: its waiting matches are freed here, not found
        by a search for cyclic garbage."""
        detector = replay.give_detector()
        if detector is not None:
            detector.reset()
            self._idle.append(detector)
