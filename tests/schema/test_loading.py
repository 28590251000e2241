"""Schemas that would never end: values to be matched with patterns, long enumerations, pipes instead of files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from elementpath.regex import RegexError, translate_pattern
from hypothesis import assume, given
from hypothesis import strategies as st

from xmlcep.schema import SchemaError, derive
from xmlcep.schema.facets import accepts_empty
from xmlcep.schema.loading import MAX_MODEL, load_schema

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
PIECES = st.sampled_from(
    [
        *("a", "-", ".", "^", "$", r"\.", r"\\", r"\d", r"\p{L}", "[a-z]", "[a-z-[aeiou]]", r"[\]x]"),
        *(
            "(",
            "(",
            ")",
            ")",
            "|",
            "?",
            "*",
            "+",
            "{2}",
            "{0,2}",
            "{1,}",
            "{0}",
            "{0,}",
            "[",
            "]",
            "{",
            "}",
            "\\",
        ),
    ]
)


def derived(tmp_path: Path, inside: str) -> str:
    file = tmp_path / "s.xsd"
    file.write_text(f"<xs:schema {XS}>{inside}</xs:schema>", encoding="utf-8")
    return derive(file).text or ""


@given(st.lists(PIECES, max_size=8).map("".join))
def test_patterns_that_take_the_empty_string(pattern: str) -> None:
    """The same as running them, wherever they are well-formed.

    The library lets a bracket be missing, as in ``[a-[a-z]``: that is not well-formed, and nothing is said of it.
    """
    try:
        compiled = re.compile(
            translate_pattern(pattern, anchors=False, back_references=False, lazy_quantifiers=False)
        )
    except (RegexError, re.error):
        assume(False)
    found = accepts_empty(pattern)
    assume(found is not None or pattern.count("[") == pattern.count("]"))
    assert found == (compiled.match("") is not None)


def test_a_long_pattern_is_read_not_run() -> None:
    assert accepts_empty("(a?|b?)" * 50_000 + "c") is False
    assert accepts_empty("(" * 50_000 + "a" + ")" * 50_000 + "?") is True


@pytest.mark.parametrize(
    ("facets", "takes_empty"),
    [
        ('<xs:pattern value="(a+)+b"/>', False),
        ('<xs:pattern value="((a*)*)*b?"/>', True),
        ('<xs:pattern value="(a+)+b"/><xs:pattern value="a*"/>', True),
        ("".join(f'<xs:enumeration value="v{number}"/>' for number in range(3000)), False),
        ("".join(f'<xs:enumeration value="{"v" * number}"/>' for number in range(1200)), True),
    ],
)
def test_values_are_not_matched(facets: str, takes_empty: bool, tmp_path: Path) -> None:
    """A default that the pattern would never be done with; what matters is whether "" is a value."""
    text = derived(
        tmp_path,
        f'<xs:simpleType name="t"><xs:restriction base="xs:string">{facets}</xs:restriction></xs:simpleType>'
        f'<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="a" type="t"/></xs:sequence>'
        f'<xs:attribute name="b" type="t" default="{"a" * 60}"/></xs:complexType></xs:element>',
    )
    assert ("event CompleteA(a) = ins(a) ; ins(a/text())" in text) is not takes_empty


@pytest.mark.parametrize(
    "used",
    [
        '<xs:element name="a" type="x:T"/>',
        '<xs:element name="a" substitutionGroup="x:T"/>',
        '<xs:element name="a"><xs:complexType><xs:group ref="x:T"/></xs:complexType></xs:element>',
        '<xs:element name="a"><xs:complexType><xs:attribute ref="x:T"/></xs:complexType></xs:element>',
        '<xs:element name="a"><xs:complexType><xs:attributeGroup ref="x:T"/></xs:complexType></xs:element>',
    ],
)
@pytest.mark.parametrize("where", ["", 'schemaLocation="there-is-none.xsd"'])
def test_an_import_without_a_file_is_named(where: str, used: str, tmp_path: Path) -> None:
    file = tmp_path / "s.xsd"
    file.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:x="urn:x">'
        f'<xs:import namespace="urn:x" {where}/>{used}</xs:schema>'
    )
    with pytest.raises(SchemaError, match=r"(?s)Import of namespace 'urn:x'.*--location NAMESPACE=FILE"):
        derive(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_no_schemas(tmp_path: Path) -> None:
    """A pipe that nobody writes to would be waited for, for ever."""
    pipe = tmp_path / "pipe.xsd"
    os.mkfifo(pipe)
    with pytest.raises(
        SchemaError, match=r"pipe\.xsd: a pipe or device, not a file: save the schema to a file"
    ):
        derive(pipe)
    for kind in ("include", 'import namespace="urn:p"'):
        with pytest.raises(SchemaError, match=r"pipe\.xsd: a pipe or device, not a file"):
            derived(tmp_path, f'<xs:{kind} schemaLocation="pipe.xsd"/><xs:element name="r" type="xs:int"/>')
    file = tmp_path / "s.xsd"
    with pytest.raises(SchemaError, match=r"pipe\.xsd: a pipe or device, not a file"):
        derive(file, locations={"urn:p": pipe})
    with pytest.raises(SchemaError, match="a folder, not a file"):
        derive(tmp_path)


def _wide(count: int) -> str:
    return "".join(f'<xs:element name="e{number}" type="xs:int"/>' for number in range(count))


@pytest.mark.parametrize(
    "schema",
    [
        f'<xs:complexType name="t"><xs:choice>{_wide(MAX_MODEL + 1)}</xs:choice></xs:complexType>',
        f'<xs:group name="g"><xs:choice>{_wide(MAX_MODEL // 2 + 1)}</xs:choice></xs:group><xs:complexType name="t">'
        '<xs:sequence><xs:group ref="g"/><xs:sequence><xs:group ref="g"/></xs:sequence></xs:sequence></xs:complexType>',
    ],
)
def test_content_models_that_would_take_too_long_are_refused(schema: str, tmp_path: Path) -> None:
    file = tmp_path / "wide.xsd"
    file.write_text(
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{schema}</xs:schema>', encoding="utf-8"
    )
    with pytest.raises(SchemaError, match="MAX_MODEL"):
        load_schema(file)
