"""The generator of purchase-order histories and the hand-written loops, against brute force."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice

import pytest

from benchmarks.floor import count_both_modified, count_complete, count_many
from benchmarks.histories import TEXT, History, ItemPaths, Row
from benchmarks.queries import ITEM, many_rules

WINDOWS = (1, 10, 1000)
MIXES = ("valid", "bare")


def _by_item(rows: list[Row]) -> dict[int, Counter[str]]:
    """What happened to each item, as ``op(last step but text)`` counts."""
    seen: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if len(row[3]) > 1:
            path = row[2] if row[2].last != TEXT else row[2].parent
            seen[row[3][1]][f"{row[1]} {'text of ' if row[2].last == TEXT else ''}{path.last}"] += 1
    return seen


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("mix", MIXES)
def test_floor_loops_count_what_brute_force_counts(window, mix):
    rows = list(History(5000, window, mix).rows())
    complete = both = 0
    for item in {row[3][1] for row in rows if len(row[3]) > 1}:
        mine = [(row[1], str(row[2])) for row in rows if len(row[3]) > 1 and row[3][1] == item]
        created = {path for op, path in mine if op == "ins"}
        complete += {"/order/item", "/order/item/price", "/order/item/quantity"} <= created
        both += min(mine.count(("upd", f"/order/item/{name}/text()")) for name in ("price", "quantity"))
    assert complete > 0
    assert count_complete(rows, ITEM) == complete
    assert count_both_modified(rows, ITEM) == both


def test_many_rules_count_as_each_by_itself():
    text, rules = many_rules(4)
    rows = list(History(5000, 10, names=("item0", "item1", "item2", "item3")).rows())
    single = {"complete": count_complete, "both": count_both_modified}
    assert text.count("event ") == 4
    assert count_many(rows, rules) == sum(single[form](rows, paths) for form, paths in rules) > 0


def test_the_same_history_can_be_made_again_and_another_seed_gives_another():
    history = History(500, 10)
    assert list(history.rows()) == list(history.rows())
    assert list(history.rows()) != list(History(500, 10, seed=2).rows())


def test_rows_come_one_by_one():
    assert [row[0] for row in islice(History(10**12, 10).rows(), 3)] == [1, 2, 3]


@pytest.mark.parametrize("window", WINDOWS)
def test_the_valid_mix_is_a_history_that_a_document_can_have(window):
    """Parents come before and go after their children, values fit, ids are never used twice (E3, E6)."""
    alive: dict[int, tuple[tuple[int, ...], str | None]] = {}
    children: Counter[int] = Counter()
    used: set[int] = set()
    for _, op, path, ids, value, old, pos, *_ in History(20_000, window).rows():
        node, parent = ids[-1], ids[-2] if len(ids) > 1 else None
        assert len(ids) == len(path)
        assert all(above in alive for above in ids[:-1])
        if op == "ins":
            assert node not in used
            assert parent is None or 0 <= pos <= children[parent]
            used.add(node)
            alive[node] = ids, value
            children[parent] += 1
        elif op == "upd":
            assert alive[node] == (ids, old) and value != old
            alive[node] = ids, value
        else:
            assert alive.pop(node) == (ids, old)
            assert not children.pop(node, 0)
            children[parent] -= 1


def test_shares_of_the_lives_are_those_of_the_workload():
    """10 % without quantity, 30 % with a comment, 1.5 updates of a price, 5 % new prices, 30 % deleted."""
    rows = list(History(200_000, 1, "bare").rows())
    items = list(_by_item(rows).values())[:-1]

    def share(what):
        return sum(item[what] for item in items) / len(items)

    assert share("ins item") == 1
    assert share("ins quantity") == pytest.approx(0.9, abs=0.01)
    assert share("ins comment") == pytest.approx(0.3, abs=0.01)
    assert share("ins price") == pytest.approx(1.05, abs=0.01)
    assert share("del price") == pytest.approx(0.05, abs=0.01)
    assert share("upd text of price") == pytest.approx(1.5, abs=0.03)
    assert share("upd text of quantity") == pytest.approx(1.35, abs=0.03)
    assert share("del item") == pytest.approx(0.3, abs=0.01)


def test_deleted_says_how_many_items_go():
    rows = list(History(20_000, 1, deleted=1.0).rows())
    items = list(_by_item(rows).values())[:-1]
    assert all(item["del item"] == 1 for item in items)


def test_transactions_number_the_rows():
    assert [row[9] for row in History(7, 1, transaction=3).rows()] == [1, 1, 1, 2, 2, 2, 3]
    assert ItemPaths.below("/order").item is ITEM.item
