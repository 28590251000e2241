"""Real documents: the recorded log of a history gives every version again."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from samples.histories.recording import record_history
from samples.histories.versions import versions_of
from tests.log.helpers import canonical
from xmlcep.documents import Replica, Strictness
from xmlcep.events import PrimitiveEvent
from xmlcep.log import read_log
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import Header
from xmlcep.recording import rebuild

SMALL = ["spring-mvc-docbook", "mapsforge-motorider", "kde-markdown"]
# The largest, vulkan-vk, takes half a minute: `python -m samples.histories DATA --check-all` looks at it.
LARGE = ["wayland", "maven-pom", "apa-csl"]


@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)])
def test_every_version_is_in_the_log(shared_data: Path, tmp_path: Path, name: str) -> None:
    log = tmp_path / f"{name}.jsonl"
    record_history(shared_data, name, log)
    versions = versions_of(shared_data / "histories" / name)
    replica = Replica()
    number, compared, ends = "1", set(), {}
    for item in read_log(log):
        if isinstance(item, Header):
            assert item.snapshot is not None
            replica = Replica.from_snapshot(item.snapshot, item.ids, strictness=Strictness.STRICT)
            continue
        assert item.meta is not None
        if item.meta["version"] != number:
            compared.add(int(number))
            assert_is_version(replica.tree(), versions, int(number))
        number = item.meta["version"]
        ends[int(number)] = item.ts
        replica.apply(item)
    assert_is_version(replica.tree(), versions, int(number))
    for version in sorted(ends)[:: max(1, len(ends) // 3)]:
        assert_is_version(rebuild(log, ends[version]), versions, version)
    assert_is_version(rebuild(log), versions, int(number))
    assert len(compared) > len(versions) // 2


def assert_is_version(root: etree._Element | None, versions: dict[int, object], number: int) -> None:
    if number in versions:
        assert root is not None
        expected = versions[number].parse()  # type: ignore[attr-defined]
        assert canonical_text(root) == canonical_text(expected), f"version {number}"


def canonical_text(root: etree._Element) -> str:
    text = etree.tostring(root, encoding="unicode", with_tail=False)
    return str(etree.canonicalize(text, with_comments=False, rewrite_prefixes=True))


def test_a_real_log_survives_parquet(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    log, packed = tmp_path / "log.jsonl", tmp_path / "log.parquet"
    record_history(shared_data, SMALL[1], log)
    header, *events = read_log(log)
    assert isinstance(header, Header)
    with ParquetWriter(packed, header) as writer:
        writer.write_all(event for event in events if isinstance(event, PrimitiveEvent))
    assert list(read_log(packed)) == [header, *events]
    assert canonical(rebuild(packed)) == canonical(rebuild(log))
