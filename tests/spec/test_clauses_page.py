"""docs/semantics.md: every example of every clause is run, on the engine and on the reference evaluator."""

from __future__ import annotations

import doctest
import re
from types import ModuleType
from typing import Any

import pytest

import path_types
from path_types import PathInstance, PathType
from tests.conftest import REPOSITORY
from tests.reference import relations
from tests.spec.tables import check, rows
from xmlcep import RuleError, parse_rules

PAGE = (REPOSITORY / "docs" / "semantics.md").read_text(encoding="utf-8")
# A part of the page (a code, or "intro") and its blocks.
PARTS = dict(re.findall(r'(?:^### <a id="(\w+)">|\A)(.*?)(?=^### <a id=|\Z)', PAGE, re.MULTILINE | re.DOTALL))


def blocks(kind: str) -> list[Any]:
    """The blocks of this kind, each as a parameter called after the clause it belongs to."""
    fence = re.compile(rf"^```{kind}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [
        pytest.param(block, id=f"{code or 'intro'}-{number}")
        for code, part in PARTS.items()
        for number, block in enumerate(fence.findall(part))
    ]


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert set(re.findall(r"^```(\w+)$", PAGE, re.MULTILINE)) == {"example", "paths", "python"}


@pytest.mark.parametrize("code", [code for code in PARTS if code])
def test_every_clause_has_an_example(code: str) -> None:
    assert re.search(r"^```(example|paths|python)$", PARTS[code], re.MULTILINE)


HISTORIES, MISTAKES = [
    [block for block in blocks("example") if ("\nerror: " in block.values[0]) is wrong]
    for wrong in (False, True)
]


@pytest.mark.parametrize("block", HISTORIES)
def test_histories(block: str) -> None:
    rules, _, histories = block.rpartition("\n\n")
    assert rules, "rules, an empty line, histories"
    for row in rows(histories):
        contexts, words, raised = row if "$context" in rules else ("", *row)
        for context in contexts.split(", "):
            check(rules, words, raised, {"context": context})


@pytest.mark.parametrize("block", MISTAKES)
def test_mistakes(block: str) -> None:
    rules, _, message = block.rpartition("\n\n")
    with pytest.raises(RuleError) as caught:
        parse_rules(rules)
    assert message.removeprefix("error: ").strip() in str(caught.value)


RELATION = re.compile(r"(?P<no>not )?(?P<a>\S+) (?P<sign><|<e) (?P<b>\S+)")
INTERSECTION = re.compile(r"(?P<a>\S+) (?P<sign>∩lb|∩ab) (?P<b>\S+) = (?P<result>\S+)")
PROJECTION = re.compile(r"π (?P<a>\S+)( by (?P<o>\S+))? \((?P<instance>\S+)\) = (?P<result>\S+)")


@pytest.mark.parametrize("module", [path_types, relations], ids=["path_types", "reference"])
@pytest.mark.parametrize("block", blocks("paths"))
def test_paths(module: ModuleType, block: str) -> None:
    for line in block.splitlines():
        if found := RELATION.fullmatch(line):
            holds = relation(module, found["sign"], path(found["a"]), path(found["b"]))
            assert holds is (found["no"] is None), line
        elif found := INTERSECTION.fullmatch(line):
            name = {"∩lb": "left_bound_intersection", "∩ab": "absolute_path_intersection"}[found["sign"]]
            result = getattr(module, name)(path(found["a"]), path(found["b"]))
            assert result is path(found["result"]), line
        else:
            found = PROJECTION.fullmatch(line)
            assert found, f"not in the notation of the page: {line}"
            a, o, whole = path(found["a"]), found["o"], instance(found["instance"])
            projection = module.align(a, path(o), whole) if o else module.project(a, whole)
            assert projection == instance(found["result"]), line


def relation(module: ModuleType, sign: str, a: PathType | None, b: PathType | None) -> bool:
    """``a < b`` or ``a <e b``."""
    if sign == "<e":
        result: bool = module.ends(a, b)
    else:
        result = path_types.contains(b, a) if module is path_types else relations.contained(a, b)
    return result


def path(text: str) -> PathType | None:
    """The path type written so."""
    return None if text == "null" else PathType.parse(text)


def instance(text: str) -> PathInstance | None:
    """The path instance written so, ``/order#1/item#5``."""
    if text == "null":
        return None
    return PathInstance.of(
        PathType.parse(re.sub(r"#\d+", "", text)), tuple(map(int, re.findall(r"#(\d+)", text)))
    )


def test_python() -> None:
    """All sessions of the page, one after the other, as a reader would type them."""
    session = doctest.DocTestParser().get_doctest(
        PAGE, {"__name__": "__main__"}, "semantics.md", "semantics.md", 0
    )
    assert len(session.examples) > 20
    doctest.DebugRunner().run(session)
