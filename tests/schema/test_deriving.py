"""The purchase order of the samples; what is derived beside completion; choosing; bad input; the command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import xmlschema
from click.testing import CliRunner
from lxml import etree

import xmlcep
from path_types import PathType
from tests.schema.vocabularies import book_schema, text_schema
from xmlcep.cli.main import run
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules, parse_rules
from xmlcep.schema import SchemaError, check_rules, derive, derive_text
from xmlcep.schema.enough import MAX_TYPES

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "purchase_order" / "purchase-order.xsd"


def raised(rules: Rules, *events: str) -> list[str]:
    """Feeds events written ``ins /order/item#7`` (ids from 1 down to the last) and returns ``name@ts``."""
    detector = Detector(rules)
    found = []
    for ts, text in enumerate(events, 1):
        operation, place = text.split(" ")
        path, _, ids = place.partition("#")
        numbers = tuple(map(int, ids.split(",")))
        event = PrimitiveEvent(ts, operation, PathType.parse(path), numbers, value="1")
        found += [f"{composite.name}@{composite.ts}" for composite in detector.feed(event)]
    return found


def test_the_item_of_the_purchase_order() -> None:
    rules = derive(SAMPLE, only=("item",))
    definition = {each.name: each for each in rules.definitions}["CompleteItem"]
    by_hand = parse_rules(
        "event CompleteItem(item) {when='@partNum and price[text()] and quantity[text()]'}"
        " = ins(item) ; (ins(item/@partNum) & x[0,1] ins(item/comment)"
        " & CompletePrice(item/price) & x[1,*] CompleteQuantity(item/quantity))\n"
        "event CompletePrice(price) = ins(price) ; ins(price/text())\n"
        "event CompleteQuantity(quantity) = ins(quantity) ; ins(quantity/text())"
    )
    assert definition == by_hand.definitions[0]
    assert {each.name for each in rules.definitions} == {"CompleteItem", "CompletePrice", "CompleteQuantity"}


def test_changed_as_a_whole() -> None:
    rules = derive(SAMPLE, changes=True)
    path = "/purchaseOrder/item"
    assert raised(rules, f"upd {path}/@partNum#1,2,3", f"upd {path}/price/text()#1,2,4,5") == [
        "ChangedItem@1",
        "ChangedPrice@2",
    ]


def test_one_too_many_is_raised_by_the_insertion_that_broke_it() -> None:
    rules = derive(SAMPLE, violations=True)
    path = "/purchaseOrder/item"
    events = [
        "ins /purchaseOrder#1", f"ins {path}#1,2", f"ins {path}/comment#1,2,3", f"del {path}/comment#1,2,3",
        f"ins {path}/comment#1,2,4", f"ins {path}/comment#1,2,5", f"ins {path}/comment#1,2,6",
        f"del {path}/comment#1,2,6",
    ]  # fmt: skip
    assert [each for each in raised(rules, *events) if each.startswith("TooMany")] == [
        "TooManyCommentInItem@6", "TooManyCommentInItem@7",
    ]  # fmt: skip


def test_one_too_many_of_those_called_as_their_parent(tmp_path: Path) -> None:
    """They are grouped with the parent (P10), at any depth."""
    file = tmp_path / "rules.xsd"
    file.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="doc"><xs:complexType><xs:sequence>'
        '<xs:element ref="rule"/></xs:sequence></xs:complexType></xs:element><xs:element name="rule"><xs:complexType>'
        '<xs:choice><xs:element ref="rule" minOccurs="0"/><xs:element name="to" type="xs:string"/></xs:choice>'
        "</xs:complexType></xs:element></xs:schema>",
        encoding="utf-8",
    )
    rules = derive(file, violations=True)
    assert check_rules(rules, file) == []
    document = xmlcep.fromstring("<doc><rule/></doc>")
    raised: list[str] = []
    with document.watch(rules, on_event=lambda event: raised.append(f"{event.name} {event.instance}")):
        (outer,) = document.root
        inner = etree.SubElement(outer, "rule")
        etree.SubElement(outer, "rule")
        etree.SubElement(inner, "rule")
        etree.SubElement(inner, "to")
        etree.SubElement(inner, "rule")
    found = [each for each in raised if each.startswith("TooMany")]
    assert found == [
        "TooManyRuleInRule /doc#1/rule#2",
        "TooManyRuleOrToInRule /doc#1/rule#2",
        "TooManyRuleOrToInRule /doc#1/rule#2/rule#3",
        "TooManyRuleInRule /doc#1/rule#2/rule#3",
        "TooManyRuleOrToInRule /doc#1/rule#2/rule#3",
    ]


