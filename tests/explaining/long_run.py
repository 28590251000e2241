"""The long run of explanations: their laws with other cases than those of every run, as many as there is time for.

``python -m tests.explaining.long_run 1 3000 test_what_waits_waits_for_something`` draws 3,000 cases from seed 1 for
each of these laws (without any: for all that the folder's tests have) and prints the shortest of those that break it,
made smaller.
"""

from __future__ import annotations

import sys
from operator import itemgetter
from typing import Any

from hypothesis import strategies as st

from tests.anew import draw_anew
from tests.explaining import test_claims as _truth
from tests.explaining import test_laws as _laws
from tests.explaining import test_what_is_to_come as _more
from tests.explaining.law import LAWS

assert _laws and _more and _truth  # whose laws these are


def broken(name: str, first: int, cases: int) -> list[tuple[Any, ...]]:
    """What breaks a law of so many cases, the shortest first."""
    found: list[tuple[int, tuple[Any, ...]]] = []
    law = LAWS[name]

    def collect(drawn: tuple[Any, ...]) -> None:
        breach = law.breach(*drawn)
        if breach is not None:
            found.append((len(str(breach)), drawn))

    draw_anew(st.tuples(*law.drawn), first, cases, collect)
    found.sort(key=itemgetter(0))
    return [drawn for _, drawn in found]


def main(arguments: list[str]) -> int:
    first, cases, *names = arguments
    status = 0
    for name in names or LAWS:
        found = broken(name, int(first), int(cases))
        print(f"{name}: {cases} cases, {len(found)} of them break it", flush=True)
        if found:
            print(LAWS[name].smaller(*found[0]), flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
