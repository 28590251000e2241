"""What was missed once, or told wrongly, or refused too late: one test for each class of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import lxml.html
import pytest
from lxml import etree, objectify

import xmlcep
from tests.wrapping.event_oracle import Judge, whole
from tests.wrapping.odd_edits import Pairs
from tests.wrapping.outside_classes import Own, own_parser, plain_parser
from tests.wrapping.short_events import X, told
from xmlcep.wrapping import (
    Document,
    EndlessTriggerError,
    RefusedError,
    fromstring,
    wrap,
)


def held(xml: str = "<r><a>x<b><c/></b>y</a><e/></r>") -> tuple[Any, Document, list[str]]:
    """The usual way to wrap: the application holds the root, whose class stays lxml's own."""
    root = etree.fromstring(xml, plain_parser())
    document = wrap(root)
    return root, document, told(document)


# --- the usual way to wrap


@pytest.mark.parametrize(("edit", "events"), [
    (lambda r: r.remove(r[0]), ["del /r/a/text()+", "del /r/a/b/c+", "del /r/a/b+", "del /r/a/text()+", "del /r/a"]),
    (lambda r: r.append(r[0][0]),
     ["del /r/a/text()+", "del /r/a/b/c+", "del /r/a/b+", "ins /r/b+", "ins /r/b/c+", "ins /r/text()"]),
    (lambda r: etree.SubElement(r[0], "x"), ["ins /r/a/x"]),
    (lambda r: r[0].clear(), ["del /r/a/text()+", "del /r/a/b/c+", "del /r/a/b+", "del /r/a/text()"]),
    (lambda r: r.insert(0, r[1]), ["del /r/e+", "ins /r/e"]),
    (lambda r: setattr(r, "text", "t"), ["ins /r/text()"]),
    (lambda r: r.set("k", "v"), ["ins /r/@k"]),
])  # fmt: skip
def test_nobody_has_asked_for_a_snapshot(edit: Callable[[Any], Any], events: list[str]) -> None:
    root, document, seen = held()
    edit(root)
    document.catch_up()
    assert seen == events
    document._check()


def test_what_nobody_can_track_is_said_until_it_is_taken_out() -> None:
    """Through a foreign proxy it can come in; nothing is told of it, and nothing else is lost."""
    for alien in (etree.Entity("x"), lxml.html.fromstring("<p><o:q>x</o:q></p>")):
        root, document, seen = held()
        first = document.root[0]
        root.append(alien)
        root.set("k", "1")
        for _ in range(2):
            with pytest.raises(RefusedError, match=r"entity reference|cannot be parsed again"):
                document.catch_up()
        with pytest.raises(RefusedError), document.transaction():
            pass
        assert seen == []
        root.remove(alien)
        first.set("z", "1")
        assert seen == ["ins /r/@k", "ins /r/a/@z"]
        document._check()


@pytest.mark.parametrize("take", [
    lambda s, r: s.append(r[0]),
    lambda s, r: s.append(r[0][0]),
    lambda s, r: (setattr(s[0], "tag", "m"), s[0].append(r[0])),
    lambda s, r: s.append(around(r[0])),
    lambda s, r: s.__setitem__(0, r[0]),
])  # fmt: skip
def test_what_a_foreign_proxy_takes_from_another_document_is_refused_until_it_is_put_back(
    take: Callable[..., Any],
) -> None:
    one, other = fromstring("<r>0<a>1<c/></a>2<b/>3</r>"), etree.fromstring("<s><t/></s>", plain_parser())
    held_nodes = list(other.iter())
    document = wrap(other)
    before, (a, c) = whole(one.root), (one.root[0], one.root[0][0])
    take(other, one.root)
    for look in (document.catch_up, document.snapshot, document.close):
        with pytest.raises(RefusedError, match=r"belongs to the wrapped document .* take it out again"):
            look()
    assert any("has left the tree unseen" in line for line in one.verify())
    for node, parent in ((a, one.root), (c, a)):
        if node.getparent() is not parent:
            etree._Element.insert(parent, 0, node)
    assert whole(one.root) == before
    one._check()
    assert held_nodes and document.closed


