"""What absence, windows, selection and time cost beside Q1 (1,000 items open at once)."""

from __future__ import annotations

from collections.abc import Iterator

from .engine import detection
from .frame import Figure, Settings
from .histories import History
from .measure import measure, per_event
from .queries import complete_rule, rows_in_memory

TITLE = "Absence, windows, selection and time beside Q1 (1,000 items open at once)"
PRICE, QUANTITY, ITEM = "ins(item/price)", "ins(item/quantity)", "ins(item)"
RULES = {
    "a sequence with a not inside": f"{ITEM} ; not upd(item/price/text()) ; {QUANTITY}",
    "a not at the end, with a window": f"({ITEM} ; not {QUANTITY}){{within='20000 changes'}}",
    "a conjunction with a window": f"({PRICE} & {QUANTITY}){{within='20000 changes'}}",
    "x[3,*] with a window": "x[3,*]{within='20000 changes'} upd(item/price/text())",
    "any[2] of three": f"any[2]({ITEM}, {PRICE}, {QUANTITY})",
    "aperiodic": f"aperiodic[{ITEM}, {QUANTITY}] upd(item/price/text())",
    "next": f"({ITEM} ; {PRICE} ; {QUANTITY}){{context=next}}",
}


def run(settings: Settings) -> Iterator[Figure]:
    rows = rows_in_memory(History(settings.events, 1_000, deleted=1.0, seed=settings.seed))
    alternatives = {"Q1": detection(complete_rule(), rows)}
    for name, expression in RULES.items():
        alternatives[name] = detection(f"event E = {expression}".replace("'", '"'), rows)
    timings = measure(alternatives, runs=settings.runs)
    yield from per_event("constructs", "", timings, events=settings.events, base="Q1")
