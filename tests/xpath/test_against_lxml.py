"""The law of the evaluator: it says what lxml's own XPath says, of nodes of all kinds, in tables and in lxml trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from path_types import PathType
from tests.log.random_documents import RandomDocument
from tests.xpath.lxml_oracle import nodes_in_lxml, text_in_lxml, value_in_lxml
from tests.xpath.random_expressions import ASSIGNMENTS, TEXTS, VARIABLES, expressions
from tests.xpath.random_paths import NAMESPACES, node_expressions, paths
from tests.xpath.test_reads import VALUES, kind_of, nodes_of, outcome
from xmlcep.documents import Replica
from xmlcep.xpath import Environment, ExpressionError, NodeKind, Scope, VariableKind, compile_expression
from xmlcep.xpath.checking import outer_focus
from xmlcep.xpath.closures import Closures
from xmlcep.xpath.nodes import Attribute, Root, Text
from xmlcep.xpath.parser import parse
from xmlcep.xpath.sight import in_tables, in_tree


class Document(RandomDocument):
    """With few names, and texts that lxml reads as we do: others stand in `test_values`."""

    names = ("a", "b", "{urn:x}a", "{http://www.w3.org/XML/1998/namespace}lang")
    texts = ("", "1", "2", "-3", ".5", "a", "ab c")


def step_to(environment: Environment, kind: NodeKind) -> str:
    """The step from an element to its text or attribute node."""
    if kind is NodeKind.TEXT:
        return f"text()[{environment.text}]"
    if kind is NodeKind.ATTRIBUTE:
        name = etree.QName(environment.attribute)
        return f"@*[local-name() = '{name.localname}' and namespace-uri() = '{name.namespace or ''}']"
    return ""


def known(node: Any) -> object:
    """A node of ours, or of lxml's, as a value that says which it is."""
    if isinstance(node, Text):
        return (node.parent, None) if node.before is None else (node.before, "tail")
    if isinstance(node, Attribute):
        return node.parent, node.name
    if isinstance(node, str):
        name = getattr(node, "attrname", None) or ("tail" if getattr(node, "is_tail", False) else None)
        return node.getparent(), name  # type: ignore[attr-defined]
    return node


def asked(document: Document, events: int) -> Iterator[tuple[NodeKind, Environment, Environment]]:
    """Each node of a document, as tables and as a tree show it; none that is not a node to XPath."""
    replica = Replica()
    replica.apply_edit(document.events(events))
    for path, ids in nodes_of(document):
        tables, tree = replica.environment(path, ids, VALUES), replica.environment_in_tree(path, ids, VALUES)
        assert tables is not None and tables.element is None
        assert tree is not None and tree.place is None
        if kind_of(path) is not NodeKind.TEXT or tree.value:
            yield kind_of(path), tables, tree


@given(paths(), st.integers(0, 10_000))
@settings(max_examples=150)
@example("//a/b", 17)
@example("following::node()/preceding-sibling::*[last()]", 5)
def test_paths_lead_to_the_same_nodes(path: str, seed: int) -> None:
    syntax = parse(path, NAMESPACES)
    for kind, tables, tree in asked(Document(seed), 40):
        expected = nodes_in_lxml(tree.element, step_to(tree, kind), path)  # type: ignore[arg-type]
        focus = outer_focus(kind)
        found = Closures(in_tree(kind, Scope.DOCUMENT), {}, NAMESPACES).nodes(syntax, focus)(tree)
        kept = [node for node in found if not isinstance(node, Root)]
        assert list(map(known, kept)) == list(map(known, expected))
        texts = Closures(in_tables(kind, Scope.DOCUMENT), {}, NAMESPACES)
        roots = len(found) - len(kept)
        strings = [text_in_lxml(node) for node in expected]
        assert texts._texts(syntax, focus)(tables)[roots:] == strings
        assert len(texts.nodes(syntax, focus)(tables)) == len(found)


