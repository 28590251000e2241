"""What tracking costs: wrapped documents against plain lxml.

Plain, tracked (with a subscriber that does nothing) and watched rounds alternate, each on a fresh document
of seven levels. Time and memory of wrapping are those of a purchase order of 100,000 elements.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from statistics import median
from time import process_time
from typing import Any, Literal, TypeAlias

from lxml import etree

from xmlcep import Rules, parse_rules
from xmlcep.wrapping import fromstring, wrap
from xmlcep.wrapping.parsing import safe_parser

from .frame import Figure, Settings

TITLE = (
    "Live: calls on a wrapped document against plain lxml; with a subscriber; with a watch of 10 rules open"
)
DEPTH = 7
COUNT = 20_000
ELEMENTS = 100_000
Kind: TypeAlias = Literal["plain", "tracked", "watched"]
KINDS: tuple[Kind, ...] = ("plain", "tracked", "watched")
WATCHED = "\n".join(
    f"event Rule{number} = {operation}(level6/{path}) & {operation}(level6/other{number})"
    for number, (operation, path) in enumerate(
        [("ins", "item"), ("upd", "@state"), ("upd", "text()"), ("del", "item")]
        + [("ins", f"thing{number}") for number in range(6)]
    )
)


def run(settings: Settings) -> Iterator[Figure]:
    """Every call on the three kinds of document, then what wrapping takes."""
    rules = parse_rules(WATCHED)
    for name, call in CALLS.items():
        rounds: dict[Kind, list[float]] = {kind: [] for kind in KINDS}
        for turn in range(settings.runs + 1):
            for kind in KINDS:
                spent = seconds(call, kind, rules)
                if turn:
                    rounds[kind].append(spent)
        for kind in KINDS:
            yield _figure(f"{name}, {kind}", rounds[kind], COUNT, rounds["plain"], "plain")
    yield from _wrapping(settings.runs)


def seconds(call: Callable[[Any], None], kind: Kind, rules: Rules) -> float:
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
            else:
                stack.callback(document.watch(rules).close)
        inner = root
        while len(inner):
            inner = inner[0]
        inner.set("state", "b")
        inner.text = "b"
        # Reading is measured with proxies that exist: pinned in a tracked document, held here.
        held = [etree.SubElement(inner, "item") for _ in range(2000)] if call in (iterate, findall) else None
        gc.collect()
        start = process_time()
        call(inner)
        spent = process_time() - start
        del held
    return spent


def nothing(_: object) -> None:
    """A subscriber that does nothing."""


def sub_element(inner: Any) -> None:
    """Makes children."""
    make = etree.SubElement
    for _ in range(COUNT):
        make(inner, "item")


def append(inner: Any) -> None:
    """Makes elements and appends them."""
    for _ in range(COUNT):
        inner.append(inner.makeelement("item"))


def set_attribute(inner: Any) -> None:
    """Changes an attribute through set()."""
    for number in range(COUNT):
        inner.set("state", "a" if number & 1 else "b")


def set_item(inner: Any) -> None:
    """Changes an attribute through attrib."""
    for number in range(COUNT):
        inner.attrib["state"] = "a" if number & 1 else "b"


def set_text(inner: Any) -> None:
    """Changes the text."""
    for number in range(COUNT):
        inner.text = "a" if number & 1 else "b"


def get(inner: Any) -> None:
    """Reads an attribute."""
    for _ in range(COUNT):
        inner.get("state")


def read_text(inner: Any) -> None:
    """Reads the text."""
    for _ in range(COUNT):
        inner.text  # noqa: B018


def iterate(inner: Any) -> None:
    """Walks 2,000 children ten times."""
    for _ in range(10):
        for _ in inner.iter():
            pass


def findall(inner: Any) -> None:
    """Finds 2,000 children ten times."""
    for _ in range(10):
        inner.findall("item")


CALLS: dict[str, Callable[[Any], None]] = {
    "SubElement": sub_element, "append(makeelement)": append, "set": set_attribute, "attrib[k] = v": set_item,
    "text = ": set_text, "get": get, "read text": read_text, "iterate": iterate, "findall": findall,
}  # fmt: skip


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
    for _ in range(runs):
        gc.collect()
        start = process_time()
        tree = etree.ElementTree(etree.fromstring(text, safe_parser()))
        parsing.append(process_time() - start)
        gc.collect()
        start = process_time()
        document = wrap(tree)
        wrapping.append(process_time() - start)
        document.close()
        del document, tree
    yield _figure("parsing an element", parsing, ELEMENTS, parsing, "")
    yield _figure("wrapping an element", wrapping, ELEMENTS, parsing, "parsing")
    tree = etree.ElementTree(etree.fromstring(text, safe_parser()))
    gc.collect()
    tracemalloc.start()
    with wrap(tree) as document:
        untouched = tracemalloc.get_traced_memory()[0] / ELEMENTS
        document.snapshot()
        gc.collect()
        told = tracemalloc.get_traced_memory()[0] / ELEMENTS
    tracemalloc.stop()
    yield Figure("live", "memory of wrapping, nothing edited", untouched, "bytes/element")
    yield Figure("live", "memory of wrapping, all nodes known", told, "bytes/element")
