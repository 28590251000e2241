"""The figures of the derivation: ``python -m tests.schema.report [NAME…] [--nodes N]``.

For every real schema: elements, derived events, seconds; and its documents inserted in random orders, whole and with
parts left out, against the judge.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import Any, NamedTuple

from tests.schema.compared_with_validation import Comparer
from tests.schema.real_schemas import RealSchema, nodes_in, real_schemas
from tests.schema.validation import Node, left_out, outcome, random_order
from xmlcep.rules import Rules, parse_rules
from xmlcep.schema import derive
from xmlcep.schema.deriving import open_schema

REMARKS = {
    "wildcard: other": "optional wildcards",
    "wildcard: elements": "required wildcards, by condition",
    "complete as soon": "xsi:type comes too late",
    "declarations of the name": "declarations taken together",
    "mixed content": "mixed content",
    "an element occurs in several required": "one element in several required parts",
    "default or fixed": "defaults",
}


class Checked(NamedTuple):
    """Documents and orders that were inserted, and what became of their elements."""

    documents: int
    orders: int
    right: int
    wrong: int


def main() -> None:
    """Prints a table in Markdown, one row for each schema."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--nodes", type=int, default=1000, help="skip documents with more nodes")
    given = parser.parse_args()
    columns = (
        *("schema", "elements", "events", "lines", "read s", "derive s", "parse s"),
        *("documents", "orders", "right", "wrong"),
    )
    print(f"| {' | '.join(columns)} |")
    print("|---|" + "---:|" * 10)
    remarks = {}
    for real in real_schemas():
        if not given.names or real.name in given.names:
            remarks[real.name] = _row(real, given.nodes)
    print()
    for name, found in remarks.items():
        print(f"- {name}: {', '.join(f'{what} ({count})' for what, count in found.items()) or 'nothing'}")


def _row(real: RealSchema, nodes: int) -> dict[str, int]:
    start = time.perf_counter()
    schema = real.load()
    read = time.perf_counter()
    rules = derive(schema)
    derived = time.perf_counter()
    text = rules.text or ""
    parse_rules(text)
    parsed = time.perf_counter()
    checked = _check(real, schema, rules, nodes)
    elements = len(open_schema(schema).declarations)
    print(
        f"| {real.name} | {elements} | {len(rules.definitions)} | {text.count(chr(10))} | {read - start:.2f} "
        f"| {derived - read:.2f} | {parsed - derived:.2f} | {checked.documents} | {checked.orders} "
        f"| {checked.right} | {checked.wrong} |",
        flush=True,
    )
    found: Counter[str] = Counter()
    for line in text.splitlines():
        for start_of, what in REMARKS.items():
            found[what] += line.startswith("#") and start_of in line
    return {what: count for what, count in found.items() if count}


def _check(real: RealSchema, schema: Any, rules: Rules, most: int) -> Checked:
    documents = orders = right = wrong = 0
    comparer = Comparer(rules)
    for document in real.documents:
        nodes = nodes_in(document, schema)
        if len(nodes) > most:
            continue
        documents += 1
        for turn in range(4):
            choose = random.Random(turn)
            kept = nodes if turn < 2 else _with_gaps(nodes, choose)
            compared = comparer.compare(kept, outcome(random_order(kept, choose), rules, schema))
            orders += 1
            right += compared.right
            wrong += len(compared.wrong)
    return Checked(documents, orders, right, wrong)


def _with_gaps(nodes: list[Node], choose: random.Random) -> list[Node]:
    return left_out(nodes, choose.sample(nodes[1:], min(len(nodes) - 1, 1 + len(nodes) // 20)))


if __name__ == "__main__":
    main()
