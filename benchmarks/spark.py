"""The audit with Spark against the local engine: many small groups, few large ones, one that has a third of the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .audited import (
    FLOOR,
    LOCAL,
    ONE_CORE,
    ONE_TASK,
    TWO_TASKS,
    Engine,
    compared,
    disturbance,
    median,
    memory,
    written,
)
from .bulk import BulkLog, ShapeName
from .frame import Figure, Settings
from .make_log import Kind
from .one_spark_audit import Measured
from .queries import both_rule, complete_rule
from .samples import rules_for_orders

TITLE = "Audit with Spark, CPU of all processes (start of Spark apart); the ratio is to the local engine"
ENGINES = (LOCAL, ONE_CORE, ONE_TASK, TWO_TASKS, FLOOR)
BY_ITEM = f"{complete_rule()}\n{both_rule()}\n"
BY_ORDER = """\
event Complete(order) = ins(item) ; (ins(item/price) & ins(item/quantity))
event Both(order) = upd(item/price/text()) & upd(item/quantity/text())
"""


class Case(NamedTuple):
    """A log and rules for it; ``most`` limits the records where an audit takes long."""

    name: str
    shape: ShapeName
    rules: str
    kind: Kind = "parquet"
    transaction: int | None = None
    most: int | None = None


CASES = (
    Case("many groups, Parquet", "many", BY_ITEM),
    Case("8 groups, Parquet", "few", BY_ORDER),
    Case("one group has a third, Parquet", "skew", BY_ORDER),
    Case("many groups, JSON Lines", "many", BY_ITEM, kind="jsonl"),
    Case("sample rules, Parquet", "many", rules_for_orders(), transaction=50, most=1_000_000),
)


def run(settings: Settings) -> Iterator[Figure]:
    """For each case CPU per record, records per second and memory of each engine, and what a second task brings."""
    for case in CASES:
        if settings.only in case.name:
            events = min(settings.events, case.most or settings.events)
            log = BulkLog(events, case.shape, transaction=case.transaction, seed=settings.seed)
            with written(log, case.rules, case.kind) as (records, rules):
                taken = compared(ENGINES, records, rules, settings)
            yield from _figures(case.name, events, taken)


def _figures(case: str, events: int, taken: Mapping[Engine, list[Measured]]) -> Iterator[Figure]:
    base = median(taken[LOCAL], lambda one: one.cpu)
    for engine, runs in taken.items():
        cpu, clock = (sorted(getattr(one, what) for one in runs) for what in ("cpu", "clock"))
        seconds = median(runs, lambda one: one.clock)
        note = f"{events:,} records in {seconds:.1f} s, {events / seconds:,.0f} a second, {memory(runs)}"
        note += "" if engine.floor else f", {runs[0].findings:,} findings"
        note += disturbance(runs)
        value, scale = median(runs, lambda one: one.cpu), 1e6 / events
        yield Figure(
            "spark", f"{case}, {engine}", value * scale, "µs/record",
            None if engine == LOCAL else value / base, "" if engine == LOCAL else str(LOCAL),
            cpu[0] * scale, cpu[-1] * scale, note,
        )  # fmt: skip
        yield Figure(
            "spark", f"{case}, {engine}, clock", seconds, "s",
            low=clock[0], high=clock[-1],
        )  # fmt: skip
    starts = [one for engine, runs in taken.items() if engine not in (LOCAL, ONE_CORE) for one in runs]
    start = median(starts, lambda one: one.start_clock)
    clocks = {engine: median(runs, lambda one: one.clock) for engine, runs in taken.items()}
    for other in (ONE_TASK, ONE_CORE, LOCAL):
        factor = clocks[other] / clocks[TWO_TASKS]
        note = _break_even(start, clocks, events) if other == LOCAL else ""
        yield Figure("spark", f"{case}, local[2] is faster than {other}", factor, "times", note=note)
    yield Figure(
        "spark", f"{case}, start of Spark", median(starts, lambda one: one.start_cpu), "s",
        note=f"{start:.1f} s of the clock",
    )  # fmt: skip


def _break_even(start: float, clocks: Mapping[Engine, float], events: int) -> str:
    """From how many records on Spark's start pays, if each record takes as long as here."""
    gained = (clocks[LOCAL] - clocks[TWO_TASKS]) / events
    return f"start included: from {start / gained:,.0f} records on" if gained > 0 else "start included: never"
