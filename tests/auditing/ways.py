"""Live, local audit and Spark's tasks over random rules of the patterns that people write first, and how many cases
with findings needed each: ``python -m tests.auditing.ways 1 3000`` draws 3,000 cases from seed 1.

What a finding needs: see `needed`.
"""

from __future__ import annotations

import sys
from collections import Counter

from hypothesis import strategies as st

from tests.anew import draw_anew
from tests.laws.agreement import needed, rules_of, shown
from tests.laws.ending import ending_rules
from tests.strategies import History
from tests.strategies.nested import nested_rule_sets
from tests.strategies.patterns import pattern_histories, pattern_rules
from xmlcep.algebra import EventDefinition

Case = tuple[tuple[EventDefinition, ...], list[tuple[History, int]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Rules, and up to two documents of much that means something to them, each with a place at which its log is
    cut."""
    definitions = draw(st.one_of(pattern_rules(), pattern_rules(), nested_rule_sets(), ending_rules()))
    history = pattern_histories(definitions)
    return definitions, draw(st.lists(st.tuples(history, st.integers(0, 30)), min_size=1, max_size=2))


def main(arguments: list[str]) -> int:
    from tests.auditing.test_every_construct import check_against_watch

    first, count = map(int, arguments)
    counts: Counter[str] = Counter()
    different: list[str] = []

    def look(case: Case) -> None:
        definitions, histories = case
        try:
            found = check_against_watch(rules_of(definitions), histories, operators=False, until=None)
        except AssertionError as error:
            different.append(f"{case}\n{error}")
        else:
            counts.update(needed(definitions, found))

    draw_anew(cases(), first, count, look)
    print(f"{count} cases, {len(different)} with a difference; needed by findings: {shown(counts)}")
    if different:
        print(min(different, key=len))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
