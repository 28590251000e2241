"""What an arrival costs does not depend on how many lie in the window, or have accumulated without one.

Counted, not timed: the lines of Python that run for it, backward jumps of loops included.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from path_types import PathType
from xmlcep import Detector, PrimitiveEvent, parse_rules
from xmlcep.timestamps import timestamp

PRICE = PathType.parse("/order/item/price/text()")
PLACES = ((1, 2, 3, 4), (1, 2, 5, 6), (1, 7, 8, 9))
FEW, MANY = 20, 200
LEAF = "upd(item/price/text())"
SAID = f"{LEAF} as $p as $u = ($meta:user)"
SUM = 'having="sum($p) > 10"'
RULES = {
    "plain": f"event M = x[3,*]{{WINDOW}} {LEAF}",
    "flat": f"event M {{flat}} = x[3,*]{{WINDOW}} {LEAF}",
    "flat, never raised": f'event M {{flat}} = x[3,*]{{having="1 = 2", WINDOW}} {LEAF}',
    "in detection order": f"event M {{order=detection}} = x[3,*]{{WINDOW}} {LEAF}",
    "by and having": f'event M = x[3,*]{{by="u", {SUM}, WINDOW}} {SAID}',
    "flat, by and having": f'event M {{flat}} = x[3,*]{{by="u", {SUM}, WINDOW}} {SAID}',
    "let": f'event M = x[3,*]{{by="u", let s="sum($p)", having="$s > 10", WINDOW}} {SAID}',
    "guard": f'event M = x[3,*]{{by="u", if="sum($p) > 10", WINDOW}} {SAID}',
    "guard of a let": f'event M = x[3,*]{{by="u", let s="avg($p)", if="$s > 1", WINDOW}} {SAID}',
    "other aggregates": f'event M = x[3,*]{{having="min($p) < max($p) and count($p) > 3", WINDOW}} {LEAF} as $p',
    "first and last": f'event M = x[3,*]{{having="$p[last()] > $p[1]", WINDOW}} {LEAF} as $p',
    "of a filter": f'event M = x[3,*]{{by="u", {SUM}, WINDOW}} {LEAF}[. > 0] as $p as $u = ($meta:user)',
    "of an event": f"event A = {LEAF} as $p\nevent M = x[3,*]{{{SUM}, WINDOW}} A(item/price/text()) as $p = ($p)",
    "in a conjunction": f'event M = (x[3,*]{{by="u", {SUM}, WINDOW}} {SAID}) & del(item)',
    "end=custom": f"event M {{end=custom}} = x[3,*]{{WINDOW}} {LEAF}",
    "end=non-local": f"event M {{end=non-local}} = x[3,*]{{WINDOW}} {LEAF}",
    "a condition": f'event M (item) {{when="false()"}} = x[3,*]{{path=item, WINDOW}} {LEAF}',
    "slide": f"event M = x[WIDTH,WIDTH]{{slide}} {LEAF}",
    "slide, flat": f"event M {{flat}} = x[WIDTH,WIDTH]{{slide, WINDOW}} {LEAF}",
    "two of which one comes": f"event M {{WINDOW}} = {LEAF} & ins(item/name)",
    "three of which one comes": f"event M {{WINDOW}} = {LEAF} & ins(item/name) & ins(item/comment)",
    "a sequence that does not go on": f"event M {{WINDOW}} = {LEAF} ; ins(item/name) ; ins(item/comment)",
    "any of which one comes": f"event M = any[2]{{WINDOW}}({LEAF}, ins(item/name), ins(item/comment))",
    "an absence at the end": f'event M {{within="WIDTH min"}} = {LEAF} ; not ins(item/name)',
    "plus": f'event M = plus[{LEAF}, "WIDTH min"]',
}


def events(count: int) -> list[PrimitiveEvent]:
    return [
        PrimitiveEvent(
            ts, "upd", PRICE, PLACES[ts % 3], f"{ts % 7}.25", "", None, timestamp(ts * 60_000_000), "d", ts // 1000,
            {"user": "ann"},
        )
        for ts in range(1, count + 1)
    ]  # fmt: skip


def lines_run(detector: Detector, fed: list[PrimitiveEvent]) -> int:
    """How many lines run while these are fed."""
    count = 0

    def count_lines(frame: FrameType, what: str, given: Any) -> Any:
        nonlocal count
        count += what == "line"
        return count_lines

    before = sys.gettrace()
    sys.settrace(count_lines)
    try:
        for event in fed:
            detector.feed(event)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("window", [True, False], ids=["window", "no window"])
@pytest.mark.parametrize("rule", RULES)
def test_an_arrival_costs_the_same_however_many_there_are(rule: str, window: bool) -> None:
    costs = []
    for width in (FEW, MANY):
        text = RULES[rule].replace("WIDTH", str(width))
        text = text.replace("WINDOW", f'within="{width} min"') if window else without_window(text)
        detector = Detector(parse_rules(text))
        fed = events(3 * MANY)
        for event in fed[: -MANY if window else width]:
            detector.feed(event)
        costs.append(lines_run(detector, fed[-MANY:] if window else fed[width : width + FEW]))
    few, many = costs
    assert many < 1.5 * few, costs


def without_window(text: str) -> str:
    """The rule without its window."""
    for written in (", WINDOW", "{WINDOW} ", "{WINDOW}"):
        text = text.replace(written, "")
    return text
