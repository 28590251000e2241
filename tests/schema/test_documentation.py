"""Every example of docs/schema.md and of examples.md: the schema in it derives to the rules below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from xmlcep.rules import parse_rules
from xmlcep.schema import derive

PAGES = (Path(__file__).resolve().parents[2] / "docs" / "schema.md", Path(__file__).with_name("examples.md"))
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
_EXAMPLE = re.compile(
    r"^##+ (.*?)$|```xml( options=\S+)?\n(.*?)```\n\n```xcep\n(.*?)```", re.DOTALL | re.MULTILINE
)


def examples() -> list[tuple[str, str, str, str]]:
    """Heading, options, schema and derived rules of every example."""
    found = []
    heading = ""
    for match in _EXAMPLE.finditer(TEXT):
        if match.group(1):
            heading = match.group(1)
            continue
        options = (match.group(2) or "").removeprefix(" options=")
        found.append((heading, options, match.group(3), match.group(4)))
    return found


def test_there_is_an_example_for_every_construct() -> None:
    headings = re.findall(r"^### (.*)$", TEXT, re.MULTILINE)
    assert len(headings) > 9
    assert set(headings) <= {heading for heading, *_ in examples()}


@pytest.mark.parametrize(("heading", "options", "schema", "rules"), examples(), ids=lambda value: value[:20])
def test_example(heading: str, options: str, schema: str, rules: str, tmp_path: Path) -> None:
    file = tmp_path / "example.xsd"
    file.write_text(
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n{schema}</xs:schema>', encoding="utf-8"
    )
    derived = derive(
        file, depth=2, changes="changes" in options, violations="violations" in options,
        absences="absences" in options,
    )  # fmt: skip
    assert derived.text is not None
    assert derived.text.partition("\n\n")[2] == rules
    assert parse_rules(derived.text).definitions == derived.definitions
