"""Whether `can_still_raise`, or a finding that is the last, ever is wrong (Y11).

``python -m tests.laws.ending 1 5000 [MODE …]``
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from hypothesis import reject
from hypothesis import strategies as st

from tests.anew import draw_anew
from tests.laws.agreement import as_the_engine_sees, rules_of, take
from tests.laws.long_run import MODES
from tests.strategies import History, meeting_histories, show_history, show_rules
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector
from xmlcep.errors import RuleError
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.rules import parse_rules

_LEAVES = (
    *("ins(item)", "del(item)") * 3, "ins(/order/item)", "ins(order/item)", "ins(item//)", "*(item)", "ins(item/item)",
    "ins(item/price)", "upd(item/price/text())", "del(item/price)", "ins(price)", "First(item)", "First(item)",
    "ins(item) as $n = (count(../item))",
)  # fmt: skip
_JOINED = (
    "{} & {}", "{} ; {}", "{} ; {}", "{} ; not {} ; {}", "{} ; not {}", "not {} ; {}", "{} & {} & {}", "any[1]({}, {})",
    "x[1,1] {}", "x[2,*] {}", "x[0,2] {}", "({} | {})",
)  # fmt: skip
_OPTIONS = (
    "", '{within="3 changes"}', "{context=cumulative}", "{context=recent}", "{context=continuous}", "{end=custom}",
)  # fmt: skip
_CONTEXTS = (
    *("", "(item)") * 2, "(item) {context=cumulative}", "(item) {context=recent}", "(item) {context=unrestricted}",
    "(item) {context=next}", " {flat}",
)  # fmt: skip


@st.composite
def ending_rules(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Events that use up what there is once at a node, in many ways, with one that is made of another."""

    def expression(leaves: Sequence[str], depth: int) -> str:
        joined = draw(st.sampled_from(_JOINED))
        operands = [
            expression(leaves, 0) if depth and draw(st.integers(0, 3)) == 0 else draw(st.sampled_from(leaves))
            for _ in range(joined.count("{}"))
        ]
        return f"({joined.format(*operands)}){draw(st.sampled_from(_OPTIONS))}"

    def event(leaves: Sequence[str]) -> str:
        said = expression(leaves, 1) if draw(st.integers(0, 3)) else draw(st.sampled_from(leaves))
        return f"{draw(st.sampled_from(_CONTEXTS))} = {said}"

    for _ in range(50):
        primitive = [each for each in _LEAVES if "First" not in each]
        with suppress(RuleError):
            return parse_rules(f"event First{event(primitive)}\nevent Second{event(_LEAVES)}").definitions
    reject()


ENDING = {"ending": st.tuples(ending_rules(), meeting_histories(removes=True)), **MODES}
Case = tuple[tuple[EventDefinition, ...], History]


def untrue(
    definitions: tuple[EventDefinition, ...], history: History
) -> tuple[list[CompositeEvent], Counter[str]]:
    """The composites that came where it was said that none can, and how often that was said."""
    detector = Detector(rules_of(definitions))
    names = [tree.tree.name for tree in detector.trees.values()]
    nodes: dict[int, bool] = {}  # whether they exist
    ended: set[tuple[str, int]] = set()
    last: dict[tuple[str, int], int] = {}
    found, said = [], Counter[str]()
    for step in [*map(as_the_engine_sees, history.steps), "flush", "close"]:
        for each in take(detector, step):
            at = each.name, each.ids[-1] if each.ids else 0
            if at in ended or last.get(at, each.ts) < each.ts:
                found.append(each)
            if each.ended:
                last[at] = each.ts
        if isinstance(step, PrimitiveEvent):
            nodes.update(dict.fromkeys(step.ids, True))
            nodes[step.ids[-1]] = step.op != "del"
        ended |= {
            (name, node)
            for node, exists in nodes.items()
            for name in names
            if not detector.can_still_raise(name, node, exists=exists)
        }
    return found, said + Counter(no=len(ended), last=len(last))


def main(arguments: list[str]) -> int:
    first, count, *modes = arguments
    status = 0
    for mode in modes or ENDING:
        said: Counter[str] = Counter()

        def look(case: Case, said: Counter[str] = said) -> None:
            found, answers = untrue(*case)
            said["untrue"] += len(found)
            said.update(answers)
            if found and said["untrue"] == len(found):
                print(show_rules(case[0]), show_history(case[1]), *found, sep="\n")

        draw_anew(ENDING[mode], int(first), int(count), look)
        print(
            f"{mode}: {count} cases, {said['no']} times no, {said['last']} last, {said['untrue']} untrue",
            flush=True,
        )
        status |= bool(said["untrue"])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
