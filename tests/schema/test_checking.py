"""Rules against a schema, and rules together with derived ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from path_types import PathType
from tests.schema.test_documents_allowed import SCHEMAS
from xmlcep.cli.main import run
from xmlcep.engine import Detector
from xmlcep.errors import RuleError
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import load_rules, parse_rules
from xmlcep.schema import check_rules, combine, derive

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "purchase_order"
SCHEMA = SAMPLES / "purchase-order.xsd"
ENDS_AND_TYPES = [(None, "complex"), (None, "all"), ("non-local", "complex"), ("custom", "all")]
DERIVED = [(SCHEMA, *each) for each in ENDS_AND_TYPES] + [
    (schema, *ENDS_AND_TYPES[number % 4]) for number, schema in enumerate(SCHEMAS)
]
"""Each schema with one end and one reading of `xsi:type`, the sample with all."""

ROWS = [
    ("ins(item/prise)", "item has no child element prise", "item/price"),
    ('becomes["true()"](itm)', "the schema has no element itm", "item"),
    ("ins(item/@partnum)", "item has no attribute partnum", "item/@partNum"),
    ("ins(item/partNum)", "item has no child element partNum", "item/@partNum"),
    ("ins(/item)", "no document of the schema has the root element item", "item"),
    ("ins(/purchaseOrder/itm/price)", "purchaseOrder has no child element itm", "/purchaseOrder/item/price"),
    ("ins(item/text())", "item has no text of its own", "item"),
    ("upd(item/price)", "an element has no value that could be updated", "upd(item/price/text())"),
    ("del(item) ; ins(item/comment)", "after del(item) nothing happens to the same item", "{path=order}"),
    (
        '(ins(item) & ins(item/price)){when="count(comentt) > 0"}',
        "item has no child element comentt",
        "comment?",
    ),
    ('(ins(item) & ins(item/price)){when="price[. > 1 and @curency]"}', "price has no attribute curency", ""),
    (
        '(ins(item) & ins(item/price)){when="sum(../item/prise) > 1"}',
        "item has no child element prise",
        "price?",
    ),
    ('(ins(item) & ins(item/price)){when="/item/price or /order"}', "no element order can be there", ""),
    ('(ins(item) & ins(item/price)){when="//billTo"}', "no element billTo can be there", ""),
    ("ins(item)[@partnum = '7']", "item has no attribute partnum", "partNum?"),
    ("ins(item)[../../purchaseOrdr]", "no element purchaseOrdr can be there", "purchaseOrder?"),
    ("del(billTo/item)", "billTo has no child element item", "purchaseOrder/item"),
    ("(ins(price) & ins(quantity)){path=itm/x}", "the schema has no element itm", "item"),
    (
        "(ins(item) ; not ins(billTo/name) ; del(item)){path=item}",
        "ins(billTo/name) is never at or below",
        "",
    ),
    (
        "(ins(address/city) & ins(item/price)){path=address}",
        "ins(item/price) is never at or below",
        "/purchaseOrder",
    ),
    (
        "(*(billTo//*) & ins(price)){path=item}",
        "*(billTo//*) is never at or below a node item",
        "/purchaseOrder",
    ),
    (
        "(ins(shipTo/name/text()) & ins(billTo/name/text())){path=name}",
        "are never at or below the same name",
        "/purchaseOrder",
    ),
    ("x[1,*] ins(billTo/name)[../item]", "no element item can be there", ""),
    ("(ins(billTo/name)){path=billTo, if='../../shipTo'}", "no element shipTo can be there", "purchaseOrder"),
    ("(ins(price/text())){path=item, if='../billTo/price'}", "billTo has no child element price", ""),
    ("ins(price/text())[../../item]", "item has no child element item", ""),
]


@pytest.mark.parametrize(("expression", "message", "near"), ROWS)
def test_what_can_never_match(expression: str, message: str, near: str) -> None:
    rules = parse_rules(f"event Never = {expression}")
    problems = check_rules(rules, SCHEMA)
    assert len(problems) == 1
    assert message in problems[0].message
    assert near in problems[0].hint
    assert (problems[0].line, problems[0].column > 1) == (1, True)


def test_an_event_used_where_it_is_never_raised() -> None:
    text = "event A = ins(item)\nevent B(billTo) = A(billTo) & ins(billTo/name)"
    (problem,) = check_rules(parse_rules(text), SCHEMA)
    assert "A is raised at item, never at billTo" in problem.message
    assert problem.line == 2


SCHEMA_OF_PARTS = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="p" type="P"/><xs:element name="q" type="Q"/>
</xs:sequence></xs:complexType></xs:element>
<xs:complexType name="P"><xs:sequence><xs:element name="n"><xs:complexType><xs:attribute name="x"/></xs:complexType>
</xs:element></xs:sequence></xs:complexType>
<xs:complexType name="Q"><xs:sequence><xs:element name="n"><xs:complexType><xs:attribute name="y"/></xs:complexType>
</xs:element><xs:element name="q" type="Q" minOccurs="0"/></xs:sequence></xs:complexType>
</xs:schema>"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("event A(p) = ins(n)[@y]", "1:21: event A: n has no attribute y: @y"),
        ('event A(n) {when="@y"} = ins(p/n)', "1:19: event A: n has no attribute y"),
        ('event A(n) {if="@y"} = ins(n/@x)', "1:17: event A: n has no attribute y"),
        ('event A(n) {if="../@y"} = ins(n/@x)', "1:17: event A: p has no attribute y"),
        ('event A(n) {if="@x or parent::q"} = ins(n/@x)', "1:23: event A: no element q can be there"),
        ("event A = ins(p/n)[../following-sibling::r]", "1:20: event A: no element r can be there"),
        ("event A = ins(n/@x)[../../q/n/@y]", "1:21: event A: p has no child element q"),
        ('event A(r) {when=".//@x/../../self::q"} = ins(r)', "1:19: event A: no element q can be there"),
        (
            'event A(r) {when="count(//text()/ancestor::z) > 0"} = ins(r)',
            "event A: no element z can be there",
        ),
        ('rule Z on (ins(p/n)) {mode=set} do set "p/n/@x" = "r"', "rule Z: r has no child element r"),
        (
            "event A(p) = ins(n/@x)\nevent B(q) = A(p) & ins(q/n)",
            "2:14: event B: A(p) is never at or below a node q",
        ),
        ("event A(n) = ins(p/n/@x)\nevent B(n) = A(q/n)", "2:14: event B: A is raised at p/n, never at q/n"),
        ("event A(n) = ins(n/@x)\nevent B(q) = ?(r/p) & ins(n)", "no event of these rules is raised at r/p"),
        ("event A(n) = ins(n/@x) & x[1,*]{path=n} ins(n/@y)", "are never at or below the same n"),
        ("event A(p) = any[2](ins(p/n), ins(q/n), ins(q/q))", "ins(q/n) is never at or below a node p"),
        (
            "event A(q/q) = ins(r/q/n) | ins(q/q/n)",
            "1:16: event A: ins(r/q/n) is never at or below a node q/q",
        ),
    ],
)
def test_what_is_never_in_one_place(tmp_path: Path, text: str, message: str) -> None:
    """Places are those of the events that are joined, not all of a name."""
    schema = tmp_path / "parts.xsd"
    schema.write_text(SCHEMA_OF_PARTS, encoding="utf-8")
    found = check_rules(parse_rules(text), schema)
    assert any(message in f"{each.line}:{each.column}: {each.message}" for each in found), list(
        map(str, found)
    )


@pytest.mark.parametrize(
    "text",
    [
        'event A(n) {if="@x or ../../q/n/@y"} = ins(n/@x)',
        "event A = ins(p/n)[../following-sibling::q/n/@y or ../../../r]",
        "event A = ins(r)[../r or ancestor::node()/r]",
        'event A(r) {when="../r or p/../q or .//@x/../../self::p"} = ins(r)',
        "event A = ins(n) & x[0,1]{path=n} ins(n/@x)",
        "event A(q) = ins(q/n) ; not ins(q/n/@y) ; del(q)",
        "event A(r) = (ins(q/n) | ins(p/n)){path=n} & ins(r)",
        "event A(p) {flat} = ins(p/n) & ins(q/n)\nevent B = A(r)",
        "event A(n) = external\nevent B(q) = A(n) & ins(q)",
        "event A(r) = *(q//*) & ins(p/n/@x)",
        "event A(q/n) = *(q//*) & *(r//)",
        "event A(q/q) = ins(n) & ins(q/n/@y)",
        'event A(q) = aperiodic[ins(q), del(q)]{path=q} ins(n) | plus[ins(q/n), "1 s"]',
        'event A(q) = periodic*[ins(n), "1 s", del(q)]{path=q} | periodic[ins(q), "1 s", del(n)]{path=q}',
        "event A(n) = ins(@x) | ins(@y)\nevent B(p) = A(n)\nevent C(q) = ?(q/n)",
    ],
)
def test_what_is_in_one_place_is_not_reported(tmp_path: Path, text: str) -> None:
    schema = tmp_path / "parts.xsd"
    schema.write_text(SCHEMA_OF_PARTS, encoding="utf-8")
    assert check_rules(parse_rules(text), schema) == []


@pytest.mark.parametrize(
    "text",
    [
        "event A = x[2,*] ins(item/quantity)",
        "event A = *(item/@partNum) & del(item)",
        "event Again(item) = x[2,*] ins(item/comment)",  # inserted, deleted and inserted again: maxOccurs is 1
        "event Twice = x[2,2] ins(item/@partNum)",
        'event A(item) {when="price > 1 and (comment or @partNum) and .//text() and quantity/.."} = ins(item/price)',
        'event A(item) {when="/item[price]/*[1] | //price/ancestor::item | self::item"} = ins(item/price)',
        "event A = ins(item/price)[../quantity > 1 and ancestor::purchaseOrder/billTo/name and /purchaseOrder//price]",
        "event A = upd(price/text())[. > $old or ../../@partNum]",
        'event A = becomes["../billTo/name and not(comment)"](item)[$old > 3] as $n = (@partNum)',
        'event A(item) {if="price and ../billTo/name"} = x[1,*] ins(item/quantity) as $n = (../comment)',
        """rule A on (ins(item/price)) if "../comment" do set "../@seen" = "/purchaseOrder//price"
