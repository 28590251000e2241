"""A document kept in step by events: all of it, and what an expression needs of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from path_types import PathType

from .engine import as_events
from .frame import Figure, Settings, Unavailable
from .histories import History, Row
from .measure import measure, per_event
from .queries import rows_in_memory

TITLE = "A replica in step with events (1,000 items open at once, 30 % deleted), and what a condition of items needs"
CONDITIONS = ("price >= 0 and quantity > 0", "not(comment)", "@id = 'a'", "//item")


def run(settings: Settings) -> Iterator[Figure]:
    """Everything; then what each condition needs."""
    try:
        from xmlcep.documents import Needs, Replica
        from xmlcep.xpath import Scope, compile_expression
    except ImportError as error:
        raise Unavailable(f"replicas: {error}") from error
    rows = rows_in_memory(History(settings.events, seed=settings.seed))

    def applied(rows: Sequence[Row], make: Callable[[], Replica]) -> Callable[[], int]:
        def run() -> int:
            replica = make()
            replica.apply_edit(as_events(rows))
            return len(replica)

        return run

    alternatives = {"everything": applied(rows, Replica)}
    for text in CONDITIONS:
        reads = compile_expression(text, scope=Scope.SUBTREE).truth_reads
        needs = Needs.of(subtrees=[(PathType.parse("item"), reads)])
        alternatives[text] = applied(rows, partial(Replica, needs=needs))
    timings = measure(alternatives, runs=settings.runs)
    yield from per_event(
        "replica", "", timings, events=settings.events, base="everything", what="nodes at the end"
    )
