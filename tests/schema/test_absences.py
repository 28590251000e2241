"""Events for what did not come: by hand, and on generated schemas against xmlschema."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from tests.schema.generated import Generated, schemas
from tests.schema.test_generated_schemas import small_document
from tests.schema.validation import Node, insertions, judged, left_out, random_order
from xmlcep import Rules, SchemaError, derive, parse_rules
from xmlcep.algebra import Multiplicity, leaves_of, operators_of
from xmlcep.cli.main import run
from xmlcep.engine import Detector
from xmlcep.events import CompositeEvent

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
ITEM = f"""<xs:schema {XS}>
<xs:element name="order"><xs:complexType><xs:sequence>
  <xs:element name="item" type="Item" maxOccurs="unbounded"/>
</xs:sequence></xs:complexType></xs:element>
<xs:complexType name="Item"><xs:sequence>
  <xs:element name="price" type="xs:decimal"/>
  <xs:element name="note" type="xs:string" minOccurs="0"/>
  <xs:element name="part" minOccurs="2" maxOccurs="unbounded"/>
  <xs:choice><xs:element name="a"/><xs:element name="b"/></xs:choice>
</xs:sequence><xs:attribute name="id" use="required"/></xs:complexType>
</xs:schema>"""


INSERTED, GONE = "ins(item)[not($meta:moved-from)]", "del(item)[not($meta:moved-to)]"


def text_of(schema: str, tmp_path: Path, **options: object) -> str:
    file = tmp_path / "x.xsd"
    file.write_text(schema, encoding="utf-8")
    return derive(file, absences=True, **options).text or ""  # type: ignore[arg-type]


def events_of(schema: str, tmp_path: Path) -> str:
    lines = re.sub(r"\n +", " ", text_of(schema, tmp_path)).splitlines()
    return "\n".join(line for line in lines if line.startswith(("event Incomplete", "# item:")))


def test_what_is_derived(tmp_path: Path) -> None:
    at_end = "at the end of the transaction in which it was inserted"
    assert events_of(ITEM, tmp_path).splitlines()[2:-1] == [
        f"# item: not complete {at_end}",
        f"event IncompleteItem(item) {{order=detection, end=custom}} = {INSERTED} ; not (CompleteItem(item) | {GONE})",
        f"# item: no @id {at_end}",
        f"event IncompleteItemWithoutId(item) {{end=custom}} = {INSERTED} ; not (ins(item/@id) | {GONE})",
        f"# item: no price {at_end}",
        f"event IncompleteItemWithoutPrice(item) {{end=custom}} = {INSERTED} ; not (ins(item/price) | {GONE})",
        f"# item: less than 2 of part {at_end}",
        f"event IncompleteItemWithoutPart(item) {{end=custom}}"
        f" = {INSERTED} ; not (x[2,*] ins(item/part) | {GONE})",
        f"# item: no a, b {at_end}",
        f"event IncompleteItemWithoutAOrB(item) {{end=custom}}"
        f" = {INSERTED} ; not (ins(item/a) | ins(item/b) | {GONE})",
    ]
    assert text_of(ITEM, tmp_path, end="non-local").count("end=non-local") > 6
    for text in (text_of(ITEM, tmp_path), text_of(ITEM, tmp_path, changes=True, violations=True)):
        assert str(parse_rules(text)) == str(parse_rules(str(parse_rules(text))))


def test_one_part_is_not_said_twice(tmp_path: Path) -> None:
    price = f'<xs:schema {XS}><xs:element name="price" type="xs:decimal"/></xs:schema>'
    assert text_of(price, tmp_path).count("event Incomplete") == 1


@pytest.fixture
def document(tmp_path: Path) -> tuple[xmlcep.Document, Rules]:
    return xmlcep.fromstring("<order/>"), parse_rules(text_of(ITEM, tmp_path))


def test_transactions(document: tuple[xmlcep.Document, Rules]) -> None:
    """Told when the transaction ends, of what was inserted in it and is still there; not of what came in time."""
    doc, rules = document
    told: list[str] = []
    with doc.watch(rules, on_event=lambda each: told.append(each.name)):
        with doc.transaction():
            item = etree.SubElement(doc.root, "item", id="1")
            etree.SubElement(item, "part")
            gone = etree.SubElement(doc.root, "item")
            doc.root.remove(gone)
            etree.SubElement(item, "b")
            assert [name for name in told if name.startswith("Incomplete")] == []
        assert sorted(name for name in told if name.startswith("Incomplete")) == [
            "IncompleteItem", "IncompleteItemWithoutPart", "IncompleteItemWithoutPrice",
        ]  # fmt: skip
        told.clear()
        with doc.transaction():
            etree.SubElement(item, "price").text = "1"
            etree.SubElement(item, "part")
        assert told == ["CompletePrice", "CompleteItem"]


def test_what_was_moved_has_not_come(document: tuple[xmlcep.Document, Rules]) -> None:
    doc, rules = document
    doc.update_to(etree.fromstring("<order><item id='1'><b/><part/></item></order>"))
    told: list[str] = []
    with doc.watch(rules, on_event=lambda each: told.append(each.name)):
        doc.update_to(etree.fromstring("<order><x><item id='1'><b/><part/></item></x><item id='2'/></order>"))
    assert {name for name in told if name.startswith("Incomplete")} == {
        "IncompleteItem", "IncompleteItemWithoutPart", "IncompleteItemWithoutPrice", "IncompleteItemWithoutAOrB",
    }  # fmt: skip
    assert told.count("IncompleteItem") == 1


def test_a_part_that_is_begun_but_not_complete(document: tuple[xmlcep.Document, Rules]) -> None:
    doc, rules = document
    told: list[str] = []
    with doc.watch(rules, on_event=lambda each: told.append(each.name)), doc.transaction():
        item = etree.SubElement(doc.root, "item", id="1")
        for name in ("price", "part", "part", "a"):
            etree.SubElement(item, name)
    assert sorted(told) == ["IncompleteItem", "IncompletePrice"]


@given(
    generated=schemas(recursive=True, wildcards=True), seed=st.integers(0, 2**32), gaps=st.integers(0, 4),
    cut=st.floats(0, 1),
)  # fmt: skip
@settings(max_examples=30)
def test_who_is_incomplete(generated: Generated, seed: int, gaps: int, cut: float) -> None:
    """When the work stops anywhere: elements with an event that are not complete, and each just once.

    And whoever lacks a part by itself is not complete by the judge, and the part is not there.
    """
    schema, nodes = small_document(generated)
    choose = random.Random(seed)
    kept = left_out(nodes, choose.sample(nodes[1:], min(gaps, len(nodes) - 1)))
    order = random_order(kept, choose)[: max(1, int(cut * len(kept)))]
    try:
        rules = derive(schema, absences=True)
    except SchemaError as error:
        assume("nothing to derive" not in str(error))
        raise
    detector = Detector(rules)
    raised = [composite for each in insertions(order) for composite in detector.feed(each)]
    assert not [composite for composite in raised if composite.name.startswith("Incomplete")]
    told = detector.close()
    whole = [composite for composite in told if "Without" not in composite.name]
    parts = [composite for composite in told if "Without" in composite.name]
    event(f"incomplete: {min(len(whole), 3)}, parts: {min(len(parts), 3)}")
    complete = {composite.ids for composite in raised if composite.name.startswith("Complete")}
    assert len({composite.ids for composite in whole}) == len(whole)
    assert {composite.ids for composite in whole} == with_event(order, rules) - complete
    never = judged(order, schema)
    for composite in parts:
        assert composite.ids[-1] not in never
        assert any(composite.ids == other.ids for other in whole)
        assert missing(composite, rules, order)


def with_event(order: list[Node], rules: Rules) -> set[tuple[int, ...]]:
    """The elements of which an event would say that they are incomplete."""
    names = [tree for tree in rules.graph.trees if tree.name.startswith("Incomplete")]
    places = {tree.path for tree in names if "Without" not in tree.name}
    return {each.ids for each in insertions(order) if not places.isdisjoint(each.path.endings)}


def missing(composite: CompositeEvent, rules: Rules, order: list[Node]) -> bool:
    """Whether there are fewer of the parts that the event names than it asks for."""
    assert composite.path is not None
    [definition] = [each for each in rules.definitions if each.name == composite.name]
    needed = [each.lower for each in operators_of(definition.expression) if isinstance(each, Multiplicity)]
    names = {leaf.type.path.last for leaf in leaves_of(definition.expression)} - {composite.path.last}
    there = [each for each in insertions(order) if each.ids[:-1] == composite.ids and each.path.last in names]
    return len(there) < max(needed, default=1)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.xsd").write_text(ITEM, encoding="utf-8")
    assert run(["derive", str(tmp_path / "x.xsd"), "--absences", "--only", "item"]) == 0
    assert "event IncompleteItemWithoutPrice(item)" in capsys.readouterr().out
