"""Events over documents, and what happens in several documents at once (V11)."""

from __future__ import annotations

from hypothesis import strategies as st

from path_types import PathType
from tests.reference.clock import microseconds, written
from xmlcep.events import PrimitiveEvent

_LEAVES = (
    "ins(item/@part) as $p", "ins(order/item/@part) as $p", "ins(out/@part) as $p", "*(back/@part) as $p",
    "upd(item/@part) as $p = ($old)", "ins(out/@part)[. != '2'] as $p", "*(@part)[$doc != 'a'] as $p",
)  # fmt: skip
_SHAPES = (
    "{0} ; {1}", "{0} & {1}", "{0} & {1} & {2}", "{0} ; {1} ; {2}", "({0} & {1}) ; {2}", "{0} & ({1} ; {2})",
    '({0} | {1}){{by="p"}} & {2}', '{0} ; ({1} | {2}){{by="p"}}', "any[2]({0}, {1}, {2})", 'x[2,3]{{by="p"}} {0} & {1}',
    'x[1,*]{{by="p"}} {0} ; {1}', "{0} ; not {1} ; {2}", "({0} ; {1}) during ({2} ; {1})",
)  # fmt: skip
_WINDOWED = ("{0} ; not {1}", "not {0} ; {1}", "{0} ; {1} ; not {2}", "{0} ; not {1} ; not {2}")
_CONTEXTS = ("unrestricted", "recent", "chronicle", "continuous", "cumulative", "next")
_PATHS = ("/order/item/@part", "/stock/out/@part", "/stock/back/@part", "/stock/item/@part")
_BEGIN = microseconds("2026-01-01T00:00:00Z")


@st.composite
def rules_across(draw: st.DrawFn) -> str:
    """The text of one event over documents."""
    shapes = draw(st.sampled_from((_SHAPES, _SHAPES, _WINDOWED)))
    leaves = [draw(st.sampled_from(_LEAVES)) for _ in range(3)]
    shape = draw(st.sampled_from(shapes))
    seconds = draw(st.sampled_from((None, 1, 3, 10)))
    options = ["across"]
    options.append(f"context={draw(st.sampled_from(_CONTEXTS))}")
    if seconds or shapes is _WINDOWED:
        options.append(f'within="{seconds or 5} s"')
    if draw(st.booleans()):
        options.append('let also="$p"')
    return f"event E {{{', '.join(dict.fromkeys(options))}}} = {shape.format(*leaves)}"


@st.composite
def histories_of_documents(draw: st.DrawFn) -> list[list[PrimitiveEvent]]:
    """The changes of up to three documents; what records say of time goes back now and then."""
    found: dict[str, list[PrimitiveEvent]] = {"a": [], "b": [], "c": []}
    time = _BEGIN
    step = st.tuples(
        st.sampled_from("abc"), st.sampled_from((0, 0, 1, 1, 2, 5)), st.sampled_from(_PATHS),
        st.sampled_from(("ins", "ins", "ins", "upd", "del")), st.sampled_from("112"), st.integers(0, 9),
    )  # fmt: skip
    for doc, seconds, path, op, value, odd in draw(st.lists(step, min_size=1, max_size=14)):
        time += seconds * 1_000_000
        history = found[doc]
        at = written(time if odd else max(_BEGIN, time - 3_000_000))
        number = len(history) + 1
        history.append(
            PrimitiveEvent(
                number, op, PathType.parse(path), (1, number + 1, number + 50), None if op == "del" else value,
                None if op == "ins" else value, at=at if odd != 1 or not history else None, doc=doc,
                txn=1 if odd == 2 else None, meta={"user": "ann"} if odd == 3 else None, more=odd == 4,
            )
        )  # fmt: skip
    return [history for history in found.values() if history]
