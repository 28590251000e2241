"""What a list that runs keeps up to date is what is worked out from its values."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.xpath.random_expressions import SINGLES
from xmlcep.xpath import Environment, NodeKind, RunningValues, VariableKind, compile_expression, running
from xmlcep.xpath.functions import average, greatest, smallest, total
from xmlcep.xpath.values import Single

NUMBERS = st.sampled_from(["1", "2", 3.0, 0.1, "0.2", 0.3, 1e16, -1e16, 1e308, -1e308, 5e-324, 7])
STEPS = st.lists(
    st.one_of(NUMBERS, SINGLES, st.integers(1, 3).map(lambda count: ("drop", count))), max_size=40
)


def same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return (math.isnan(a) and math.isnan(b)) or a == b


@given(STEPS)
@example([0.1, 0.2, ("drop", 1), "x", ("drop", 2), 1e308, 1e308, ("drop", 1)])
@example(["9" * 400, "-" + "9" * 400, ("drop", 1), 1.0, ("drop", 1)])
def test_it_is_what_the_plain_list_gives(steps: list[Single | tuple[str, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_TIDY", 3)
        window, plain = RunningValues(), []
        window.total(), window.smallest(), window.greatest()
        for step in steps:
            if isinstance(step, tuple):
                window.drop(step[1])
                del plain[: step[1]]
            else:
                window.append(step)
                plain.append(step)
            assert list(window) == plain
            assert len(window) == len(plain)
            assert window[1:3] == plain[1:3]
            assert same(window.total(), total(plain))
            assert same(window.smallest(), smallest(plain))
            assert same(window.greatest(), greatest(plain))
            assert same(average(window), average(plain))
            late = RunningValues(plain)
            assert same(late.total(), total(plain))


def test_expressions_take_it_as_a_list() -> None:
    window = RunningValues([3, "4", 2.5])
    asked = {
        "sum($p) > 9 and count($p) = 3": True, "$p[1]": "3", "$p[last()]": "2.5", "max($p)": 4.0, "$p = 4": True,
        "avg($p[position() < 3])": 3.5, "string($p)": "3", "not($p[9])": True,
    }  # fmt: skip
    for text, expected in asked.items():
        expression = compile_expression(text, variables={"p": VariableKind.LIST}, node=NodeKind.NONE)
        assert expression.value(Environment({"p": window})) == expected
    with pytest.raises(IndexError):
        window[3]
    assert window[-1] == 2.5
