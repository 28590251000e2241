"""docs/log.md: its Python runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import xmlcep
from tests.project.source import ROOT
from xmlcep.log import Header

PAGE = (ROOT / "docs" / "log.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one folder, each in a document of its own; "…" stands for the end of a process."""
    monkeypatch.chdir(tmp_path)
    told: list[object] = []
    python = [text for kind, text in BLOCKS if kind == "python"]
    assert {kind for kind, _ in BLOCKS} == {"python", "json"}
    Path("order.xml").write_text("<order>" + "<a>x</a>" * 18 + "</order>", encoding="utf-8")
    names: dict[str, Any] = {
        "xmlcep": xmlcep, "tell": told.append, "recover": xmlcep.recover,
        "rules": xmlcep.parse_rules("event Changed = upd(a/text())"),
    }  # fmt: skip
    first, watched, kept = python
    exec(first.replace("at=17", "at=1"), names)
    assert xmlcep.rebuild("order.jsonl", at=1)[0].text == "…"
    (tmp_path / "order.jsonl").unlink()
    names["doc"] = xmlcep.parse("order.xml")
    exec(watched.replace("…  ", 'doc.root[1].text = "y"; recording.close()  #'), names)
    assert [str(event) for event in told] == [str(told[0])]
    names["recovered"].recording.close()
    exec(kept.replace("recover(", "again = recover("), names)
    assert names["findings"].count == 1
    names["again"].recording.close()


def test_the_header() -> None:
    (shown,) = [text for kind, text in BLOCKS if kind == "json"]
    assert set(json.loads(shown)) == set(Header("order").to_record()) | {"commits"}