def test_end_non_local_waits_until_the_work_moves_on() -> None:
    rules = derive(SAMPLE, only=("address",), end="non-local")
    path = "/purchaseOrder/billTo/address"
    events = [
        f"ins {path}#1,2,3", f"ins {path}/street#1,2,3,4", f"ins {path}/street/text()#1,2,3,4,5",
        f"ins {path}/city#1,2,3,6", f"ins {path}/city/text()#1,2,3,6,7", "ins /purchaseOrder/billTo/name#1,2,8",
    ]  # fmt: skip
    assert [each for each in raised(rules, *events) if "Address" in each] == ["CompleteAddress@6"]
    assert [each for each in raised(derive(SAMPLE, only=("address",)), *events) if "Address" in each] == [
        "CompleteAddress@5"
    ]


def test_what_may_be_empty_is_complete_at_its_end_with_all_that_came(tmp_path: Path) -> None:
    (tmp_path / "note.xsd").write_text(
        f"""<xs:schema {XS}><xs:element name="note"><xs:complexType><xs:sequence>
            <xs:element name="to" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
            <xs:choice><xs:element name="text" type="xs:string" minOccurs="0"/><xs:element name="ref"/></xs:choice>
        </xs:sequence></xs:complexType></xs:element></xs:schema>"""
    )
    rules = derive(tmp_path / "note.xsd", end="custom")

    def found(*children: str) -> list[int]:
        detector = Detector(rules)
        places = [("/note", (1,)), *((f"/note/{name}", (1, ts)) for ts, name in enumerate(children, 2))]
        for ts, (path, ids) in enumerate(places, 1):
            detector.feed(PrimitiveEvent(ts, "ins", PathType.parse(path), ids))
        return [len(list(composite.flattened())) for composite in detector.flush()]

    assert (found(), found("to", "ref", "to")) == ([1], [4])


def test_text_and_rules_are_the_same() -> None:
    text = derive_text(SAMPLE, changes=True)
    assert parse_rules(text).definitions == derive(SAMPLE, changes=True).definitions
    assert "# item, of type Item: What is ordered: at one price, in one or several deliveries.\n" in text


def write(folder: Path, text: str, name: str = "s.xsd") -> Path:
    file = folder / name
    file.write_text(
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{text}</xs:schema>', encoding="utf-8"
    )
    return file


