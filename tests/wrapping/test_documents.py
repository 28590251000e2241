"""Wrapping: what is taken, what is refused, foreign proxies, snapshots, verification, the end of a document."""

from __future__ import annotations

import copy
import gc
import io
import xml.etree.ElementTree as other_etree
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, objectify

from tests.wrapping.event_oracle import Judge
from xmlcep import parse_rules
from xmlcep.wrapping import (
    DocumentError,
    RefusedError,
    UnseenEditError,
    WrapError,
    fromstring,
    parse,
    wrap,
)
from xmlcep.wrapping.calls.lxml_methods import TrackedElement
from xmlcep.wrapping.shadow.shadow import _table as TABLE


def told(document: Any) -> list[str]:
    events: list[str] = []
    document.subscribe(lambda event: events.append(f"{event.op} {event.path} {event.value!r}"))
    return events


def plain(text: str) -> Any:
    """A root element of lxml's own class, whatever lxml's default is just now."""
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup())
    return etree.fromstring(text, parser)


def test_parse_names_the_document_after_its_file(tmp_path: Path) -> None:
    file = tmp_path / "order.xml"
    file.write_text("<order/>", encoding="utf-8")
    assert parse(file).name == "order.xml"
    assert parse(str(file), name="mine").name == "mine"
    with file.open("rb") as stream:
        assert parse(stream).root.tag == "order"
    assert parse(io.BytesIO(b"<a/>"), name="x").name == "x"


@pytest.mark.parametrize(
    "given", [None, 3, "<a/>", b"<a/>", other_etree.fromstring("<a/>"), etree.Comment("x")]
)
def test_what_is_no_tree_is_refused(given: Any) -> None:
    with pytest.raises(WrapError, match="fromstring"):
        wrap(given)


def test_a_part_of_a_tree_is_refused() -> None:
    with pytest.raises(WrapError, match="not the root"):
        wrap(etree.fromstring("<a><b/></a>")[0])


def test_a_tree_wrapped_already_is_refused() -> None:
    document = fromstring("<a/>")
    with pytest.raises(WrapError, match="already"):
        wrap(document.root)
    with pytest.raises(WrapError, match="already"):
        wrap(document.tree)
    document.close()
    wrap(document.root)._check()


def test_trees_with_classes_of_their_own_are_refused() -> None:
    with pytest.raises(WrapError, match="objectify"):
        wrap(objectify.fromstring("<a><b>1</b></a>"))


def test_a_refused_tree_leaves_nothing_behind() -> None:
    gc.collect()
    before = len(TABLE)
    tree = etree.fromstring(
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", etree.XMLParser(resolve_entities=False)
    )
    with pytest.raises(ValueError, match="entity"):
        wrap(tree)
    assert len(TABLE) == before


def test_wrapping_an_elementtree_renews_the_root() -> None:
    tree = etree.ElementTree(plain("<!--x--><a><b/></a>"))
    document = wrap(tree)
    assert document.foreign == ()
    assert tree.getroot() is document.root and type(document.root) is TrackedElement
    assert etree.tostring(tree) == b"<!--x--><a><b/></a>"
    events = told(document)
    tree.getroot().set("k", "v")
    assert events == ["ins /a/@k 'v'"]


def test_edits_through_foreign_proxies_are_caught_up_with() -> None:
    root = plain("<a><b>x</b>t<c/></a>")
    held = root[0]
    document = wrap(root)
    assert set(document.foreign) == {root, held}
    judge = Judge(document)
    events = told(document)
    root.set("k", "v")
    held.text = "y"
    root.remove(root[1])
    assert events == []
    assert document.verify() == [], "verify() catches up first"
    assert events == ["del /a/c None", "ins /a/@k 'v'", "upd /a/b/text() 'y'"]
    judge.check()
    root.insert(0, etree.Comment("x"))
    root.append(root[1])
    document.catch_up()
    judge.check(several=True)
    events.clear()
    root.text = "new"
    etree.SubElement(root, "d")
    assert events == ["ins /a/text() 'new'", "ins /a/d None"]
    root.tag = "e"
    document.catch_up()
    document._check()