def around(node: Any) -> Any:
    """A node of no document that has taken one unseen."""
    outer: Any = etree.fromstring("<o/>", plain_parser())
    outer.append(node)
    return outer


def test_the_root_of_another_document_is_refused_until_it_is_taken_out() -> None:
    one, other = fromstring("<r><a/></r>"), etree.fromstring("<s><b/></s>", plain_parser())
    document = wrap(other)
    root = one.root
    seen = told(one), told(document)
    other.replace(other[0], root)
    for look in (document.catch_up, one.catch_up, one.verify):
        with pytest.raises(
            RefusedError, match=r"<r>, the root of the wrapped document .*, has been put below <s>"
        ):
            look()
    other.remove(root)
    document.catch_up()
    assert seen == ([], ["del /s/b"])
    one._check()
    document._check()


def test_what_is_in_a_foreign_subtree_is_looked_at_before_it_leaves() -> None:
    document = fromstring("<r><a/><b>x</b><c/></r>")
    outside = etree.fromstring("<o/>", plain_parser())
    document.root[0].append(outside)
    seen = told(document)
    outside.append(document.root[1])
    document.root.remove(document.root[0])
    assert [event for event in seen if " /r/b" in event] == ["del /r/b/text()+", "del /r/b+"]
    document._check()


# --- nodes that are not of the wrapper's classes


def test_an_element_that_is_made_by_its_class_takes_its_children_from_where_they_are() -> None:
    document = fromstring("<r>0<a>1<b/></a>2<c/></r>")
    seen, judge = told(document), Judge(document)
    made = type(document.root)("text", document.root[0], etree.Element("d"), attrib={"k": "1"}, l="2")
    assert [node.tag for node in made] == ["a", "d"]
    assert dict(made.attrib) == {"k": "1", "l": "2"}
    assert seen == ["del /r/text()+", "del /r/a/b+", "del /r/a/text()+", "del /r/a"]
    judge.check()
    with pytest.raises(RefusedError, match="is the root"):
        type(document.root)(document.root)
    document._check()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_node_that_is_to_be_pickled_stays_where_it_is(protocol: int) -> None:
    """Python would make an object of its class with it, as an element's child, in the oldest protocols."""
    document = fromstring("<r>0<a/>1<!--n-->2<?p q?>3</r>")
    seen, judge = told(document), Judge(document)
    for node in (document.root, *document.root, etree.Element("new")):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(node, protocol)
    assert seen == []
    judge.check()
    document._check()


@pytest.mark.parametrize("kind", [iter, Pairs])
def test_an_element_that_comes_while_its_attributes_are_set(kind: Callable[[Any], Any]) -> None:
    document, node = fromstring("<r/>"), etree.Element("a")
    judge = Judge(document)

    def pairs() -> Iterator[tuple[str, str]]:
        yield "k", "1"
        document.root.append(node)
        yield "l", "2"

    node.attrib.update(kind(pairs()))
    judge.check(several=True)
    document._check()


def test_an_element_stands_for_one_node() -> None:
    document = fromstring("<r><a>1</a><b/></r>")
    with pytest.raises(RefusedError, match="/r/a is there already"):
        document.root[0].__init__(document.root[1])
    assert etree.tostring(document.root) == b"<r><a>1</a><b/></r>"
    document._check()


@pytest.mark.parametrize("ask", [Document.catch_up, Document.verify, Document.snapshot, Document.close])
def test_what_a_callback_does_unseen_when_it_hears_of_what_was_unseen_is_told_too(
    ask: Callable[[Document], Any],
) -> None:
    root, document, _ = held()
    judge, left = Judge(document), [30]

    def edit(_: Any) -> None:
        if left[0]:
            left[0] -= 1
            root.set("k", str(left[0]))

    document.subscribe(edit)
    root.text = "t"
    ask(document)
    judge.apply()
    assert (left, root.get("k")) == ([0], "0")


