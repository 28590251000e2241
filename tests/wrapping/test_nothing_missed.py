"""What was missed once, or told wrongly, or refused too late: one test for each class of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import lxml.html
import pytest
from lxml import etree, objectify

import xmlcep
from tests.wrapping.judge import Judge, Model, whole
from tests.wrapping.outside import Own, own_parser, plain_parser
from tests.wrapping.whitespace import visible
from xmlcep.documents import Replica
from xmlcep.wrapping import (
    Document,
    DocumentError,
    RefusedError,
    foreign,
    fromstring,
    strip_attributes,
    strip_elements,
    strip_tags,
    wrap,
)

X = '<r k="1" l="2">0<a>x</a>1<b/>2<!--n-->3<c><d/>y</c></r>'


class Undone(Exception):
    """Ends a transaction."""


def told(document: Document) -> list[str]:
    """What is told from now on: operation and path of each event, with a plus where its edit goes on."""
    events: list[str] = []
    document.subscribe(lambda event: events.append(f"{event.op} {event.path}{'+' if event.more else ''}"))
    return events


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


LOST = ["del /r/text()+", "del /r/a/c+", "del /r/a/text()+", "del /r/a"]
CAME = ["ins /s/a+", "ins /s/a/text()+", "ins /s/a/c+", "ins /s/text()"]


@pytest.mark.parametrize(("take", "look", "came"), [
    (lambda s, r: s.append(r[0]), lambda one, other: other.catch_up(), CAME),
    (lambda s, r: s.append(r[0]), lambda one, other: one.catch_up(), CAME),
    (lambda s, r: s.append(r[0]), lambda one, other: one.snapshot(), CAME),
    (lambda s, r: s.append(r[0]), lambda one, other: other.close(), CAME),
    (lambda s, r: (s.append(r[0]), s.clear()), lambda one, other: one.catch_up(), []),
    (lambda s, r: (s.append(r[0]), s.clear()), lambda one, other: other.catch_up(), []),
])  # fmt: skip
def test_what_a_foreign_proxy_takes_from_another_document_is_told(
    take: Callable[..., Any], look: Callable[..., Any], came: list[str]
) -> None:
    """Also where nothing has ever been looked at, and where it is in neither of them when somebody looks."""
    one, other = fromstring("<r>0<a>1<c/></a>2<b/>3</r>"), etree.fromstring("<s/>", plain_parser())
    document = wrap(other)
    lost, came_there = told(one), told(document)
    take(other, one.root)
    look(one, document)
    assert (lost, came_there) == (LOST, came)
    one._check()


@pytest.mark.parametrize("edit", [
    lambda r: r.insert(1, etree.Element("n")), lambda r: setattr(r[0], "tail", "n"),
    lambda r: setattr(r[0], "tag", "n"), lambda r: r.append(etree.Element("n")), lambda r: r.remove(r[0]),
])  # fmt: skip
def test_positions_are_told_as_if_everything_had_been_seen(edit: Callable[[Any], Any]) -> None:
    """An edit where a foreign proxy of another document has taken a sibling away, and nobody has looked since."""
    one, other = fromstring("<r><a>1<c/></a><b/><e/></r>"), etree.fromstring("<s/>", plain_parser())
    document, judge = wrap(other), Judge(one)
    other.append(one.root[0])
    edit(one.root)
    one.catch_up()
    judge.check(several=True, moves=True)
    one._check()
    document._check()


def test_the_root_of_another_document_is_refused_until_it_is_taken_out() -> None:
    one, other = fromstring("<r><a/></r>"), etree.fromstring("<s><b/></s>", plain_parser())
    document = wrap(other)
    root = one.root
    seen = told(one), told(document)
    other.replace(other[0], root)
    for look in (document.catch_up, one.catch_up, one.verify):
        fromstring("<another/>").catch_up()
        with pytest.raises(
            RefusedError, match=r"<r>, the root of the wrapped document .*, has been put below <s>"
        ):
            look()
    other.remove(root)
    one.catch_up()
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


# --- names of all kinds


@pytest.mark.parametrize("name", [etree.QName("urn:x", "q"), etree.QName("q"), b"q", bytearray(b"q")])
def test_a_name_may_be_given_in_any_form(name: Any) -> None:
    document = fromstring(X)
    seen = told(document)
    root, path = document.root, f"/r/{etree.QName('urn:x', 'q').text if 'urn' in str(name) else 'q'}"
    root[3].tag = name
    assert seen == [
        "del /r/c/text()+",
        "del /r/c/d+",
        "del /r/c+",
        f"ins {path}+",
        f"ins {path}/d+",
        f"ins {path}/text()",
    ]
    seen.clear()
    renamed = etree.fromstring("<z><y/></z>")
    renamed.tag = name
    root.append(renamed)
    assert seen == [f"ins {path}+", f"ins {path}/y"]
    document._check()


# --- nodes that are not of the wrapper's classes


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


# --- undo


@pytest.mark.parametrize("immediate", [False, True])
def test_what_is_done_to_removed_nodes_is_undone(immediate: bool) -> None:
    document = fromstring('<r>0<a k="1" l="2">1<!--n--><b/>2</a>3<c/></r>')
    root = document.root
    before = whole(root)
    removed, inner = root[0], root[0][1]
    with pytest.raises(Undone), document.transaction(immediate=immediate):
        root.remove(removed)
        removed.tag, removed.text, removed.tail = "other", "t", "u"
        removed.attrib.clear()
        removed[0].text = "a comment's text"
        inner.append(etree.Element("new"))
        removed.remove(inner)
        raise Undone
    assert whole(root) == before
    document._check()


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("move", [
    lambda to, node: to.append(node), lambda to, node: to.insert(0, node), lambda to, node: to.extend([node]),
    lambda to, node: to[0].addnext(node), lambda to, node: to[0].addprevious(node),
    lambda to, node: to.__setitem__(0, node), lambda to, node: to.replace(to[0], node),
    lambda to, node: to.__setitem__(slice(0, 1), [node]),
])  # fmt: skip
def test_an_undo_gives_a_node_back_to_the_document_it_came_from(
    move: Callable[[Any, Any], Any], immediate: bool
) -> None:
    """There it is an edit like others, with an event for whoever follows that document."""
    one, other = fromstring("<r><b/></r>"), fromstring("<s>0<t>1<u/></t>2<v/></s>")
    before = whole(one.root), whole(other.root)
    seen, others = told(one), told(other)
    with pytest.raises(Undone), one.transaction(immediate=immediate):
        move(one.root, other.root[0])
        raise Undone
    assert (whole(one.root), whole(other.root)) == before
    assert bool(seen) is immediate
    assert [event[:3] for event in others] == ["del"] * 4 + ["ins"] * 4
    one._check()
    other._check()


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_two_documents_in_one_transaction_of_each(immediate: bool, swapped: bool) -> None:
    documents = [fromstring("<r><b>x<c/></b></r>"), fromstring("<s>0<t>1<u/></t>2<v/></s>")]
    before = [whole(document.root) for document in documents]
    first, second = documents[::-1] if swapped else documents
    events = [told(document) for document in documents]
    with (
        pytest.raises(Undone),
        first.transaction(immediate=immediate),
        second.transaction(immediate=immediate),
    ):
        one, other = documents[0].root, documents[1].root
        one.append(other[0])
        other.append(one[0])
        one[0].text = "moved"
        other[1][0].tail = "too"
        raise Undone
    assert [whole(document.root) for document in documents] == before
    assert any(events) is immediate
    for document in documents:
        document._check()


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_what_came_and_went_on_is_in_neither_document(immediate: bool, swapped: bool) -> None:
    """Whichever is undone first: the other must not give back what never was there."""
    documents = [fromstring("<r><b/></r>"), fromstring("<s><t/></s>")]
    before = [whole(document.root) for document in documents]
    first, second = documents[::-1] if swapped else documents
    new = etree.fromstring("<new><c/></new>")
    with (
        pytest.raises(Undone),
        first.transaction(immediate=immediate),
        second.transaction(immediate=immediate),
    ):
        documents[0].root.append(new)
        documents[1].root[0].append(new[0])
        documents[1].root.append(new)
        new.text = "t"
        raise Undone
    assert [whole(document.root) for document in documents] == before
    for document in documents:
        document._check()


def test_what_another_document_has_lost_again_unseen_is_given_back_once() -> None:
    one, other = (
        fromstring("<r><a/><b>x</b></r>"),
        etree.fromstring("<s><t>y<?p q?>4</t></s>", plain_parser()),
    )
    held_nodes = list(other.iter())
    document = wrap(other)
    seen = told(document)
    one.snapshot()
    before = whole(one.root)
    with pytest.raises(Undone), one.transaction():
        held_nodes[1][1:1] = [one.root[1]]  # unseen by both
        one.catch_up()
        document.catch_up()
        del other[0][1]
        raise Undone
    assert whole(one.root) == before
    assert [event.split()[0] for event in seen] == ["ins", "ins", "del", "del"]
    one._check()
    document._check()


def test_what_another_document_has_taken_unseen_comes_back() -> None:
    one, other = fromstring("<r><a><b>x</b></a></r>"), etree.fromstring("<s><t/></s>", plain_parser())
    held_nodes = list(other.iter())
    document = wrap(other)
    one.snapshot()
    before = whole(one.root)
    with pytest.raises(Undone), document.transaction(), one.transaction():
        held_nodes[1].append(one.root[0][0])
        raise Undone
    assert whole(one.root) == before
    assert len(other[0]) == 0
    one._check()
    document._check()


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("edit", [
    lambda one, s: (s.append(outside := etree.fromstring("<o>x</o>", plain_parser())), one.append(outside)),
    lambda one, s: (setattr(s[0], "tail", None), one.__setitem__(slice(0, 0), [s[0]])),
    lambda one, s: (setattr(s[0], "tail", None), one.append(s[0]), one.remove(one[0])),
])  # fmt: skip
def test_what_moved_on_after_an_edit_that_nobody_saw_is_undone(
    edit: Callable[[Any, Any], Any], swapped: bool, immediate: bool
) -> None:
    one, other = fromstring("<r><a/></r>"), etree.fromstring("<s>0<t/>1<u/></s>", plain_parser())
    held_nodes = list(other.iter())
    documents = [one, wrap(other)]
    before = [whole(document.root) for document in documents]
    first, second = documents[::-1] if swapped else documents
    with (
        pytest.raises(Undone),
        first.transaction(immediate=immediate),
        second.transaction(immediate=immediate),
    ):
        edit(one.root, held_nodes[0])
        raise Undone
    for document in documents:
        document.catch_up()
    assert [whole(document.root) for document in documents] == before
    for document in documents:
        document._check()


# Of (the root of the document that is undone, that of another, all of whose proxies are held).
UNDONE, TAKER = "<r>0<a/>1<b>x<d/></b>2<c/>3</r>", "<s><t/></s>"
UNSEEN: list[Callable[[Any, Any], Any]] = [
    # What the other has taken it finds by itself, ...
    lambda r, s: (s.append(r[1]), etree.SubElement(s, "n")),
    lambda r, s: (s.insert(0, r[0]), etree.SubElement(s, "n")),
    lambda r, s: (s[0].append(r[1]), etree.SubElement(s[0], "n"), s.clear()),
    # ... or it goes on, by a call that is seen, from where nobody has seen it come to, ...
    lambda r, s: (s.append(r[1]), etree.Element("n").append(s[-1])),
    lambda r, s: (s.append(r[1]), r.append(s[-1])),
    lambda r, s: (s.append(r[1]), r[0].addnext(s[-1])),
    lambda r, s: (s.append(r[1]), r.__setitem__(0, s[-1])),
    # ... or it has gone from beside what is moved then, ...
    lambda r, s: (s.append(r[1]), r.remove(r[0])),
    lambda r, s: (s.append(r[1]), r[1].append(r[0])),
    lambda r, s: (s.append(r[1]), r.append(r[0])),
    # ... or it has taken something before, or both have changed.
    lambda r, s: (r[1].append(r[0]), s.append(r[0])),
    lambda r, s: (r[1][0].append(r[0]), s.append(r[0][0])),
    lambda r, s: (s.append(r[1]), setattr(s[-1], "tag", "m"), s.set("k", "v")),
    lambda r, s: (s.append(r[1]), r.append(s[0])),
    # C code that the document observes may come upon it, too.
    lambda r, s: (s.append(r[1]), strip_attributes(r, "k")),
    lambda r, s: (s.append(r[1]), strip_tags(s[-1], "d")),
    lambda r, s: (s.append(r[1]), strip_elements(s, "d")),
]  # fmt: skip


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("credit", [0, foreign.CREDIT])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("edit", UNSEEN)
def test_an_undo_goes_back_to_where_events_had_told(
    edit: Callable[[Any, Any], Any], both: bool, credit: int, immediate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "CREDIT", credit)
    monkeypatch.setattr(foreign, "GLANCES", credit)
    root, other = (etree.fromstring(text, plain_parser()) for text in (UNDONE, TAKER))
    held_nodes = [*root.iter(), *other.iter()]
    one, document = wrap(root) if both else fromstring(UNDONE), wrap(other)
    judges = [Judge(one), Judge(document, snapshot=False)]
    before = whole(one.root)
    with pytest.raises(Undone), one.transaction(immediate=immediate):
        edit(held_nodes[0] if both else one.root, other)
        raise Undone
    assert whole(one.root) == before
    for judge in judges:
        judge.document.catch_up()
        judge.check(several=True)
        judge.check_ids()
        judge.document._check()


@pytest.mark.parametrize("credit", [0, foreign.CREDIT])
@pytest.mark.parametrize("edit", UNSEEN)
def test_white_space_is_out_of_view_where_another_document_has_taken_all_other_text(
    edit: Callable[[Any, Any], Any], credit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "CREDIT", credit)
    monkeypatch.setattr(foreign, "GLANCES", credit)
    one = fromstring("<r> <a/> <b>x<d/> </b>t<c/> </r>", ignore_whitespace=True)
    other = etree.fromstring(TAKER, plain_parser())
    held_nodes = list(other.iter())
    document = wrap(other)
    judge, model = Judge(document, snapshot=False), Model(visible(one.root), one.snapshot()[1])
    one.subscribe(model.apply)
    edit(one.root, held_nodes[0])
    one.catch_up()
    document.catch_up()
    model.equals(visible(one.root))
    judge.check(several=True)
    one._check()
    document._check()


@pytest.mark.parametrize("edit", UNSEEN)
@pytest.mark.parametrize("swapped", [False, True])
def test_an_undo_of_both_documents_goes_back_to_where_events_had_told(
    edit: Callable[[Any, Any], Any], swapped: bool
) -> None:
    roots = [etree.fromstring(text, plain_parser()) for text in (UNDONE, TAKER)]
    held_nodes = [node for root in roots for node in root.iter()]
    documents = [wrap(root) for root in roots]
    before = [whole(root) for root in roots]
    first, second = documents[::-1] if swapped else documents
    with pytest.raises(Undone), first.transaction(), second.transaction():
        edit(held_nodes[0], roots[1])
        raise Undone
    assert [whole(document.root) for document in documents] == before
    for document in documents:
        document._check()


def test_attributes_keep_their_ids_and_order_when_one_comes_back() -> None:
    document = fromstring(X)
    before = dict(zip(["r", "k", "l"], document.snapshot()[1], strict=False))
    with pytest.raises(Undone), document.transaction(immediate=True):
        del document.root.attrib["k"]
        raise Undone
    after = dict(zip(["r", "k", "l"], document.snapshot()[1], strict=False))
    assert document.root.keys() == ["k", "l"]
    assert (after["r"], after["l"]) == (before["r"], before["l"])
    assert after["k"] not in before.values()


# Of (root, the node that is taken, a node of no document, the one in it), the last two held.
TAKING: list[Callable[[Any, Any, Any, Any], Any]] = [
    lambda r, node, outer, inner: (r.append(outer), inner.append(node)),
    lambda r, node, outer, inner: (r.append(outer), inner.append(node), r[1].append(outer)),
    lambda r, node, outer, inner: (r.append(outer), inner.append(node), etree.SubElement(r[1], "n")),
    lambda r, node, outer, inner: (inner.append(node), r.append(outer)),
    lambda r, node, outer, inner: (inner.append(node), r[1].append(outer)),
    lambda r, node, outer, inner: (inner.append(node), r[1].addprevious(outer)),
    lambda r, node, outer, inner: (inner.append(node), r[1].__setitem__(slice(0, 0), [outer])),
    lambda r, node, outer, inner: (inner.append(r[0]), r.append(outer), outer.append(node)),
]  # fmt: skip


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("ignore_whitespace", [False, True])
@pytest.mark.parametrize("edit", TAKING)
def test_what_a_node_of_no_document_has_taken_comes_back(
    edit: Callable[[Any, Any, Any, Any], Any], ignore_whitespace: bool, immediate: bool
) -> None:
    root = etree.fromstring("<r><a>x<b><c/></b>y</a><e/></r>", plain_parser())
    document = wrap(root, ignore_whitespace=ignore_whitespace)
    judge, before = Judge(document), whole(root)
    outer, inner = etree.fromstring("<n><m/></n>", plain_parser()).iter()
    with pytest.raises(Undone), document.transaction(immediate=immediate):
        edit(root, root[0][0], outer, inner)
        raise Undone
    assert whole(root) == before
    judge.check(several=True)
    judge.check_ids()
    document._check()


@pytest.mark.parametrize("edit", TAKING)
def test_white_space_is_in_view_again_where_a_node_of_no_document_has_taken_the_only_child(
    edit: Callable[[Any, Any, Any, Any], Any],
) -> None:
    root = etree.fromstring("<r><a> <b/><!--n--> </a><e/></r>", plain_parser())
    document = wrap(root, ignore_whitespace=True)
    model = Model(visible(root), document.snapshot()[1])
    document.subscribe(model.apply)
    edit(root, root[0][0], *etree.fromstring("<n><m/></n>", plain_parser()).iter())
    document.catch_up()
    model.equals(visible(root))
    document._check()


def test_a_sibling_first_heard_of_in_a_transaction_stands_where_it_stood() -> None:
    document = fromstring("<r><a/><b/></r>")
    with pytest.raises(Undone), document.transaction():
        document.root.insert(1, etree.Element("new"))
        raise Undone
    document._check()


# --- what cannot be written and read again


@pytest.mark.parametrize("edit", [
    lambda r: r.append(etree.Entity("x")),
    lambda r: r.append(lxml.html.fromstring("<p><o:q>x</o:q></p>")),
    lambda r: r.insert(0, lxml.html.fromstring("<p o:q='1'>x</p>")),
    lambda r: r.__setitem__(0, lxml.html.fromstring("<o:q>x</o:q>")),
    lambda r: r.replace(r[0], etree.Entity("x")),
    lambda r: r[0].addnext(etree.Entity("x")),
    lambda r: r.extend([etree.Entity("x")]),
])  # fmt: skip
def test_what_no_log_could_hold_is_refused_when_it_comes(edit: Callable[[Any], Any]) -> None:
    document = fromstring(X)
    before, seen = whole(document.root), told(document)
    with pytest.raises(RefusedError, match=r"entity reference|cannot be parsed again"):
        edit(document.root)
    assert (whole(document.root), seen) == (before, [])
    document._check()


def test_names_that_only_an_html_tree_takes() -> None:
    document = wrap(etree.fromstring("<p>x</p>", etree.HTMLParser()))
    body, seen = document.root[0], told(document)
    for edit in (
        lambda: etree.SubElement(body, "o:q"), lambda: setattr(body, "tag", "o:q"), lambda: body.set("o:q", "1"),
        lambda: body.attrib.update({"o:q": "1"}),
    ):  # fmt: skip
        with pytest.raises(RefusedError, match="'o:q' cannot be parsed again"):
            edit()
    assert not [event for event in seen if not event.startswith(("ins /html/body/o:q", "del /html/body/o:q"))]
    document._check()


@pytest.mark.parametrize("parser", [etree.XMLParser(recover=True), etree.HTMLParser()])
def test_trees_with_undeclared_prefixes_are_refused_when_they_are_wrapped(parser: Any) -> None:
    with pytest.raises(DocumentError, match="'o:q' cannot be parsed again"):
        wrap(etree.fromstring("<p><o:q>x</o:q></p>", parser))


def test_a_comment_without_text_keeps_texts_apart() -> None:
    document = fromstring("<r>1<!--n-->2</r>")
    document.root[0].text = None
    text, ids = document.snapshot()
    assert (text, len(ids)) == ("<r>1<!---->2</r>", 3)
    document._check()


def test_an_xhtml_document_type_changes_no_name() -> None:
    root = etree.fromstring(
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html><body/></html>'
    )
    document = wrap(root)
    document.root[0].set("k", "v")
    assert document.snapshot()[0] == '<html><body k="v"/></html>'
    document._check()


@pytest.mark.parametrize("text", [
    '<!DOCTYPE a SYSTEM "x"><a b="&x;"/>', '<!DOCTYPE a SYSTEM "x"><a>&x;</a>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a b="&x;"/>', '<!DOCTYPE a [<!ENTITY % p SYSTEM "y"> %p;]><a>\n<b c="1&x;2"/></a>',
])  # fmt: skip
def test_entities_in_attributes_are_refused_like_those_in_texts(text: str) -> None:
    with pytest.raises(DocumentError, match="replace"):
        fromstring(text)


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


# --- attributes do what lxml's do


def test_attributes_are_written_by_c_code_that_takes_them_for_a_dict() -> None:
    document = fromstring(X)
    assert json.loads(json.dumps(document.root.attrib)) == {"k": "1", "l": "2"}
    assert dict(**document.root.attrib) == {"k": "1", "l": "2"}


@pytest.mark.parametrize("call", [
    lambda attrib: attrib.update(k="2"), lambda attrib: attrib.setdefault("k", "2"), lambda attrib: attrib.popitem(),
    lambda attrib: attrib.__ior__({"k": "2"}), lambda attrib: attrib | {"k": "2"}, lambda attrib: {} | attrib,
    lambda attrib: attrib.copy(),
])  # fmt: skip
def test_what_lxml_refuses_of_attributes_is_refused(call: Callable[[Any], Any]) -> None:
    document = fromstring(X)
    seen = told(document)
    for attrib in (etree.fromstring(X, plain_parser()).attrib, document.root.attrib):
        with pytest.raises((TypeError, AttributeError)):
            call(attrib)
    assert seen == []
    assert document.root.items() == [("k", "1"), ("l", "2")]


def test_a_slice_with_none_is_refused_as_lxml_does() -> None:
    plain = etree.fromstring(X, plain_parser())
    document = fromstring(X)
    for root in (plain, document.root):
        with pytest.raises(AssertionError):
            root[0:1] = (etree.Element("new"), None)
    assert whole(document.root) == whole(plain)
    document._check()


# --- delivery


def test_an_interrupt_in_a_subscriber_loses_nobody_an_event() -> None:
    document = fromstring(X)
    seen: list[Any] = []

    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    document.subscribe(interrupted)
    document.subscribe(seen.append)
    for edit in (lambda r: r.set("k", "9"), lambda r: r.remove(r[3]), lambda r: r.clear()):
        with pytest.raises(KeyboardInterrupt):
            edit(document.root)
    with pytest.raises(KeyboardInterrupt), document.transaction():
        etree.SubElement(document.root, "new").text = "t"
    assert [event.ts for event in seen] == list(range(1, document.clock + 1))
    document._check()


def test_the_package_is_not_hidden_by_the_function() -> None:
    import xmlcep.wrapping as package

    assert xmlcep.wrapping.strip_tags is package.strip_tags
    assert callable(xmlcep.wrap)


# --- what stands beside the root


BESIDE = "<!--before--><?p q?><r>1<a/>2<!--n--></r><!--after-->"


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("edit", [
    lambda r: etree.Element("outside").append(r.getprevious()),
    lambda r: r.append(r.getnext()),
    lambda r: r[0].addnext(r.getprevious()),
    lambda r: r.getnext().addnext(etree.Comment("new")),
    lambda r: r.getnext().addnext(r[1]),
    lambda r: setattr(r.getnext(), "text", "other"),
    lambda r: setattr(r.getprevious(), "target", "other"),
    lambda r: setattr(r.getnext(), "tail", "other"),
    lambda r: setattr(r, "tail", "other"),
    lambda r: strip_tags(r.getroottree(), etree.Comment),
])  # fmt: skip
def test_what_stands_beside_the_root_comes_back(edit: Callable[[Any], Any], immediate: bool) -> None:
    document = fromstring(BESIDE)
    before = whole(document.root)
    with pytest.raises(Undone), document.transaction(immediate=immediate):
        edit(document.root)
        raise Undone
    assert whole(document.root) == before
    document._check()


def test_what_another_document_has_taken_from_beside_the_root_stays_there() -> None:
    document, other = fromstring(BESIDE), fromstring("<s/>")
    with pytest.raises(Undone), document.transaction():
        other.root.append(document.root.getnext())
        document.root.addnext(etree.Comment("new"))
        raise Undone
    assert etree.tostring(other.root) == b"<s><!--after--></s>"
    assert etree.tostring(document.tree) == b"<!--before--><?p q?><r>1<a/>2<!--n--></r>"
    other._check()


def test_a_root_that_had_comments_beside_it_is_taken_out_again() -> None:
    """It cannot be put beside them again: lxml has no place for an element there."""
    document = fromstring("<r/>")
    with pytest.raises(Undone), document.transaction():
        document.root.append(etree.fromstring("<!--before--><a/><!--after-->"))
        raise Undone
    assert document.snapshot()[0] == "<r/>"
    document._check()


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


@pytest.mark.parametrize("end", [lambda one: one.close(), lambda one: None])
def test_a_document_ends_when_others_have_taken_what_came_to_it(end: Callable[[Any], Any]) -> None:
    """No event of the wrapping told of such a node, so it is not among those the document was wrapped with."""
    root, document, _ = held("<r><a><b/></a></r>")
    one = fromstring("<s><c/></s>")
    one.root.append(document.root[0])
    root.append(one.root[-1])
    end(one)
    del one
    root[0].text = "x"
    document.root[0].clear()
    document.catch_up()
    document._check()


def test_a_document_is_told_before_it_ends_what_others_have_taken() -> None:
    root = etree.fromstring("<r/>", plain_parser())
    with wrap(root), fromstring("<s><c/></s>") as one:
        seen = told(one)
        root.append(one.root[0])
    assert seen == ["del /s/c"]


# --- who gives the attributes may edit


def test_attributes_given_by_something_that_edits_the_element() -> None:
    document = fromstring("<r><a k='1'/><b/></r>")
    seen = told(document)

    def pairs(edit: Callable[[], Any]) -> Any:
        yield "l", "2"
        edit()
        yield "m", "3"

    element = document.root[0]
    element.attrib.update(pairs(lambda: setattr(element, "tag", "c")))
    assert seen == ["del /r/a/@k+", "del /r/a+", "ins /r/c+", "ins /r/c/@k+", "ins /r/c/@l", "ins /r/c/@m"]
    seen.clear()
    element.attrib.update(pairs(lambda: document.root.remove(element)))
    assert [event for event in seen if event.startswith("ins")] == []
    document._check()


# --- what is written is read as what it is


RESERVED = "http://www.w3.org/2000/xmlns/"


@pytest.mark.parametrize("edit", [
    lambda r: etree.SubElement(r, "plain"),
    lambda r: setattr(r[0], "tag", "plain"),
    lambda r: setattr(r, "tag", "plain"),
    lambda r: r.append(etree.fromstring("<q><z/></q>")),
    lambda r: etree.SubElement(etree.SubElement(r, "plain"), "{urn:y}b").append(etree.Element("plain")),
    lambda r: setattr(r, "text", etree.CDATA("a\r\nb")),
    lambda r: setattr(r[0], "tail", etree.CDATA("a\r")),
    lambda r: etree.SubElement(r, "{urn:y}b", nsmap={"xmlns": "urn:z", "p": RESERVED}),
    lambda r: (r.append(etree.PI("p")), setattr(r[-1], "target", "a b?><z/>")),
    lambda r: (r.append(etree.PI("p")), setattr(r[-1], "target", "XML")),
])  # fmt: skip
def test_a_snapshot_is_read_as_what_it_was_written_from(edit: Callable[[Any], Any]) -> None:
    document = fromstring('<r xmlns="urn:y"><a>t</a></r>')
    document.subscribe(lambda event: None)
    edit(document.root)
    text, ids = document.snapshot()
    Model(etree.fromstring(text), ids).equals(document.root)
    Replica.from_snapshot(text, ids)
    document._check()

    root = etree.fromstring('<r xmlns="urn:y"><a>t</a></r>', plain_parser())
    edit(root)
    with wrap(root) as document:
        assert document.verify() == []


def test_a_snapshot_that_would_be_read_with_other_names_is_refused() -> None:
    """lxml lets the prefix xml stand for anything; a copy of such a tree has another name already."""
    document = fromstring("<r/>")
    etree.SubElement(document.root, "{urn:q}b", nsmap={"xml": "urn:q"})
    with pytest.raises(RefusedError, match=r"'{urn:q}b' would be '{http:.*namespace}b'"):
        document.snapshot()


@pytest.mark.parametrize("edit", [
    lambda r: etree.SubElement(r, "b", xmlns="u"),
    lambda r: etree.SubElement(r, "b", {"k": "1", XMLNS: "u", "l": "2"}),
    lambda r: etree.SubElement(r, XMLNS),
    lambda r: r.append(etree.Element("b", xmlns="u")),
    lambda r: r.append(etree.Element("b", {XMLNS: "u"})),
    lambda r: r.append(etree.Element(XMLNS)),
    lambda r: r.insert(0, etree.Element("b", xmlns="u")),
    lambda r: r.set("xmlns", "u"),
    lambda r: r.set(XMLNS, "u"),
    lambda r: r.set(etree.QName(XMLNS), "u"),
    lambda r: r.attrib.update([(XMLNS, "u")]),
    lambda r: setattr(r[0], "tag", XMLNS),
])  # fmt: skip
@pytest.mark.parametrize("edited", [False, True])
def test_names_of_declarations_are_refused(edit: Callable[[Any], Any], edited: bool) -> None:
    document = fromstring(X)
    if edited:
        document.root.set("k", "2")
        document.root[0].set("k", "2")
    before = document.snapshot()[0]
    with pytest.raises(RefusedError, match="cannot be parsed again"):
        edit(document.root)
    assert document.snapshot()[0] == before
    document._check()
