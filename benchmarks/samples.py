"""The purchase order's rules, as they stand in the samples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .engine import detection
from .floor import count_complete, count_samples
from .frame import Figure, Settings, Unavailable
from .histories import History
from .measure import measure, per_event
from .queries import ITEM, complete_rule, rows_in_memory

TITLE = "The rules of the purchase order sample together (100 items open at once, transactions of 50)"
RULES = Path(__file__).parent.parent / "samples" / "purchase_order" / "purchase-order.xcep"


def run(settings: Settings) -> Iterator[Figure]:
    """All rules, and all but those with a condition, for which no document has to be kept in step."""
    if not RULES.exists():
        raise Unavailable(f"{RULES.name} is not there")
    try:
        from xmlcep import load_rules, parse_rules
    except ImportError as error:
        raise Unavailable(f"the engine: {error}") from error
    everything = load_rules(RULES)
    without = without_conditions(str(everything))
    assert not parse_rules(without).graph.has_conditions
    rows = rows_in_memory(History(settings.events, 100, deleted=1.0, transaction=50, seed=settings.seed))
    timings = measure(
        {
            "floor of Q1": partial(count_complete, rows, ITEM),
            "floor of the rules without conditions": partial(count_samples, rows, ITEM),
            "Q1": detection(complete_rule(), rows),
            "rules without conditions": detection(without, rows),
            "all rules": detection(str(everything), rows),
        },
        runs=settings.runs,
    )
    yield from per_event("samples", "", timings, events=settings.events, base="Q1")


def without_conditions(rules: str) -> str:
    """Of rules as they are printed, one a line, those that do not ask the document."""
    return "\n".join(line for line in rules.splitlines() if "when=" not in line)
