"""A long list is a list."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documents.test_replica import canonical
from tests.log.random_documents import RandomDocument
from xmlcep.documents import Replica, Strictness, long_list, node_tables
from xmlcep.documents.long_list import LongList


@given(st.integers(0, 1_000_000), st.integers(0, 30), st.integers(1, 4))
def test_it_does_what_a_list_does(seed: int, length: int, chunk: int) -> None:
    choose = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_list, "_CHUNK", chunk)
        plain = list(range(length))
        other = LongList(plain)
        for number in range(100, 140):
            if plain and choose.random() < 0.5:
                index = choose.randrange(-len(plain), len(plain))
                del plain[index], other[index]
            else:
                index = choose.randint(0, len(plain))
                plain.insert(index, number)
                other.insert(index, number)
            assert list(other) == plain
            assert list(reversed(other)) == plain[::-1]
            assert len(other) == len(plain)
            assert [other[i] for i in range(-len(plain), len(plain))] == plain + plain
            assert [other.index(one) for one in plain] == list(range(len(plain)))
            assert other[1:3] == plain[1:3]
            assert (number in other) == (number in plain)
        plain.append(7777)
        other.append(7777)
        assert list(other) == plain


def test_what_is_not_there() -> None:
    numbers = LongList([1, 2])
    with pytest.raises(ValueError, match="9 is not in the list"):
        numbers.index(9)
    for index in (2, -3):
        with pytest.raises(IndexError):
            numbers[index]
        with pytest.raises(IndexError):
            del numbers[index]


@pytest.mark.parametrize("seed", range(6))
def test_a_replica_with_many_children(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_tables, "SHORT", 2)
    monkeypatch.setattr(long_list, "_CHUNK", 2)
    document, replica = RandomDocument(seed), Replica(strictness=Strictness.STRICT)
    for _ in range(150):
        replica.apply_edit(document.change())
        if document.root is not None:
            assert canonical(replica.tree()) == canonical(document.xml())
            assert replica.snapshot()[1] == document.snapshot()[1]
