"""What explanations say is so: events that are named did happen, and a rule without what is named finds it (Y2, Y3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.explaining.histories import ITEM, events
from tests.explaining.mending import mended
from tests.explaining.test_laws import KNOWN, taken
from tests.explaining.test_why_not import ask
from tests.laws.agreement import rules_of
from tests.strategies import History as Steps
from tests.strategies import dense_histories, dense_rule_sets, show_history, show_rules
from tests.strategies.dense import DenseBuilder
from tests.strategies.full_rules import full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.algebra import EventDefinition, Leaf, leaves_of
from xmlcep.engine import Detector
from xmlcep.engine.errors import EvaluationError
from xmlcep.errors import RuleError
from xmlcep.events import CompositeEvent, PrimitiveEvent, PrimitiveType
from xmlcep.explaining import Explanation, Reason
from xmlcep.explaining.groups import written
from xmlcep.explaining.history import History
from xmlcep.explaining.values import Cause, Part, PendingGroup
from xmlcep.explaining.why import why
from xmlcep.explaining.why_not import why_not
from xmlcep.rules import Rules, parse_rules

OFTEN_ENOUGH = 8
"""After so many mends of one rule nothing more is asked."""
# Without edits of several records and what asks the document: each event stands for itself.
ALONE = frozenset(KNOWN) - {"edit"}
some = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
DENSE = full_rule_sets(constructs=KNOWN, builder=DenseBuilder)


@some
@given(
    st.one_of(full_rule_sets(max_events=1, constructs=ALONE), DENSE, dense_rule_sets()),
    st.one_of(timed_histories(edits=False), dense_histories()),
)
def test_without_what_is_named_it_comes(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Mended by what each answer names, rules raise the event there, or the reason lies in the history."""
    seen = past(definitions, history)
    if seen is None:
        return
    answer = why_not(seen.evidence)
    group = answer.groups[0]
    before = raised_in(seen, definitions[-1], group)
    said = [show_history(history)]
    for _ in range(OFTEN_ENOUGH):
        cause = answer.cause
        mend = None if cause is None else mended(definitions, cause)
        if cause is None or mend is None or not (group.ids or definitions[-1].flat):
            return
        said += [show_rules(definitions), answer.text()]
        if cause.reason is Reason.ELSEWHERE and mend == definitions:
            return  # in a rule that is used, of groups that another one has
        assert mend != definitions, "\n".join(["it names what is not in the rules", *said])
        definitions, seen = mend, past(mend, history)
        if seen is None or len(raised_in(seen, definitions[-1], group)) > len(before):
            return
        answer = why_not(seen.evidence, places=None if definitions[-1].flat else {group.ids[-1]})
        assert not says_it_again(answer, cause) and (before or answer.cause is not None), "\n".join(
            ["it is no help", *said, answer.text()]
        )


def says_it_again(answer: Explanation, cause: Cause) -> bool:
    """Whether an answer gives the reason that has been mended; others use events up, and other values do not join."""
    again = answer.cause
    if again is None or again.reason is not cause.reason or "it is due" in again.text:
        return False
    return cause.reason not in (Reason.CONSUMED, Reason.JOIN_MISMATCH, Reason.NO_VALUE)


def past(definitions: tuple[EventDefinition, ...], history: Steps) -> History | None:
    """The history as the last of these events sees it; None where an expression fails, or mended rules are none."""
    try:
        seen = History(rules_of(definitions), definitions[-1].name)
        for step in history.steps:
            taken(seen, step)
    except (EvaluationError, RuleError):
        return None
    return seen


def raised_in(seen: History, definition: EventDefinition, group: PendingGroup) -> list[CompositeEvent]:
    return [one for one in seen.raised if definition.flat or one.ids == group.ids]


