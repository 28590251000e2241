"""Versions: two documents compared, and a wrapped one brought to the state of the other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from lxml import etree

from xmlcep.versions import diff
from xmlcep.versions.difference import Text, difference_log
from xmlcep.wrapping import fromstring

from .frame import Figure, Settings
from .measure import measure, peak_bytes

TITLE = "Versions: seconds and memory for two documents; the ratio is to parsing both with lxml"
BASE = "parsed"
FIELDS = 3  # elements in a record
_Documents = tuple[bytes, bytes]


def run(settings: Settings) -> Iterator[Figure]:
    """Known records with one in a hundred changed, equal files, then the worst cases; elements: ``events``."""
    random = Random(settings.seed)
    size = max(settings.events // (FIELDS + 1), 100)
    cases: dict[str, Callable[[], _Documents]] = {
        "1 % changed": partial(changed, size, size // 100, random),
        "equal files": lambda: changed(size, 0, random),
        "equal siblings": partial(_equal_siblings, settings.events // 2),
        "equal siblings of two kinds": partial(_two_kinds, settings.events // 2, random),
        "known siblings reversed": partial(_reversed, settings.events),
        "nothing in common": partial(_nothing_in_common, size),
    }
    for case, make in cases.items():
        if settings.only in case:
            yield from _case(case, make(), settings.runs)


def changed(records: int, edits: int, random: Random) -> _Documents:
    """A list of records, and the same with some changed, added, deleted in turn."""
    old = [_record(number, random) for number in range(records)]
    new = list(old)
    for number in range(edits):
        place = random.randrange(len(new))
        if number % 3 == 0:
            new[place] = new[place].replace("<qty>", "<qty>1")
        elif number % 3 == 1:
            new.insert(place, _record(records + number, random))
        else:
            del new[place]
    return _document(old), _document(new)


def _record(number: int, random: Random) -> str:
    price, quantity = random.randrange(100_000) / 100, random.randrange(50)
    return (
        f'  <item id="i{number}">\n    <name>Thing number {number}</name>\n    <price>{price}</price>\n'
        f"    <qty>{quantity}</qty>\n  </item>\n"
    )


def _document(records: list[str]) -> bytes:
    return f"<items>\n{''.join(records)}</items>\n".encode()


def _equal_siblings(size: int) -> _Documents:
    return _document(["<a/>"] * size), _document([*["<a/>"] * (size - 100), "<b/>", *["<a/>"] * 200])


def _two_kinds(size: int, random: Random) -> _Documents:
    return _document(random.choices(["<a/>", "<b/>"], k=size)), _document(
        random.choices(["<a/>", "<b/>"], k=size)
    )


def _reversed(size: int) -> _Documents:
    items = [f'<a id="{number}"/>' for number in range(size)]
    return _document(items), _document(items[::-1])


def _nothing_in_common(size: int) -> _Documents:
    def side(letter: str) -> bytes:
        words = (f"{letter}{number}" for number in range(size))
        return _document([f'<a x="{word}"><t>{word}a {word}b</t><u/></a>' for word in words])

    return side("p"), side("q")


def _case(case: str, documents: _Documents, runs: int) -> Iterator[Figure]:
    alternatives: dict[str, Callable[[], object]] = {
        BASE: partial(_parsed, documents),
        "compared": partial(_compared, documents),
        "as a log": partial(_as_a_log, documents),
        "a wrapped one updated": partial(_updated, documents),
    }
    timings = measure(alternatives, runs=runs)
    for name, timing in timings.items():
        ratio = None if name == BASE else timing.median / timings[BASE].median
        note = f"{timing.result:,}" if isinstance(timing.result, int) else ""
        yield Figure(
            "versions", f"{case}, {name}", timing.median, "s", ratio, BASE if ratio is not None else "",
            min(timing.seconds), max(timing.seconds), note,
        )  # fmt: skip
    yield from _memory(case, documents)


def _memory(case: str, documents: _Documents) -> Iterator[Figure]:
    """The most memory that a process of its own holds beyond what it held before the documents."""
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / name) for name in ("old.xml", "new.xml")]
        for file, data in zip(files, documents, strict=True):
            Path(file).write_bytes(data)
        taken = {}
        for what in (BASE, "compared"):
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.versions", what, *files],
                capture_output=True,
                text=True,
                check=True,
            )
            taken[what] = int(done.stdout)
        for what, size in taken.items():
            ratio = None if what == BASE or not taken[BASE] else size / taken[BASE]
            yield Figure(
                "versions", f"{case}, {what}", size / 1e6, "MB", ratio, BASE if ratio is not None else ""
            )


def _parsed(documents: _Documents) -> int:
    return sum(len(etree.fromstring(data)) for data in documents)


def _compared(documents: _Documents) -> int:
    old, new = documents
    return len(diff(Text("old", old), Text("new", new)))


def _as_a_log(documents: _Documents) -> int:
    old, new = documents
    return len(difference_log(Text("old", old), Text("new", new), at=0.0).events)


def _updated(documents: _Documents) -> int:
    old, new = documents
    with fromstring(old) as document:
        return document.update_to(etree.fromstring(new))


def _print_memory(what: str, old: str, new: str) -> None:
    before = peak_bytes()
    if what == BASE:
        trees = [etree.parse(file) for file in (old, new)]
        assert len(trees) == 2
    else:
        diff(old, new)
    print(peak_bytes() - before)


if __name__ == "__main__":
    _print_memory(*sys.argv[1:])
