"""Large logs: what is made as columns is a history a document can have, with the shares of `histories`."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from click.testing import CliRunner

from benchmarks import bulk
from benchmarks.bulk import BulkLog
from benchmarks.floor import count_both_modified, count_complete
from benchmarks.histories import ItemPaths
from benchmarks.make_log import item_names, main, write_log
from benchmarks.queries import ITEM, both_rule, complete_rule
from benchmarks.samples import rules_for_orders
from xmlcep import Detector, parse_rules
from xmlcep.auditing import audit
from xmlcep.documents import Replica, Strictness
from xmlcep.log import read_log

SHAPES = ("many", "few", "skew")
EVENTS = 8_000


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(bulk, "CHUNK", 3_000)


def _written(log, folder, **how):
    write_log(log, folder, **how)
    return sorted(folder.iterdir())


def _events(files):
    """All records; a bad one would be refused."""
    return [event for file in files for event in read_log(file)]


@pytest.mark.parametrize("window", [1, 100])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_log_is_a_history_that_a_document_can_have(tmp_path, shape, window):
    events = _events(_written(BulkLog(EVENTS, shape, window=window), tmp_path / "log"))
    assert [event.ts for event in events] == list(range(1, EVENTS + 1))
    replica, used = Replica(strictness=Strictness.STRICT), set()
    for event in events:
        replica.apply(event)
        assert len(event.ids) == len(event.path)
        if event.op == "ins":
            assert event.ids[-1] not in used
            used.add(event.ids[-1])
    assert len({event.doc for event in events}) == 1


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_files_and_formats_hold_the_same_records(tmp_path, kind):
    log = BulkLog(EVENTS, "few", transaction=50)
    whole = _events(_written(log, tmp_path / "whole"))
    parts = _written(log, tmp_path / "parts", kind=kind, files=7)
    assert [file.name for file in parts] == [f"part-{number:05}.{kind}" for number in range(7)]
    assert _events(parts) == whole
    assert [event.txn for event in whole] == [(ts - 1) // 50 + 1 for ts in range(1, EVENTS + 1)]
    assert _events(_written(BulkLog(EVENTS, "few", seed=2), tmp_path / "other")) != whole


def test_a_log_shorter_than_its_beginning_is_cut():
    assert sum(map(len, BulkLog(100, "skew").tables())) == 100


@pytest.mark.parametrize("deleted", [0.3, 1.0])
def test_shares_of_the_lives_are_those_of_the_workload(tmp_path, deleted):
    """As for `histories`: see `test_histories`."""

    @cache
    def said(op, path):
        return f"{op} {'/'.join(map(str, path.steps[2:]))}"

    seen: dict[int, Counter[str]] = {}
    order: dict[int, list[str]] = {}
    for event in _events(_written(BulkLog(60_000, window=1, deleted=deleted), tmp_path / "log")):
        if event.path.steps[1:2] == ITEM.item.steps[1:]:
            what = said(event.op, event.path)
            seen.setdefault(event.ids[1], Counter())[what] += 1
            order.setdefault(event.ids[1], []).append(what)
    items = list(seen.values())[:-1]

    def share(what):
        return sum(item[what] for item in items) / len(items)

    assert share("ins ") == 1
    assert share("ins quantity") == pytest.approx(0.9, abs=0.01)
    assert share("ins comment") == pytest.approx(0.3, abs=0.015)
    assert share("ins price") == pytest.approx(1.05, abs=0.01)
    assert share("upd price/text()") == pytest.approx(1.5, abs=0.04)
    assert share("upd quantity/text()") == pytest.approx(1.35, abs=0.04)
    assert share("del ") == pytest.approx(deleted, abs=0.015)
    both = [life for life in order.values() if {"upd price/text()", "upd quantity/text()"} <= set(life)]
    price_first = sum(life.index("upd price/text()") < life.index("upd quantity/text()") for life in both)
    assert price_first / len(both) == pytest.approx(0.5, abs=0.03)


def test_in_the_skewed_shape_one_order_has_a_third(tmp_path):
    counts = Counter(
        event.ids[1]
        for event in _events(_written(BulkLog(60_000, "skew"), tmp_path / "log"))
        if event.ids[1:]
    )
    assert counts.most_common(1)[0][1] / (60_000 - 7 * len(counts)) == pytest.approx(1 / 3, abs=0.02)
    assert len(counts) == 1000


def test_open_items_take_turns_at_random(tmp_path):
    events = _events(_written(BulkLog(EVENTS, window=100), tmp_path / "log"))
    items = [event.ids[1] for event in events[7:]]
    repeated = sum(first == second for first, second in pairwise(items))
    assert repeated / len(items) == pytest.approx(1 / 100, abs=0.004)


def test_the_local_audit_finds_what_the_floor_counts(tmp_path):
    files = _written(BulkLog(EVENTS, window=100), tmp_path / "log", files=3)
    events = _events(files)
    result = audit(files, parse_rules(f"{complete_rule()}\n{both_rule()}"))
    assert result.quarantine is None
    assert result.summary.per_rule == {
        "Complete": count_complete(events, ITEM),
        "Both": count_both_modified(events, ITEM),
    }


def test_items_take_their_names_in_turn(tmp_path):
    events = _events(_written(BulkLog(EVENTS, names=item_names(5)), tmp_path / "log"))
    tops = [ItemPaths.below("/order", name).item for name in item_names(5)]
    counts = Counter(event.path for event in events if event.op == "ins" and event.path in tops)
    assert set(counts) == set(tops)
    assert max(counts.values()) - min(counts.values()) <= 200


def test_the_sample_rules_find_something_in_it(tmp_path):
    events = _events(_written(BulkLog(EVENTS, transaction=50), tmp_path / "log"))
    detector = Detector(parse_rules(rules_for_orders()))
    found = {composite.name for composite in [*detector.replay(events), *detector.close()]}
    assert found >= {"CompleteItem", "BothChanged", "OrderReady", "QuietItem", "SaneItem", "Withdrawn"}


def test_the_command_writes_a_log(tmp_path):
    target = tmp_path / "log"
    done = CliRunner().invoke(main, ["--events", "500", "--files", "2", "--shape", "few", str(target)])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("500 records")
    assert len(_events(sorted(target.iterdir()))) == 500