def test_what_came_and_went_through_foreign_proxies_meets_in_one_tracked_edit() -> None:
    root = plain("<a><b/></a>")
    held = root[0]
    document = wrap(root)
    events = told(document)
    new = etree.Element("c")
    root.remove(held)  # unseen: the root is foreign
    root.append(new)  # unseen, too
    new.append(held)
    assert events == ["del /a/b None", "ins /a/c None", "ins /a/c/b None"]
    document._check()


def test_a_foreign_root_that_is_renamed_and_filled_is_told_once() -> None:
    root = plain("<a k='1'>x</a>")
    document = wrap(root)
    events = told(document)
    root.tag = "b"
    root.append(plain("<c/>"))
    document.catch_up()
    assert [event.split(" ")[:2] for event in events] == [
        ["del", "/a/text()"], ["del", "/a/@k"], ["del", "/a"],
        ["ins", "/b"], ["ins", "/b/@k"], ["ins", "/b/text()"], ["ins", "/b/c"],
    ]  # fmt: skip
    document._check()


def test_a_foreign_edit_before_any_tracked_one_comes_first() -> None:
    root = plain("<a><b/></a>")
    document = wrap(root)
    judge = Judge(document)
    etree.SubElement(root, "c")
    judge.check()
    root.remove(root[0])
    document.root[0].text = "x"
    assert [(event.op, event.more) for event in judge.check(several=True)] == [("del", False), ("ins", False)]
    root.tag = "z"
    document.root[0].text = "y"
    judge.check(several=True)
    document._check()


def test_elements_made_outside_are_tracked_once_attached() -> None:
    document = fromstring("<a/>")
    events = told(document)
    node = etree.Element("b")
    node.text = "before"
    document.root.append(node)
    node.text = "after"
    document.root.remove(node)
    node.text = "gone"
    assert events == [
        "ins /a/b None", "ins /a/b/text() 'before'", "upd /a/b/text() 'after'",
        "del /a/b/text() None", "del /a/b None",
    ]  # fmt: skip


def test_moves_between_documents_are_told_by_both() -> None:
    first, second = fromstring("<a><b>x</b>t</a>"), fromstring("<c/>")
    one, two = told(first), told(second)
    second.root.append(first.root[0])
    assert one == ["del /a/text() None", "del /a/b/text() None", "del /a/b None"]
    assert two == ["ins /c/b None", "ins /c/b/text() 'x'", "ins /c/text() 't'"]
    second.root[:] = []
    first._check()
    second._check()


def test_snapshots_have_an_id_for_every_node() -> None:
    document = fromstring('<a k="1">t<b l="2">u</b>v<!--c-->w<d/></a>')
    text, ids = document.snapshot()
    assert text == '<a k="1">t<b l="2">u</b>v<!--c-->w<d/></a>'
    assert len(ids) == len(set(ids)) == 9
    assert document.snapshot() == (text, ids)
    etree.SubElement(document.root, "e")
    assert document.snapshot()[1][:-1] == ids


def test_a_history_is_continued_with_its_ids() -> None:
    document = fromstring('<a k="1">t<b l="2">u</b>v</a>')
    etree.SubElement(document.root[0], "c").text = "x"
    del document.root[0].attrib["l"]
    text, ids = document.snapshot()
    again = wrap(etree.ElementTree(etree.fromstring(text)), ids=ids, clock=9, txn=4, next_id=100)
    assert again.snapshot() == (text, ids)
    events: list[Any] = []
    again.subscribe(events.append)
    with again.transaction():
        etree.SubElement(again.root[0], "d")
    assert (events[0].ts, events[0].txn) == (10, 5)
    assert events[0].ids == (ids[0], ids[3], 100)
    again._check()
    for wrong in (ids[:-1], [*ids, 77]):
        with pytest.raises(WrapError, match="do not belong together"):
            wrap(etree.ElementTree(etree.fromstring(text)), ids=wrong)


@pytest.mark.parametrize("depth", [256, 257, 700])
def test_a_snapshot_that_could_not_be_parsed_again_is_refused(depth: int) -> None:
    document = fromstring("<a/>")
    node = document.root
    for _ in range(depth - 1):
        node = etree.SubElement(node, "a")
    if depth > 256:
        with pytest.raises(RefusedError, match="deep"):
            document.snapshot()
    else:
        fromstring(document.snapshot()[0])._check()


