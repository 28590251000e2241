"""Aggregates of what a multiplicity has accumulated, kept up to date, are those of the whole, looked at anew."""

from __future__ import annotations

from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

from path_types import PathType
from xmlcep import Detector, PrimitiveEvent, parse_rules
from xmlcep.engine.operators import multiplicity
from xmlcep.engine.values import Values, all_values
from xmlcep.timestamps import timestamp

PRICE = PathType.parse("/order/item/price/text()")
ASKED = ("sum($p) > 7", "avg($p) >= 2.5", "min($p) < 1 and max($p) > 3", "count($p) mod 2 = 0", "$p[last()] > $p[1]",
         "$t > 4 and sum($p) != 0", "max($p) - min($p) > 2")  # fmt: skip
OPTIONS = ('within="5 s"', 'within="4 changes"', "slide", "", 'within="3 s", slide')
VALUES = ("0.1", "0.2", "3", "1e3", "-7.25", "NaN", "", "4", "0.30000000000000004", "1")


def composites(rules: str, events: list[PrimitiveEvent]) -> list[object]:
    detector = Detector(parse_rules(rules))
    raised = [composite.to_record() for event in events for composite in detector.feed(event)]
    detector._check()
    return [*raised, *(composite.to_record() for composite in detector.flush())]


def looked_at_anew(self: Values, entries: object, lists: object) -> dict[str, object]:
    """What `Values.seen_of` stands for."""
    entries = list(entries)  # type: ignore[call-overload]
    return {**(self.of(entries) or {}), **{name: all_values(entries, name) for name in lists}}  # type: ignore[attr-defined]


@settings(max_examples=300)
@given(
    st.sampled_from(ASKED),
    st.sampled_from(OPTIONS),
    st.sampled_from(((1, "*"), (2, "*"), (2, 3), (3, 5))),
    st.booleans(),
    st.sampled_from(("", ", end=custom")),
    st.booleans(),
    st.lists(
        st.tuples(st.sampled_from(VALUES), st.integers(0, 4), st.sampled_from("ab")), min_size=1, max_size=24
    ),
)
@example(
    "sum($p) > 7", 'within="5 s"', (1, "*"), False, "", True, [("0.1", 1, "a")] * 9 + [("3", 0, "a")] * 9
)
def test_kept_up_to_date_is_looked_at_anew(asked, window, bounds, by_user, end, lets, changes):
    lower, upper = bounds
    if "slide" in window and upper == "*":
        upper = lower + 2
    let = 'let t = "sum($p)"' if lets or "$t" in asked else ""
    options = [window, let, f'having="{asked}"', *(['by="u"'] if by_user else [])]
    rules = (
        f"event E = (x[{lower},{upper}]{{{', '.join(filter(None, options))}{end}}} "
        "upd(item/price/text()) as $p as $u = ($meta:user))"
    )
    time, events = 0, []
    for ts, (value, gap, user) in enumerate(changes, 1):
        time += gap * 1_000_000
        events.append(
            PrimitiveEvent(
                ts, "upd", PRICE, (1, 2, 3, 4), value, "", None, timestamp(time), "d", None, {"user": user}
            )
        )
    kept = composites(rules, events)
    with (
        mock.patch.object(Values, "seen_of", looked_at_anew),
        mock.patch.object(multiplicity, "slides_over_events", lambda *given: False),
    ):
        assert composites(rules, events) == kept
