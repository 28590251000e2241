"""Threads: several documents edited at once, and one that several threads edit under one lock."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from lxml import etree

from tests.wrapping.long_run import COMPANY, MODES, Mode, Run, run
from xmlcep import element_classes, fromstring, wrap
from xmlcep.wrapping import classes

ALL = (*MODES, *COMPANY)


@pytest.fixture(autouse=True)
def _in_quick_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_threads_edit_documents_of_their_own_at_once() -> None:
    """Each thread wraps, edits and closes documents in all modes; each of them is judged."""

    def edits(number: int) -> int:
        random = Random(number)
        calls = (run(random.choice(ALL), 10, number * 100 + turn, odd=False) for turn in range(6))
        return sum(sum(each.values()) for each in calls)

    with ThreadPoolExecutor(3) as threads:
        assert all(count >= 60 for count in threads.map(edits, range(3)))


@pytest.mark.parametrize("mode", ALL[:: len(ALL) // 8], ids=str)
def test_threads_take_turns_on_a_document(mode: Mode) -> None:
    """As one thread after the other has the lock of the application."""
    each = Run(mode, 5, odd=False)
    try:
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
            for turn in range(8):
                (one if turn % 2 else other).submit(each.edit, 3).result()
    finally:
        each.close()
    assert each.calls


@pytest.mark.parametrize("in_a_thread", [False, True], ids=["dropped", "in a thread"])
def test_the_last_document_goes_while_another_one_comes(
    in_a_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when garbage is collected in the middle, or in another thread: elements stay ours for the one that comes."""
    gc.collect()  # documents of other tests
    last = fromstring("<last/>")
    lookup_of = element_classes.lookup_of

    def meanwhile(parser: object) -> object:
        if in_a_thread:
            with ThreadPoolExecutor(1) as other:
                other.submit(last.close).result()
        else:
            last.close()
        return lookup_of(parser)

    with monkeypatch.context() as patched:
        patched.setattr(classes, "lookup_of", meanwhile)
        document = wrap(etree.ElementTree(etree.fromstring("<r/>", etree.XMLParser())))
    heard: list[object] = []
    document.subscribe(heard.append)
    new = etree.Element("new")
    document.root.append(new)
    new.text = "seen"
    assert last.closed and len(heard) == 2 and document.foreign == ()
    document.close()
