"""The engine under the clock: a fresh detector per run, rows in memory in, number of composites out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from .frame import Unavailable
from .histories import Row

if TYPE_CHECKING:
    from xmlcep import PrimitiveEvent


def detection(rules_text: str, rows: Sequence[Row]) -> Callable[[], int]:
    """A function that replays the rows through a new detector and counts what it raises.

    Parsing the rules and building the event trees is not in it: a detector lives long.
    """
    try:
        from xmlcep import Detector, parse_rules
    except ImportError as error:
        raise Unavailable(f"the engine: {error}") from error
    rules = parse_rules(rules_text)

    def run() -> int:
        detector = Detector(rules)
        return count(detector.replay(as_events(rows))) + len(detector.close())

    return run


def as_events(rows: Iterable[Row]) -> Iterable[PrimitiveEvent]:
    """The same rows, for the type checker: the detector takes plain tuples of the layout of events."""
    return cast("Iterable[PrimitiveEvent]", rows)


def count(results: Iterable[object]) -> int:
    """How many there are; nothing is kept."""
    return sum(1 for _ in results)
