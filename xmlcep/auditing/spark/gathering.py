"""Records in columns of blocks that follow each other, put together: routing many at once costs less."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ...log.columns.blocks import FilteredColumns, Span


class Gathered:
    """FilteredColumns records of blocks that follow each other, put together."""

    def __init__(self) -> None:
        self.records = 0
        self._spans: dict[str, Span] = {}
        self._positions: dict[str, tuple[int, int]] = {}
        self._parts: list[dict[str, Any]] = []

    def add(self, filtered: FilteredColumns, position: tuple[int, int]) -> None:
        """Takes the records of the next block, which begins at this position: in which part of the log, and where
        there."""
        for span in filtered.spans:
            before = self._spans.get(span.doc)
            if before is not None:
                records = before.records + span.records
                self._spans[span.doc] = before._replace(
                    last=span.last, records=records, last_txn=span.last_txn
                )
            else:
                self._spans[span.doc] = span
                self._positions[span.doc] = position
            self.records += span.records
        places = {doc: place for place, doc in enumerate(self._spans)}
        codes = pa.array([places[span.doc] for span in filtered.spans], pa.int64())
        self._parts.append(filtered.columns | {"doc": codes.take(filtered.columns["doc"])})

    @property
    def positions(self) -> list[tuple[int, int]]:
        """Where the block begins in which each of the documents is first."""
        return list(self._positions.values())

    def joined(self) -> FilteredColumns:
        """All that was added."""
        parts, spans = self._parts, list(self._spans.values())
        if len(parts) == 1:
            return FilteredColumns(spans, parts[0])
        columns = {name: pa.concat_arrays([part[name] for part in parts]) for name in parts[0]}
        return FilteredColumns(spans, columns)