@given(node_expressions(), st.integers(0, 10_000))
@settings(max_examples=150)
def test_expressions_have_the_same_value(text: str, seed: int) -> None:
    for kind, tables, tree in asked(Document(seed), 25):
        try:
            expression = compile_expression(text, namespaces=NAMESPACES, node=kind)
        except ExpressionError:
            assert kind is not NodeKind.ELEMENT  # `.` is a value elsewhere, which no path leads from
            continue
        assert tree.element is not None
        if kind is NodeKind.TEXT and tree.value not in tree.element.xpath(step_to(tree, kind)):
            continue  # beside another text node: one to XPath, two to events
        expected = value_in_lxml(tree.element, step_to(tree, kind), text)
        for environment in (tables, tree):
            value = expression.value(environment)
            assert value == expected or (value != value and expected != expected), (kind, value, expected)


class Odd(Document):
    """With texts that are nearly numbers."""

    texts = (
        "",
        "",
        "1",
        "-0",
        "1e3",
        "+1",
        " 7\n",
        ".5",
        "5.",
        "1.2.3",
        "- 1",
        "NaN",
        "Infinity",
        "\xa05",
        "a",
    )


@given(st.one_of(paths(), expressions(paths=paths())), st.integers(0, 10_000), st.booleans())
@settings(max_examples=100)
def test_tables_say_what_trees_say(text: str, seed: int, subtree: bool) -> None:
    """In all four forms, from the whole document and from the subtree alone."""
    for kind, tables, tree in asked(Odd(seed), 30):
        if subtree and kind is not NodeKind.ELEMENT:
            continue
        expression = compile_expression(
            text, namespaces=NAMESPACES, variables=VARIABLES, node=kind,
            scope=Scope.SUBTREE if subtree else Scope.DOCUMENT,
        )  # fmt: skip
        assert outcome(expression, tables) == outcome(expression, tree)


def live_tree(seed: int) -> etree._Element:
    """A tree as applications have them, with comments and processing instructions in all places."""
    random, top = Random(seed), etree.Element("r")
    elements = [top]
    for _ in range(random.randint(0, 25)):
        parent = random.choice(elements)
        kind = random.choice("eeect?")
        if kind == "t":
            parent.text = random.choice(Document.texts) or None
            continue
        node: Any = (
            etree.Comment("c") if kind == "c"
            else etree.ProcessingInstruction("p") if kind == "?"
            else etree.Element(random.choice(Document.names))
        )  # fmt: skip
        parent.insert(random.randint(0, len(parent)), node)
        node.tail = random.choice(Document.texts) or None
        if kind == "e":
            elements.append(node)
            node.attrib.update(
                {name: random.choice(Document.texts) for name in Document.names[: random.randint(0, 3)]}
            )
    return top


@given(paths(), st.integers(0, 10_000))
@settings(max_examples=150)
def test_comments_are_passed_over(path: str, seed: int) -> None:
    nodes = Closures(in_tree(NodeKind.ELEMENT, Scope.LIVE), {}, NAMESPACES).nodes(
        parse(path, NAMESPACES), outer_focus(NodeKind.ELEMENT)
    )
    tree = live_tree(seed)
    for element in tree.iter(etree.Element):
        found = [node for node in nodes(Environment(element=element)) if not isinstance(node, Root)]
        assert list(map(known, found)) == list(map(known, nodes_in_lxml(element, "", path)))


PATHS = (
    "a", "a/@x", "a/b", "a/b/text()", "@x", ".//text()", "none", "..", "../a[last()]", "a[b]", "a/b[. != '1']", "//@x",
)  # fmt: skip
XML_TEXTS = TEXTS.map(lambda text: re.sub("[\x00-\x1f\ud800-\udfff\ufffe\uffff]", " ", text))


