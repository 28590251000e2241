"""Random rules of the patterns that people write first, and histories that have much for them.

`full_rules` draws these constructs, too, beside all others, so that few findings need them. Here each rule is one of
some shapes, with leaves, bounds, contexts and windows in it.
"""

from __future__ import annotations

from hypothesis import reject
from hypothesis import strategies as st

from xmlcep.algebra import EventDefinition
from xmlcep.errors import RuleError
from xmlcep.rules import parse_rules

from .aimed import aimed_histories
from .histories import History
from .nested import nested_histories

_LEAVES = (
    "ins(item/price)", "ins(item/quantity)", "ins(item/comment)", "*(item/price)", "ins(item/@partNum)",
    "ins(item/quantity) as q", "upd(item/@partNum)", "del(item/quantity)",
)  # fmt: skip
_OPEN = (
    "{0} ; {all} {1} ; {2}", "{0} ; {all} {1} ; not {3} ; {2}", "{0} ; {2} ; {all} {1} ; {3}",
    "({0} ; {all} {1} ; {2}) | {3}", "{all} {1} ; {0} ; {2}",
)  # fmt: skip
_CLOSED = (  # which need an end
    "{0} & not {1}", "{0} & {2} & not {1}", "not {1} & {0}", "{0} & {all} {1}", "{0} & {all} {1} & not {2}",
    "{0} ; {all} {1}", "({0} & not {1}) ; {2}", "{0} ; not {1}",
)  # fmt: skip
_TESTS = (
    "price", "not(price)", "count(price) > 1", "@partNum", "price and not(quantity)", "count(*) mod 2 = 0",
    "not(@partNum)",
)  # fmt: skip
_BECOMING = (
    'becomes["{a}"](item)', 'becomes["{a}"](item) ; becomes["{b}"](item)', 'becomes["{a}"](item) & {0}',
    'becomes["{a}"](item) ; not becomes["{b}"](item)', '{0} ; not becomes["{a}"](item) ; {1}',
    'becomes["{a}"](item) | becomes["{b}"](item)', 'x[2,2] becomes["{a}"](item) & {0}',
)  # fmt: skip
_CONTEXTS = (
    "", "context=recent", "context=continuous", "context=cumulative", "context=unrestricted", "context=next",
)  # fmt: skip
_BOUNDS = ("all", "all[1,*]", "all[1,2]", "all[2,3]", "all[0,1]")
_SOMETHING = "event H = " + " & ".join(
    f"{op}(item/{what})" for op in ("ins", "del") for what in ("price", "@partNum")
)


@st.composite
def pattern_rules(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One event of such a shape."""
    shape = draw(st.sampled_from((_OPEN, _CLOSED, _CLOSED, _BECOMING)))
    leaves = draw(st.lists(st.sampled_from(_LEAVES), min_size=4, max_size=4))
    if draw(st.booleans()):  # one event in two operands (A7, H7)
        leaves[1] = leaves[0]
    options = [draw(st.sampled_from(_CONTEXTS))]
    within = draw(st.sampled_from((3, 5, 20, "30 s", "3 min")))
    window = f'within="{within}{" changes" if isinstance(within, int) else ""}"'
    ends = ("end=custom", "end=custom", window) if shape is _CLOSED else ("", "", "", window, "end=custom")
    options.append(draw(st.sampled_from(ends)))
    first, second = (draw(st.sampled_from(_TESTS)) for _ in "ab")
    text = draw(st.sampled_from(shape)).format(*leaves, all=draw(st.sampled_from(_BOUNDS)), a=first, b=second)
    said = ", ".join(filter(None, options))
    try:
        return tuple(parse_rules(f"event E {f'{{{said}}}' if said else ''} = {text}").definitions)
    except RuleError:  # of some shapes some options are refused
        reject()


def pattern_histories(definitions: tuple[EventDefinition, ...]) -> st.SearchStrategy[History]:
    """Histories that have much for these, in which items are in orders, or in items."""
    something = tuple(parse_rules(_SOMETHING).definitions)
    return st.one_of(aimed_histories((*definitions, *something)), nested_histories())
