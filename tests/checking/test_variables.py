"""No composite has more values of a variable than are said to be the most."""

from __future__ import annotations

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from xmlcep import Detector, PrimitiveEvent, RuleError, parse_rules
from xmlcep.algebra import ContextName, leaves_of
from xmlcep.checking.variables import KnownVariables

LEAVES = "ins(item/@a) as $x", "ins(item/@b) as $x", "ins(item/@b) as $y"


@pytest.mark.parametrize(
    ("expression", "most"),
    [
        ("x[1,2] {0}", {"x": 2}),
        ("x[0,3]{slide} {0}", {"x": 3}),
        ("x[1,*] {0}", {"x": None}),
        ("x[1,4]{by=\"x\"} {0}", {"x": 1}),
        ("x[1,2]{path=item} (x[2,3]{path=item} {0})", {"x": 6}),
        ("x[1,2]{path=item} {0}", {"x": 2}),
        ("x[1,2]{path=item} {0} & {2}", {"x": 2, "y": 1}),
        ("({0} & {2}) {context=cumulative}", {"x": None, "y": None}),
        ("{0} ; {1}", {"x": 1}),  # a join
        ("{0} | {1}", {"x": 1}),
        ("({0} | {1}) {context=cumulative}", {"x": None}),
        ("any[2]({0}, {2}, ins(item))", {"x": 1, "y": 1}),
        ("({0} & {2}) {let z=\"count($x)\"}", {"x": 1, "y": 1, "z": 1}),
        ("aperiodic[ins(item), del(item)] {0}", {"x": None}),
    ],
)  # fmt: skip
def test_how_many_there_can_be(expression: str, most: dict[str, int | None]) -> None:
    for number, leaf in enumerate(LEAVES):
        expression = expression.replace(f"{{{number}}}", leaf)
    rules = parse_rules(f"event A = {expression}\nevent B = A(item)")
    known = KnownVariables(rules, lambda _: {}, lambda *_: None)
    made, used = rules.definitions
    assert {name: held.most for name, held in known.of_event(made).items()} == most
    (leaf,) = leaves_of(used.expression)
    assert {name: held.most for name, held in known.seen_by(leaf).items() if name in most} == most


NAMES = "abc"
CONTEXTS = tuple(each.value for each in ContextName)


@st.composite
def counted(draw: st.DrawFn) -> str:
    """An event whose leaves bind a variable each, of operators that bring several of their events together."""
    leaves: list[str] = []

    def option(more: tuple[str, ...]) -> str:
        chosen = ["path=item"]
        chosen += [f"context={draw(st.sampled_from(CONTEXTS))}"] if draw(st.booleans()) else []
        chosen += [draw(st.sampled_from(more))] if draw(st.booleans()) else []
        return "{" + ", ".join(chosen) + "}"

    def expression(depth: int) -> str:
        kind = draw(st.sampled_from(("x", "x", "&", ";", "|", "any") if depth else ("leaf",)))
        if kind == "leaf" or (depth < 3 and draw(st.integers(0, 2)) == 0):
            leaves.append(f"*(item/@{draw(st.sampled_from(NAMES))}) as $v{len(leaves)}")
            return leaves[-1]
        if kind == "x":
            lower, more = draw(st.integers(0, 2)), draw(st.integers(0, 2))
            upper = max(1, lower + more)
            ends = ("end=custom", "end=non-local", 'within="5 changes"', "slide")
            return f"x[{lower},{upper}]{option(ends)} ({expression(depth - 1)})"
        operands = [expression(depth - 1), expression(depth - 1)]
        if kind == "any":
            return f"any[2]{option(('end=custom',))}({', '.join(operands)}, del(item))"
        ends = ("end=custom", "end=non-local", *(() if kind == "|" else ('within="5 changes"',)))
        return f"({f' {kind} '.join(operands)}) {option(ends)}"

    flat = ", flat" if draw(st.booleans()) else ""
    return f"event E {{context={draw(st.sampled_from(CONTEXTS))}{flat}}} = {expression(3)}"


@st.composite
def changes(draw: st.DrawFn) -> list[PrimitiveEvent | None]:
    """Changes of the attributes of two items, and flushes (None)."""
    steps: list[PrimitiveEvent | None] = []
    for place, item in enumerate((2, 3)):
        steps.append(
            PrimitiveEvent.from_record({"ts": 1 + place, "op": "ins", "path": "/o/item", "ids": [1, item]})
        )
    live = set()
    for name, item, flush in draw(
        st.lists(
            st.tuples(st.sampled_from(NAMES), st.sampled_from((2, 2, 3)), st.integers(0, 5)), max_size=14
        )
    ):
        ids = [1, item, 10 * item + NAMES.index(name)]
        op = "upd" if tuple(ids) in live else "ins"
        live.add(tuple(ids))
        record = {
            "ts": len(steps) + 1,
            "op": op,
            "path": f"/o/item/@{name}",
            "ids": ids,
            "value": "1",
            "old": "0",
        }
        steps.append(PrimitiveEvent.from_record(record if op == "upd" else {**record, "old": None}))
        if not flush:
            steps.append(None)
    return steps


@settings(max_examples=100)
@given(counted(), changes())
def test_no_composite_has_more(text: str, steps: list[PrimitiveEvent | None]) -> None:
    try:
        rules = parse_rules(text)
    except RuleError:
        reject()
    variables = KnownVariables(rules, lambda _: {}, lambda *_: None).of_event(rules.definitions[0])
    detector = Detector(rules)
    raised = [each for step in steps for each in (detector.flush() if step is None else detector.feed(step))]
    for composite in [*raised, *detector.close()]:
        for name, values in composite.to_record().get("bindings", {}).items():
            if name in variables and (known := variables[name].most) is not None:
                number = len(values) if isinstance(values, list) else 1
                event(f"{number} of {known}")
                assert number <= known, (name, str(composite))