def test_callbacks_that_do_so_without_end_are_stopped() -> None:
    root, document, _ = held()
    document.subscribe(lambda event: root.set("k", str(event.ts)))
    root.text = "t"
    with pytest.raises(EndlessTriggerError, match="proxies that are older"):
        document.catch_up()


@pytest.mark.parametrize("make", [
    lambda: Own("q"), lambda: etree.fromstring("<q><w/></q>", own_parser()), lambda: lxml.html.fromstring("<q>x</q>"),
    lambda: etree.fromstring("<q/>", plain_parser()),
])  # fmt: skip
def test_an_element_of_another_class_is_foreign_and_its_edits_are_found(make: Callable[[], Any]) -> None:
    document = fromstring(X)
    node = make()
    document.root.append(node)
    seen = told(document)
    path = document.root[-1].tag
    assert document.foreign == (node,)
    node.set("k", "v")
    document.catch_up()
    etree.SubElement(node, "new")
    node.tail = "tail"
    document.catch_up()
    assert seen == [f"ins /r/{path}/@k", f"ins /r/{path}/new", "ins /r/text()"]
    node.getparent().remove(node)
    node.text = "of no document any more"
    document.catch_up()
    assert document.foreign == ()
    document._check()


def test_elements_that_equal_each_other_are_refused() -> None:
    document = fromstring(X)
    before = whole(document.root)
    with pytest.raises(RefusedError, match=r"IntElement.*compared by value"):
        document.root.append(objectify.fromstring("<o><p>1</p></o>"))
    assert whole(document.root) == before
    document._check()


@pytest.mark.parametrize("make", [lambda: etree.Comment("z"), lambda: etree.PI("p", "q")])
def test_a_comment_may_be_older_than_the_wrapping(make: Callable[[], Any]) -> None:
    node = make()
    document = fromstring(X)
    document.root.append(node)
    seen = told(document)
    node.tail = "T"
    node.addnext(etree.Element("e"))
    document.catch_up()
    assert sorted(event.rstrip("+") for event in seen) == ["ins /r/e", "ins /r/text()"]
    document._check()


# --- a node that takes the place of its neighbour


@pytest.mark.parametrize("ignore_whitespace", [False, True])
@pytest.mark.parametrize("edit", [
    lambda r: r.__setitem__(2, r[0]), lambda r: r.replace(r[2], r[0]), lambda r: r.append(r[0]),
    lambda r: r.__setitem__(0, r[2]), lambda r: r.replace(r[0], r[2]), lambda r: r[1].append(r[0]),
])  # fmt: skip
def test_a_sibling_moves(edit: Callable[[Any], Any], ignore_whitespace: bool) -> None:
    document = fromstring("<r><b/><x><y/></x><a/></r>", ignore_whitespace=ignore_whitespace)
    seen = told(document)
    edit(document.root)
    assert seen
    assert not seen[-1].endswith("+")
    document._check()


def test_white_space_goes_out_of_view_with_the_first_element() -> None:
    document = fromstring("<r><a> <!--n--> </a><b/></r>", ignore_whitespace=True)
    seen = told(document)
    etree.SubElement(document.root[0], "c")
    assert seen == ["del /r/a/text()+", "del /r/a/text()+", "ins /r/a/c"]
    document._check()


# --- the application's own things stay


def test_stylesheets_of_other_trees_can_do_what_they_could() -> None:
    with fromstring(X):
        root = etree.fromstring('<?xml-stylesheet type="text/xsl" href="a.xsl"?><r/>')
        instruction: Any = root.getprevious()
        instruction.set("href", "b.xsl")
        assert instruction.get("href") == "b.xsl"
        assert callable(instruction.parseXSL)


def test_an_element_given_twice_to_another_tree_is_taken_as_lxml_takes_it() -> None:
    with fromstring(X) as document:
        root = etree.fromstring(X)
        root[0:2] = [root[1], root[1]]
        assert [child.tag for child in root if isinstance(child.tag, str)] == ["b", "c"]
        with pytest.raises(RefusedError):
            root[0:1] = [document.root[0]] * 2
        with pytest.raises(RefusedError):
            document.root[0:1] = [root[0]] * 2