BAD = {
    "a broken schema": ('<xs:element name="a" type="nothing"/>', "unknown type 'nothing'"),
    "an empty schema": ("", "no global element"),
    "nothing to wait for": ('<xs:element name="a" type="xs:string"/>', "nothing to derive"),
    "an import from the network": (
        '<xs:import namespace="urn:o" schemaLocation="http://example.com/o.xsd"/>'
        '<xs:element name="a"><xs:complexType><xs:sequence>'
        '<xs:element xmlns:o="urn:o" ref="o:b"/></xs:sequence></xs:complexType></xs:element>',
        "--location NAMESPACE=FILE",
    ),
    "an entity": ("&e;", "not a schema that can be used"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_schemas_are_explained(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema, message = BAD[name]
    file = write(tmp_path, schema)
    with pytest.raises(SchemaError, match=message.replace("[", r"\[")):
        derive(file)
    assert run(["derive", str(file)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such.xsd"], "there is no such schema file"),
        ([str(SAMPLE.with_suffix(".xml"))], "this is not a schema: its root element is"),
        ([str(SAMPLE), "--root", "purchaseOrdr"], "did you mean purchaseOrder?"),
        ([str(SAMPLE), "--only", "itm"], "did you mean item?"),
        ([str(SAMPLE), "--location", "urn:x"], "expected NAMESPACE=FILE"),
        ([str(SAMPLE), "--location", "urn:x=no-such.xsd"], "does not exist: no-such.xsd"),
        ([str(SAMPLE), "-o", "no-such-folder/x.xcep"], "cannot be written"),
    ],
)
def test_bad_arguments_are_explained(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["derive", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_doctype_with_entities_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "laughs.xsd"
    file.write_text(
        '<!DOCTYPE xs:schema [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]>'
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="&b;"/></xs:schema>',
        encoding="utf-8",
    )
    with pytest.raises(SchemaError):
        derive(file)


def test_a_schema_that_explodes_is_stopped(tmp_path: Path) -> None:
    """Group references that refer to others ten times over: a billion particles, written out."""
    groups = "".join(
        f'<xs:group name="g{level}"><xs:sequence>{"<xs:group ref=" + chr(34) + f"g{level + 1}" + chr(34) + "/>"}'
        + f'<xs:group ref="g{level + 1}"/>' * 9
        + "</xs:sequence></xs:group>"
        for level in range(9)
    )
    last = '<xs:group name="g9"><xs:sequence><xs:element name="x" type="xs:string"/></xs:sequence></xs:group>'
    root = '<xs:element name="r"><xs:complexType><xs:group ref="g0"/></xs:complexType></xs:element>'
    with pytest.raises(SchemaError):
        derive(write(tmp_path, groups + last + root))


def test_the_command_writes_what_derive_gives(tmp_path: Path) -> None:
    out = tmp_path / "out.xcep"
    assert run(["derive", str(SAMPLE), "--changes", "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == derive_text(SAMPLE, changes=True)


def test_locations_name_the_files_of_imports(tmp_path: Path) -> None:
    other = tmp_path / "other.xsd"
    other.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:o">'
        '<xs:element name="b" type="xs:int"/></xs:schema>',
        encoding="utf-8",
    )
    schema, _ = BAD["an import from the network"]
    rules = derive(write(tmp_path, schema), locations={"urn:o": other})
    assert [each.name for each in rules.definitions] == ["CompleteA", "CompleteB"]


def test_the_command_has_help() -> None:
    from xmlcep.cli.derive import command

    assert "--location" in CliRunner().invoke(command, ["--help"]).output


def test_root_keeps_what_its_documents_can_have(tmp_path: Path) -> None:
    content = '<xs:complexType><xs:attribute name="k" use="required"/></xs:complexType>'
    roots = "".join(
        f'<xs:element name="{root}"><xs:complexType><xs:sequence><xs:element name="{child}">{content}</xs:element>'
        "</xs:sequence></xs:complexType></xs:element>"
        for root, child in (("one", "a"), ("two", "b"))
    )
    file = write(tmp_path, roots)
    assert [each.name for each in derive(file, root="one").definitions] == ["CompleteOne", "CompleteA"]
    assert len(derive(file).definitions) == 4


def test_bad_options_are_explained() -> None:
    with pytest.raises(SchemaError, match="end is 'later': expected one of earliest, non-local, custom"):
        derive(SAMPLE, end="later")
    with pytest.raises(SchemaError, match="depth is -1: expected 0 or more"):
        derive(SAMPLE, depth=-1)
    with pytest.raises(SchemaError, match="the schema is a int"):
        derive(3)  # type: ignore[arg-type]


def test_a_schema_of_the_library_will_do() -> None:
    schema = xmlschema.XMLSchema10(str(SAMPLE), allow="local", defuse="always")
    assert derive(schema).definitions == derive(SAMPLE).definitions


def test_includes_and_redefinitions_are_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        '<xs:complexType name="T"><xs:sequence><xs:element name="a" type="xs:string"/></xs:sequence></xs:complexType>'
        '<xs:complexType name="U"><xs:attribute name="u" use="required"/></xs:complexType>',
        "base.xsd",
    )
    redefined = (
        '<xs:redefine schemaLocation="base.xsd"><xs:complexType name="T"><xs:complexContent><xs:extension base="T">'
        '<xs:sequence><xs:element name="b" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent>'
        "</xs:complexType></xs:redefine>"
    )
    file = write(tmp_path, redefined + '<xs:element name="t" type="T"/><xs:element name="u" type="U"/>')
    text = derive_text(file)
    assert 'event CompleteT(t) {when="a and b"} = ins(t) ; (ins(t/a) & ins(t/b))\n' in text
    assert "event CompleteU(u) = ins(u) ; ins(u/@u)\n" in text


def test_what_xsd_1_1_adds_is_said(tmp_path: Path) -> None:
    content = (
        '<xs:complexType name="T"><xs:attribute name="k" use="required"/><xs:assert test="@k"/></xs:complexType>'
        '<xs:complexType name="S"><xs:complexContent><xs:extension base="T"/></xs:complexContent></xs:complexType>'
        '<xs:element name="t" type="T"><xs:alternative test="@k = 1" type="S"/></xs:element>'
    )
    text = derive_text(write(tmp_path, content))
    assert "# type alternatives are not looked at\n" in text
    assert "# assertions (xs:assert) are not looked at\n" in text
    assert "event CompleteT(t) = ins(t) ; ins(t/@k)\n" in text


@pytest.mark.parametrize("schema", [book_schema(60), text_schema(60, 5)], ids=["book", "text"])
def test_vocabularies_of_elements_in_each_other(schema: str, tmp_path: Path) -> None:
    """Nothing repeats that says nothing: comments once for all children, no parts that can never be in an event."""
    file = tmp_path / "vocabulary.xsd"
    file.write_text(schema, encoding="utf-8")
    text = derive(file).text or ""
    events = re.findall(r"^event .*(?:\n .*)*", text, re.MULTILINE)
    assert 40 < len(events) < 70  # one for each element, however deep it stands in itself
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert len(comments) < 5 * len(events)
    assert max(map(len, comments)) < 200
    nothing_required = [part for part in text.split("\n\n") if "nothing in it is required" in part]
    assert len(nothing_required) > 25
    assert all(
        re.search(r"^event \w+\((\S+)\) = ins\(\1\)$", part, re.MULTILINE) for part in nothing_required
    )


def test_nothing_is_overwritten_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the schema, nor what it includes, nor rules that may have been edited since."""
    included = tmp_path / "parts.xsd"
    included.write_text(f'<xs:schema {XS}><xs:element name="a" type="xs:int"/></xs:schema>', encoding="utf-8")
    schema = tmp_path / "main.xsd"
    schema.write_text(
        f'<xs:schema {XS}><xs:include schemaLocation="parts.xsd"/></xs:schema>', encoding="utf-8"
    )
    for file in (schema, included):
        before = file.read_bytes()
        for force in ([], ["--force"]):
            assert run(["derive", str(schema), "-o", str(file), *force]) == 2
            assert str(file) in capsys.readouterr().err
        assert file.read_bytes() == before
    rules = tmp_path / "rules.xcep"
    assert run(["derive", str(schema), "-o", str(rules)]) == 0
    derived = rules.read_text(encoding="utf-8")
    assert "event CompleteA" in derived
    rules.write_text("# edited", encoding="utf-8")
    assert run(["derive", str(schema), "-o", str(rules)]) == 2
    assert "is there already and may have been edited" in capsys.readouterr().err
    assert rules.read_text(encoding="utf-8") == "# edited"
    assert run(["derive", str(schema), "-o", str(rules), "--force"]) == 0
    assert rules.read_text(encoding="utf-8") == derived


def test_a_condition_that_would_be_too_long_is_left_out_and_said(tmp_path: Path) -> None:
    file = tmp_path / "wide.xsd"
    many = "".join(f'<xs:attribute name="p{n}" use="required"/>' for n in range(2_100))
    file.write_text(
        f'<xs:schema {XS}><xs:element name="a"><xs:complexType>{many}</xs:complexType></xs:element></xs:schema>'
    )
    text = derive_text(file)
    assert "its condition would be longer than an expression may be" in text
    assert parse_rules(text).definitions


def test_types_that_are_too_many_for_the_event_are_too_many_for_its_condition(tmp_path: Path) -> None:
    file = tmp_path / "chain.xsd"
    chain = "".join(
        f'<xs:complexType name="T{n}"><xs:complexContent><xs:extension base="T{n - 1}"><xs:sequence>'
        f'<xs:element name="x{n}"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>'
        for n in range(1, MAX_TYPES + 2)
    )
    file.write_text(
        f'<xs:schema {XS}><xs:element name="a" type="T0"/>'
        '<xs:complexType name="T0"><xs:sequence><xs:element name="x0"/><xs:element name="y"/></xs:sequence>'
        f"</xs:complexType>{chain}</xs:schema>"
    )
    text = derive_text(file)
    assert "(MAX_TYPES)" in text
    assert '{when="x0 and y"}' in text
