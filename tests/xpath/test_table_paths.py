"""What is asked of tables is what libxml2 says of the tree: of documents as they come, in whole and in part."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from path_types import PathType
from tests.documents.test_replica import canonical
from tests.log.random_documents import RandomDocument
from tests.xpath.random_expressions import VARIABLES, expressions
from tests.xpath.random_paths import NAMESPACES
from tests.xpath.test_reads import VALUES, nodes_of, outcome
from xmlcep.documents import Needs, Replica
from xmlcep.xpath import Environment, Expression, NodeKind, Scope, compile_expression

LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class Document(RandomDocument):
    """With few names, and texts that are numbers, nearly numbers, and nothing."""

    names = ("a", "b", "{urn:x}a", LANG)
    texts = (
        "",
        "",
        "1",
        "2",
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


_ELEMENTS = ("a", "b", "x:a", "*", "x:*", ".", "self::a", "self::x:*", "self::*", "child::b", "c")
_ENDS = ("@a", "@x:a", "@xml:lang", "attribute::b", "text()", "child::text()")


@st.composite
def paths(draw: st.DrawFn) -> str:
    """Location paths that only lead down."""
    steps = draw(st.lists(st.sampled_from(_ELEMENTS), max_size=3))
    if not steps or draw(st.booleans()):
        steps.append(draw(st.sampled_from((*_ELEMENTS, *_ENDS, *_ENDS))))
    return "/".join(steps)


@st.composite
def compiled(draw: st.DrawFn) -> Expression:
    """Expressions of such paths, as conditions and as guards have them."""
    text = draw(st.one_of(paths(), expressions(paths=paths(), named=False)))
    scope = draw(st.sampled_from((Scope.SUBTREE, Scope.DOCUMENT)))
    expression = compile_expression(text, namespaces=NAMESPACES, variables=VARIABLES, scope=scope)
    assume(expression.in_tables)  # no predicates of nodes
    return expression


def cut(element: etree._Element) -> etree._Element:
    """A copy of an element without what stands behind it."""
    copied = deepcopy(element)
    copied.tail = None
    return copied


def of_elements(document: RandomDocument) -> Iterator[tuple[PathType, tuple[int, ...]]]:
    return ((path, ids) for path, ids in nodes_of(document) if path.last.is_element)


@given(compiled(), st.integers(0, 10_000))
@settings(max_examples=150)
def test_tables_say_what_the_tree_says(expression: Expression, seed: int) -> None:
    document, replica = Document(seed), Replica()
    replica.apply_edit(document.events(40))
    for path, ids in of_elements(document):
        tables = replica.environment(path, ids, VALUES, in_tables=True)
        tree = replica.environment(path, ids, VALUES)
        assert tables is not None and tables.element is None
        assert tree is not None and tree.place is None
        assert outcome(expression, tables) == outcome(expression, tree)


@given(compiled(), st.integers(0, 10_000), st.booleans())
@settings(max_examples=75)
def test_tables_without_a_tree(expression: Expression, seed: int, truth: bool) -> None:
    """Tables of what is needed only, of which now and then a record is lost, say what a tree of that says; and the tree
    that is made of them when somebody asks is the one that was there from the beginning."""
    document = Document(seed)
    document.events(3)
    for path in dict.fromkeys(path for path, _ in of_elements(document)):  # the root's
        known = expression.truth_reads if truth else expression.reads
        part = {"subtrees": [(path, known)]} if expression.scope is Scope.SUBTREE else {"documents": [known]}
        alone, shown = (Replica(needs=Needs.of(**part, elements=each)) for each in (False, True))  # type: ignore[arg-type]
        later = Replica(needs=Needs.of(**part, elements=False))  # type: ignore[arg-type]
        for _ in range(10):
            if document.random.random() < 0.2:
                alone, shown, later = deepcopy(alone), deepcopy(shown), deepcopy(later)
            for event in document.change():
                if document.random.random() < 0.9:
                    for one in (alone, shown, later):
                        one.apply(event)
            for place, ids in of_elements(document):
                tables = alone.environment(place, ids, VALUES, in_tables=True)
                tree = shown.environment(place, ids, VALUES)
                assert (tables is None) == (tree is None)
                if place == path and tables is not None and tree is not None:
                    assert outcome(expression, tables, truth=truth) == outcome(expression, tree, truth=truth)
                if document.random.random() < 0.05 and tree is not None:
                    element = later.element(ids[-1])
                    assert element is not None and tree.element is not None
                    assert canonical(cut(element)) == canonical(cut(tree.element))
        assert alone.to_state() == shown.to_state() == later.to_state()


# an item; what holds of it, what does not
ITEMS = [
    ("<price>3</price>", "price; not(quantity); price > 2; 2 < price; price = '3'", "quantity; price > 3; not(price)"),
    ("<price>1e3</price>", "price != 3; not(price > 3); not(price <= 3)", "price > 3; number(price)"),
    ("<price>-0</price>", "price = 0; price; not(number(price)); string(price)", "price < 0; number(price)"),
    ("<price> 3&#10;</price>", "price = 3; price != '3'; normalize-space(price) = '3'", "price = '3'"),
    ("<price/>", "price = ''; price != 0; not(string(price))", "price = 0; price/text()"),
    ("", "not(price = price); not(price != 0); not(price = ''); string(price) = ''", "price != 0; price = true()"),
    ("<price>2</price><price>9</price>", "price > 8; price < 3; count(price) = 2; number(price) = 2", "price * 1 = 9"),
    ("<price>1<vat>2</vat>3</price>", "price = 123; price/text() = 3; count(price/text()) = 2", "price/text() = 123"),
    ("a<!--c-->b<x/>c", "text() = 'ab'; count(text()) = 2; . = 'abc'; contains(., 'bc')", "text() = 'a'; x/text()"),
    ("<x id='7'/><x id='8'/>", "x/@id = 8; x/@id != 8; sum(x/@id) = 15; */@id", "@id; x/@n; @id = ''"),
]  # fmt: skip


@pytest.mark.parametrize("row", ITEMS, ids=[row[0] or "nothing" for row in ITEMS])
def test_items(row: tuple[str, str, str]) -> None:
    inside, *said = row
    root = etree.fromstring(f"<item>{inside}</item>")
    nodes = sum(1 + len(element.attrib) + bool(element.text) for element in root.iter(etree.Element))
    nodes += sum(bool(node.tail) for node in root.iter())
    replica = Replica.from_snapshot(f"<item>{inside}</item>", range(1, nodes + 1))
    for texts, expected in zip(said, (True, False), strict=True):
        for text in texts.split("; "):
            seen = replica.environment(PathType.parse("item"), (1,), in_tables=True)
            assert seen is not None
            assert compile_expression(text).boolean(seen) is expected, text
            assert compile_expression(text).boolean(Environment(element=replica.element(1))) is expected, text


@pytest.mark.parametrize(
    ("text", "in_tables"),
    [
        ("price >= 0 and not(comment)", True),
        ("string-length(.) > 1", True),
        ("x/*/@id = 'a' or text() = 'b'", True),
        ("count(*) mod 2 = 1", True),
        ("self::item/price", True),
        ("$s = 'a' and @id = $l[. > 1]", True),
        ("true()", True),
        ("$s = 1", True),
        ("item[1]", False),
        ("(item)[1]", False),
        (".//item", False),
        ("item/..", False),
        ("/item", False),
        ("a | b", False),
        ("node()", False),
        ("@*", False),
        ("text()[2]", False),
        ("name(a) = 'a'", False),
        ("lang('a')", False),
    ],
)
def test_which_are_in_tables(text: str, in_tables: bool) -> None:
    assert compile_expression(text, variables=VARIABLES).in_tables is in_tables


def test_a_condition_starts_at_the_top_of_its_subtree() -> None:
    """So its absolute paths lead down, too (D4)."""
    assert compile_expression("/item/price > 3", scope=Scope.SUBTREE).in_tables
    assert not compile_expression("/item/price > 3").in_tables


def test_of_texts_and_attributes_only_what_asks_no_nodes() -> None:
    assert compile_expression(". > 3", node=NodeKind.TEXT).in_tables
    assert not compile_expression("../@id", node=NodeKind.TEXT).in_tables
    assert not compile_expression("self::text()", node=NodeKind.TEXT).in_tables