def test_a_transaction_keeps_the_attributes_of_an_element_once() -> None:
    document = fromstring(X)
    before = document.snapshot()
    with pytest.raises(KeyError), document.transaction():
        for number in range(50):
            document.root.set(f"a{number}", "v")
            document.root.set("k", str(number))
        del document.root.attrib["l"]
        document.root.attrib.clear()
        document.root.set("l", "4")
        journal = document._tree.journal
        assert journal is not None
        assert [kind for kind, *_ in journal.edits] == ["beside", "attributes"]
        raise KeyError
    assert document.snapshot() == before
    assert not document.verify()


def test_the_parser_of_an_application_gets_its_classes_back() -> None:
    parser = own_parser()
    tree = etree.fromstring("<a/>", plain := plain_parser()).getroottree()
    with wrap(tree):
        assert type(etree.fromstring("<a/>", plain)) is not etree._Element
        assert type(etree.fromstring("<a/>", parser)) is Own
    assert type(etree.fromstring("<a/>", plain)) is etree._Element
    assert type(etree.fromstring("<a/>", parser)) is Own


def test_the_package_is_not_hidden_by_the_function() -> None:
    import xmlcep.wrapping as package

    assert xmlcep.wrapping.strip_tags is package.strip_tags
    assert callable(xmlcep.wrap)


# --- C code that brings what is new, or refused; another state; other documents that end


def test_new_nodes_whose_proxies_are_made_when_they_are_looked_for() -> None:
    document = fromstring("<r><a/></r>")
    seen = told(document)
    with document.observe():
        etree._Element.append(document.root, etree.fromstring("<b><c/></b>"))
    assert seen == ["ins /r/b+", "ins /r/b/c"]
    document._check()


XMLNS = "{http://www.w3.org/2000/xmlns/}p"


@pytest.mark.parametrize("edit", [
    lambda r: etree._Element.append(r, etree.Entity("x")),
    lambda r: etree._Element.append(r[0], etree.Element("b", xmlns="u")),
    lambda r: etree._Element.set(r, "xmlns", "u"),
    lambda r: etree._Element.set(r, XMLNS, "u"),
    lambda r: etree._Element.tag.__set__(r[0], XMLNS),
    lambda r: etree._Element.tag.__set__(r, XMLNS),
])  # fmt: skip
def test_what_c_code_brings_and_no_log_could_hold_is_taken_out_again(edit: Callable[[Any], Any]) -> None:
    document = fromstring("<r>0<a/>1</r>")
    seen = told(document)
    with pytest.raises(RefusedError, match="cannot be"), document.observe():
        edit(document.root)
        etree._Element.set(document.root, "k", "2")
    assert seen == ["ins /r/@k"]
    assert document.snapshot()[0] == '<r k="2">0<a/>1</r>'
    document._check()


def test_the_state_of_a_part_of_a_document() -> None:
    """What stands beside the part is not beside the root; and the part may be one of this document."""
    document = fromstring("<r><a><b/></a></r>")
    other = etree.fromstring("<x><!--beside--><r><c/></r><!--beside--></x>")
    document.update_to(other[1])
    assert etree.tostring(document.tree) == b"<r><c/></r>"
    document.root.tag = "c"
    document.update_to(document.root[0])
    assert etree.tostring(document.tree) == b"<c/>"
    document._check()


def test_another_state_that_no_log_could_hold_is_refused_before_anything_is_done() -> None:
    root = etree.fromstring("<r><a/></r>", plain_parser())
    document = wrap(root)
    new = etree.fromstring("<r><a/><b/></r>")
    new[1].set("xmlns", "u")
    with pytest.raises(RefusedError, match="'xmlns'"):
        document.update_to(new)
    assert document.snapshot()[0] == "<r><a/></r>"
    document._check()
