"""What a benchmark is: a module with ``TITLE`` and ``run(settings)`` that yields figures.

A benchmark named ``q1`` is the module ``benchmarks/q1.py``; to add one, write the module and put its name
into `NAMES`. Everything that is measured is CPU time of this process, see `measure`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, Protocol, cast

NAMES: tuple[str, ...] = (
    "q1", "q2", "q3", "contexts", "constructs", "values", "samples", "reading", "recording", "recovery", "audit",
    "audit_duckdb", "memory", "flat", "live", "versions",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What all benchmarks are told: how many events, how many runs of each case (the median counts).

    Benchmarks whose cases take long run only those whose name has ``only`` in it.
    """

    events: int = 100_000
    runs: int = 5
    seed: int = 1
    only: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: ``value`` in ``unit`` of a case of a benchmark.

    ``ratio`` is the value over that of ``base`` (such as ``"floor"``) measured in the same run, None where
    there is nothing to compare with. ``low`` and ``high`` are the extremes of the runs.
    """

    benchmark: str
    case: str
    value: float
    unit: str
    ratio: float | None = None
    base: str = ""
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What the figure is of: the same in two runs that can be compared."""
        return self.benchmark, self.case, self.unit

    def to_json(self) -> dict[str, Any]:
        """The figure as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Figure:
        """The figure that `to_json` wrote."""
        return cls(**record)


class Unavailable(Exception):
    """Raised by a benchmark that cannot run here; the message says what is missing."""


class Benchmark(Protocol):
    """The module of a benchmark."""

    TITLE: str

    def run(self, settings: Settings) -> Iterator[Figure]:
        """Measures and yields the figures; raises `Unavailable` when something needed is not there."""
        ...


def load(name: str) -> Benchmark:
    """The benchmark called ``name``; raises `Unavailable` when it, or a package it needs, is not there."""
    try:
        module = import_module(f"{__package__}.{name}")
    except ImportError as error:
        raise Unavailable(str(error)) from error
    if not hasattr(module, "run"):
        raise Unavailable(f"benchmarks/{name}.py has no run(settings)")
    return cast(Benchmark, module)
