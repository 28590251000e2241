"""The schemas and documents of the shared folder; skipped where it is absent."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.schema.compared_with_validation import Comparer
from tests.schema.real_schemas import RealSchema, nodes_in, real_schemas
from tests.schema.validation import left_out, outcome, random_order
from xmlcep.rules import Rules, parse_rules
from xmlcep.schema import check_rules, derive

MAX_NODES = 300
LARGE = {"ubl-invoice", "pain001"}  # the judge takes half a minute
pytestmark = pytest.mark.usefixtures("shared_data")


@cache
def loaded(real: str) -> tuple[Any, Rules]:
    schema = next(each for each in real_schemas() if each.name == real).load()
    return schema, derive(schema)


def cases() -> list[Any]:
    return [
        pytest.param(
            each.name,
            document,
            id=f"{each.name}-{document.stem[:20]}",
            marks=[pytest.mark.slow] * (each.name in LARGE),
        )
        for each in real_schemas()
        for document in each.documents
    ]


@pytest.mark.parametrize("real", list(real_schemas()), ids=lambda real: real.name)
def test_all_of_them_derive_and_parse(real: RealSchema) -> None:
    schema, rules = loaded(real.name)
    assert rules.text is not None
    if real.name not in LARGE:
        assert parse_rules(rules.text).definitions == rules.definitions
        everything = derive(schema, changes=True, violations=True)
        assert check_rules(everything, schema) == []


@pytest.mark.parametrize(("real", "document"), cases())
def test_complete_when_enough_is_there(real: str, document: Path) -> None:
    schema, rules = loaded(real)
    nodes = nodes_in(document, schema)
    if len(nodes) > MAX_NODES:
        pytest.skip(f"{len(nodes)} nodes take the judge too long")
    choose = random.Random(document.name)
    comparer = Comparer(rules)
    for gaps in (0, 1 + len(nodes) // 20):
        kept = left_out(nodes, choose.sample(nodes[1:], min(gaps, len(nodes) - 1)))
        compared = comparer.compare(kept, outcome(random_order(kept, choose), rules, schema))
        assert compared.wrong == []
        assert compared.right + compared.without > 0