@st.composite
def elements(draw: st.DrawFn) -> etree._Element:
    """An element with a few below it, their texts odd ones."""
    top = etree.Element("top")
    etree.SubElement(top, "a").text = draw(XML_TEXTS) or None
    element = etree.SubElement(top, "a", x=draw(XML_TEXTS))
    for _ in range(draw(st.integers(0, 3))):
        child = etree.SubElement(element, "a", x=draw(XML_TEXTS))
        child.text = draw(XML_TEXTS) or None  # to lxml an empty text is a node
        for _ in range(draw(st.integers(0, 2))):
            below = etree.SubElement(child, "b")
            below.text, below.tail = draw(XML_TEXTS) or None, draw(XML_TEXTS) or None
    return element


@given(
    expressions(paths=st.sampled_from([f"$path{number}" for number in range(len(PATHS))]), named=False),
    ASSIGNMENTS,
    elements(),
)
@settings(max_examples=150)
def test_nodes_are_lists_of_their_texts(
    text: str, variables: dict[str, object], element: etree._Element
) -> None:
    """What is said of nodes is what is said of a list of the texts that lxml finds."""
    texts = {
        f"path{number}": list(map(text_in_lxml, element.xpath(path, smart_strings=False)))  # type: ignore[call-overload]
        for number, path in enumerate(PATHS)
    }
    of_nodes = re.sub(r"\$path(\d+)", lambda match: f"({PATHS[int(match[1])]})", text)
    kinds = {**VARIABLES, **dict.fromkeys(texts, VariableKind.LIST)}
    lists = compile_expression(text, variables=kinds, node=NodeKind.NONE)
    nodes = compile_expression(of_nodes, variables=VARIABLES)
    said = outcome(lists, Environment({**variables, **texts}))  # type: ignore[arg-type]
    assert outcome(nodes, Environment(variables, element)) == said  # type: ignore[arg-type]


def test_cdata_is_text_like_any_other() -> None:
    """To lxml's own XPath it is a node for itself, to lxml's `text` and to the events of an edit it is not."""
    root = etree.fromstring("<a>x<![CDATA[y]]>z<b/></a>", etree.XMLParser(strip_cdata=False))
    assert root.xpath("count(text())") == 3
    assert compile_expression("text()").value(Environment(element=root)) == root.text == "xyz"


def test_names_are_read_however_they_were_set() -> None:
    root = etree.Element("r")
    for name in ("a", b"a", "{}a", etree.QName("a"), bytearray(b"a")):
        etree.SubElement(root, "b").tag = name  # type: ignore[assignment]
    assert compile_expression("count(a)").value(Environment(element=root)) == 5
    assert compile_expression("count(//a[name() = 'a'])").value(Environment(element=root)) == 5


class Telling(etree.ElementBase):
    """An application's class: what it calls its text is another thing."""

    text = "mine"  # type: ignore[assignment]

    def __len__(self) -> int:
        return 0


def test_an_applications_classes_are_not_asked() -> None:
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Telling))
    root = etree.fromstring("<r><a>1</a><a>2<b>3</b></a></r>", parser)
    assert compile_expression("a = 1 and a = 23 and . = '123'").boolean(Environment(element=root))


def test_what_was_deleted_is_a_document_of_its_own() -> None:
    root = etree.fromstring("<r><a><b><c/></b></a></r>")
    a = root[0]
    root.remove(a)
    seen = Environment(element=a[0][0])
    assert compile_expression("name(/*)").value(seen) == "a"
    assert compile_expression("count(ancestor::node())").value(seen) == 2
    assert compile_expression("count(//c | //r)").value(seen) == 1


def test_places_of_events() -> None:
    replica = Replica.from_snapshot("<o><i><p>7</p></i><i/></o>", range(1, 6))
    for text, expected in (
        ("count(../../i)", 2.0),
        ("/o/i/p", "7"),
        ("count(following::i)", 1.0),
        ("name(/*)", "o"),
    ):
        seen = replica.environment(PathType.parse("/o/i/p"), (1, 2, 3))
        assert seen is not None
        assert compile_expression(text).value(seen) == expected
