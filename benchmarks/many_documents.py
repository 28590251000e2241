"""``python -m benchmarks.many_documents DOCUMENTS RECORDS [FILES]``: a local audit of a log of so many documents, each
with so many records, one behind the other, in so many files: CPU per record, memory beyond that of the start."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from xmlcep.auditing import audit
from xmlcep.rules import parse_rules

RULES = "event Priced = ins(item) ; ins(item/price)"
_USUAL = dict.fromkeys(("value", "old", "pos", "at", "txn", "meta"))


def records(doc: str, count: int) -> Iterator[bytes]:
    """The records of a document: an order, then items, each with a price and its text."""
    paths = [("/order/item", 1), ("/order/item/price", 2), ("/order/item/price/text()", 3)]
    for ts in range(1, count + 1):
        item, (path, depth) = divmod(ts - 2, 3)[0] * 3 + 2, paths[(ts - 2) % 3]
        ids = [1, *range(item, item + depth)]
        where = {"path": "/order", "ids": [1]} if ts == 1 else {"path": path, "ids": ids}
        yield json.dumps({**_USUAL, "doc": doc, "ts": ts, "op": "ins", **where}).encode() + b"\n"


def write(folder: Path, documents: int, count: int, files: int) -> None:
    """Writes the log; a file has whole documents."""
    for number in range(files):
        with (folder / f"log-{number:05}.jsonl").open("wb") as out:
            for document in range(number, documents, files):
                out.writelines(records(f"d{document}", count))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Makes the log, audits it, prints a line."""
    documents, count, files = (int(given) for given in (*sys.argv[1:], "1")[:3])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, documents, count, files)
        before, started = _peak(), time.process_time()
        result = audit(folder, parse_rules(RULES), engine="local", out=folder / "findings")
        cpu = (time.process_time() - started) / result.summary.records * 1e6
        print(
            f"{documents:,} documents of {count:,} records in {files:,} files: {cpu:.2f} µs per record, "
            f"{_peak() - before:,.0f} MiB, {result.summary.findings:,} findings"
        )


if __name__ == "__main__":
    main()
