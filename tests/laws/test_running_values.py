"""What is kept up to date of what a multiplicity has accumulated is that of the whole, looked at anew.

That is: aggregates, the nearest common ancestor, the interval.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeAlias
from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

from contexts.entry import EVENT
from path_types import PathType
from xmlcep import Detector, PrimitiveEvent, parse_rules
from xmlcep.engine.composer import interval, nearest_common_ancestor
from xmlcep.engine.operators import multiplicity
from xmlcep.engine.operators.accumulation import Accumulation
from xmlcep.engine.values import Values, all_values
from xmlcep.timestamps import timestamp

PRICE = PathType.parse("/order/item/price/text()")
ELEMENT = PathType.parse("/order/item/price")
ASKED = ("sum($p) > 7", "avg($p) >= 2.5", "min($p) < 1 and max($p) > 3", "count($p) mod 2 = 0", "$p[last()] > $p[1]",
         "$t > 4 and sum($p) != 0", "max($p) - min($p) > 2", "$p[last()] > 0", "count($p[2][. = 3]) = 0")  # fmt: skip
OPTIONS = ('within="5 s"', 'within="5 changes"', "slide", "", 'within="3 s", slide')
EVENTS = ("", " {flat}", " {order=detection}", " {flat, order=detection}")
OPERANDS = (
    "LEAF",
    '(x[2,2]{slide, by="u"} LEAF)',
    "(LEAF & LEAF)",
    "A(item/price/text()) as $p = ($p) as $u = ($u)",
)
LEAVES = (
    "upd(item/price/text()) as $p as $u = ($meta:user)",
    "upd(item/price/text()) as $p as $u = ($meta:user)",
    "upd(item/price/text())[. != 3] as $p = (2 * number(.)) as $u = ($meta:user)",
    "upd(item/price/text()) as $p as $u = (string-length($meta:user) + number($old))",
    "*(item/price//) as $p as $u = ($meta:user)",  # elements have no value
    "upd(item/price/text()) as $p as $u",
)
PLACES = ((1, 2, 3, 4), (1, 2, 5, 6), (1, 7, 8, 9))
VALUES = ("0.1", "0.2", "3", "1e3", "-7.25", "NaN", "", "4", "0.30000000000000004", "1")

GoesOn: TypeAlias = Callable[[Detector], Detector]


def composites(rules: str, events: list[PrimitiveEvent], goes_on: GoesOn | None = None) -> list[object]:
    """What is raised; half-way the detector ``goes_on`` as another one."""
    detector = Detector(parse_rules(rules))
    raised = []
    for index, event in enumerate(events):
        if goes_on is not None and 2 * index in (len(events), len(events) + 1):
            detector = goes_on(detector)
        raised += [composite.to_record() for composite in detector.feed(event)]
    detector._check()
    return [*raised, *(composite.to_record() for composite in detector.flush())]


def from_state(detector: Detector) -> Detector:
    return Detector.from_state(detector._rules, json.loads(json.dumps(detector.to_state())))


def replayed(rules: str, events: list[PrimitiveEvent]) -> list[object]:
    """The same of plain tuples of the layout of events."""
    return [composite.to_record() for composite in Detector(parse_rules(rules)).replay(map(tuple, events))]


def looked_at_anew(self: Values, entries: object, lists: object) -> dict[str, object]:
    """What `Values.seen_of` stands for."""
    entries = list(entries)  # type: ignore[call-overload]
    return {**(self.of(entries) or {}), **{name: all_values(entries, name) for name in lists}}  # type: ignore[attr-defined]


def anew() -> ExitStack:
    """Within it all is looked at whenever it is asked."""
    stack = ExitStack()
    constituents = lambda self: [entry[EVENT] for entry in self.live()]  # noqa: E731
    for patch in (
        mock.patch.object(Values, "seen_of", looked_at_anew),
        mock.patch.object(multiplicity, "takes_records", lambda *given: False),
        mock.patch.object(Accumulation, "place", lambda self: nearest_common_ancestor(constituents(self))),
        mock.patch.object(Accumulation, "interval", lambda self: interval(constituents(self))),
    ):
        stack.enter_context(patch)
    return stack


@settings(max_examples=45, deadline=None)
@given(
    st.sampled_from(ASKED),
    st.sampled_from(OPTIONS),
    st.sampled_from(((1, "*"), (2, "*"), (2, 3), (3, 5))),
    st.booleans(),
    st.sampled_from(("", ", end=custom")),
    st.booleans(),
    st.sampled_from(EVENTS),
    st.sampled_from(("having", "if")),
    st.sampled_from(OPERANDS),
    st.lists(
        st.tuples(
            st.sampled_from(VALUES), st.integers(0, 4), st.sampled_from("ab"), st.sampled_from(PLACES)
        ),
        min_size=1, max_size=24,
    ),
    st.sampled_from(LEAVES),
    st.integers(0, 5),
)  # fmt: skip
@example(
    "sum($p) > 7", 'within="5 s"', (1, "*"), False, "", True, "", "having", "LEAF",
    [("0.1", 1, "a", PLACES[0])] * 9 + [("3", 0, "a", PLACES[0])] * 9, LEAVES[0], 0,
)  # fmt: skip
@example(
    "count($p) mod 2 = 0", "", (2, "*"), False, "", False, " {flat}", "if", "LEAF",
    [("1", 1, "a", PLACES[0]), ("3", 0, "a", PLACES[1]), ("3", 0, "a", PLACES[2])], LEAVES[0], 0,
)  # fmt: skip
def test_kept_up_to_date_is_looked_at_anew(
    asked, window, bounds, by_user, end, lets, event, option, operand, changes, leaf, elements
):
    lower, upper = bounds
    if "slide" in window and upper == "*":
        upper = lower + 2
    if operand.startswith("A("):
        leaf = LEAVES[0]
    let = 'let t = "sum($p)"' if lets or "$t" in asked else ""
    options = ["path=item", window, let, f'{option}="{asked}"', *(['by="u"'] if by_user else [])]
    rules = (
        f"event E{event} = (x[{lower},{upper}]{{{', '.join(filter(None, options))}{end}}} "
        f"{operand.replace('LEAF', leaf)})\nevent A = {leaf}"
    )
    time, events = 0, []
    for ts, (value, gap, user, place) in enumerate(changes, 1):
        time += gap * 1_000_000
        node = (ELEMENT, place[:-1], None) if elements and ts % elements == 0 else (PRICE, place, value)
        events.append(
            PrimitiveEvent(ts, "upd", *node, str(ts % 3), None, timestamp(time), "d", None, {"user": user})
        )
    kept = composites(rules, events)
    assert composites(rules, events, from_state) == composites(rules, events, Detector.copy) == kept
    replayed_shortly = replayed(rules, events)
    with anew():
        assert composites(rules, events) == kept
        assert replayed(rules, events) == replayed_shortly
