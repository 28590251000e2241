"""Reference documents: where they come from, what is refused, how they travel (V8)."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import pytest
from lxml import etree

from xmlcep import Detector, PrimitiveEvent, RuleError, load_rules, parse_rules
from xmlcep.cli.main import run
from xmlcep.files import LARGEST
from xmlcep.rules import PlainRules, Rules, references

PARTS = b"<?xml version='1.0'?><!-- ours --><parts><part n='7'/><?x y?><part n='8'/></parts>"
RULES = 'reference parts = "parts.xml"\nevent Known = ins(item/@n)[$parts/parts/part/@n = .]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts.xml").write_bytes(PARTS)
    (tmp_path / "rules.xcep").write_text(RULES)
    return tmp_path


def known(rules: Rules) -> list[str]:
    """Which part numbers the rules know."""
    found = []
    for number in ("7", "8", "9"):
        record = {"ts": 1, "op": "ins", "path": "/order/item/@n", "ids": [1, 2, 3], "value": number}
        found += [number] if Detector(rules).feed(PrimitiveEvent.from_record(record)) else []
    return found


def refusal(text: str, **given: references.Source) -> str:
    """What is said of rules that are refused."""
    with pytest.raises(RuleError) as caught:
        parse_rules(text, references=given)
    return str(caught.value)


def test_a_file_beside_the_rules(folder: Path) -> None:
    rules = load_rules(folder / "rules.xcep")
    assert known(rules) == ["7", "8"]
    document = rules.documents["parts"]
    assert document.digest == hashlib.sha256(PARTS).hexdigest()
    assert document.source == str(folder / "parts.xml")


@pytest.mark.parametrize("kind", ["path", "text", "bytes", "element", "tree"])
def test_given_by_the_caller(folder: Path, kind: str) -> None:
    other = folder / "other.xml"
    other.write_bytes(b"<parts><part n='9'/></parts>")
    root = etree.fromstring(other.read_bytes())
    given = {"path": other, "text": str(other), "bytes": other.read_bytes(), "element": root,
             "tree": root.getroottree()}[kind]  # fmt: skip
    for rules in (
        load_rules(folder / "rules.xcep", references={"parts": given}),
        parse_rules(RULES, references={"parts": given}),
        parse_rules(RULES.split("\n")[1], references={"parts": given}),  # declared by being given
        Rules.from_definitions(parse_rules(RULES).definitions, references={"parts": given}),
    ):
        assert known(rules) == ["9"]
    root[0].set("n", "7")  # a tree is copied
    assert known(rules) == ["9"]


def test_rules_as_text_can_be_looked_at_but_not_run() -> None:
    rules = parse_rules(RULES)
    assert parse_rules(str(rules)) == rules
    with pytest.raises(RuleError) as caught:
        Detector(rules)
    assert str(caught.value) == (
        "<rules>:1:11: the reference document 'parts' (parts.xml) is not there\n"
        '  reference parts = "parts.xml"\n'
        "            ^^^^^^^^^^^^^^^^^^^\n"
        "  hint: give it: parse_rules(…, references={'parts': …}) (V8)"
    )
    Detector(parse_rules('reference parts = "parts.xml"\nevent New = ins(item)'))  # nobody asks it


def test_of_several_files_each_has_its_own_folder(folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "users.xml").write_text("<users><user n='9'/></users>")
    second = folder / "below" / "more.xcep"
    second.write_text('reference users = "users.xml"\nevent Mine = ins(item/@n)[$users//@n = .]')
    assert known(load_rules(folder / "rules.xcep", second)) == ["7", "8", "9"]
    (folder / "below" / "users.xml").unlink()
    with pytest.raises(RuleError) as caught:
        load_rules(folder / "rules.xcep", second)
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        f"{second}:1:11: the reference document 'users' ({folder / 'below' / 'users.xml'}) cannot be read: "
        "No such file or directory"
    )
    assert lines[-1] == (
        "  hint: put it beside the rules file, or give it: --reference users=FILE, or load_rules(…, "
        "references={'users': …}) (V8)"
    )


@pytest.mark.parametrize(
    "name",
    ["../parts.xml", "/parts.xml", r"C:\\parts.xml", r"..\\parts.xml", "http://x/parts.xml", "a/../../b.xml"],
)
def test_rules_reach_no_other_place(folder: Path, name: str) -> None:
    inside = folder / "inside"
    inside.mkdir()
    (inside / "rules.xcep").write_text(RULES.replace("parts.xml", name))
    with pytest.raises(RuleError, match="does not lie beside the rules, and rules reach no other place"):
        load_rules(inside / "rules.xcep")
    assert known(load_rules(inside / "rules.xcep", references={"parts": PARTS})) == ["7", "8"]


def test_symbolic_links_lead_nowhere_else(folder: Path) -> None:
    inside = folder / "inside"
    (inside / "sub").mkdir(parents=True)
    (inside / "rules.xcep").write_text(RULES)
    (inside / "parts.xml").symlink_to(folder / "parts.xml")
    with pytest.raises(RuleError, match="does not lie beside the rules, and rules reach no other place"):
        load_rules(inside / "rules.xcep")
    (inside / "sub" / "real.xml").write_bytes((folder / "parts.xml").read_bytes())
    (inside / "parts.xml").unlink()
    (inside / "parts.xml").symlink_to("sub/real.xml")
    (folder / "link").symlink_to(inside, target_is_directory=True)
    for there in (inside, folder / "link"):  # the folder of the rules may be a link itself
        assert known(load_rules(there / "rules.xcep")) == ["7", "8"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "Document is empty, line 1, column 1"),
        (b"<parts>", "Premature end of data in tag parts line 1, line 1, column 8"),
        (b"\x1f\x8bxxxx", "this is gzip data, not XML: unpack it first"),
        (b"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///x'>]><a>&e;</a>", "the entity 'e': entities are refused"),
        (b"<!DOCTYPE a [<!ENTITY e 'x'>]><a/>", "the document type declares the entity 'e': entities are"),
        (b"<!DOCTYPE a SYSTEM 'a.dtd'><a b='&e;'/>", "Entity 'e' not defined, line 1, column "),
        (b"<!DOCTYPE a SYSTEM 'a.dtd'><a>&e;</a>", "Entity 'e' not defined, line 1, column "),
        (b"<a>" * 300 + b"</a>" * 300, "elements may be nested 256 deep"),
    ],
)  # fmt: skip
def test_what_the_safe_parser_refuses(data: bytes, said: str) -> None:
    message = refusal(RULES, parts=data)
    assert message.startswith("<rules>:1:11: the reference document 'parts' (parts.xml) cannot be used: ")
    assert said in message.splitlines()[0]


def test_a_document_type_without_entities_is_none_of_them() -> None:
    assert known(
        parse_rules(RULES, references={"parts": b"<!DOCTYPE parts SYSTEM 'x.dtd'>" + PARTS[21:]})
    ) == ["7", "8"]


def test_too_large_a_document(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(LARGEST, "reference document", 30)
    said = "more than the 30 bytes that a reference document may have: set XMLCEP_MAX_SIZE to allow more"
    assert said in refusal(RULES, parts=PARTS)
    assert said in refusal(RULES, parts=folder / "parts.xml")
    monkeypatch.setenv("XMLCEP_MAX_SIZE", "1k")
    assert known(parse_rules(RULES, references={"parts": PARTS})) == ["7", "8"]


def test_a_name_that_no_rule_asks() -> None:
    assert refusal(RULES, prats=PARTS) == (
        "<rules>: the reference document 'prats' is given, but no rule asks it\n  hint: did you mean parts?"
    )
    assert "write $users in an expression, or leave it out (V8)" in refusal(RULES, users=PARTS)


@pytest.mark.parametrize("name", ["old", "ts"])
def test_a_name_that_events_know(name: str) -> None:
    assert f"${name} is known of every event" in refusal(f'reference {name} = "x.xml"\nevent A = ins(a)')


def test_what_is_no_document() -> None:
    message = refusal(RULES, parts=5)  # type: ignore[arg-type]
    assert "cannot be used: 5 is not a reference document: give a file, its bytes, or a tree" in message


def test_a_path_that_does_not_begin_with_the_document_element() -> None:
    text = RULES.replace("$parts/parts/part", "$parts/part")
    assert refusal(text, parts=PARTS) == (
        "<rules>:1:11: the reference document 'parts' (parts.xml) has the document element parts, so that $parts/part "
        "finds nothing\n"
        '  reference parts = "parts.xml"\n'
        "            ^^^^^^^^^^^^^^^^^^^\n"
        "  hint: $parts is the root node, above that: write $parts/parts/… (V8)"
    )
    in_namespace = b"<p:parts xmlns:p='urn:p'/>"
    assert "$parts/parts finds nothing" in refusal(RULES, parts=in_namespace)
    parse_rules(RULES.replace("$parts/parts", "$parts/{urn:p}parts"), references={"parts": in_namespace})
    parse_rules(RULES.replace("$parts/parts/part", "$parts//part"), references={"parts": in_namespace})
    parse_rules(RULES.replace("$parts/parts", "$parts/*"), references={"parts": in_namespace})


@pytest.mark.parametrize(
    ("path", "warning", "hint"),
    [
        ("$parts/parts/part/@nn", "$parts/parts/part/@nn", "did you mean n? (V8)"),
        ("$parts/parts/prt/@n", "$parts/parts/prt", "did you mean part? (V8)"),
        ("$parts//prt[@x = 'y']/@n", "$parts//prt", "did you mean part? (V8)"),
        ("$parts/parts/part[@n = 'none']/text()", "$parts/parts/part/text()", ""),
        ("$parts/parts/{urn:p}part", "$parts/parts/part", "part is there, in another namespace (V8)"),
        ("$parts/parts/part[@none]/@n", "", ""),  # what stands in brackets is asked of what there will be
        ("$parts//@n/../..", "", ""),
    ],
)
def test_check_warns_of_lookups_that_find_nothing(
    path: str, warning: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be that the document has none yet."""
    (tmp_path / "parts.xml").write_text("<parts><part n='7'/></parts>")
    file = tmp_path / "r.xcep"
    file.write_text(f'reference parts = "parts.xml"\nevent A = ins(item/@n)[. = {path}]\n')
    assert run(["check", "-q", str(file)]) == 0
    said = capsys.readouterr().err
    assert ("has nothing at" in said) is bool(warning)
    assert (
        not warning
        or f"warning: the reference document 'parts' (parts.xml) has nothing at {warning}, as it" in said
    )
    assert hint in said


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(RuleError) as caught:
        parse_rules(RULES + "event B = Nobody(x)", references={"parts": b"<"})
    assert len(caught.value.problems) == 2


def test_they_travel_with_the_rules() -> None:
    rules = parse_rules(RULES + "event New = ins(item)", references={"parts": PARTS})
    for copy in (
        pickle.loads(pickle.dumps(rules)),
        pickle.loads(pickle.dumps(PlainRules.of(rules))).parse(),
        rules.part({"Known"}),
    ):
        assert known(copy)[:1] == ["7"]
        assert copy.documents == rules.documents
    assert {PlainRules.of(rules), PlainRules.of(rules)} == {PlainRules.of(rules)}
    assert PlainRules.of(rules) != PlainRules.of(parse_rules(str(rules), references={"parts": b"<parts/>"}))
