"""What an expression costs: as Python functions of an event, and where libxml2 asks the document."""

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
    "price * quantity > 100",
)  # fmt: skip
EVENTS = 1000


def run(settings: Settings) -> Iterator[Figure]:
    """Each expression over a thousand events, as often as is needed to measure it."""
    try:
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
    item = etree.fromstring("<order><item id='a'><price>3</price><quantity>40</quantity></item></order>")[0]
    held = list(item.iter())  # as a replica does: else lxml makes its elements anew each time
    environments = [Environment(element=held[0])] * EVENTS
    alternatives = {"a loop that asks nothing": partial(_ask, bool, environments, rounds)}
    for text in OF_DOCUMENTS:
        asked = compile_expression(text, scope=Scope.SUBTREE)
        alternatives[text] = partial(_ask, asked.boolean, environments, rounds)
    timings = measure(alternatives, runs=settings.runs)
    yield from per_event(
        "expressions",
        "element",
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
