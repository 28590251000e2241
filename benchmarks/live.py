"""What tracking costs: wrapped documents against plain lxml.

Plain, wrapped (nobody listens), tracked (a subscriber that does nothing) and watched rounds alternate, each on a
fresh document of seven levels. Time and memory of wrapping are those of a purchase order of 100,000 elements. What
grows with a document (its depth, the number of children or attributes) is measured at two sizes: the figure of one
must be that of the other.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from statistics import median
from time import process_time
from typing import Literal, TypeAlias

from lxml import etree

from xmlcep import Rules, parse_rules
from xmlcep.wrapping import fromstring, wrap
from xmlcep.xml_parser import safe_parser

from .frame import Figure, Settings
from .live_calls import CALLS, Call

TITLE = (
    "Live: calls on a wrapped document against plain lxml; with a subscriber; with a watch of 10 rules open"
)
DEPTH = 7
ELEMENTS = 100_000
Kind: TypeAlias = Literal["plain", "wrapped", "tracked", "watched"]
KINDS: tuple[Kind, ...] = ("plain", "wrapped", "tracked", "watched")
WATCHED = "\n".join(
    f"event Rule{number} = {operation}(level6/{path}) & {operation}(level6/other{number})"
    for number, (operation, path) in enumerate(
        [("ins", "item"), ("upd", "@state"), ("upd", "text()"), ("del", "item")]
        + [("ins", f"thing{number}") for number in range(6)]
    )
)


def run(settings: Settings) -> Iterator[Figure]:
    """Every call on the kinds of document, then what wrapping takes, then what grows with a document."""
    rules = parse_rules(WATCHED)
    for call in CALLS:
        if settings.only not in call.name:
            continue
        rounds: dict[Kind, list[float]] = {kind: [] for kind in KINDS}
        for turn in range(settings.runs + 1):
            for kind in KINDS:
                spent = seconds(call, kind, rules)
                if turn:
                    rounds[kind].append(spent)
        for kind in KINDS:
            yield _figure(f"{call.name}, {kind}", rounds[kind], call.calls, rounds["plain"], "plain")
    if not settings.only:
        yield from _wrapping(settings.runs)
    for case, sizes in GROWING.items():
        if settings.only in case:
            yield from _growing(case, *sizes, settings.runs)


def seconds(call: Call, kind: Kind, rules: Rules) -> float:
    """CPU seconds of one round on a fresh document."""
    text = "".join(f"<level{n}>" for n in range(DEPTH)) + "".join(f"</level{n}>" for n in range(DEPTH)[::-1])
    with ExitStack() as stack:
        if kind == "plain":
            root = etree.fromstring(text, etree.XMLParser())
        else:
            document = stack.enter_context(fromstring(text))
            root = document.root
            if kind == "tracked":
                document.subscribe(nothing)
            elif kind == "watched":
                stack.callback(document.watch(rules).close)
        inner = root
        while len(inner):
            inner = inner[0]
        inner.set("state", "b")
        inner.text = "b"
        prepared = call.prepare(inner)
        gc.collect()
        start = process_time()
        call.run(inner, prepared)
        return process_time() - start


def nothing(_: object) -> None:
    """A subscriber that does nothing."""


def _figure(case: str, taken: list[float], calls: int, plain: list[float], base: str) -> Figure:
    scale = 1e6 / calls
    ratio = None if taken is plain else median(taken) / median(plain)
    return Figure(
        "live", case, median(taken) * scale, "µs/call", ratio, "" if ratio is None else base,
        min(taken) * scale, max(taken) * scale,
    )  # fmt: skip


def purchase_order(elements: int) -> bytes:
    """A purchase order of about this many elements, indented."""
    items = "".join(
        f'  <item partNum="{number}-AA" currency="EUR">\n    <productName>Lawnmower {number}</productName>\n'
        f"    <quantity>{number % 9}</quantity>\n    <price>{number % 500}.95</price>\n  </item>\n"
        for number in range(elements // 4)
    )
    return f'<?xml version="1.0"?>\n<order orderDate="2026-01-01">\n{items}</order>'.encode()


def _wrapping(runs: int) -> Iterator[Figure]:
    """CPU time of parsing and of wrapping what was parsed; bytes per element, untouched and when events have told."""
    text = purchase_order(ELEMENTS)
    parsing: list[float] = []
    wrapping: list[float] = []
    knowing: list[float] = []
    for _ in range(runs):
        gc.collect()
        start = process_time()
        tree = etree.ElementTree(etree.fromstring(text, safe_parser()))
        parsing.append(process_time() - start)
        gc.collect()
        start = process_time()
        document = wrap(tree)
        wrapping.append(process_time() - start)
        start = process_time()
        document.snapshot()
        knowing.append(process_time() - start)
        document.close()
        del document, tree
    yield _figure("parsing an element", parsing, ELEMENTS, parsing, "")
    yield _figure("wrapping an element", wrapping, ELEMENTS, parsing, "parsing")
    yield _figure("first snapshot, per element", knowing, ELEMENTS, parsing, "parsing")
    tree = etree.ElementTree(etree.fromstring(text, safe_parser()))
    gc.collect()
    tracemalloc.start()
    with wrap(tree) as document:
        untouched = tracemalloc.get_traced_memory()[0] / ELEMENTS
        document.snapshot()
        gc.collect()
        known = tracemalloc.get_traced_memory()[0] / ELEMENTS
    tracemalloc.stop()
    yield Figure("live", "memory of wrapping, nothing edited", untouched, "bytes/element")
    yield Figure("live", "memory of wrapping, all nodes known", known, "bytes/element")


def _growing(
    case: str, measured: Callable[[int], float], sizes: tuple[int, ...], runs: int
) -> Iterator[Figure]:
    """CPU time per level, attribute or edit at each of the sizes; the ratio is to the first."""
    base: list[float] = []
    for size in sizes:
        taken = [measured(size) for _ in range(min(runs, 3))]
        yield _figure(f"{case}, {size:,}", taken, 1, base or taken, f"{sizes[0]:,}")
        base = base or taken


def _first_event(depth: int) -> float:
    """Wrapping a document this deep, whose innermost element somebody holds, and its first event, per level."""
    root = inner = etree.Element("level")
    for _ in range(depth - 1):
        inner = etree.SubElement(inner, "level")
    start = process_time()
    with wrap(root) as document:
        document.subscribe(nothing)
        inner.text = "x"
        document.catch_up()
        return (process_time() - start) / depth


def _deeper(depth: int) -> float:
    """A document this deep, made element by element under a watch, per level."""
    with fromstring("<level/>") as document, document.watch(parse_rules(WATCHED)):
        start = process_time()
        inner = document.root
        for _ in range(depth - 1):
            inner = etree.SubElement(inner, "level")
        return (process_time() - start) / depth


def _many_attributes(count: int) -> float:
    """The snapshot of an element with so many attributes, per attribute."""
    text = "<a " + " ".join(f'k{number}="v"' for number in range(count)) + "/>"
    with fromstring(text) as document:
        start = process_time()
        document.snapshot()
        return (process_time() - start) / count


def _held_root(children: int) -> float:
    """An edit somewhere in a document whose root, with so many children, somebody holds since before it was wrapped."""
    root = etree.fromstring("<order>" + "<item/>" * children + "</order>", etree.XMLParser())
    edits = 200
    with wrap(root) as document:
        document.subscribe(nothing)
        items = list(document.root[:10])
        for item in items:
            item.set("state", "a")
        start = process_time()
        for number in range(edits):
            items[number % 10].set("state", str(number))
        return (process_time() - start) / edits


GROWING: dict[str, tuple[Callable[[int], float], tuple[int, ...]]] = {
    "first event, per level of depth": (_first_event, (100, 1_000, 5_000)),
    "SubElement, watched, ever deeper, to level": (_deeper, (100, 1_000, 5_000)),
    "snapshot, per attribute of one element": (_many_attributes, (200, 2_000, 20_000)),
    "set() where the root is held, children": (_held_root, (10, 10_000)),
}
