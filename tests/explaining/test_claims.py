"""What explanations say is so: events that are named did happen, and a rule without what is named finds it (Y2, Y3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.explaining.claims import Past, is_so
from tests.explaining.law import law
from tests.explaining.repaired_rules import mended
from tests.explaining.test_laws import KNOWN, after, taken
from tests.laws.agreement import rules_of
from tests.strategies import History as Steps
from tests.strategies import dense_histories, dense_rule_sets, show_history, show_rules
from tests.strategies.dense import DenseBuilder
from tests.strategies.full_rules import full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.algebra import Disjunction, EventDefinition, Leaf, Termination, leaves_of
from xmlcep.engine import Detector
from xmlcep.engine.errors import EvaluationError
from xmlcep.errors import RuleError
from xmlcep.events import CompositeEvent, CompositeType, PrimitiveEvent, PrimitiveType
from xmlcep.explaining import Explanation, Reason
from xmlcep.explaining.history import History
from xmlcep.explaining.nodes import short, written
from xmlcep.explaining.values import Cause, Part, PendingGroup
from xmlcep.explaining.why import why
from xmlcep.explaining.why_not import why_not
from xmlcep.rules import Rules
from xmlcep.timestamps import microseconds
from xmlcep.xpath.values import text_of

OFTEN_ENOUGH = 8
"""After so many mends of one rule nothing more is asked."""
# Without edits of several records and what asks the document: each event stands for itself.
ALONE = frozenset(KNOWN) - {"edit"}
DENSE = full_rule_sets(constructs=KNOWN, builder=DenseBuilder)


@law(
    st.one_of(full_rule_sets(max_events=1, constructs=ALONE), DENSE, dense_rule_sets()),
    st.one_of(timed_histories(edits=False), dense_histories()),
    examples=40,
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


# What is asked when it is released, or due, may be false (D4); of what is used something may be missing.
RELEASED = tuple(sorted(frozenset(KNOWN) - {"edit", "guard", "condition", "composite"}))


def says_it_again(answer: Explanation, cause: Cause) -> bool:
    """Whether an answer gives the reason that has been mended; others use events up, and other values do not join."""
    again = answer.cause
    if again is None or again.reason is not cause.reason or " is due " in again.text:
        return False
    return cause.reason not in (Reason.CONSUMED, Reason.JOIN_MISMATCH, Reason.NO_VALUE)


def past(definitions: tuple[EventDefinition, ...], history: Steps) -> History | None:
    """The history as the last of these events sees it; None where an expression fails, or mended rules are none."""
    try:
        seen = History(rules_of(definitions), definitions[-1].name)
        for step in history.steps:
            taken(seen, step)
        seen.end_edit()
    except (EvaluationError, RuleError):
        return None
    return seen


def raised_in(seen: History, definition: EventDefinition, group: PendingGroup) -> list[CompositeEvent]:
    return [one for one in seen.raised if definition.flat or one.ids == group.ids]


@law(
    full_rule_sets(max_events=1, constructs=ALONE),
    st.one_of(timed_histories(edits=False), dense_histories()),
    examples=40,
)
def test_what_is_said_of_events_is_so(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """What has not occurred has not, what is elsewhere is not here, what is used up is part of something."""
    seen = past(definitions, history)
    if seen is None:
        return
    answer = why_not(seen.evidence)
    leaves = {written(leaf, {}): leaf for leaf in leaves_of(definitions[0].expression)}
    admitted = admitted_by(leaves, history)
    whole_past = Past(history, [one for at in seen.evidence.raised.values() for one in at])
    raised = [one for one in seen.raised if is_at(answer.groups[0], one, seen)]
    is_said = " was raised at" in answer.answer or "not raised again" in answer.answer
    is_known = bool(answer.groups[0].ids) or definitions[0].flat or "at any node" in answer.text()
    assert bool(raised) == is_said or not is_known, answer.text()
    for group in answer.groups:
        for part, is_in_group in parts_of(group.part, bool(group.ids)):
            leaf = leaves.get(part.text)
            fitting = [event for event in history.events if leaf is not None and takes(leaf, event)]
            let_in = admitted.get(part.text, [])
            here = [one for one in let_in if is_in_group and is_at(group, one, seen)]
            used = {
                id(event) for one, _ in parts_of(group.part, True) if one is not part for event in one.events
            }
            for cause in part.causes:
                said = "\n".join([show_rules(definitions), answer.text(), show_history(history)])
                assert is_so(cause, whole_past), f"{cause}\n{said}"
                match cause.reason:
                    case Reason.NEVER_OCCURRED if (
                        cause.text.startswith("no ") and " other " not in cause.text[:9]
                    ):
                        assert not fitting, said
                    case Reason.ELSEWHERE:
                        assert all(id(one.constituents[0]) in used for one in here), said
                    case Reason.CONSUMED:
                        assert len(cause.events) == 2 or not is_in_group, said
                    case Reason.NODE_DELETED:
                        assert not is_in_group or cause.events[0].ids[-1] in group.ids, said
                    case Reason.FILTERED if leaf is not None:
                        assert not any(one.constituents[0] is cause.events[0] for one in let_in), said
                whole = part is group.part
                if cause.text.startswith("no other ") and leaf is not None:
                    beside = int(cause.text.split(", and ")[1].split()[0]) if ", and " in cause.text else 0
                    assert len(let_in) == 1 + beside, said
                if whole and is_of_one_kind(part) and " events that are needed" in cause.text:
                    come = admitted[part.parts[0].text]
                    there = [one for one in come if is_at(group, one, seen)]
                    assert len(there) == int(cause.text.split(" of the ")[0].rsplit(" ")[-1]), said
        had_none = re.search("; it had no (.*) by then$", "" if answer.cause is None else answer.cause.text)
        for text in [] if had_none is None or group is not answer.groups[0] else leaves:
            if text in had_none[1]:
                said = "\n".join([show_rules(definitions), answer.text(), show_history(history)])
                assert not any(is_at(group, one, seen) for one in admitted[text]), said


def is_of_one_kind(part: Part) -> bool:
    """Whether it counts the events of a leaf that takes all there are."""
    return len(part.parts) == 1 and part.parts[0].is_leaf and part.parts[0].text.endswith(")")


def takes(leaf: Leaf, event: PrimitiveEvent) -> bool:
    """Whether an event is of the leaf's type."""
    return isinstance(leaf.type, PrimitiveType) and leaf.type.accepts(event.op, event.path)


