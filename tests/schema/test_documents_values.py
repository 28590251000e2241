"""What valid documents have is never warned of: each node's path, and questions about the value that it has."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from tests.schema.instances import NoDocument, library, random_document
from xmlcep import parse_rules
from xmlcep.schema import check_rules, check_values

HERE = Path(__file__).parent
SCHEMAS = [HERE / kind / name for kind in ("unusual", "open") for name in sorted(
    each.name for each in (HERE / kind).iterdir()
)]  # fmt: skip


def events(main: Path, seeds: range) -> Iterator[xmlcep.PrimitiveEvent]:
    """What is told of random documents: all that is in them goes."""
    schema = library(main)
    for seed in seeds:
        for filled in (False, True):
            try:
                root = random_document(schema, random.Random(seed), filled=filled)
            except NoDocument:
                continue
            document = xmlcep.fromstring(etree.tostring(root, encoding="unicode"))
            told: list[xmlcep.PrimitiveEvent] = []
            document.subscribe(told.append)
            document.update_to(etree.Element("nothing"))
            yield from (each for each in told if each.op == "del")


@pytest.mark.parametrize("folder", SCHEMAS, ids=lambda folder: str(folder.name))
def test_what_a_document_has(folder: Path) -> None:
    found = sorted({(str(each.path), each.old or "") for each in events(folder / "main.xsd", range(4))})
    text = ""
    for number, (path, value) in enumerate(found):
        text += f"event E{number} = *({path})\n"
        if value.strip() and not {"'", '"', "\n"} & set(value):
            text += f"event F{number} = *({path})[. = '{value}']\n"
            text += f"event G{number} {{if=\"$v = '{value}'\"}} = *({path}) as $v\n"
    if not text:
        pytest.skip("the generator makes no document of it")
    rules = parse_rules(text)
    assert [problem.message for problem in check_rules(rules, folder / "main.xsd")] == []
    assert [problem.message for problem in check_values(rules, folder / "main.xsd")] == []
