"""Composites on their way to the passes that take them, under other keys (T5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...events import CompositeEvent, PrimitiveEvent
from ...log.columns.blocks import RecordTypes
from ...log.json_codec import FASTEST
from ..findings.encoding import FindingEncoder
from ..plan.partition_key import Plan
from .bucket_loads import Key, RoutedLoad
from .chunks import Chunk, ChunkWriter, Mark, buckets_of, hash_of
from .live_detector import LiveDetector


class CompositeForwarding:
    """What a bucket hands on, by the passes that take it."""

    def __init__(self, plan: Plan, buckets: int, load: RoutedLoad) -> None:
        self._plan = plan
        self._load = load
        self._types = RecordTypes(lambda op, path: True)
        self._writer = ChunkWriter([each.level for each in plan.passes], buckets, self._types.by_number)
        self._encoder = FindingEncoder()
        self._takers: dict[str, list[int]] = {}
        for each in plan.passes:
            used = {index for tree in each.trees for index in tree.dependencies}
            for source in each.sources:
                if source.index in used:
                    self._takers.setdefault(source.name, []).append(each.index)
        self._rows: dict[int, list[tuple[Any, ...]]] = {}  # by segment

    def takes(self, composites: Sequence[CompositeEvent]) -> bool:
        """Whether any of these is of a name that other passes take."""
        takers = self._takers
        return bool(takers) and any(composite[0] in takers for composite in composites)

    def add(
        self, doc: str, composites: Sequence[CompositeEvent], live: LiveDetector, segment: int
    ) -> Sequence[CompositeEvent]:
        """Takes what was raised by a detector while rows of this segment were replayed; returns the same, `recorded`
        as far as it is forwarded: what is written for that need not be written again for findings."""
        if not self._takers:
            return composites
        given = []
        for composite in composites:
            path = composite.path
            encoded = b""
            for taker in self._takers.get(composite.name, ()) if composite.operator is None else ():
                each = self._plan.passes[taker]
                step = None if path is None else each.step(path)
                if step is None:
                    continue
                cause = composite.cause
                # What other passes take is raised at events (the plan).
                assert isinstance(cause, PrimitiveEvent)
                key = 0 if each.by_document else composite.ids[step]
                type_ = self._types.of(cause[1], cause[2]).number
                if not encoded:
                    composite = self._encoder.recorded(composite)
                    encoded = self._encoder.forwarded(composite)
                meta = None if cause[10] is None else FASTEST.dumps(cause[10]).decode()
                code = self._writer.code(doc)
                rows = self._rows.setdefault(live.segment_of(cause[0], segment), [])
                rows.append(
                    (
                        taker,
                        code,
                        key,
                        type_,
                        *cause[:8],
                        cause[9],
                        meta,
                        cause[11] or None,
                        live.edit,
                        encoded,
                    )
                )
            given.append(composite)
        return given

    def take(self) -> Iterator[Chunk]:
        """Chunks of what came together, by the segments of the time points at which it was raised."""
        rows, self._rows = self._rows, {}
        for segment, its in rows.items():
            self._write(its)
            for chunk in self._writer.take(segment, interleaved=True):
                self._load.add_chunk(chunk)
                yield chunk

    def _write(self, rows: Sequence[tuple[Any, ...]]) -> None:
        takers, docs, keys, types, ts, _, _, ids, value, old, pos, at, txn, meta, more, edit, composites = (
            zip(*rows, strict=True)
        )
        hashes = np.array([hash_of(self._writer.docs[doc]) for doc in docs], np.uint64)
        columns = {
            "mark": np.full(len(ts), Mark.COMPOSITE), "doc": docs, "what": types, "ts": ts, "ids": ids, "value": value,
            "old": old, "pos": pos, "at": at, "txn": txn, "meta": meta, "more": more, "edit": edit,
            "composite": composites,
        }  # fmt: skip
        buckets = buckets_of(hashes, keys, self._writer.buckets)
        passes = np.array(takers)

        def key_at(place: int) -> Key:
            by_document = self._plan.passes[takers[place]].by_document
            return self._writer.docs[docs[place]], None if by_document else keys[place]

        self._load.add_keys(passes, np.array(docs), np.array(keys), key_at)
        self._writer.add(passes, buckets, columns, ordered=False)
