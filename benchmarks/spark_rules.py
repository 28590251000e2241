"""200 rules over 200 element names against one rule over one, local and with Spark."""

from __future__ import annotations

from collections.abc import Iterator

from .audited import LOCAL, TWO_TASKS, compared, disturbance, median, written
from .bulk import BulkLog
from .frame import Figure, Settings
from .make_log import item_names
from .queries import complete_rule

TITLE = "Audit under 1 and 200 rules, CPU of all processes (start of Spark apart); the ratio is to 1 rule"
ENGINES = (LOCAL, TWO_TASKS)
RULES = 200
BASE = "1 rule, 1 name"


def run(settings: Settings) -> Iterator[Figure]:
    """Q1 over one name; over 200 names by a rule each, as many findings; and one of those rules alone."""
    names = item_names(RULES)
    every = "\n".join(complete_rule(name, str(number)) for number, name in enumerate(names))
    cases = {
        BASE: (item_names(1), complete_rule()),
        f"{RULES} rules, {RULES} names": (names, every),
        f"1 rule, {RULES} names": (names, complete_rule(names[0])),
    }
    base: dict[object, float] = {}
    for case, (used, text) in cases.items():
        with written(BulkLog(settings.events, names=used, seed=settings.seed), text) as (log, rules):
            taken = compared(ENGINES, log, rules, settings)
        for engine, runs in taken.items():
            value = median(runs, lambda one: one.cpu) / settings.events * 1e6
            ratio = None if case == BASE else value / base[engine]
            base.setdefault(engine, value)
            note = f"{median(runs, lambda one: one.clock):.1f} s, {runs[0].findings:,} findings{disturbance(runs)}"
            name = f"{case}, {engine}"
            yield Figure(
                "spark_rules", name, value, "µs/record", ratio, "" if ratio is None else BASE, note=note
            )
