"""Events over documents in an audit: what they are made of is kept while documents are replayed, in any order, and is
replayed in the order of all of them when that is done (rule V11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from ...engine import EvaluationError
from ...engine.across import Across
from ...engine.durable import new_reader, new_writer
from ...engine.errors import UnknownTimeError
from ...events import CompositeEvent, PrimitiveEvent
from ...log.json_codec import FASTEST, STANDARD
from ...rules import Rules
from ...timestamps import microseconds
from ..findings.collector import Collector
from ..findings.encoding import FindingEncoder
from ..request import AuditError

_TOGETHER = 1000  # findings


class AcrossReplay:
    """What all documents of an audit have for the events over documents; ``until``: as far as time goes on at the
    end."""

    def __init__(self, rules: Rules, collector: Collector, *, operators: bool, until: str | None) -> None:
        self._across = Across(rules, operators=operators)
        self._collector = collector
        self._times: dict[str, int] = {}  # how late it is in each document (W1)
        self._end = 0 if until is None else microseconds(until)

    def take(self, doc: str, record: PrimitiveEvent | None, raised: Sequence[CompositeEvent]) -> None:
        """A record of a document, if it is one, and what it has raised.

        Raises `UnknownTimeError` for what means something while no time of the document is known.
        """
        if record is not None and record.at is not None:
            self._pass(doc, microseconds(record.at))
            self._end = max(self._end, self._times[doc] - 1)  # what is due then is not due yet
        used = self._across.uses(raised)
        taken = record is not None and self._across.takes(record.op, record.path)
        if not (taken or used):
            return
        time = self._times.get(doc)
        if time is None:
            raise UnknownTimeError(self._across.name, (record or used[0].cause).ts)
        writer = new_writer()
        item = {
            "record": None if record is None else writer.event(record), "raised": list(map(writer.event, used)),
        }  # fmt: skip
        self._collector.spool.add_across(time, doc, STANDARD.dumps(item | writer.state()))

    def advance(self, doc: str, at: str) -> None:
        """It is this time in a document, although nothing has changed (W6)."""
        self._pass(doc, microseconds(at))
        self._end = max(self._end, self._times[doc])

    def _pass(self, doc: str, time: int) -> None:
        self._times[doc] = max(time, self._times.get(doc, time))

    def drop(self, doc: str) -> None:
        """Forgets a document, which is going to be replayed anew."""
        self._times.pop(doc, None)
        self._collector.spool.drop_across(doc)

    def findings(self, withheld: Collection[str]) -> Iterator[bytes]:
        """What is found, as lines in the order in which it is raised, without the documents whose findings are
        withheld."""
        encode = FindingEncoder().encode
        raised = self._raised(withheld)
        while some := list(islice(raised, _TOGETHER)):
            for each in some:
                self._collector.found(each.cause.doc, Counter([each.name]))
            yield b"".join(encode(each) + b"\n" for each in some)

    def _raised(self, withheld: Collection[str]) -> Iterator[CompositeEvent]:
        try:
            for time, doc, line in self._collector.spool.across():
                if doc not in withheld:
                    item = FASTEST.loads(line)
                    reader = new_reader(item)
                    record = None if item["record"] is None else reader.event(item["record"])
                    yield from self._across.feed(time, record, list(map(reader.event, item["raised"])))
            yield from self._across.advance(self._end)
        except EvaluationError as error:
            raise AuditError(str(error)) from error
