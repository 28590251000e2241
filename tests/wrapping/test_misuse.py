"""What people pass by mistake, and calls on what has been closed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import xmlcep
from xmlcep.wrapping import WrapError


@pytest.mark.parametrize("rules", ["rules.xcep", None, "event A = ins(a)"])
def test_a_watch_needs_rules(rules: object) -> None:
    document = xmlcep.fromstring("<a/>")
    with pytest.raises(WrapError, match=r"use load_rules\(file\)"):
        document.watch(rules)  # type: ignore[arg-type]


def test_a_closed_watch_has_nothing_to_release() -> None:
    document = xmlcep.fromstring("<a/>")
    watch = document.watch(xmlcep.parse_rules("event B = ins(a/b)"))
    watch.close()
    assert watch.flush() == []
    assert watch.close() == []


def test_pairs_without_a_value_are_left_out_of_meta() -> None:
    document = xmlcep.fromstring("<a/>")
    told = []
    document.subscribe(told.append)
    with document.transaction(user=None, version=3):
        document.root.set("k", "v")
    assert told[0].meta == {"version": "3"}


def test_a_buffer_gives_no_name(tmp_path: Path) -> None:
    assert xmlcep.parse(io.BytesIO(b"<a/>")).name == "document"
    file = tmp_path / "order 1.xml"
    file.write_bytes(b"<a/>")
    assert xmlcep.parse(file).name == "order 1.xml"
    with file.open("rb") as stream:
        assert xmlcep.parse(stream).name == "order 1.xml"