@some
@given(
    full_rule_sets(max_events=1, constructs=ALONE), st.one_of(timed_histories(edits=False), dense_histories())
)
def test_what_is_said_of_events_is_so(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """What has not occurred has not, what is elsewhere is not here, what is used up is part of something."""
    seen = past(definitions, history)
    if seen is None:
        return
    answer = why_not(seen.evidence)
    leaves = {written(leaf, {}): leaf for leaf in leaves_of(definitions[0].expression)}
    for group in answer.groups:
        for part, is_in_group in parts_of(group.part, bool(group.ids)):
            leaf = leaves.get(part.text)
            fitting = [event for event in history.events if leaf is not None and takes(leaf, event)]
            here = [event for event in fitting if is_in_group and seen.evidence.place(event) == group.ids[-1]]
            for cause in part.causes:
                said = "\n".join([show_rules(definitions), answer.text(), show_history(history)])
                primitive = [event for event in cause.events if isinstance(event, PrimitiveEvent)]
                assert all(any(event is one for one in history.events) for event in primitive), said
                match cause.reason:
                    case Reason.NEVER_OCCURRED if (
                        cause.text.startswith("no ") and " other " not in cause.text[:9]
                    ):
                        assert not fitting, said
                    case Reason.ELSEWHERE:
                        assert not here or leaf is None or leaf.filter or leaf.bindings, said
                    case Reason.CONSUMED:
                        assert len(cause.events) == 2 or not is_in_group, said
                    case Reason.NODE_DELETED:
                        assert [event.op for event in primitive] == ["del"], said
                        assert not is_in_group or primitive[0].ids[-1] in group.ids, said
                    case Reason.WRONG_ORDER if "came before" in cause.text:
                        assert cause.events[1].ts < cause.events[0].ts, said


def takes(leaf: Leaf, event: PrimitiveEvent) -> bool:
    return (
        isinstance(leaf.type, PrimitiveType)
        and leaf.opaque is None
        and leaf.type.accepts(event.op, event.path)
    )


def parts_of(part: Part, is_in_group: bool) -> Iterator[tuple[Part, bool]]:
    """All parts, each with whether it is about the node of the whole."""
    is_in_group = is_in_group and not part.place
    yield part, is_in_group
    for below in part.parts:
        yield from parts_of(below, is_in_group)


@some
@given(full_rule_sets(max_events=2, constructs=ALONE), timed_histories(edits=False))
def test_the_events_of_a_finding_raise_it(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Y2: what an answer shows is what the finding is made of, and these events alone, at their times, raise it."""
    rules, name = rules_of(definitions), definitions[-1].name
    seen, earlier = History(rules, name), 0
    for number, step in enumerate(history.steps):
        try:
            taken(seen, step)
        except EvaluationError:
            return
        for finding in seen.raised[earlier:]:
            inside = {id(event) for event in finding.flattened()}
            answer = why(seen.evidence, finding)
            said = "\n".join([show_rules(definitions), answer.text(), show_history(history)])
            listed = {
                id(event)
                for part, _ in parts_of(answer.groups[0].part, True)
                for one in part.events
                for event in ([one] if isinstance(one, PrimitiveEvent) else one.flattened())
            }
            assert listed == inside, said
            assert all(
                not part.events for part, _ in parts_of(answer.groups[0].part, True) if part.negated
            ), said
            if inside:  # an empty one is raised by the insertion of its node (M4), which is no part of it
                alone = [
                    each
                    for each in history.steps[: number + 1]
                    if not isinstance(each, PrimitiveEvent) or id(each) in inside or each is step
                ]
                assert is_raised(finding, rules, alone), said
        earlier = len(seen.raised)


def is_raised(finding: CompositeEvent, rules: Rules, steps: list[Any]) -> bool:
    detector, wanted = Detector(rules), sorted(id(event) for event in finding.flattened())
    try:
        raised = [one for step in steps for one in taken(detector, step)] + detector.flush()
    except EvaluationError:  # of what the others had kept away
        return True
    return any(
        (one.name, one.ids) == (finding.name, finding.ids) and sorted(map(id, one.flattened())) == wanted
        for one in raised
    )


TABLE = {
    "a window over which nothing followed": (
        'x[2,*]{within="1 change"} ins(item/price)', "ins item/price 1.3.4\nins x 1.8\nins x 1.9",
        "expired: ins(/order#1/item#3/price#4) at 1 and now lie further apart than 1 change, by 1 change",
    ),
    "a window of transactions": (
        '(ins(item/price) & ins(item/quantity)) {within="1 transaction"}',
        "ins item/price 1.3.4 #1\nins item/quantity 1.3.5 #2",
        "do not lie within 1 transaction, but 1 transaction further apart",
    ),
    "nothing is used up where everything is kept": (
        '(ins(item) ; ins(item/price)) {context=unrestricted, within="2 changes"}',
        "ins item 1.3\nins item/price 1.3.4\nins x 1.8\nins x 1.9\nins item/price 1.3.5",
        "expired: ins(/order#1/item#3) at 1 and ins(/order#1/item#3/price#5) at 5",
    ),
    "it was here, and an inner operator has dropped it": (
        '(ins(item/price) ; ins(item/quantity)) {within="1 change"} ; ins(item/comment)',
        "ins item/price 1.3.4\nins x 1.8\nins x 1.9\nins item/comment 1.3.5",
        "expired: ins(/order#1/item#3/price#4) at 1 and now",
    ),
    "two before it are missing": (
        "ins(item/comment) ; ins(item/price) ; ins(item/quantity)",
        "ins item/price 1.3.4\nins item/quantity 1.3.5\nins item/comment 1.3.6",
        "wrong-order: ins(/order#1/item#3/price#4) at 1 came before ins(/order#1/item#3/comment#6) at 3",
    ),
    "one event for two operands": (
        "any[2]{path=item}(ins(item/price), *(item/price))", "ins item/price 1.3.4",
        "never-occurred: ins(/order#1/item#3/price#4) at 1 would do for several operands, but counts for one",
    ),
    "a guard where everything is kept": (
        '(ins(item/price/text()) as $p & ins(item/quantity)) {context=unrestricted, if="$p > 10"}', ITEM,
        "guard-false: at 4 everything was there, but if $p > 10 is false: $p is '7'",
    ),
    "having of a multiplicity that was full": (
        'x[1,1]{having="sum($p) > 10"} ins(item/price/text()) as $p', ITEM,
        "having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "having of a multiplicity that was released": (
        'x[1,2]{path=item, having="sum($p) > 10", end=custom} ins(item/price/text()) as $p',
        "ins item/price/text() 1.3.4.5 =7 #1\nins x 1.9",
        "having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "having before a condition that was not asked": (
        'x[1,2]{path=item, having="sum($p) > 10", when="note"} ins(item/price/text()) as $p', ITEM,
        "having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "the guard of a multiplicity": (
        'x[1,2]{if="$p > 10"} ins(item/price/text()) as $p', "ins item/price/text() 1.3.4.5 =7",
        "guard-false: at 1 everything was there, but if $p > 10 is false: $p is '7'",
    ),
    "the guard of a multiplicity that was released": (
        'ins(item/comment) ; x[1,2]{if="$p > 10", end=custom} ins(item/price/text()) as $p',
        "ins item/comment 1.3.9 #1\nins item/price/text() 1.3.4.5 =7 #1\nins x 1.9",
        "guard-false: at 2 everything was there, but if $p > 10 is false: $p is '7'",
    ),
    "the guard of an empty composite": (
        'x[0,*]{path=item, if="price"} ins(item/price)', "ins . 1\nins item 1.3",
        "at /order#1/item#3: guard-false: at 2 everything was there, but if price is false",
    ),
    "what was raised for other values is no answer": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text()) as $p) {if="$p = 7"}',
        "ins item/price/text() 1.3.4.5 =7\nins item/quantity/text() 1.3.6.7 =7\n"
        "ins item/price/text() 1.3.8.9 =8\nins item/quantity/text() 1.3.10.11 =8",
        "C was not raised at /order#1/item#3: guard-false: at 4 everything was there, but if $p = 7 is false",
    ),
    "what was forbidden for other values is no reason": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text()) as $p) {if="$p > 7"}',
        "ins item/price/text() 1.3.4.5 =7\nins item/quantity/text() 1.3.6.7 =7\nins item/price/text() 1.3.8.9 =8",
        "join-mismatch: ins(/order#1/item#3/quantity#6/text()#7) at 2 has $p = '7', and the others have $p = '8'",
    ),
    "a condition of paths and sums": (
        '(ins(item/price) & ins(item/quantity)) {when="price/text() + 1 > 10 and not(../note)"}', ITEM,
        "price/text() + 1 is '8', ../note is ''",
    ),
    "within, an event without a value": (
        "x[1,*]{path=item} (ins(item/@partNum) as $p = (//nothing) & ins(item/price/text()) as $p)",
        "ins . 1\nins item 1.3\nins item/@partNum 1.3.4 =7",
        "no-value: ins(/order#1/item#3/@partNum) at 3 has no value for $p",
    ),
    "a language that says no": (
        'opaque["xpath31", ". > 10"](item/price/text())', "ins . 1\n" + ITEM,
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 4, but xpath31 says no",
    ),
    "a filter of what a language returns": (
        'opaque["xpath31", "map{\'half\': number(.) div 2}"](item/price/text())[$half > 10]', "ins . 1\n" + ITEM,
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 4, but its filter $half > 10 is false: $half is '3.5'",
    ),
    "a filter with a remainder": (
        "ins(item/price/text())[time($at) mod 2 = 1]", "ins item/price/text() 1.3.4.5 =7 @4",
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 1, but its filter time($at) mod 2 = 1 is false: "
        "time($at) mod 2 is '0'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_rows(case: str) -> None:
    rule, text, said = TABLE[case]
    assert said in ask(f"event C = {rule}", text).answer


PENDING = {
    "refused within": (
        'ins(item/comment) ; x[1,*]{path=item, having="sum($p) > 10"} ins(item/price/text()) as $p',
        "ins item/comment 1.3.9\nins item/price/text() 1.3.4.5 =7",
        "100%  C at /order#1/item#3: having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "not released within": (
        "ins(item/comment) ; x[1,*]{path=item, end=custom} ins(item/price)",
        "ins item/comment 1.3.9\nins item/price 1.3.4",
        "100%  C at /order#1/item#3: not-released: everything is there; it waits for the end of the transaction",
    ),
    "refused, and something else is missing": (
        'ins(item/comment) & x[1,*]{path=item, having="sum($p) > 10"} ins(item/price/text()) as $p',
        "ins item/price/text() 1.3.4.5 =7",
        "50%  C at /order#1/item#3: missing ins(item/comment); having-false",
    ),
    "having of nothing": (
        'ins(item) & x[0,*]{path=item, having="count($p) > 1"} ins(item/price/text()) as $p', "ins . 1\nins item 1.3",
        "100%  C at /order#1/item#3: having-false: having count($p) > 1 is false: count($p) is '0'",
    ),
    "a condition of nothing": (
        'ins(item) & x[0,*]{path=item, when="note"} ins(item/price)', "ins . 1\nins item 1.3",
        "100%  C at /order#1/item#3: condition-false: when note is false: note is ''",
    ),
    "a guard of nothing": (
        'ins(item) & x[0,*]{path=item, if="note"} ins(item/price)', "ins . 1\nins item 1.3",
        "100%  C at /order#1/item#3: guard-false: everything was there",
    ),
    "nothing of a node that is not there": (
        "ins(item) & x[0,*] ins(item/price/text())", "ins . 1\nins item 1.3",
        "100%  C at /order#1/item#3: never-occurred: no item/price has been inserted there, for which it is raised of "
        "nothing (M4)",
    ),
    "one nothing of two": (
        "x[2,2]{path=item} x[0,1] ins(item/price/text())", "ins . 1\nins item 1.3\nins item/price 1.3.4",
        "50%  C at /order#1/item#3: 1 of the 2 events that are needed are there",
    ),
    "too few": (
        "x[2,3]{path=item} ins(item/price)", "ins item/price 1.3.4",
        "50%  C at /order#1/item#3: 1 of the 2 events that are needed are there",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PENDING)
def test_what_a_group_waits_for(case: str) -> None:
    rule, text, said = PENDING[case]
    detector = Detector(parse_rules(f"event C = {rule}"))
    for event in events(text):
        detector.feed(event)
    assert said in str(detector.pending())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(DENSE, full_rule_sets(constructs=KNOWN), dense_rule_sets()),
    st.one_of(dense_histories(), timed_histories()),
)
def test_what_waits_waits_for_something(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Y1: of no group that has not been raised it is said that it is complete; asked about, it has a reason (Y3)."""
    detector = Detector(rules_of(definitions))
    for step in history.steps:
        try:
            taken(detector, step)
        except EvaluationError:
            return
    for group in detector.pending(limit=None):
        said = "\n".join([show_rules(definitions), show_history(history), group.text()])
        assert group.raised or not str(group).endswith(": complete"), said
        if not group.ids:
            continue
        seen = past(definitions[: [each.name for each in definitions].index(group.event) + 1], history)
        if seen is not None:
            answer = why_not(seen.evidence, places={group.ids[-1]})
            assert answer.cause is not None or "was not raised" not in answer.answer, (
                f"{said}\n{answer.text()}"
            )


def test_what_must_not_occur_needs_no_reason() -> None:
    answer = ask(
        "event C = not x[2,3]{path=item} ins(item/price) ; ins(item/quantity)", "ins item/price 1.3.4"
    )
    assert "must not occur x[2,3]" in answer.text()
    assert answer.text().count("ins(item/price)") == 2  # in the whole, and there