def test_a_tree_that_is_too_deep_for_the_parser_is_verified() -> None:
    """It was built by calls before it was wrapped: libxml2 reads nothing deeper than 2,048 elements."""
    root = node = etree.Element("{urn:x}r", k="v")
    for _ in range(2_060):
        node.text = "<&\r\n"
        node.append(etree.Comment("c"))
        node[-1].tail = "]]>"
        node = etree.SubElement(node, "{urn:y}a", {"{urn:z}k": "1\n\t\r'"})
        node.tail = "t"
    node.append(etree.PI("p", "q r"))
    document = wrap(etree.ElementTree(root))
    assert document.verify() == []
    above = node.getparent()
    etree._Element.set(above, "unseen", "1")
    node.set("k", "1")
    assert ["unseen" in line for line in document.verify()] == [True]


def test_deep_trees_are_attached_and_removed_without_recursion() -> None:
    document = fromstring("<a/>")
    events: list[Any] = []
    document.subscribe(events.append)
    deep = node = etree.Element("b")
    for _ in range(600):
        node = etree.SubElement(node, "b")
    document.root.append(deep)
    document.root.remove(deep)
    assert len(events) == 2 * 601


def test_a_tree_may_grow_very_deep_under_a_watch() -> None:
    """Path types cost the same at every depth, and so does finding out which rules they concern."""
    document, depth = fromstring("<a/>"), 1_500
    watch = document.watch(
        parse_rules("event Both = ins(x) & upd(x/text())\nevent Next = ins(a/b) ; ins(a/a/b)")
    )
    node = document.root
    for _ in range(depth):
        node = etree.SubElement(node, "a")
    inner = etree.SubElement(node, "x")
    inner.text = "1"
    inner.text = "2"
    (found,) = watch.findings
    assert str(found.path) == "/a" * (depth + 1) + "/x"
    assert len(found.ids) == depth + 2
    watch.close()
    document._check()


@pytest.mark.parametrize("slip", [
    lambda r: etree.strip_tags(r, "b"), lambda r: etree.strip_attributes(r, "k"),
    lambda r: etree.strip_elements(r, "c"),
    lambda r: etree.indent(r), lambda r: etree._Element.set(r[0], "k", "9"), lambda r: etree._Element.remove(r, r[1]),
    lambda r: etree._Element.append(r, r[0]), lambda r: etree._Element.text.__set__(r[1][0], "zz"),
    lambda r: etree._Element.tail.__set__(r[0], "zz"),
])  # fmt: skip
@pytest.mark.parametrize("touch", [False, True])
def test_verify_finds_what_slipped_through(slip: Any, touch: bool) -> None:
    document = fromstring('<a k="0"><b k="1">x</b>t<c><d/>y</c></a>')
    if touch:
        document.snapshot()
        document.root[1][0].set("touched", "1")
    assert document.verify() == []
    slip(document.root)
    assert document.verify() != []
    document.root.set("another", "edit")
    assert document.verify() != []


def test_a_closed_document_tracks_nothing() -> None:
    document = fromstring("<a/>")
    events = told(document)
    root = document.root
    document.close()
    document.close()
    root.set("k", "v")
    assert events == [] and document.closed
    for call in (document.snapshot, document.verify, document.transaction, document.observe):
        with pytest.raises(RefusedError, match="closed"):
            call()


def test_a_dropped_document_leaves_the_table() -> None:
    gc.collect()
    before = len(TABLE)
    document = fromstring("<a><b/></a>")
    document.subscribe(lambda event: None)
    root = document.root
    assert len(TABLE) == before + 2
    del document
    gc.collect()
    assert len(TABLE) == before
    root.set("k", "v")


def test_removed_nodes_leave_the_table() -> None:
    document = fromstring("<a/>")
    before = len(TABLE)
    for _ in range(100):
        etree.SubElement(document.root, "b").text = "x"
        del document.root[0]
    assert len(TABLE) == before


def test_xinclude_under_observation(tmp_path: Path) -> None:
    part = tmp_path / "part.xml"
    part.write_text("<part>text</part>", encoding="utf-8")
    document = fromstring(
        f'<a xmlns:xi="http://www.w3.org/2001/XInclude">x<xi:include href="{part}"/>y<b/></a>'
    )
    judge = Judge(document)
    with document.observe():
        document.tree.xinclude()
    assert document.root[0].tag == "part"
    judge.check(several=True)
    document._check()


