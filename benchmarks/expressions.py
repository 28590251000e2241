"""What an expression costs: of an event, and of the elements of a document in tables and in lxml trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from lxml import etree

from path_types import PathType

from .frame import Figure, Settings, Unavailable
from .measure import measure, per_event

TITLE = "Expressions: of the value of an event (F3), and of a document of one item"

OF_EVENTS = (
    ". > 30", "number(.) > number($old)", "number(.) > 1.1 * number($old)", "$meta:user = 'ann' and . != $old",
    "contains(., '3')", "matches(., '^[0-9]+$')", "time($at) > 1767225600",
)  # fmt: skip
OF_DOCUMENTS = (
    "price", "price >= 0 and quantity > 0", "@id = 'a' and not(comment)", "sum(price) > 3", "/item/price > 3",
    "price * quantity > 100", "sum(//price) > 2 and count(*[. > 1]) = 1",
)  # fmt: skip
EVENTS = 1000


def run(settings: Settings) -> Iterator[Figure]:
    """Each expression over a thousand events, as often as is needed to measure it."""
    try:
        from xmlcep.documents import Replica
        from xmlcep.engine.leaf import PRIMITIVE
        from xmlcep.rules.variables import LeafVariables
        from xmlcep.xpath import NodeKind, Scope, compile_expression
        from xmlcep.xpath.environment import Environment
    except ImportError as error:
        raise Unavailable(f"expressions: {error}") from error
    path = PathType.parse("/order/item/price/text()")
    meta = {"user": "ann"}
    subjects = [
        (
            ts,
            "upd",
            path,
            (1, 2, 3, 4),
            f"{ts % 77}.50",
            f"{ts % 55}.40",
            None,
            "2026-01-02T03:04:05Z",
            "d",
            1,
            meta,
        )
        for ts in range(EVENTS)
    ]
    rounds = max(1, settings.events // EVENTS)
    alternatives: dict[str, Callable[[], object]] = {
        "a loop that asks nothing": partial(_ask, bool, subjects, rounds)
    }
    variables = LeafVariables({}, any_name=False)
    for text in OF_EVENTS:
        expression = compile_expression(text, variables=variables, node=NodeKind.TEXT)
        alternatives[text] = partial(_ask, expression.on(PRIMITIVE).boolean, subjects, rounds)
    timings = measure(alternatives, runs=settings.runs)
    yield from per_event(
        "expressions", "event", timings, events=rounds * EVENTS, base="a loop that asks nothing", what="true"
    )
    text = "<order><item id='a'><price>3</price><quantity>40</quantity></item></order>"
    held = list(etree.fromstring(text).iter())  # else lxml makes its elements anew each time
    replica = Replica.from_snapshot(text, range(1, 8))
    places = {
        "element in tables": replica.environment(PathType.parse("/order/item"), (1, 2)),
        "element in lxml": Environment(element=held[1]),
    }
    for where, seen in places.items():
        environments = [seen] * EVENTS
        alternatives = {"a loop that asks nothing": partial(_ask, bool, environments, rounds)}
        for text in OF_DOCUMENTS:
            asked = compile_expression(text, scope=Scope.SUBTREE)
            alternatives[text] = partial(_ask, asked.boolean, environments, rounds)
        timings = measure(alternatives, runs=settings.runs)
        yield from per_event(
            "expressions",
            where,
            timings,
            events=rounds * EVENTS,
            base="a loop that asks nothing",
            what="true",
        )


def _ask(function: Callable[[Any], object], subjects: Sequence[object], rounds: int) -> int:
    """How often it is true."""
    true = 0
    for _ in range(rounds):
        for subject in subjects:
            if function(subject):
                true += 1
    return true
