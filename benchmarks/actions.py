"""What rules that act cost (issue of rules L1 to L12): a firing beyond its edits, many rules, long cascades.

A firing is measured against the same edits made by hand, in a transaction (so that they can be undone, as those of a
firing can), on a document with a watch of the same event: what is left is the rule. All rounds of a case alternate.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import process_time
from typing import Any

from xmlcep import Document, fromstring, parse_rules

from .frame import Figure, Settings

TITLE = "Rules that act: a firing beyond its edits; 1,000 rules of which one fires; a cascade of 1,000 steps"
ITEMS = 10
FIRINGS = 3_000
ONE = "rule R on (upd(item/@n)) {path=item} do set '@m' = '$new'"
WATCHED = "event R(item) = upd(item/@n)"
OTHERS = "".join(f"rule O{n} on (upd(other{n}/@n)) do set '../@m' = '1'\n" for n in range(999))
SAME_PLACE = "".join(f"rule O{n} on (upd(item/@n{n})) do set '../@m' = '1'\n" for n in range(999))


def run(settings: Settings) -> Iterator[Figure]:
    """All cases."""
    yield from _firing(settings.runs)
    for case, others in (("1,000 rules elsewhere", OTHERS), ("1,000 rules on the same elements", SAME_PLACE)):
        yield from _many(settings.runs, case, others)
    yield from _cascade(settings.runs)


def _document() -> tuple[Document, list[Any]]:
    items = "<item n='0' m='0'/>" * ITEMS
    doc = fromstring(f"<order>{items}</order>")
    doc.subscribe(lambda event: None)
    return doc, list(doc.root)


def _seconds(function: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    function()
    return process_time() - start


def _by_hand() -> float:
    doc, items = _document()
    with doc.watch(parse_rules(WATCHED)):

        def edit() -> None:
            with doc.transaction():
                for number in range(FIRINGS):
                    value = str(number)
                    items[number % ITEMS].set("n", value)
                    items[number % ITEMS].set("m", value)

        return _seconds(edit) / FIRINGS


def _acting(rules: str) -> float:
    doc, items = _document()
    with doc.rules(parse_rules(rules), firings=10 * FIRINGS) as acting:

        def edit() -> None:
            with doc.transaction():
                for number in range(FIRINGS):
                    items[number % ITEMS].set("n", str(number))

        spent = _seconds(edit) / FIRINGS
        assert acting.counts.fired >= FIRINGS - 1
        return spent


def _firing(runs: int) -> Iterator[Figure]:
    pairs = [(_by_hand(), _acting(ONE)) for _ in range(runs + 1)][1:]
    hand, acting = (median(each) * 1e6 for each in zip(*pairs, strict=True))
    beyond = [1e6 * (b - a) for a, b in pairs]
    yield Figure("actions", "two edits by hand, watched", hand, "µs")
    yield Figure("actions", "an edit, and a firing with one set", acting, "µs", acting / hand, "by hand")
    yield Figure(
        "actions", "a firing beyond its edits", median(beyond), "µs", None, "", min(beyond), max(beyond)
    )


def _many(runs: int, case: str, others: str) -> Iterator[Figure]:
    pairs = [(_acting(ONE), _acting(others + ONE)) for _ in range(runs + 1)][1:]
    one, many = (median(each) * 1e6 for each in zip(*pairs, strict=True))
    yield Figure("actions", f"{case}, one of which fires", many, "µs", many / one, "one rule")


def _cascade(runs: int) -> Iterator[Figure]:
    """A step for each firing: a counter that counts itself up."""
    steps = {}
    for length in (100, 1_000):
        rules = parse_rules(f"rule Count on (upd(order/@n)) if '. < {length}' do set '.' = '. + 1'")
        seconds = []
        for _ in range(runs + 1):
            doc = fromstring("<order n='-1'/>")
            with doc.rules(rules, limit=length + 1):
                seconds.append(_seconds(partial(doc.root.set, "n", "0")) / length)
            assert doc.root.get("n") == str(length)
        steps[length] = median(seconds[1:]) * 1e6
    yield Figure("actions", "a step of a cascade of 100", steps[100], "µs")
    ratio = steps[1_000] / steps[100]
    yield Figure("actions", "a step of a cascade of 1,000", steps[1_000], "µs", ratio, "of 100")