def is_at(group: PendingGroup, found: CompositeEvent, seen: History) -> bool:
    """Whether what a leaf has found belongs to a group: at its node, with its values."""
    if group.ids and group.ids[-1] not in places_of(found, seen):
        return False
    known = {name: short(text_of(value)) for name, value in (found.bindings or {}).items()}
    return all(known.get(name, value) == value for name, value in group.values)


def places_of(found: CompositeEvent, seen: History) -> set[int | None]:
    """The nodes of the root's groups that it is of; of what a leaf has found, by each such leaf of the tree."""
    if not found.name.startswith("Leaf"):
        return {seen.evidence.place(found)}
    tree = seen.evidence.tree.tree
    texts = list(dict.fromkeys(written(leaf, {}) for leaf in leaves_of(tree.definition.expression)))
    text = texts[int(found.name.removeprefix("Leaf"))]
    return {
        seen.evidence.place_at((node.index, leaf.child_index), found.constituents[0])
        for node in tree.operators
        for leaf in node.leaves()
        if written(leaf.leaf, {}) == text
    }


def admitted_by(leaves: Mapping[str, Leaf], history: Steps) -> dict[str, list[CompositeEvent]]:
    """What leaves let in: each leaf is a rule by itself, which finds that."""
    names = {text: f"Leaf{number}" for number, text in enumerate(leaves)}
    alone = [EventDefinition(names[text], Disjunction((leaf,))) for text, leaf in leaves.items()]
    detector = Detector(rules_of(alone))
    raised = [one for step in history.steps for one in taken(detector, step)]
    return {text: [one for one in raised if one.name == name] for text, name in names.items()}


def parts_of(part: Part, is_in_group: bool) -> Iterator[tuple[Part, bool]]:
    """All parts, each with whether it is about the node of the whole."""
    is_in_group = is_in_group and not part.place
    yield part, is_in_group
    for below in part.parts:
        yield from parts_of(below, is_in_group)


