"""The Spark job's steps done by plain Python, so that thousands of examples can be tried."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xmlcep.audit.collecting import Collector
from xmlcep.audit.findings import by_place
from xmlcep.audit.inputs import find_files, make_splits
from xmlcep.audit.mapping import Mapper, Report, Topic
from xmlcep.audit.plan import make_plan
from xmlcep.audit.replay import KeyReplayer
from xmlcep.audit.routing import Kind, Point, Routed
from xmlcep.audit.settling import Settlement
from xmlcep.rules import Rules


def simulate(
    logs: Sequence[Path],
    rules: Rules,
    collector: Collector,
    *,
    split_bytes: int,
    segment_records: int,
    operators: bool,
) -> list[bytes]:
    """The findings' lines, as the distributed audit computes them."""
    splits = make_splits(find_files(logs), split_bytes)
    out = [
        row
        for split in splits
        for rows in Mapper(rules, segment_records=segment_records, batch_size=3).read(split)
        for row in rows
    ]
    reports = [row for row in out if isinstance(row, Report)]
    settlement = Settlement(splits, reports)
    routed = [
        row
        for row in out
        if isinstance(row, Routed) and (row.doc not in settlement.to_sort or row.kind == Kind.FRAGMENT)
    ]
    reports = [row for row in reports if row.kind == Topic.BAD and row.doc not in settlement.to_sort]
    if settlement.to_sort:
        chosen = sorted(
            record
            for split in splits
            for records in Mapper(rules).select(split, settlement.to_sort)
            for record in records
        )
        mapper = Mapper(rules, segment_records=segment_records, batch_size=3)
        again = [
            row
            for rows in mapper.route_sorted((record[2:] for record in chosen), {s.name: s for s in splits})
            for row in rows
        ]
        settlement.add_sorted(row for row in again if isinstance(row, Report))
        routed += [row for row in again if isinstance(row, Routed)]
        reports += [row for row in again if isinstance(row, Report) and row.kind == Topic.BAD]
    for report in reports:
        settlement.collect_bad(report, collector)
    settlement.collect(collector)
    flushes = {(segment, doc): point for segment, doc, point in settlement.flushes()}
    headers = settlement.headers()
    rows: list[Routed] = list(settlement.boundaries())
    for row in routed:
        if row.kind == Kind.OPEN:
            closed = _close_open(row, flushes)
            rows += [closed] if closed else []
        elif row.kind != Kind.FRAGMENT or headers.get(row.doc) == row.segment:
            rows.append(row)
    rows.sort(key=lambda row: (row.pass_index, row.doc, row.key, row.ts, row.kind))
    return _replayed(rows, rules, settlement, operators)


def _close_open(row: Routed, flushes: dict[tuple[int, str], Point]) -> Routed | None:
    """The flush marker that an open key turns into (the job: a join); None when only the close follows."""
    point = flushes.get((row.segment, row.doc))
    if point is None:
        return None
    return row._replace(kind=Kind.FLUSH, ts=point.ts, at=point.at)


def _replayed(rows: list[Routed], rules: Rules, settlement: Settlement, operators: bool) -> list[bytes]:
    replayer = KeyReplayer(make_plan(rules), settlement.ends(), operators=operators)
    findings = [finding for row in rows for finding in replayer.take(row)] + replayer.finish()
    return [finding.line for finding in sorted(findings, key=by_place)]
