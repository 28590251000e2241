"""What an undo brings back: nodes, their ids and places, in one document and in several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.event_oracle import Judge, Model, whole
from tests.wrapping.outside_classes import plain_parser
from tests.wrapping.short_events import X, told
from tests.wrapping.whitespace import visible
from xmlcep import parse_rules
from xmlcep.wrapping import (
    fromstring,
    strip_tags,
    wrap,
)


class Undone(Exception):
    """Ends a transaction."""


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
@pytest.mark.parametrize("strict", [False, True])
def test_what_came_and_went_on_is_in_neither_document(immediate: bool, swapped: bool, strict: bool) -> None:
    """Whichever is undone first: the other must not give back what never was there.

    With ``strict`` rules open, each edit can be taken back alone, too.
    """
    documents = [fromstring("<r><b/></r>"), fromstring("<s><t/></s>")]
    if strict:
        for document in documents:
            document.rules(parse_rules("rule R on (ins(never)) do set '@k' = '1'"), strict=True)
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
