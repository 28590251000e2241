"""The table of calls in calls.md, of which docs/wrapping.md shows some: reading it, and running a row."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from xmlcep.events import PrimitiveEvent
from xmlcep.wrapping import (
    cleanup_namespaces,
    fromstring,
    indent,
    strip_attributes,
    strip_elements,
    strip_tags,
)

DOCUMENT = '<r k="1">0<a>x</a>1<b/>2<!--n-->3<c><d/>y</c></r>'
TABLE = Path(__file__).with_name("calls.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    """A call and what it must give: a list of events, or the name of an error."""

    call: str
    expected: list[str]


def rows(text: str) -> list[Row]:
    """The rows of the table in a text."""
    found = []
    for line in text.splitlines():
        match = re.fullmatch(r"\| `(.+?)` \| (.+) \|", line)
        if match:
            events = re.findall(r"`([^`]+)`", match[2])
            found.append(Row(match[1].replace("\\|", "|"), events))
    return found


def show(event: PrimitiveEvent) -> str:
    """An event as the table writes it."""
    pos = "" if event.pos is None else f" at {event.pos}"
    old = "" if event.old is None else f" {event.old!r}"
    arrow = " →" if event.op == "upd" else ""
    value = "" if event.value is None else f" {event.value!r}"
    return f"{event.op} {event.path}{old}{arrow}{value}{pos}"


def run(call: str) -> list[str]:
    """What a call on the table's document gives; the records are checked afterwards."""
    document = fromstring(DOCUMENT)
    told: list[PrimitiveEvent] = []
    document.subscribe(told.append)
    r = document.root
    a, b, n, c = r
    names: dict[str, Any] = {
        "r": r, "a": a, "b": b, "n": n, "c": c, "d": c[0], "doc": document, "etree": etree, "copy": copy,
        "strip_tags": strip_tags, "strip_elements": strip_elements, "strip_attributes": strip_attributes,
        "indent": indent, "cleanup_namespaces": cleanup_namespaces,
        "new": r.makeelement("e", {"i": "1"}), "tree": etree.fromstring("<e>s<f/>t</e>"),
        "other": fromstring("<o><p>z</p>w</o>").root,
    }  # fmt: skip
    try:
        exec(call, names)
    except Exception as error:
        told_before = [show(event) for event in told]
        document._check()
        return [*told_before, type(error).__name__]
    document._check()
    return [show(event) for event in told]