@law(
    full_rule_sets(max_events=2, constructs=ALONE),
    timed_histories(edits=False),
    examples=40,
)
def test_the_events_of_a_finding_raise_it(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Y2: what an answer shows is what a finding is made of, and these events, if leaves let in no others, raise it."""
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
                assert is_raised(finding, definitions, history.steps[: number + 1]), said
        earlier = len(seen.raised)


def is_raised(
    finding: CompositeEvent, definitions: tuple[EventDefinition, ...], steps: Iterable[Any]
) -> bool:
    """Whether the rules raise a finding of steps if their leaves let in nothing but its events."""
    times = sorted({event.ts for event in finding.flattened()})
    alone = tuple(replace(one, expression=letting_in(times, one.expression)) for one in definitions)
    detector, wanted = Detector(rules_of(alone)), sorted(id(event) for event in finding.flattened())
    try:
        raised = [one for step in steps for one in taken(detector, step)] + detector.flush()
    except EvaluationError:  # of what the others had kept away
        return True
    return any(
        (one.name, one.ids) == (finding.name, finding.ids) and sorted(map(id, one.flattened())) == wanted
        for one in raised
    )


def letting_in(times: Sequence[int], expression: Any) -> Any:
    """An expression whose leaves let in what happens at these times; what ends something, all there is."""
    if not isinstance(expression, Leaf):
        return expression.with_operands(
            tuple(
                operand if k in expression.optional_binders else letting_in(times, operand)
                for k, operand in enumerate(expression.operands)
            )
        )
    if not isinstance(expression.type, PrimitiveType):
        return expression
    at = " or ".join(f"$ts = {ts}" for ts in times)
    return replace(
        expression, filter=at if expression.filter is None else f"({expression.filter}) and ({at})"
    )


@law(
    st.one_of(DENSE, full_rule_sets(constructs=KNOWN), dense_rule_sets()),
    st.one_of(dense_histories(), timed_histories()),
    examples=60,
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


@law(
    st.one_of(
        full_rule_sets(max_events=1, constructs=RELEASED),
        full_rule_sets(constructs=RELEASED, builder=DenseBuilder),
    ),
    st.one_of(dense_histories(), timed_histories(edits=False)),
    examples=80,
)
def test_what_waits_for_a_release_is_raised_by_it(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Y1: what is said to wait for a flush only is raised by one; what is due, by the time that is said."""
    rules = held_back(definitions)

    # What is used may end it at that very time.
    using = [one.name for one in definitions if any(map(is_composite, leaves_of(one.expression)))]
    try:
        present = after(rules, history)
    except EvaluationError:
        return
    for group in present.pending(limit=None):
        said = "\n".join([str(rules), show_history(history), group.text()])
        waiting = {cause.reason for cause in group.causes}
        is_due = any(" is due " in cause.text for cause in group.causes)
        asks = "is asked then" in group.text()
        if group.share.is_full and not (group.raised or is_due or asks) and waiting == {Reason.NOT_RELEASED}:
            assert any(is_of(group, one) for one in after(rules, history).flush()), said
        for cause in group.part.causes:
            due = re.match("it is due ([0-9-]+T[^ ]+Z), unless", cause.text)
            alone = sum(" is due " in one.text for one in group.causes) == 1  # others may end it before
            if due is not None and alone and group.event not in using:
                # What ends the edit says what time it is, too.
                time = max(microseconds(due[1]), *(microseconds(one.at) for one in history.events if one.at))
                assert any(is_of(group, one) for one in after(rules, history).advance(time + 1)), said


def held_back(definitions: tuple[EventDefinition, ...]) -> Rules:
    """The rules with the last of them raised at a flush, where it can be."""
    last = definitions[-1]
    if not isinstance(last.expression, Leaf) and "end" in last.expression.takes:
        options = replace(last.expression.options, end=Termination.CUSTOM)
        try:
            late = replace(last, expression=last.expression.with_options(options))
            return rules_of((*definitions[:-1], late))
        except RuleError:
            pass
    return rules_of(definitions)


def is_of(group: PendingGroup, one: CompositeEvent) -> bool:
    return one.name == group.event and (not group.ids or one.ids == group.ids)


def is_composite(leaf: Leaf) -> bool:
    return isinstance(leaf.type, CompositeType)
