"""What C code does outside `observe()` cannot be heard; but `verify()` knows of it, whatever is edited besides."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.event_oracle import Judge
from tests.wrapping.long_run import DISTINCT
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.processor_edits import STRIPPING
from tests.wrapping.unseen_edits import edit_unseen
from xmlcep.errors import XmlCepError
from xmlcep.wrapping import Document, RefusedError, UnseenEditError, fromstring, wrap
from xmlcep.wrapping.calls.lxml_methods import DEFAULT_LOOKUP
from xmlcep.wrapping.lxml_access import place


def run(seed: int, *, edits: int = 25) -> str:
    """Random edits, some of them by C code, until they have been noticed; returns what has become of the documents.

    Raises AssertionError if events, and so logs, have another document than there is, and nothing is said.
    """
    random = Random(seed)
    documents = [fromstring(DISTINCT, name=f"d{number}") for number in range(random.choice([1, 1, 2]))]
    try:
        return edited(documents, random, edits, by_calls=bool(seed % 2))
    finally:
        for document in documents:
            with suppress(XmlCepError):  # what is there and no log could hold
                document.close()


def edited(documents: list[Document], random: Random, edits: int, *, by_calls: bool) -> str:
    """As `run`, of these documents."""
    judges = [Judge(document, snapshot=random.random() < 0.3) for document in documents]
    mutator = Mutator(
        [document.root for document in documents], random, documents=documents if by_calls else []
    )
    unseen = False
    for _ in range(edits):
        try:
            if random.random() < 0.12:
                unseen = True
                edit_unseen(mutator, random.choice(documents).root, elsewhere=True)
            for document in documents:
                list(document.root.iter())
            mutator.step()
            said = [line for document in documents for line in document.verify()]
        except (XmlCepError, etree.LxmlError) as error:
            return type(error).__name__
        if said:
            assert unseen, said
            return "verify() says so"
        for judge in judges:
            if unseen:
                judge.apply()
            else:
                judge.check(several=True, moves=True)
    return "nothing came of it" if unseen else "nothing"


@pytest.mark.parametrize("seed", range(40))
def test_what_nobody_could_hear_is_found(seed: int) -> None:
    assert run(seed)


_move: Any = etree._Element.append


@pytest.mark.parametrize("edit", [
    lambda r: r[1][0].set("k", "v"), lambda r: r[1].remove(r[1][0]), lambda r: r[1].insert(0, etree.Element("n")),
    lambda r: etree.SubElement(r[1], "n"), lambda r: r[1].append(r[2]), lambda r: setattr(r[1][0], "tail", "t"),
    lambda r: [each.set("k", "v") for each in r.iter()], lambda r: r.__setitem__(slice(None), list(reversed(r))),
])  # fmt: skip
def test_what_c_code_moves_before_events_tell_of_it_is_found(edit: Callable[[Any], Any]) -> None:
    """Where it was when they did is compared with where it was when it was wrapped."""
    document = fromstring("<r><a><x>1</x></a><b/><c/></r>")
    _move(document.root[1], document.root[0][0])
    edit(document.root)
    assert any("elsewhere" in line for line in document.verify())


@pytest.mark.parametrize("edit", [
    lambda r: r.remove(r[0]), lambda r: r.append(r[0]), lambda r: r.insert(1, etree.Element("n")),
    lambda r: etree.SubElement(r, "n"), lambda r: r.replace(r[0], etree.Element("n")), lambda r: r.__delitem__(0),
])  # fmt: skip
@pytest.mark.parametrize("known", [False, True])
def test_an_edit_beside_what_c_code_has_put_there_is_refused_or_tells_of_it(
    known: bool, edit: Callable[[Any], Any]
) -> None:
    """It never becomes a node that has been there all the time."""
    document = fromstring("<r><a><x>1</x></a><b/><c/></r>")
    judge = Judge(document, snapshot=known)
    document.root[0].set("k", "v")
    etree._Element.insert(document.root, 1, etree.Element("unseen"))
    before = etree.tostring(document.root)
    try:
        edit(document.root)
    except UnseenEditError:
        assert etree.tostring(document.root) == before
        assert "/r/unseen: was put into the tree unseen" in document.verify()
    if not document.verify():
        judge.apply()


@pytest.mark.parametrize("known", [False, True])
def test_what_c_code_moves_from_one_document_to_another_is_missing_here_and_too_much_there(
    known: bool,
) -> None:
    one, other = fromstring("<r><a/><b/></r>"), fromstring("<s><c/></s>")
    if known:
        one.snapshot()
    _move(other.root, one.root[0])
    assert any("has left the tree unseen" in line for line in one.verify())
    assert other.verify() == ["/s/a: was put into the tree unseen"]


def test_what_has_been_taken_unseen_by_a_node_that_moves_goes_before_that_comes() -> None:
    """Else its place, which counts the siblings that are left, would not be that of the events."""
    document = fromstring("<r><a/>1<b/><c><e/></c><f/></r>")
    judge = Judge(document)
    _move(document.root[2][0], document.root[0])
    document.root[-1].addprevious(document.root[1][0])
    assert document.verify() == []
    judge.apply()


def test_an_entity_reference_that_is_gone_has_a_place() -> None:
    """lxml 6.1 crashes when it is asked for the path of its parent."""
    assert "&x;" in place(etree.Entity("x"))


def test_an_attribute_that_no_log_could_hold_stays_found_when_an_edit_comes_upon_it() -> None:
    document = fromstring("<r><a/><b/></r>")
    etree.SubElement(document.root, "c")
    etree._Element.set(document.root, "xmlns", "urn:x")
    with pytest.raises(XmlCepError, match="'xmlns'"):
        document.root[:] = list(reversed(document.root))
    assert any("'xmlns'" in line for line in document.verify())


def test_an_entity_reference_that_nobody_has_seen_come_has_a_place() -> None:
    document = fromstring("<r><a/></r>")
    etree._Element.append(document.root[0], etree.Entity("x"))
    assert document.verify()[0] == "/r/a/&x;: was put into the tree unseen"


def test_a_transformation_that_strips_the_tree_of_white_space_is_seen_when_it_is_observed() -> None:
    """XSLT's xsl:strip-space: lxml 6.1 strips the tree that is transformed, and no copy."""
    document = fromstring("<r><a/> <b/></r>")
    told: list[str] = []
    document.subscribe(lambda event: told.append(f"{event.op} {event.path}"))
    STRIPPING(copy.deepcopy(document.tree))
    assert (document.verify(), told) == ([], [])
    with document.observe():
        STRIPPING(document.tree)
    assert (document.verify(), told) == ([], ["del /r/text()"])
    document.root[0].tail = " "
    STRIPPING(document.root)
    assert document.verify() != []


