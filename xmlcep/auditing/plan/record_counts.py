"""How many records of a log each pass would replay, and where most of them are: for ``--explain`` and ``--dry-run``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from path_types import PathType

from ...log import Batch, ClockCheck
from ...log.decoding import RowDecoder
from ..inputs import LogFile, whole
from ..splits import PartReader
from .partition_key import Plan, key_at

_SHOWN = 3
_SKEWED = 0.2  # of a pass's records: what one core has to do by itself, however many there are
_MOST_KEYS = 1_000_000


class KeyCount(NamedTuple):
    """How many records are under a key: of a document, of a node in it, of a value in it; or, with no document, of a
    value in all (V11)."""

    doc: str | None
    node: int | str | None
    records: int

    @property
    def key(self) -> str:
        """The key in words."""
        if self.node is None:
            return repr(self.doc)
        of = "" if self.doc is None else f"{self.doc!r} "
        return f"{of}{'value' if isinstance(self.node, str) else 'node'} {self.node!r}"

    def __str__(self) -> str:
        return f"{self.key} {self.records:,}"


class KeyCounter:
    """Counts the records of a pass by key: a document, and a node id or a value in it (None where it is the key)."""

    def __init__(self, most: int = _MOST_KEYS) -> None:
        self._most = most
        self._forgotten = 0
        self.keys: Counter[tuple[str | None, int | str | None]] = Counter()
        """The records of each."""

    def forget_small(self) -> None:
        """Of very many keys the smallest go; what they have is kept as a number."""
        if len(self.keys) > 2 * self._most:
            before = self.keys.total()
            self.keys = Counter(dict(self.keys.most_common(self._most)))
            self._forgotten += before - self.keys.total()

    @property
    def records(self) -> int:
        """How many records were counted."""
        return self.keys.total() + self._forgotten

    @property
    def number(self) -> str:
        """How many keys there are, as text; it may be a bound."""
        bounded = len(self.keys) > self._most or self._forgotten
        return f"more than {self._most:,}" if bounded else f"{len(self.keys):,}"

    def largest(self, number: int) -> tuple[KeyCount, ...]:
        """So many of the keys that have most, the largest first."""
        return tuple(KeyCount(doc, node, records) for (doc, node), records in self.keys.most_common(number))


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
    counters = [KeyCounter() for _ in plan.passes]
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
                    doc = None if plan.passes[index].across else row[8]
                    counters[index].keys[doc, key_at(row, step)] += 1
            for counter in counters:
                counter.forget_small()
    passes = (PassCounts(each.records, each.number, each.largest(_SHOWN)) for each in counters)
    return Counts(records, tuple(passes))
