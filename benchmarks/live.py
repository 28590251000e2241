"""What tracking costs: wrapped documents against plain lxml, measured in one run.

Run ``python -m benchmarks.live`` from the project root. Every figure is the least of several rounds of CPU time;
plain and tracked rounds alternate, so that both see the same machine.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from lxml import etree

from xmlcep.wrap import Document, fromstring, wrap
from xmlcep.wrap.parsing import safe_parser

DEPTH = 7
COUNT = 20_000
ROUNDS = 9
ELEMENTS = 100_000
LIMITS = {
    "SubElement": 3.0, "append(makeelement)": 3.0, "set": 1.6, "attrib[k] = v": 1.6, "text = ": 3.5,
    "get": 1.1, "read text": 1.1, "iterate": 1.1, "findall": 1.1, "wrap / parse, 100,000 elements": 1.0,
}  # fmt: skip


def nested(plain: bool) -> tuple[Any, Any, Document | None]:
    """A document of `DEPTH` levels: its root, its innermost element and its wrapper."""
    text = "".join(f"<level{n}>" for n in range(DEPTH)) + "".join(f"</level{n}>" for n in reversed(range(DEPTH)))
    if plain:
        document, root = None, etree.fromstring(text, etree.XMLParser())
    else:
        document = fromstring(text)
        document.subscribe(nothing)
        root = document.root
    inner = root
    while len(inner):
        inner = inner[0]
    return root, inner, document


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
READING = {"iterate", "findall"}


def seconds(call: Callable[[Any], None], plain: bool) -> float:
    """CPU seconds of one round on a fresh document."""
    root, inner, document = nested(plain)
    inner.set("state", "b")
    inner.text = "b"
    held = [etree.SubElement(inner, "item") for _ in range(2000)] if call in (iterate, findall) else None
    gc.collect()
    start = time.process_time()
    call(inner)
    spent = time.process_time() - start
    del root, held, inner
    if document is not None:
        document.close()
    return spent


def compare(name: str) -> tuple[float, float]:
    """Least CPU seconds of plain and of tracked rounds."""
    call = CALLS[name]
    plain, tracked = [], []
    for _ in range(ROUNDS):
        plain.append(seconds(call, True))
        tracked.append(seconds(call, False))
    return min(plain), min(tracked)


def purchase_order(elements: int) -> bytes:
    """A purchase order of about this many elements, indented."""
    items = "".join(
        f'  <item partNum="{number}-AA" currency="EUR">\n    <productName>Lawnmower {number}</productName>\n'
        f"    <quantity>{number % 9}</quantity>\n    <price>{number % 500}.95</price>\n  </item>\n"
        for number in range(elements // 4)
    )
    return f'<?xml version="1.0"?>\n<order orderDate="2026-01-01">\n{items}</order>'.encode()


def wrapping() -> tuple[float, float, float, float]:
    """Least CPU seconds of parsing and of wrapping; bytes per element that wrapping takes, untouched and edited."""
    text = purchase_order(ELEMENTS)
    parsing, wrapping = [], []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.process_time()
        tree = etree.ElementTree(etree.fromstring(text, safe_parser()))
        parsing.append(time.process_time() - start)
        gc.collect()
        start = time.process_time()
        document = wrap(tree)
        wrapping.append(time.process_time() - start)
        document.close()
        del document, tree
    tree = etree.ElementTree(etree.fromstring(text, safe_parser()))
    gc.collect()
    tracemalloc.start()
    document = wrap(tree)
    untouched = tracemalloc.get_traced_memory()[0] / ELEMENTS
    document.snapshot()
    gc.collect()
    told = tracemalloc.get_traced_memory()[0] / ELEMENTS
    tracemalloc.stop()
    document.close()
    return min(parsing), min(wrapping), untouched, told


def main() -> int:
    """Prints the table; exit status 1 when a limit is broken."""
    broken = 0
    print(f"{'call':32}{'plain µs':>10}{'tracked µs':>12}{'ratio':>8}{'limit':>8}")
    rows = []
    for name in CALLS:
        plain, tracked = compare(name)
        rows.append((name, plain / COUNT * 1e6, tracked / COUNT * 1e6))
    parsing, wrapped, untouched, told = wrapping()
    rows.append(("wrap / parse, 100,000 elements", parsing * 1e6, wrapped * 1e6))
    for name, plain, tracked in rows:
        ratio = tracked / plain
        broken += ratio > LIMITS[name]
        mark = " !" if ratio > LIMITS[name] else ""
        print(f"{name:32}{plain:10.2f}{tracked:12.2f}{ratio:8.2f}{LIMITS[name]:8.1f}{mark}")
    print(f"memory per element: {untouched:.0f} bytes after wrapping, {told:.0f} when events have told of all nodes")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