# --- found by comparison, where events have told of all nodes


@pytest.mark.parametrize("seed", range(40))
def test_a_snapshot_tells_before_what_nobody_could_hear(seed: int) -> None:
    """Its document is known from then on as it is there, whatever C code has done since the last one."""
    random = Random(seed)
    document = fromstring(START)
    judge = Judge(document)
    mutator = Mutator(document.root, random)
    for _ in range(12):
        try:
            edit_unseen(mutator, document.root)
            document.snapshot()
        except RefusedError as error:  # of what no log could hold nothing is told
            assert "cannot" in str(error)
            return
        except etree.XMLSyntaxError:  # of a TreeBuilder that is told so
            return
        judge.apply()
        judge.check_ids()
        document._check()


OLDER = etree.Element("older")


def test_what_an_element_takes_that_nobody_follows_is_told_at_the_end() -> None:
    """It is older than any wrapping, and in no wrapped document."""
    assert type(OLDER) is etree._Element
    document = fromstring("<r><a>x</a>1<b/></r>")
    told: list[str] = []
    document.subscribe(lambda event: told.append(f"{event.op} {event.path}"))
    document.snapshot()
    OLDER.append(document.root[0])
    document.snapshot()
    assert told == ["del /r/text()", "del /r/a/text()", "del /r/a"]
    OLDER.append(document.root[0])
    document.close()
    assert told[3:] == ["del /r/b"]


def test_an_edit_of_what_has_been_taken_unseen_is_no_edit_of_the_document(
    caplog: pytest.LogCaptureFixture,
) -> None:
    document = fromstring("<r><a><c/></a><b/></r>")
    told: list[str] = []
    document.subscribe(lambda event: told.append(f"{event.op} {event.path}"))
    inner = document.root[0][0]
    OLDER.append(document.root[0])
    inner.text = "x"
    etree.SubElement(OLDER[-1], "d")
    assert told == []
    assert "has been taken out of the document 'document' unseen" in caplog.text
    assert any("has left the tree unseen" in line for line in document.verify())


def test_the_default_classes_may_be_changed_meanwhile() -> None:
    root = etree.fromstring("<r/>")
    with wrap(root) as document:
        told: list[str] = []
        document.subscribe(lambda event: told.append(f"{event.op} {event.path}"))
        etree.SubElement(root, "a")
        etree.set_element_class_lookup(None)
        try:
            etree.SubElement(root[0], "b").text = "x"
            document.catch_up()
        finally:
            etree.set_element_class_lookup(DEFAULT_LOOKUP)
        assert told == ["ins /r/a", "ins /r/a/b", "ins /r/a/b/text()"]


if __name__ == "__main__":
    first, count = int(sys.argv[2]) if len(sys.argv) > 2 else 0, int(sys.argv[1])
    print(Counter(run(seed) for seed in range(first, first + count)))