@pytest.mark.parametrize("refused", ["root", "entity"])
def test_what_cannot_be_tracked_is_refused_under_observation(refused: str) -> None:
    document, other = fromstring("<a/>", name="a"), fromstring("<r/>")
    events: list[Any] = []
    document.subscribe(events.append)
    node: Any = other.root if refused == "root" else etree.Entity("e")
    with pytest.raises(RefusedError, match=r"<r>, the root|entity"), document.observe():
        etree._Element.set(document.root, "k", "v")
        etree._Element.append(document.root, node)
    assert [str(event.path) for event in events] == ["/a/@k"]
    assert not len(document.root)
    document._check()


@pytest.fixture
def including(tmp_path: Path) -> Any:
    """A document of which an xinclude() that nobody saw has replaced an element."""
    part = tmp_path / "part.xml"
    part.write_text("<part>text</part>", encoding="utf-8")
    document = fromstring(
        f'<a xmlns:xi="http://www.w3.org/2001/XInclude">x<xi:include href="{part}"/>y<b/></a>'
    )
    document.tree.xinclude()
    return document


def test_an_unseen_xinclude_is_found_by_verify(including: Any) -> None:
    assert any("include" in line for line in including.verify())
    assert any(line.startswith("/a/part") for line in including.verify())


def test_an_edit_after_an_unseen_xinclude_says_what_to_do(including: Any) -> None:
    with pytest.raises(UnseenEditError, match=r"/a/part was put .* wrap the tree again"):
        etree.SubElement(including.root, "c")


def test_xinclude_in_a_copy(tmp_path: Path) -> None:
    part = tmp_path / "part.xml"
    part.write_text("<part>text</part>", encoding="utf-8")
    include, fallback = f'<xi:include href="{part}"/>', "<xi:fallback><c/></xi:fallback>"
    document = fromstring(
        f'<a xmlns:xi="http://www.w3.org/2001/XInclude">{include}'
        f'<xi:include href="none.xml">{fallback}</xi:include></a>'
    )
    judge = Judge(document)
    new = copy.deepcopy(document.tree)
    new.xinclude()
    document.update_to(new)
    assert [child.tag for child in document.root] == ["part", "c"]
    judge.check(several=True)


def test_many_documents_at_once() -> None:
    documents = [fromstring(f"<a><b n='{number}'/></a>", name=str(number)) for number in range(300)]
    events: list[Any] = []
    for document in documents:
        document.subscribe(events.append)
    for document in documents:
        document.root[0].set("n", "new")
        document.close()
    assert [event.doc for event in events] == [str(number) for number in range(300)]


@pytest.mark.parametrize("ids", [[3, 2], [9, 8, 7, 6, 5, 4, 3]])
def test_a_resumption_that_is_refused_leaves_the_ids_alone(ids: list[int]) -> None:
    with fromstring("<r><a/><b/><c/></r>") as document:
        with pytest.raises(WrapError, match="do not belong together"):
            document.resume(ids, clock=0)
        document.root[2].set("k", "1")
        document.root[0].set("k", "2")
        etree.SubElement(document.root, "x")
        _, known = document.snapshot()
        assert len(set(known)) == len(known) == 7
        document._check()


@pytest.mark.parametrize("odd", ["declaration", "comment", "instruction"])
def test_a_tree_with_a_document_type_is_wrapped_where_lxml_writes_no_xml(odd: str) -> None:
    """What is wrong there is in no snapshot, as in trees without one; an entity beside it is found all the same."""

    def tree(text: str) -> Any:
        root = etree.fromstring(text, etree.XMLParser(resolve_entities=False))
        if odd == "declaration":
            root.set("{a b}k", "1")  # which leaves the declaration behind
            del root.attrib["{a b}k"]
        else:
            node = etree.Comment() if odd == "comment" else etree.PI("p")
            root.append(node)
            setattr(node, *(("text", "a--b") if odd == "comment" else ("target", "xml")))
        return root

    with wrap(tree("<!DOCTYPE r><r><a k='1'>t</a></r>")) as document:
        assert fromstring(document.snapshot()[0]).root[0].get("k") == "1"
        document._check()
    with pytest.raises(DocumentError, match=r"document type.*entit"):
        wrap(tree("<!DOCTYPE r [<!ENTITY e 'x'>]><r k='a&e;b'/>"))
