"""What an expression of the whole document sees from an element, a text node and an attribute (F1)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from xmlcep.xpath import Environment, ExpressionError, NodeKind, Scope, VariableKind, compile_expression

DOCUMENT = etree.fromstring(
    """<order xmlns:x="urn:x" id="o" xml:lang="en"><customer vip="yes">Ann</customer>
  <item id="i1" x:id="z"><price currency="EUR">30<vat/>5</price><quantity>3</quantity></item>
  <item id="i2"><price currency="USD">7</price></item>tail</order>""",
    etree.XMLParser(remove_blank_text=True),
)
PRICE = DOCUMENT[1][0]
KINDS = {"old": VariableKind.STRING, "parts": VariableKind.NODES}
NAMES = {"x": "urn:x", "y": "urn:x", "o": "urn:other"}
PARTS = etree.fromstring("<parts><part id='i1'><price>20</price></part><part id='i9'/></parts>")

ELEMENT = Environment({"old": "1", "parts": PARTS}, element=PRICE)
TEXT = Environment({"old": "1", "parts": PARTS}, element=PRICE, value="5", text=2)
ATTRIBUTE = Environment({"old": "1", "parts": PARTS}, element=DOCUMENT[1], value="z", attribute="{urn:x}id")

# expression; what it gives from the price element, from its second text node, from the item's attribute x:id
TABLE = [
    (".", "305", "5", "z"),
    ("number(.)", 305.0, 5.0, float("nan")),
    ("string()", "305", "5", "z"),
    (". = 5", False, True, False),
    (". = true()", True, True, True),
    ("count(.)", 1.0, 1.0, 1.0),
    ("(.)[1]", "305", "5", "z"),
    (". > $old", True, True, False),
    ("..", "3053", "305", "3053"),
    ("../@id", "i1", None, "i1"),
    ("../../@id", "o", "i1", "o"),
    ("../quantity", "3", None, "3"),
    ("../../../@id", None, "o", None),
    ("../../../..", None, None, None),
    ("/order/@id", "o", "o", "o"),
    ("count(//item)", 2.0, 2.0, 2.0),
    ("@currency", "EUR", None, None),
    ("ancestor::item/@id", "i1", "i1", "i1"),
    ("ancestor-or-self::item/@id", "i1", "i1", "i1"),
    ("count(ancestor::node())", 2.0, 3.0, 2.0),
    ("count(ancestor-or-self::node())", 3.0, 4.0, 3.0),
    ("ancestor::order/customer/@vip", "yes", "yes", "yes"),
    ("preceding-sibling::vat = ''", False, True, False),
    ("following-sibling::node()", "3", None, None),
    ("count(preceding-sibling::node())", 0.0, 2.0, 0.0),
    ("count(following::item)", 1.0, 1.0, 1.0),
    ("preceding::customer", "Ann", "Ann", "Ann"),
    ("self::price", "305", None, None),
    ("self::node()", "305", "5", "z"),
    ("self::text()", None, "5", None),
    ("descendant-or-self::node()", "305", "5", "z"),
    ("count(.//node())", 3.0, 0.0, 0.0),
    ("parent::item/@id", "i1", None, "i1"),
    ("parent::node()[@id='i1']/quantity", "3", None, "3"),
    ("ancestor::*[1]/@id", "i1", None, "i1"),
    ("ancestor::*[last()]/@id", "o", "o", "o"),
    ("count(. | ..)", 2.0, 2.0, 2.0),
    ("./../@currency", None, "EUR", None),
    ("lang('en')", True, True, True),
    ("name()", "price", "", "x:id"),
    ("local-name()", "price", "", "id"),
    ("namespace-uri()", "", "", "urn:x"),
    ("name(..)", "item", "price", "item"),
    ("name(../@*[2])", "x:id", "", "x:id"),
    ("namespace-uri(.) = 'urn:x'", False, False, True),
    ("../@x:id", "z", None, "z"),
    ("../@y:id", "z", None, "z"),
    # from the document to a reference document and back
    ("$parts/parts/part[@id = 'i1']/price", "20", "20", "20"),
    ("count($parts//part)", 2.0, 2.0, 2.0),
    ("$parts/part", None, None, None),
    ("count($parts//part[@id = //part/@id])", 2.0, 2.0, 2.0),
    ("//item[@id = $parts//part/@id]/price", "305", "305", "305"),
    ("count($parts)", 1.0, 1.0, 1.0),
    ("name($parts/*)", "parts", "parts", "parts"),
    ("sum($parts//price) > sum($parts)", False, False, False),
    ("sum($parts | $parts/..)", 20.0, 20.0, 20.0),
    ("$parts = 20", True, True, True),
    ("/ = 30537", False, False, False),
    ("/ != 1", True, True, True),
    ("count(//.) - count(//node())", 1.0, 1.0, 1.0),
    ("sum(/order/item[2]/ancestor-or-self::node())", float("nan"), float("nan"), float("nan")),
]


@pytest.mark.parametrize("row", TABLE, ids=[row[0] for row in TABLE])
def test_table(row: tuple[str, object, object, object]) -> None:
    text, *expected = row
    before = etree.tostring(DOCUMENT)
    for node, environment, value in zip(
        (NodeKind.ELEMENT, NodeKind.TEXT, NodeKind.ATTRIBUTE),
        (ELEMENT, TEXT, ATTRIBUTE),
        expected,
        strict=True,
    ):
        expression = compile_expression(text, namespaces=NAMES, variables=KINDS, node=node)
        found = expression.value(environment)
        assert found == value or (found != found and value != value), node
        assert expression.boolean(environment) in (True, False)
        assert isinstance(expression.number(environment), float)
        assert isinstance(expression.string(environment), str)
    assert etree.tostring(DOCUMENT) == before


@pytest.mark.parametrize(
    ("text", "element", "own", "none"),
    [
        (".", True, False, None),
        ("number(.) > $old", True, False, None),
        ("string()", True, False, None),
        ("1 + 1", False, False, False),
        ("$old = 'x'", False, False, False),
        ("..", True, True, None),
        ("$parts//x[@y]", False, False, False),
        ("$parts//x[/y]", False, False, False),
        ("(.)[. = 1]", True, False, None),
        ("name()", True, True, None),
        ("lang('en')", True, True, None),
        ("$parts//x = ../@id", True, True, None),
        (". | .", True, True, None),
        ("/", True, True, None),
        ("matches(., 'x')", True, False, None),
        ("@id", True, True, None),
    ],
)
def test_what_needs_the_document(text: str, element: bool, own: bool, none: bool | None) -> None:
    """F3; None: refused, since there is no node."""
    needs = {NodeKind.ELEMENT: element, NodeKind.TEXT: own, NodeKind.ATTRIBUTE: own}
    for node, needed in needs.items():
        assert compile_expression(text, variables=KINDS, node=node).needs_document is needed
    if none is None:
        with pytest.raises(ExpressionError, match="although there is no document here"):
            compile_expression(text, variables=KINDS, node=NodeKind.NONE)
    else:
        assert compile_expression(text, variables=KINDS, node=NodeKind.NONE).needs_document is none


def test_a_subtree_has_an_element_as_its_root() -> None:
    with pytest.raises(ValueError, match="an element as its root"):
        compile_expression(".", node=NodeKind.TEXT, scope=Scope.SUBTREE)


AXES = (
    "child",
    "descendant",
    "descendant-or-self",
    "self",
    "attribute",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "following",
    "following-sibling",
    "preceding",
    "preceding-sibling",
)
STEPS = [
    f"{axis}::{test}"
    for axis, test in itertools.product(AXES, ("*", "node()", "text()", "item", "price", "id"))
]
NODES = [
    (element, "text()", number)
    for element in DOCUMENT.iter()
    for number, _ in enumerate(element.xpath("text()"), 1)
] + [(element, "@*", number) for element in DOCUMENT.iter() for number, _ in enumerate(element.attrib, 1)]


@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=3), st.sampled_from(NODES))
def test_paths_from_text_and_attribute_nodes(
    steps: list[str], place: tuple[etree._Element, str, int]
) -> None:
    """What lxml finds that goes from the parent to the node first, and then the path."""
    element, test, number = place
    path = "/".join(steps)
    to_node = f"{test}[{number}]"
    # The root node above the top element is none to us.
    expected = element.xpath(
        f"count({to_node}/{path}) - count({to_node}/{path}[self::node()[not(parent::node())]])"
    )
    attribute = "" if test == "text()" else list(element.attrib)[number - 1]
    node = NodeKind.ATTRIBUTE if attribute else NodeKind.TEXT
    environment = Environment(element=element, value="", attribute=attribute, text=number)
    counted = compile_expression(f"count({path})", node=node).number(environment)
    beyond = any("parent" in step or "ancestor" in step for step in steps[:-1])
    assert counted == expected or (beyond and counted < expected)
    named = compile_expression(path, node=node).string(environment)
    if counted == expected and path != "self::node()":
        assert named == element.xpath(f"string({to_node}/{path}[parent::node()])")
