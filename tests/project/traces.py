"""What happens in docs/architecture.md, as it really does: calls from one module into another, printed.

``python -m tests.project.traces`` writes the traces into the page again, where functions have moved.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from lxml import etree

import xmlcep
from path_types import PathType
from tests.project.source import PACKAGES, ROOT
from xmlcep.events import CompositeEvent, PrimitiveEvent

for name in xmlcep.__all__:  # else what is imported at the first call is part of it
    getattr(xmlcep, name)

PAGE = ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"(<!-- trace: (\w+) -->\n```text\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
# Modules of values: calls into them say nothing about where things go.
VALUES = (
    r"path_types|xmlcep\.(?:algebra|events|errors|position|rules|log\.records|wrapping\.(?:clock|lxml_access|shadow\.shadow))"
    r"|contexts\.group"
)


@dataclass(slots=True)
class Call:
    """A call that is in the trace: its module, the events it was given, and what it called, by their lines."""

    module: str = ""
    depth: int = 0
    events: str = ""
    calls: dict[str, Call] = field(default_factory=dict)


class Trace:
    """Records calls while it is a context: those from one module of ours into another, with the events passed on.

    Each is a line, indented below its caller. What happens again below the same caller is there once, and so are
    events that are handed down. ``hidden`` matches the modules that are left out.
    """

    def __init__(self, hidden: str = VALUES) -> None:
        self._hidden = re.compile(rf"(?:{hidden})\b")
        self._root = Call()
        self._running: list[tuple[FrameType | None, Call]] = [(None, self._root)]  # innermost last

    def __enter__(self) -> Trace:
        gc.disable()  # what is closed because nobody has it any more would be in the trace
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()

    @property
    def lines(self) -> list[str]:
        """The calls, each caller before what it calls."""
        return list(_lines(self._root))

    def _profile(self, frame: FrameType, what: str, _: Any) -> None:
        if what == "call":
            self._call(frame)
        elif what == "return" and self._running[-1][0] is frame:
            self._running.pop()

    def _call(self, frame: FrameType) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        name = frame.f_code.co_qualname
        if (
            module.partition(".")[0] not in PACKAGES
            or self._hidden.match(module)
            or "<" in name
            or "__" in name
        ):
            return
        caller = self._running[-1][1]
        if module != caller.module:
            events = ", ".join(map(str, _events(frame)))
            line = f"{'  ' * caller.depth}{module}.{name}"
            if events and events != caller.events:
                line = f"{line}  {events}"
            caller = caller.calls.setdefault(line, Call(module, caller.depth + 1, events or caller.events))
        self._running.append((frame, caller))


def _lines(call: Call) -> Iterator[str]:
    for line, called in call.calls.items():
        yield line
        yield from _lines(called)


def _events(frame: FrameType) -> Iterator[PrimitiveEvent | CompositeEvent]:
    """The events among the arguments of a call."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount]:
        value = frame.f_locals.get(name)
        if isinstance(value, (PrimitiveEvent, CompositeEvent)):
            yield value
        elif (
            type(value) is tuple
            and len(value) == len(PrimitiveEvent._fields)
            and isinstance(value[2], PathType)
        ):
            yield PrimitiveEvent(*value)  # a plain tuple of that layout


def live() -> list[str]:
    """One edit of a document that is recorded and watched, and that completes a composite."""
    doc = xmlcep.fromstring("<order/>", name="order")
    rules = xmlcep.parse_rules("event Complete = ins(item/price) & ins(item/quantity) & ins(item/comment)")
    with xmlcep.record(doc, "order.jsonl"), doc.watch(rules, on_event=lambda composite: None):
        for _ in range(2):
            item = etree.SubElement(doc.root, "item")
            etree.SubElement(item, "price")
            etree.SubElement(item, "quantity")
            with Trace() as trace:
                etree.SubElement(item, "comment")
    return trace.lines


TRACES: dict[str, Callable[[], list[str]]] = {"live": live}


def traced(name: str) -> str:
    """The text of a trace, made in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, _inside(folder):
        return "".join(f"{line}\n" for line in TRACES[name]())


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Writes the traces into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda found: found[1] + traced(found[2]) + found[4], text), encoding="utf-8")


if __name__ == "__main__":
    main()
