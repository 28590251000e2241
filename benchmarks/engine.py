"""The engine under the clock: rows in memory in, number of composites out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from .frame import Unavailable
from .histories import Row

if TYPE_CHECKING:
    from xmlcep import PrimitiveEvent


def detection(rules_text: str, rows: Sequence[Row]) -> Callable[[], int]:
    """A function that replays the rows through an empty detector and counts what it raises.

    Getting ready is not in it: the rules are parsed and the event trees built before, and what events of a
    type mean to them is worked out in the run that warms up. A detector lives long.
    """
    try:
        from xmlcep import Detector, parse_rules
    except ImportError as error:
        raise Unavailable(f"the engine: {error}") from error
    detector = Detector(parse_rules(rules_text))

    def run() -> int:
        detector.reset()
        return count(detector.replay(as_events(rows))) + len(detector.close())

    return run


def first_detection(rules_text: str, rows: Sequence[Row]) -> Callable[[], int]:
    """A function that parses the rules, makes a detector and replays the rows through it: getting ready."""
    from xmlcep import Detector, parse_rules

    return lambda: count(Detector(parse_rules(rules_text)).replay(as_events(rows)))


def as_events(rows: Iterable[Row]) -> Iterable[PrimitiveEvent]:
    """The same rows, for the type checker: the detector takes plain tuples of the layout of events."""
    return cast("Iterable[PrimitiveEvent]", rows)


def count(results: Iterable[object]) -> int:
    """How many there are; nothing is kept."""
    return sum(1 for _ in results)
