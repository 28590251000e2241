"""What each action does to a document, and what it cannot do (rules L7, L12)."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.actions.documents_with_rules import acting
from xmlcep.actions.errors import ActionError

# The rule fires when the attribute "go" of the first item changes.
XML = "<order>a<item go='0' id='1'>b<price>3</price>c</item>d<item id='2'/>e<!--f-->g</order>"
START = XML.replace(" go='0'", "").replace("'", '"')


def result(actions: str, xml: str = XML) -> str:
    """The document when the first item has been touched."""
    with acting(xml, f"rule R on (upd(item/@go)) {{path=item}} do {actions}") as scene:
        scene.root.find("item").set("go", "1")
        return scene.xml.replace(' go="1"', "")


@pytest.mark.parametrize(
    ("actions", "changed"),
    [
        ("set '@id' = \"'x'\"", [('id="1"', 'id="x"')]),
        ("set '@new' = '1 + 1'", [('id="1"', 'id="1" new="2"')]),
        ("set '../item/@n' = 'count(../item)'", [('id="1"', 'id="1" n="2"'), ('id="2"', 'id="2" n="2"')]),
        ("set 'price/@missing/..' = '1'", []),
        ("set '@id[. = 2]' = '9'", []),
        ("set '//@id' = '9'", [('id="1"', 'id="9"'), ('id="2"', 'id="9"')]),
        ("set 'price' = 'price * 2'", [(">3<", ">6<")]),
        ("set 'price/text()' = \"'x'\"", [(">3<", ">x<")]),
        ("set 'price' = \"''\"", [("<price>3</price>", "<price/>")]),
        ("set '.' = \"'x'\"", [(">b<", ">x<")]),  # the text before the first child
        ("set '/order/text()' = \"'t'\"", [("<order>a", "<order>t"), (">d<", ">t<"), (">e<!", ">t<!"), ("->g", "->t")]),
        ("set '$delta/@id' = \"'x'\"", [('id="1"', 'id="x"')]),
        ("delete 'price'", [("b<price>3</price>c", "bc")]),
        ("delete '.'", [('<item id="1">b<price>3</price>c</item>', "")]),
        ("delete '@id'", [(' id="1"', "")]),
        ("delete '../item'", [('<item id="1">b<price>3</price>c</item>', ""), ('<item id="2"/>', "")]),
        ("delete '/order/text()'", [("<order>a", "<order>"), (">d<", "><"), (">e<!", "><!"), ("->g", "->")]),
        ("delete '/order/node()'", [(START[7:-8], "<!--f-->")]),
        ("delete 'nothing'", []),
        ("insert '<n/>' last into '.'", [("c</item>", "c<n/></item>")]),
        ("insert '<n/>' first into '.'", [(">b<price", "><n/>b<price")]),
        ("insert '<n/>' before '.'", [('a<item id="1"', 'a<n/><item id="1"')]),
        ("insert '<n/>' after '.'", [("</item>d", "</item><n/>d")]),
        ("insert 'x' last into '.'", [("c</item>", "cx</item>")]),
        ("insert 'x' first into '.'", [(">b<price", ">xb<price")]),
        ("insert 'x' before '.'", [('a<item id="1"', 'ax<item id="1"')]),
        ("insert 'x' after '.'", [("</item>d", "</item>xd")]),
        ("insert 'x<n/>y<m/>z' last into '.'", [("c</item>", "cx<n/>y<m/>z</item>")]),
        ("insert 'x<n/>y<m/>z' first into '.'", [(">b<price", ">x<n/>y<m/>zb<price")]),
        ("insert 'x<n/>y<m/>z' before '.'", [('a<item id="1"', 'ax<n/>y<m/>z<item id="1"')]),
        ("insert 'x<n/>y<m/>z' after '.'", [("</item>d", "</item>x<n/>y<m/>zd")]),
        ("insert '<n/>' after '../item[2]'", [('id="2"/>e', 'id="2"/><n/>e')]),
        ("insert '<n/>' last into '../item'", [("c</item>", "c<n/></item>"), ('id="2"/>', 'id="2"><n/></item>')]),
        ("insert '<n a=\"{@id}\">{price}&amp;{{}}<m>{1 + 1}</m></n>' last into 'price'",
         [("3</price>", '3<n a="1">3&amp;{}<m>2</m></n></price>')]),
        ("insert '{\"&lt;b/>\"}' last into 'price'", [("3</price>", "3&amp;lt;b/&gt;</price>")]),
        ("insert '<!--c--><?p i?>' last into 'price'", [("3</price>", "3<!--c--><?p i?></price>")]),
        ("insert '<n/>' last into 'nothing'", []),
        ("replace 'price' with '<cost>{price}</cost>'", [("<price>3</price>", "<cost>3</cost>")]),
        ("replace '.' with 'x<n/>y'", [('<item id="1">b<price>3</price>c</item>', "x<n/>y")]),
        ("replace '. | price' with '<n/>'", [('<item id="1">b<price>3</price>c</item>', "<n/>")]),
        ("move 'price' last into '../item[2]'",
         [("b<price>3</price>c", "bc"), ('<item id="2"/>', '<item id="2"><price>3</price></item>')]),
        ("move 'price' before '.'",
         [("b<price>3</price>c", "bc"), ('<item id="1"', '<price>3</price><item id="1"')]),
        ("move '../item[2]' first into '/order'",
         [('d<item id="2"/>e', "de"), ("<order>a", '<order><item id="2"/>a')]),
        ("move '../item' first into '/order'",
         [('a<item id="1">b<price>3</price>c</item>d<item id="2"/>e',
           '<item id="1">b<price>3</price>c</item><item id="2"/>ade')]),
        ("move '.' after '../item[2]'",
         [('<item id="1">b<price>3</price>c</item>d<item id="2"/>',
           'd<item id="2"/><item id="1">b<price>3</price>c</item>')]),
        ("move 'nothing' after '.'", []),
        ("move 'price' after 'nothing'", []),
    ],
)  # fmt: skip
def test_what_an_action_does(actions: str, changed: list[tuple[str, str]]) -> None:
    expected = START
    for old, new in changed:
        assert expected.count(old) == 1, (old, expected)
        expected = expected.replace(old, new)
    assert result(actions) == expected


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        ("delete '/*'", "the root element /order cannot be deleted"),
        ("delete '/order'", "the root element /order cannot be deleted"),
        ("replace '/order' with '<o/>'", "the root element /order cannot be replaced"),
        ("move '/order' last into '.'", "the root element /order cannot be moved"),
        ("insert '<n/>' before '/order'", "nothing can be put beside the root element /order"),
        ("insert '<n/>' after '/*'", "nothing can be put beside the root element"),
        ("move '.' last into 'price'",
         "/order/item[1] cannot be moved to /order/item[1]/price, which is it or lies in it"),
        ("move '.' before '.'", "/order/item[1] cannot be moved to /order/item[1]"),
        ("insert '<n/>' last into 'node()'", "'node()' selects a text or attribute: expected elements"),
        ("raise Other('..')", "Other is declared for price, and was raised for /order"),
    ],
)  # fmt: skip
def test_what_an_action_cannot_do_is_undone(actions: str, problem: str) -> None:
    """The actions before it are undone; the edit stands; the next rule fires."""
    rules = (
        "event Other(price) = external\n"
        f"rule R on (upd(item/@go)) {{path=item}} do set '@first' = '1', {actions}\n"
        "rule Next on (upd(item/@go)) {path=item} do set '@next' = '1'\n"
    )
    with acting(XML, rules) as scene:
        scene.root[0].set("go", "1")
        [error] = scene.errors
        assert isinstance(error, ActionError)
        assert problem in str(error)
        assert (error.rule, error.ts) == ("R", 1)
        assert "what the rule did is undone" in str(error)
        assert scene.root[0].get("first") is None
        assert scene.root[0].get("next") == "1"
        assert [(event.ts, str(event.path)) for event in scene.told] == [
            (1, "/order/item/@go"),
            (2, "/order/item/@next"),
        ]
        scene.errors.clear()


@pytest.mark.parametrize("value", ["\x00", "\ufffe", "\ud800"])
def test_a_value_that_xml_cannot_hold(value: str) -> None:
    """A reference document, a log, can have texts that no document can: here a variable of meta data."""
    text = (
        "rule R on (upd(item/@go) as $v = ($meta:why)) {path=item} do set '@a' = '1', set '@b' = '$v'\n"
        "rule S on (upd(item/@go) as $v = ($meta:why)) {path=item} do set '@c' = '1', "
        "insert '<n>{$v}</n>' last into '.'"
    )
    with acting(XML, text) as scene:
        with scene.doc.transaction(why=value):
            scene.root[0].set("go", "1")
        assert [type(error.__cause__) for error in scene.errors] in (
            [ValueError] * 2,
            [UnicodeEncodeError] * 2,
        )
        assert scene.root[0].get("a") is None and scene.root[0].get("c") is None
        assert len(scene.root[0]) == 1
        scene.errors.clear()


def test_names_of_fragments_have_the_namespaces_of_the_rules() -> None:
    text = (
        'namespace "urn:po"\nnamespace x = "urn:x"\n'
        "rule R on (ins(item)) do insert '<note x:by=\"1\"><x:a/></note>' last into '.', set '@x:n' = '1'"
    )
    with acting('<order xmlns="urn:po" xmlns:x="urn:x"/>', text) as scene:
        etree.SubElement(scene.root, "{urn:po}item")
        assert scene.xml == (
            '<order xmlns="urn:po" xmlns:x="urn:x"><item x:n="1"><note x:by="1"><x:a/></note></item></order>'
        )


def test_a_hostile_value_is_text() -> None:
    with acting("<r/>", "rule R on (ins(a/@v)) do insert '<n v=\"{.}\">{.}</n>' after '..'") as scene:
        etree.SubElement(scene.root, "a", v='"><script>&x;')
        assert scene.root[1].text == scene.root[1].get("v") == '"><script>&x;'
        assert len(scene.root[1]) == 0


def test_targets_are_selected_first_and_those_that_go_meanwhile_are_skipped() -> None:
    with acting(
        "<r><a><b><c/></b></a></r>", "rule R on (ins(r/@go)) {path=r} do delete 'a | a/b | a/b/c'"
    ) as scene:
        scene.root.set("go", "1")
        assert len(scene.root) == 0


def test_one_action_is_one_edit() -> None:
    """U1: all its events but the last say that there is more."""
    with acting(
        XML, "rule R on (upd(item/@go)) {path=item} do delete 'price', set '../item/@n' = '1'"
    ) as scene:
        scene.root[0].set("go", "1")
        edits = "".join("+" if event.more else "." for event in scene.told)
        assert edits == ".+++.+."  # the price with its text, two texts joined
        assert {str(event.meta) for event in scene.told[1:]} == {"{'rule': 'R', 'cause': '1'}"}
