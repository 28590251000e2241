"""What the engine keeps is bounded by what lives in the document (G4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from path_types import PathType
from tests import strategies as some
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import as_the_engine_sees, rules_of, take
from tests.spec.alphabet import steps_of
from tests.strategies import EVERYTHING, History
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import parse_rules


def detector_after(rules: tuple[EventDefinition, ...], steps: tuple[Any, ...]) -> Detector:
    """The detector when it has taken the steps; its invariants are checked after each."""
    detector = Detector(rules_of(rules))
    for step in steps:
        take(detector, step)
        detector._check()
    return detector


@settings(max_examples=30, deadline=None)
@given(some.rule_sets(flat=False), some.histories(clear=True))
def test_nothing_is_kept_of_a_document_that_is_gone(
    rules: tuple[EventDefinition, ...], history: History
) -> None:
    """Once all its nodes are deleted and nothing is deferred any more."""
    assert detector_after(rules, (*history.steps, "flush")).size() == 0


def cleared(history: History) -> list[Any]:
    """The steps, and then deletions of all nodes there are, those that were there before too, in the order of E6."""
    alive: dict[int, PrimitiveEvent] = {}
    last: PrimitiveEvent | None = None
    for step in history.steps:
        if isinstance(step, PrimitiveEvent):
            last = step
            for depth, node in enumerate(step.ids, 1):
                path = PathType.of(True, step.path.steps[:depth])
                alive.setdefault(node, step._replace(path=path, ids=step.ids[:depth], value=None))
            if step.op == "del":
                del alive[step.ids[-1]]
            else:
                alive[step.ids[-1]] = step
    steps = [step for step in history.steps if step != "close"]
    assert last is not None
    deepest_first = sorted(alive.values(), key=lambda event: -len(event.ids))
    for ts, left in enumerate(deepest_first, last.ts + 1):
        steps.append(
            last._replace(
                ts=ts, op="del", path=left.path, ids=left.ids, value=None, old=left.value, pos=None, txn=None,
                more=False, meta=None,
            )
        )  # fmt: skip
    return steps


_OTHER = PathType.parse("/elsewhere")
CASES = st.one_of(
    st.tuples(
        st.one_of(
            some.full_rule_sets(constructs=EVERYTHING),
            some.late_rule_sets(),
            some.whole_rule_sets(),
            some.meeting_rule_sets(),
            some.absence_rule_sets(),
            some.levelled_rule_sets(),
        ),
        st.one_of(some.timed_histories(), some.late_histories(), some.moving_histories()),
    ),
    st.tuples(some.external_rule_sets(), some.external_histories()),
    st.tuples(some.absence_rule_sets(), some.dense_histories()),
    st.tuples(some.silent_rule_sets(), some.silent_histories()),
)


def kept(definitions: tuple[EventDefinition, ...], history: History) -> tuple[Any, ...] | None:
    """What a detector still has when all is gone and all time has passed, changes and transactions elsewhere, too; None
    if no time can pass."""
    detector = Detector(rules_of(definitions))
    steps = cleared(history)
    for step in map(as_the_engine_sees, steps):
        take(detector, step)
        detector._check()
    if detector.setting.clock.time is None and detector._active.follows_time:
        return None
    (last,) = [step for step in steps if isinstance(step, PrimitiveEvent)][-1:]
    for year in range(2030, 2036):  # what is released sets timers, what is due waits for a release
        detector.flush()
        detector.advance(f"{year}-01-01T00:00:00Z")
        for operation in ("ins", "del"):
            last = PrimitiveEvent(last.ts + 1_000, operation, _OTHER, (year * 1_000_000,), doc=last.doc)
            detector.feed(last)
    departed = detector._evaluation.departed
    return detector.size(), departed.late, departed.awaited, detector.next_due(), noted(detector)


def noted(detector: Detector) -> list[Any]:
    """Where groups of values are, as it is noted place by place (`contexts.grouping.note_key`)."""
    found = []
    for tree in detector.trees.values():
        for state in tree.states:
            violations = getattr(state, "violations", None)
            each = violations.values() if isinstance(violations, dict) else ()
            found += [state._keys, *(kept.at for kept in each)]
    return [keys for keys in found if keys]


NOTHING = (0, [], [], None, [])


@settings(max_examples=50, deadline=None)
@given(CASES)
def test_nothing_is_kept_when_all_is_gone_and_all_time_has_passed(
    case: tuple[tuple[EventDefinition, ...], History],
) -> None:
    """What outlasts its node, by a timer or a release, of whatever values, too (A4, V2, W7)."""
    definitions, history = case
    assume(not any(definition.flat for definition in definitions))
    found = kept(definitions, history)
    assume(found is not None)
    assert found == NOTHING


def test_nothing_is_kept_when_nobody_waits_for_the_last_timer() -> None:
    """G4: it was the window of a candidate that has ended; what came to the gone node before it is freed with it."""
    rules = """event E = plus[x[0,1] ins(item/@partNum), "2 s"]
        & (ins(item/comment) ; not *(item/comment)){path=item, within="5 s"}"""
    steps, _ = steps_of("@7 o1 (i1 c1)")
    assert kept(parse_rules(rules).definitions, History(tuple(steps))) == NOTHING


@pytest.mark.parametrize(
    "rules",
    [
        """event E {context=recent, when="quantity"} = x[0,1]{end=non-local, path=order, when="item"} x[1,2]{path=order}
            del(order) ; x[0,1]{end=custom} x[2,2]{end=non-local, when="not(item)"}
            *(order/item/price/text())""",
        """event E {context=cumulative, within="1 s"} = not del(order/item)
            ; x[0,*]{path=order, if="not(comment)"} x[0,*] ins(order/comment) ; not *(order/comment)
            ; x[0,*]{path=order} x[0,*] ins(order/comment)
            ; (*(order/item) | x[0,*] *(order/item)) ; not del(order/item)""",
        """event E {end=non-local} = plus[x[0,1]{path=order/item} ins(order/item/price), "9 s"]
            & x[0,1]{path=order/item} ins(order/item/comment)""",
        """event E(/order/item) {end=custom} = ins(/order/item/price)
            & plus[(del(/order/item/item) & del(/order/item/item)){path=/order/item/item, end=non-local}, "2 s"]""",
    ],
    ids=("awaited", "candidate", "released", "released by the deletion"),
)
def test_nothing_is_kept_for_nothing(rules: str) -> None:
    """A group that waits for its condition, which no release comes to any more; what was in the way of a candidate
    whose node is gone; what the last timer brought, and an event elsewhere has released; what a timer brings that was
    set when the deletion of the node above released it."""
    steps, _ = steps_of("@0 o1 i1 n1")
    assert kept(parse_rules(rules).definitions, History(tuple(steps))) == NOTHING


@pytest.mark.parametrize(
    "rules",
    [
        "event E(item) = ins(item/@partNum) as $n ; not *(item/price/text()) as $n ; *(item/quantity/text()) as $n",
        'event E(item) {end=custom} = x[1,*]{by="n"} *(item/price/text()) as $n',
    ],
    ids=("forbidden", "counted"),
)
def test_where_groups_of_values_are_is_not_noted_for_good(rules: str) -> None:
    """V2, V4: neither of what forbids nor of what is stored."""
    steps, _ = steps_of("@0 o1 i1 a1=5 p1 t1=5 t1=7 i2 a2=5 p2 t2=5")
    assert kept(parse_rules(rules).definitions, History(tuple(steps))) == NOTHING


@pytest.mark.parametrize(
    "event",
    [
        'event E = x[0,*]{within="10 s", path=item}',
        'event E = x[2,*]{within="10 s", path=item}',
        'event E {flat} = x[2,*]{within="10 s"}',
    ],
)
def test_what_is_too_old_is_freed_though_nothing_is_deleted(event: str) -> None:
    """G4: of arrivals that nothing comes after."""
    detector = Detector(parse_rules(f"{event} ins(item/price)"))
    for step in steps_of("@1 p1 @3 p1.2")[0]:
        take(detector, step)
    assert detector.size() > 0
    detector.advance("2030-01-01T00:00:00Z")
    assert (detector.size(), detector.next_due()) == (0, None)


@settings(max_examples=20, deadline=None)
@given(some.rule_sets(), some.histories())
def test_a_closed_detector_keeps_nothing(rules: tuple[EventDefinition, ...], history: History) -> None:
    detector = detector_after(rules, history.steps)
    detector.close()
    assert detector.size() == 0


@settings(max_examples=20, deadline=None)
@given(
    some.full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE) | some.rule_sets(flat=False),
    some.timed_histories(advances="advance" not in UNKNOWN_TO_THE_ENGINE),
)
def test_to_forget_a_group_is_to_take_it_out_of_the_stores(
    rules: tuple[EventDefinition, ...], history: History
) -> None:
    """Of operators that say which these are, after every step."""
    detector = Detector(rules_of(rules))
    for step in map(as_the_engine_sees, history.steps):
        take(detector, step)
        forgetful, other = detector.copy(), detector.copy()
        for index, tree in forgetful.trees.items():
            for state, same in zip(tree.states, other.trees[index].states, strict=True):
                stores = same.by_group()
                for key in [*state.group_keys()] if stores is not None else ():
                    state.forget(key)
                    for groups in stores or ():
                        groups.pop(key, None)
                    event(type(state).__name__)
        assert forgetful.to_state() == other.to_state()


@pytest.mark.parametrize("words", ["i1 p1 (p1- i1- b1)", "i1 p1 p1- i1- (b1 b2)"])
def test_nothing_is_kept_where_an_edit_releases_what_held_trees_take(words: str) -> None:
    """G4: within an edit A is released at a node that is gone; B, which waits for its end, takes it then."""
    rules = parse_rules(
        "event A {end=non-local} = ins(item/price) | ins(item/comment)\n"
        'event B {when="quantity"} = A(item) ; ins(item/quantity)'
    )
    detector = Detector(rules)
    for step in steps_of(words)[0]:
        take(detector, step)
    assert detector.size() == 0


@pytest.mark.parametrize("end", ["", ", end=custom"])
def test_what_is_too_old_when_it_comes_leaves_no_group(end: str) -> None:
    """The composite of two changes is too long for the window, so that nothing is stored of it."""
    head = f'event E {{context=cumulative, within="1 change", having="sum($n) > 5"{end}}} = '
    rules = parse_rules(f"{head}any[2](ins(item/price), ins(item/quantity)) ; ins(item/comment) as $n = (1)")
    detector = Detector(rules)
    for step in steps_of("p1 q1 c1 flush")[0]:
        take(detector, step)
        detector._check()