rule B on (del(item/price/text())) do set "quantity" = "'0'", delete "../comment", set "@partNum" = "'1'" """,
    ],
)
def test_what_can_match_is_not_reported(text: str) -> None:
    assert check_rules(parse_rules(text), SCHEMA) == []


@pytest.mark.parametrize(
    "text",
    [
        'event A(item) {if="prise"} = x[1,*] ins(item/quantity)',
        "event A(item) = ins(item/quantity) as $n = (../prise) & ins(item/price)",
        'event A = becomes["prise > 3"](item)',
        'event A = becomes["price"](item)[prise] as $n = (@partNum)',
        'event A = becomes["price"](item) as $n = (prise)',
        'rule A on (ins(item/quantity)) if "../prise" do set "." = "1"',
        'rule A on (ins(item/quantity)) do set "." = "../prise"',
        'rule A on (ins(item/quantity)) do set "../prise" = "1"',
        'rule A on (ins(item/quantity)) do delete "../prise"',
        'rule A on (ins(item/quantity)) do move "../prise" before "../comment"',
        'rule A on (ins(item/quantity)) do set "../prise/@currency" = "1"',
    ],
)
def test_misspelt_names_are_found_wherever_an_expression_stands(text: str) -> None:
    (problem,) = check_rules(parse_rules(text), SCHEMA)
    assert "prise" in problem.message
    assert "price" in problem.hint
    assert text[problem.column - 1 :].startswith(("prise", ".."))


@pytest.mark.parametrize("name", ["purchase-order.xcep", "control.xcep"])
def test_the_samples_fit_together(name: str) -> None:
    rules = load_rules(SAMPLES / name)
    assert check_rules(rules, SCHEMA) == []


@pytest.mark.parametrize(("schema", "end", "xsi_type"), DERIVED)
def test_derived_rules_can_all_match(schema: Path, end: str | None, xsi_type: str) -> None:
    """And are the same when their text is read again."""
    rules = derive(schema, changes=True, violations=True, absences=True, end=end, xsi_type=xsi_type)
    assert check_rules(rules, schema) == []
    assert parse_rules(rules.text or "").definitions == rules.definitions


def test_unknown_elements_are_not_reported_where_a_wildcard_lets_them_in(tmp_path: Path) -> None:
    file = tmp_path / "open.xsd"
    file.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r"><xs:complexType><xs:sequence>'
        '<xs:any namespace="urn:o" processContents="lax"/></xs:sequence></xs:complexType></xs:element></xs:schema>',
        encoding="utf-8",
    )
    assert check_rules(parse_rules("event A = ins(r/{urn:o}x/y)"), file) == []
    assert len(check_rules(parse_rules("event A = ins(r/{urn:p}x)"), file)) == 1


def test_rules_that_use_derived_events() -> None:
    derived = derive(SCHEMA)
    rules = combine(derived, "event Sold(item) = CompleteItem(item) ; upd(item/price/text())")
    assert {each.name for each in rules.definitions} == {
        "CompleteItem",
        "CompletePrice",
        "CompleteQuantity",
        "Sold",
    }
    path = "/purchaseOrder/item"
    made = [
        (f"{path}", (1, 2)), (f"{path}/@partNum", (1, 2, 3)), (f"{path}/price", (1, 2, 4)),
        (f"{path}/price/text()", (1, 2, 4, 5)), (f"{path}/quantity", (1, 2, 6)),
        (f"{path}/quantity/text()", (1, 2, 6, 7)),
    ]  # fmt: skip
    detector = Detector(rules)
    for ts, (at, ids) in enumerate(made, 1):
        value = None if at.endswith(("item", "price", "quantity")) else "7"
        detector.feed(PrimitiveEvent(ts, "ins", PathType.parse(at), ids, value=value))
    last = PrimitiveEvent(7, "upd", PathType.parse(f"{path}/price/text()"), (1, 2, 4, 5))
    assert [each.name for each in detector.feed(last)] == ["Sold"]
    assert (
        len(combine(derived, "event A = ins(item)", keep="all").definitions) == len(derived.definitions) + 1
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            "# mine\nevent CompletePrice = ins(price)\nevent Sold(item) = CompleteItem(item) ; upd(item/price/text())",
            ", and CompleteItem is made of that",
            2,
        ),
        ("event A = CompletItem(item)", "did you mean CompleteItem?", 1),
        ("event A = ins(item", "ends too early", 1),
        ("event A = Sold(item)\nevent Sold = A(item)", "cycle", 1),
    ],
)
def test_rules_that_clash_with_derived_ones(text: str, message: str, line: int) -> None:
    with pytest.raises(RuleError) as caught:
        combine(derive(SCHEMA), text, source_name="mine.xcep")
    assert message in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith("mine.xcep:")


def test_derived_text_that_was_edited_stands_for_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `derive` wrote can be checked against the schema that it was derived from, with what was changed in it."""
    text = derive(SCHEMA).text or ""
    assert combine(derive(SCHEMA), text).definitions == parse_rules(text).definitions
    file = tmp_path / "edited.xcep"
    file.write_text(text.replace("ins(item/@partNum)", "ins(item/@partNo)"), encoding="utf-8")
    assert run(["check", "-q", str(file), "--schema", str(SCHEMA)]) == 2
    said = capsys.readouterr().err
    assert "item has no attribute partNo" in said
    assert "derived from the schema too" not in said
    with pytest.raises(RuleError, match="'CompleteItem' is derived from the schema too"):
        combine(derive(SCHEMA), "event CompleteItem = ins(item)", keep="all")


