"""How many records of a log each pass would replay, and where most of them are: for ``--explain`` and ``--dry-run``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from path_types import PathType

from ...log import Batch, ClockCheck
from ...log.decoding import RowDecoder
from ...log.records import Row
from ..inputs import LogFile
from ..splits import PartReader, whole
from .partition_key import DOCUMENT, VALUE, Pass, Plan

_MOST_KEYS = 1_000_000
_SHOWN = 3
_SKEWED = 0.2  # of a pass's records: what one core has to do by itself, however many there are


class KeyCount(NamedTuple):
    """How many records are under a key: of a document, of a node in it, or of a value in it."""

    doc: str
    node: int | str | None
    records: int

    def __str__(self) -> str:
        node = "" if self.node is None else f" node {self.node}"
        if isinstance(self.node, str):
            node = f" value {self.node!r}"
        return f"{self.doc!r}{node} {self.records:,}"


@dataclass(frozen=True, slots=True)
class PassCounts:
    """How many records a pass replays, under how many keys (as text, it may be a bound), and the largest keys."""

    records: int
    keys: str
    largest: tuple[KeyCount, ...]

    @property
    def skew(self) -> float:
        """The share of the records under the largest key, which one core replays, however many there are."""
        return self.largest[0].records / self.records if self.largest else 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """Records in all and by pass."""

    records: int
    passes: tuple[PassCounts, ...]

    def of_pass(self, index: int) -> Iterator[str]:
        """What there is to say of a pass, in lines as `describe_pass` has them."""
        own = self.passes[index]
        yield f"records     {own.records:,} of {self.records:,} replayed, under {own.keys} keys"
        if own.largest and own.records > 1:
            yield f"largest     {', '.join(map(str, own.largest))}"
        if own.records > 1 and own.skew > _SKEWED:
            yield (
                f"skew        {own.skew:.0%} of the records are under one key, which one core replays: further cores"
                " help with the rest only"
            )


def count_records(files: Sequence[LogFile], plan: Plan) -> Counts:
    """Reads the logs and counts; bad records are left out."""
    counters = [_KeyCounter(each) for each in plan.passes]
    routes: dict[tuple[str, PathType], list[tuple[int, int]]] = {}
    records = 0
    decoder = RowDecoder(ClockCheck.ANY)
    for file in files:
        for item in PartReader(whole(file), decoder, lambda _: None).read():
            if not isinstance(item, Batch):
                continue
            records += len(item.rows)
            for row in item.rows:
                type_ = (row[1], row[2])
                route = routes.get(type_)
                if route is None:
                    route = routes[type_] = plan.feeds(*type_)
                for index, step in route:
                    key = 0 if step == DOCUMENT else (_own_value(row) if step == VALUE else row[3][step])
                    counters[index].keys[row[8], key] += 1
            for counter in counters:
                counter.forget_small()
    return Counts(records, tuple(counter.counts() for counter in counters))


def _own_value(row: Row) -> str:
    return (row[5] if row[1] == "del" else row[4]) or ""


class _KeyCounter:
    """Counts the records of a pass by key (document and node id)."""

    def __init__(self, each: Pass) -> None:
        self._by_document = each.by_document
        self._forgotten = 0
        self.keys: Counter[tuple[str, int | str]] = Counter()

    def forget_small(self) -> None:
        """Of very many keys the smallest go; what they have is kept as a number."""
        if len(self.keys) > 2 * _MOST_KEYS:
            before = self.keys.total()
            self.keys = Counter(dict(self.keys.most_common(_MOST_KEYS)))
            self._forgotten += before - self.keys.total()

    def counts(self) -> PassCounts:
        """What was counted."""
        number = (
            f"more than {_MOST_KEYS:,}"
            if len(self.keys) > _MOST_KEYS or self._forgotten
            else f"{len(self.keys):,}"
        )
        largest = tuple(
            KeyCount(doc, None if self._by_document else node, records)
            for (doc, node), records in self.keys.most_common(_SHOWN)
        )
        return PassCounts(self.keys.total() + self._forgotten, number, largest)
