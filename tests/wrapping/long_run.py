"""The long run: many random edits judged one by one. ``python -m tests.wrapping.long_run 100000``"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from random import Random

from tests.wrapping.judge import Judge
from tests.wrapping.mutator import START, Mutator
from xmlcep.wrapping import fromstring


def run(count: int, seed: int, *, hold: bool, whole: int = 50) -> Counter[str]:
    """``count`` edits, judged; returns how often each call was made."""
    document = fromstring(START)
    judge = Judge(document)
    mutator = Mutator(document.root, Random(seed), hold=hold)
    calls: Counter[str] = Counter()
    for number in range(count):
        result = mutator.step()
        calls[mutator.name] += 1
        if not hold:
            mutator.detached.clear()
            if number % 10 == 0:
                gc.collect()
        try:
            calls["events"] += len(judge.check(several=mutator.name == "extend"))
            if number % whole == 0:
                document._check()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, step {number}, {result}: {error}") from error
    document._check()
    document.close()
    return calls


def main() -> None:
    """Both modes; prints what was done."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for hold in (True, False):
        calls: Counter[str] = Counter()
        for seed, first in enumerate(range(0, count, 2000)):
            calls += run(min(2000, count - first), seed, hold=hold)
        mode = "holding all proxies" if hold else "holding none, gc.collect()"
        print(
            f"{mode}: {count} edits, {calls.pop('events')} events, {len(calls)} kinds of calls, no difference"
        )


if __name__ == "__main__":
    main()