def test_a_prefix_with_two_meanings(tmp_path: Path) -> None:
    file = tmp_path / "s.xsd"
    file.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:p="urn:one" targetNamespace="urn:one" '
        'elementFormDefault="qualified"><xs:element name="r"><xs:complexType><xs:sequence>'
        '<xs:element name="a" type="xs:int"/></xs:sequence></xs:complexType></xs:element></xs:schema>',
        encoding="utf-8",
    )
    derived = derive(file, violations=True)
    use = "event B = TooManyAInR({urn:one}r)"
    assert combine(derived, f'namespace q = "urn:two"\n{use}').namespaces == {"p": "urn:one", "q": "urn:two"}
    with pytest.raises(RuleError, match="the prefix 'p' is urn:two here and urn:one"):
        combine(derived, f'namespace p = "urn:two"\n{use}')


def test_check_with_a_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.xcep"
    file.write_text("event Sold(item) = CompleteItem(item) ; upd(item/price/text())", encoding="utf-8")
    assert run(["check", str(file), "--schema", str(SCHEMA)]) == 0
    assert "CompleteQuantity" in capsys.readouterr().out
    assert run(["check", str(file)]) == 2
    file.write_text(
        "event Sold = upd(item/prise/text())\nevent Two = del(item) ; ins(item/comment)", encoding="utf-8"
    )
    assert run(["check", str(file)]) == 0
    capsys.readouterr()
    assert run(["check", str(file), "--schema", str(SCHEMA)]) == 2
    said = capsys.readouterr().err
    assert "1:14: event Sold: item has no child element prise" in said
    assert "the nearest path in the schema is item/price/text()" in said
    assert "2:13: event Two: after del(item) nothing happens to the same item" in said


def test_rules_that_act_stay_with_a_schema() -> None:
    """They are triggered by derived events, too."""
    text = """
rule A on CompleteItem(item) do set "@done" = "1"
rule B on (CompleteQuantity(item/quantity)) {path=item} do set "@counted" = "1"
"""
    rules = combine(derive(SCHEMA), text)
    assert rules.triggers is not None
    assert [rule.event for rule in rules.triggers.programs] == ["CompleteItem", "B"]
    assert {"CompleteItem", "CompleteQuantity"} <= {each.name for each in rules.definitions}
    assert "CompletePurchaseOrder" not in {each.name for each in rules.definitions}
    with pytest.raises(RuleError, match="rule C: there is no event called CompleteItems"):
        combine(derive(SCHEMA), "rule C on CompleteItems(item) do delete '.'")
