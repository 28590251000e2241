"""What C code does outside `observe()` cannot be heard; but `verify()` knows of it, whatever is edited besides."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from random import Random

import pytest
from lxml import etree

from tests.wrapping.judge import Judge
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.odd_edits import STRIPPING
from tests.wrapping.unseen_edits import edit_unseen
from xmlcep.errors import XmlCepError
from xmlcep.wrapping import fromstring


def run(seed: int, *, edits: int = 25) -> str:
    """Random edits, some of them by C code, until they have been noticed; returns what has become of the document.

    Raises AssertionError if events, and so logs, have another document than there is, and nothing is said.
    """
    random = Random(seed)
    with fromstring(START, name="d") as document:
        judge = Judge(document, snapshot=random.random() < 0.8)
        mutator = Mutator(document.root, random, documents=[document] if seed % 2 else [])
        unseen = False
        for _ in range(edits):
            try:
                if random.random() < 0.12:
                    unseen = True
                    edit_unseen(mutator, document.root)
                list(document.root.iter())
                mutator.step()
                said = document.verify()
            except XmlCepError as error:
                return type(error).__name__
            if not unseen:
                assert not said
                judge.check(several=True, moves=True)
            elif said:
                return "verify() says so"
            else:
                judge.apply()
        return "nothing came of it" if unseen else "nothing"


@pytest.mark.parametrize("seed", range(60))
def test_what_nobody_could_hear_is_found(seed: int) -> None:
    assert run(seed)


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


if __name__ == "__main__":
    first, count = int(sys.argv[2]) if len(sys.argv) > 2 else 0, int(sys.argv[1])
    print(Counter(run(seed) for seed in range(first, first + count)))
