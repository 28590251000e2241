"""What stands in valid documents is allowed by `check_rules`, whatever way the schema lets it in."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from path_types import PathType
from tests.schema.instances import NoDocument, library, random_document
from tests.schema.validation import nodes_of
from xmlcep.rules import parse_rules
from xmlcep.schema import check_rules
from xmlcep.schema.deriving import open_schema
from xmlcep.schema.vocabulary import Vocabulary

HERE = Path(__file__).parent
SCHEMAS = sorted(main for folder in ("unusual", "open") for main in HERE.glob(f"{folder}/*/main.xsd"))


@cache
def paths(main: Path) -> set[PathType]:
    """The paths of all nodes of random valid documents."""
    found: set[PathType] = set()
    for seed in range(40 if main.parent.parent.name == "open" else 10):
        try:
            root = random_document(library(main), random.Random(seed), filled=True)
        except NoDocument:
            continue
        found.update(node.path for node in nodes_of(root, library(main)))
    return found


@pytest.mark.parametrize("main", SCHEMAS, ids=lambda main: main.parent.name)
def test_what_stands_in_documents_is_allowed(main: Path) -> None:
    found = paths(main)
    vocabulary = Vocabulary(open_schema(main, None))
    assert len(found) > 4
    assert [str(path) for path in found if not vocabulary.allows(path)] == []


def test_every_way_in_is_taken() -> None:
    """Else the test above would be about less than it says."""
    texts = {
        main.parent.name: {str(path) for path in paths(main)}
        for main in SCHEMAS
        if main.parent.parent.name == "open"
    }
    assert (
        "/{urn:m}form/{urn:m}free/{urn:foreign}thing/@loose" in texts["open-content"]
    )  # interleaved, skipped
    assert "/{urn:m}form/thing/@loose" in texts["open-content"]  # the default, suffixed
    assert "/shelf/medium/scale/text()" in texts["type-alternatives"]
    assert "/{urn:m}doc/{urn:m}skipped/{urn:m}known/@loose" in texts["wildcards"]
    assert "/{urn:m}doc/{urn:m}lax/{urn:m}known/{urn:m}inner" in texts["wildcards"]
    assert "/{urn:m}doc/{urn:m}strict/@{urn:m}mark" in texts["wildcards"]


NEVER = [
    ("wildcards", "lax/@local", "lax has no attribute local"),
    ("wildcards", "lax/@own", "lax has no attribute own"),
    ("wildcards", "skipped/@m:mark", "skipped has no attribute mark"),
    ("wildcards", "strict/@m:unknown", "strict has no attribute unknown"),
    ("wildcards", "inner/@xsi:nil", "inner has no attribute nil"),
    ("wildcards", "inner/@xml:lang", "inner has no attribute lang"),
    ("wildcards", "strict/lax", "strict has no child element lax"),
    ("open-content", "field/{}thing", "field has no child element thing"),
    ("open-content", "free/{}thing", "free has no child element thing"),
    ("type-alternatives", "{}title/{}scale", "title has no child element scale"),
]
ALWAYS = [
    ("wildcards", "known/@xsi:nil"),
    ("wildcards", "inner/@xsi:type"),
    ("wildcards", "lax/@xml:lang"),
    ("wildcards", "doc/@xsi:schemaLocation"),
    ("type-alternatives", "{}medium/@folded"),
    ("wildcards", "@anything"),
]
HEAD = (
    'namespace "urn:m"\nnamespace m = "urn:m"\nnamespace xsi = "http://www.w3.org/2001/XMLSchema-instance"\n'
)


@pytest.mark.parametrize(("name", "path", "message"), NEVER)
def test_what_no_document_has(name: str, path: str, message: str) -> None:
    problems = check_rules(parse_rules(f"{HEAD}event A = ins({path})"), HERE / "open" / name / "main.xsd")
    assert [message in problem.message for problem in problems] == [True]


@pytest.mark.parametrize(("name", "path"), ALWAYS)
def test_what_documents_have_although_nothing_declares_it(name: str, path: str) -> None:
    assert check_rules(parse_rules(f"{HEAD}event A = ins({path})"), HERE / "open" / name / "main.xsd") == []
