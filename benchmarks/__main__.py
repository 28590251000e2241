"""``python -m benchmarks [NAMES] [--events N] [--runs N] [--only CASE] [--json FILE] [--compare OLD]``."""

from __future__ import annotations

import json
import logging
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .frame import NAMES, Figure, Settings, Unavailable, load
from .measure import GC_STATE, frozen_input

REGRESSION = 1.15
DEFAULT = Settings()


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option("--events", default=DEFAULT.events, show_default=True, help="Events per history.")
@click.option("--runs", default=DEFAULT.runs, show_default=True, help="Runs of each case; the median counts.")
@click.option("--seed", default=DEFAULT.seed, show_default=True, help="Seed of the histories.")
@click.option("--only", default="", help="Of the long benchmarks only cases whose name has this in it.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Save the figures to this file.")
@click.option("--compare", "old", type=click.Path(path_type=Path, exists=True), help="Figures saved before.")
def main(
    names: Sequence[str],
    events: int,
    runs: int,
    seed: int,
    only: str,
    target: Path | None,
    old: Path | None,
) -> None:
    """Measures what matching costs (all benchmarks, or those named) and prints a table."""
    console = Console(width=120)
    settings = Settings(events, runs, seed, only)
    before = {} if old is None else _read(old)
    console.print(f"{_machine()}; {events:,} events, median of {runs} runs, {GC_STATE}; CPU time")
    figures: list[Figure] = []
    for name in names or NAMES:
        try:
            benchmark = load(name)
            with _without_warnings():
                found = list(benchmark.run(settings))
        except Unavailable as missing:
            console.print(f"{name} was left out: {missing}")
            continue
        console.print(_table(benchmark.TITLE, found, before))
        figures += found
    if target is not None:
        record = {"machine": _machine(), "events": events, "runs": runs, "seed": seed}
        record["figures"] = [figure.to_json() for figure in figures]
        target.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _table(title: str, figures: Sequence[Figure], before: dict[tuple[str, str, str], Figure]) -> Table:
    table = Table(title=escape(title), title_justify="left", title_style="bold")
    table.add_column("case")
    for heading in ("value", "lowest", "highest", "ratio"):
        table.add_column(heading, justify="right")
    table.add_column("note")
    if before:
        table.add_column("before", justify="right")
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f} x {figure.base}"
        row = [
            escape(figure.case),
            _number(figure.value, figure.unit),
            _number(figure.low),
            _number(figure.high),
        ]
        row += [ratio, escape(figure.note)]
        if before:
            row.append(_change(figure, before.get(figure.key)))
        table.add_row(*row)
    return table


def _number(value: float | None, unit: str = "") -> str:
    return "" if value is None else f"{value:,.3f} {unit}".strip()


def _change(new: Figure, old: Figure | None) -> str:
    """The figure before and the factor from it to the new one, by their ratios where both have one.

    Ratios were each measured within one run, so they stay comparable when the machine's speed changes.
    """
    if old is None:
        return "new"
    if new.ratio is not None and old.ratio:
        factor, shown = new.ratio / old.ratio, f"{old.ratio:.2f} x {old.base}"
    else:
        factor, shown = new.value / old.value if old.value else 1.0, _number(old.value)
    mark = " SLOWER" if factor > REGRESSION else ""
    return f"{shown}, now {factor:.2f} of it{mark}"


@contextmanager
def _without_warnings() -> Iterator[None]:
    """What rules of a benchmark match is not what is measured: nothing is said of it."""
    logger = logging.getLogger("xmlcep")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _read(source: Path) -> dict[tuple[str, str, str], Figure]:
    figures = map(Figure.from_json, json.loads(source.read_text(encoding="utf-8"))["figures"])
    return {figure.key: figure for figure in figures}


def _machine() -> str:
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"


if __name__ == "__main__":
    # What the program consists of is no garbage either.
    with frozen_input():
        sys.exit(main())
