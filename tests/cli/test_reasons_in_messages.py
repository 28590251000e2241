"""What was taken without a word, or with a word that did not say why: now it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from xmlcep.cli.main import run

XS = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
RECORDS = (
    '{"doc":"d","ts":1,"op":"ins","path":"/note","ids":[1]}\n'
    '{"doc":"d","ts":2,"op":"ins","path":"/note/item","ids":[1,2],"pos":0}\n'
)
FILES = {
    "a.xcep": "event A = ins(note)\n",
    "nix.xcep": "event A = CompleteNote(note)\n",
    "plain.xsd": f'{XS}<xs:element name="note" type="xs:string"/></xs:schema>',
    "half.xsd": f'{XS}<xs:include schemaLocation="none.xsd"/><xs:element name="note" type="xs:string"/></xs:schema>',
    "alike.xcep": "event A = \u0456ns(note)\n",
    "alike2.xcep": "event Note = ins(note)\nevent A = N\u043ete(note)\n",
    "alike3.xcep": "event A = ins(n\u043ete)\n",
    "log.jsonl": RECORDS,
    "twice.jsonl": RECORDS + RECORDS,
    "broken.jsonl": f"{RECORDS}rubbish\n",
    "snapshot.jsonl": '{"xmlcep":1,"doc":"d","snapshot":"<a><b></a>","ids":[1,2],"ts":0}\n' + RECORDS,
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        # Rules can be about documents of a schema that no events can be made of.
        ("check -q a.xcep --schema plain.xsd", 0, ""),
        ("check -q nix.xcep --schema plain.xsd", 2, "there is no event called CompleteNote"),
        ("audit -q log.jsonl --rules a.xcep --schema plain.xsd", 0, ""),
        ("audit -q log.jsonl --schema plain.xsd", 2, "there is nothing to derive"),
        # A file that is missing is said to be, wherever that may be the reason.
        ("check -q a.xcep --schema half.xsd", 0, "none.xsd"),
        ("derive half.xsd", 2, "none.xsd"),
        # Letters of other scripts look like those that were meant.
        (
            "check -q alike.xcep",
            2,
            "did you mean ins? 'і' is U+0456, CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I",
        ),
        ("check -q alike2.xcep", 2, "did you mean Note? 'о' is U+043E, CYRILLIC SMALL LETTER O"),
        ("check -q alike3.xcep --schema plain.xsd", 2, "the nearest path in the schema is note"),
        # A node that never was has no reasons.
        ("why-not log.jsonl --rules a.xcep A --node 99", 2, "no document has the node '99'"),
        ("why-not log.jsonl --rules a.xcep A --node 1", 0, ""),
        (
            "pending snapshot.jsonl --rules a.xcep",
            2,
            "the header of the document 'd': the snapshot is not well-formed",
        ),
        (
            "why-not snapshot.jsonl --rules a.xcep A",
            2,
            "the header of the document 'd': the snapshot is not well-formed",
        ),
        (
            "verify log.jsonl --head zz",
            2,
            "head is 'zz': expected the hash of a record, 64 hexadecimal digits",
        ),
        (
            "report broken.jsonl --rules a.xcep -o r.html",
            3,
            "1 bad record left out; the first: broken.jsonl:3: not",
        ),
    ],
)
def test_what_is_said(command: str, status: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == status
    written = capsys.readouterr()
    assert said in written.err
    assert bool(said) is bool(written.err)
    assert "Traceback" not in written.err


@pytest.mark.parametrize("command", ["pending", "why-not", "why"])
def test_records_of_one_time_point_are_counted(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An audit puts them aside; questions leave them out, and say so."""
    more = {"why-not": ["A"], "why": ["1"]}.get(command, [])
    assert run([command, "twice.jsonl", "--rules", "a.xcep", *more]) == 0
    assert "2 records of a time point that was there before were left out" in capsys.readouterr().out
