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
EVENTS = {
    "Moved": "event Moved(item) = ins(item/@part) as $q",
    "Changed": "event Changed = ins(item/@part) as $q ; *(item/@part)",
    "Waited": 'event Waited(item) = plus[ins(item/@part) as $q, "2 s"]{path=item}',
    "Settled": "event Settled(out) {end=custom} = ins(out/@part) as $q",
    "Alone": "event Alone(out) = ins(out/@part) as $q",
}
"""Events of one document, which bind ``$q``."""
_OF_EVENTS = tuple(
    f"{name}({'out' if '(out)' in text else 'item'}) as $p = ($q)" for name, text in EVENTS.items()
)
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
def rules_with_events(draw: st.DrawFn) -> str:
    """The text of one or two events over documents, and of events of one that they are made of."""
    leaves = st.sampled_from((*_LEAVES, *_OF_EVENTS, *_OF_EVENTS))
    over = [draw(rules_across(leaves, name)) for name in draw(st.sampled_from(("E", "E", "EF")))]
    return "\n".join([*(text for name, text in EVENTS.items() if any(name in each for each in over)), *over])


_LEAF = st.sampled_from(_LEAVES)


@st.composite
def rules_across(draw: st.DrawFn, leaf: st.SearchStrategy[str] = _LEAF, name: str = "E") -> str:
    """The text of one event over documents."""
    shapes = draw(st.sampled_from((_SHAPES, _SHAPES, _WINDOWED)))
    leaves = [draw(leaf) for _ in range(3)]
    shape = draw(st.sampled_from(shapes))
    seconds = draw(st.sampled_from((None, 1, 3, 10)))
    options = ["across"]
    options.append(f"context={draw(st.sampled_from(_CONTEXTS))}")
    if seconds or shapes is _WINDOWED:
        options.append(f'within="{seconds or 5} s"')
    if draw(st.booleans()):
        options.append('let also="$p"')
    return f"event {name} {{{', '.join(dict.fromkeys(options))}}} = {shape.format(*leaves)}"


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


Edit = tuple[str, str, str, int, bool]
"""An edit: document, element or action, value, seconds after the one before, whether it begins a transaction."""


@st.composite
def edits_of_documents(draw: st.DrawFn) -> list[Edit]:
    """Edits of two documents; at one time those of the second come after those of the first."""
    step = st.tuples(
        st.sampled_from(("order", "stock")), st.sampled_from(("item", "item", "out", "out", "back", "set", "remove")),
        st.sampled_from("112"), st.sampled_from((0, 1, 1, 2, 5)), st.integers(0, 5).map(lambda odd: odd == 0),
    )  # fmt: skip
    found: list[Edit] = []
    for doc, what, value, seconds, begins in draw(st.lists(step, min_size=1, max_size=14)):
        back = bool(found) and doc < found[-1][0]
        found.append((doc, what, value, max(seconds, 1) if back else seconds, begins))
    return found
