"""`xmlcep convert rules.sch`: at the end of each version the same holds as lxml's Schematron finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.schematron.holding import Compared, damaged, names_in
from xmlcep.cli.main import run
from xmlcep.errors import RuleError
from xmlcep.rules import load_rules
from xmlcep.schematron import convert

FOLDER = Path(__file__).parent
DOCUMENTS = {
    "invoice": b"""<i:invoice xmlns:i="urn:example:invoice" xmlns="urn:example:basic"><number>7</number>
<currency>EUR</currency><i:seller><name>Ann</name><i:country>DE</i:country><vat>DE12</vat></i:seller>
<i:buyer><name>Bob</name><i:country>AT</i:country><vat>IT1</vat></i:buyer><i:line id="1"><amount>3</amount>
<price>1</price></i:line><i:line id="2"><credit/><amount>-1</amount></i:line><total currency="CHF">2</total>
</i:invoice>""",
    "book": b"""<book xmlns="urn:example:book" version="1"><section id="a"><title>A</title><para/><note><para/></note>
<section id="b"><title>B</title><para>see <glossterm linkend="x">XML</glossterm> and <glossterm>XPath</glossterm></para>
<section id="c"><title>C</title></section></section></section><glossary><glossentry id="x"><term>XML</term></glossentry>
<glossentry id="y"><term>XPath</term></glossentry></glossary></book>""",
    "style": b"""<style xmlns="urn:example:style"><macro name="a"><text macro="b"/></macro>
<macro name="b"><text/></macro><macro name="c"><text macro="a"/></macro>
<layout><text macro="a"/><sort><key macro="c"/><key/></sort></layout></style>""",
}


def versions(name: str, seed: int) -> Iterator[bytes]:
    """A document, damaged more and more, and as it was."""
    random, names = Random(seed), names_in((FOLDER / f"{name}.sch").read_bytes())
    document = DOCUMENTS[name]
    yield document
    for _ in range(6):
        document = damaged(document, random, names, 3)
        yield document
    yield DOCUMENTS[name]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_same_holds_at_the_end_of_each_version(name: str) -> None:
    compared = Compared((FOLDER / f"{name}.sch").read_bytes())
    for seed in range(3):
        compared.run(versions(name, seed))
    assert compared.held > 30 and compared.raised > 10


@pytest.mark.parametrize("phase", ["codes", "#ALL"])
def test_phases(phase: str) -> None:
    compared = Compared((FOLDER / "invoice.sch").read_bytes(), phase)
    for seed in range(2):
        compared.run(versions("invoice", seed))
    assert compared.held > 30


def schema(rules: str, more: str = "") -> str:
    return f'<schema xmlns="http://purl.oclc.org/dsdl/schematron">{more}\n<pattern>\n{rules}\n</pattern></schema>'


@pytest.mark.parametrize(
    ("rule", "line", "said"),
    [
        ('<rule context="a"><assert test="some $x in b satisfies $x"/></rule>', 3, "unexpected '$x'"),
        ('<rule context="a">\n<assert\n test="every(b)"/></rule>', 5, "the unknown function every()"),
        ('<rule context="*[@id]"><assert test="b"/></rule>', 3, "nodes without a name"),
        ('<rule context="/"><assert test="b"/></rule>', 3, "a context without an element's name"),
        ('<rule context="a[1]"><assert test="b"/></rule>', 3, "a place in a context"),
        ('<rule context="key(\'k\', 1)"><assert test="b"/></rule>', 3, "a context that is not a path"),
        ('<rule context="a"><assert test="$x"/></rule>', 3, "the unknown variable $x"),
        ('<rule context="a"><assert test="b">is <value-of select="c:d"/></assert></rule>', 3, "unknown prefix"),
        ('<rule context="a"><assert test="comment()"/></rule>', 3, "comment()"),
        ('<rule context="a"><extends rule="b"/></rule>', 3, "there is no abstract rule 'b'"),
        ('<rule context="a//@b"><assert test="c"/></rule>', 3, "a context without an element's name"),
        ('<rule context="a/@b[. = current()/c]"><assert test="c"/></rule>', 3, "current() in a context"),
        ('<include href="other.sch"/>', 3, "another file is to be included"),
        ('<rule context="a"><let name="n" value="b["/><assert test="$n"/></rule>', 3, "it ends too early"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said_with_its_line(rule: str, line: int, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        convert(schema(rule), "rules.sch")
    assert said in caught.value.problems[0].message and f"rules.sch:{line}:" in str(caught.value)


def test_short_files_cannot_say_very_much() -> None:
    params = "".join(f'<param name="p{n}" value="$p{n + 1}$p{n + 1}"/>' for n in range(60))
    with pytest.raises(RuleError, match=r"rules.sch:\d+:\d+: a parameter in another"):
        convert(schema("", f'<pattern is-a="x" id="y">{params}</pattern>'), "rules.sch")
    rules = "".join(
        f'<rule abstract="true" id="r{n}"><extends rule="r{n + 1}"/><extends rule="r{n + 1}"/></rule>'
        for n in range(60)
    )
    last = '<rule abstract="true" id="r60"><assert test="a"/></rule><rule context="b"><extends rule="r0"/></rule>'
    with pytest.raises(RuleError, match=r"more than 1,000 assertions"):
        convert(schema(rules + last), "rules.sch")
    lets = "".join(f'<let name="v{n + 1}" value="$v{n} + $v{n}"/>' for n in range(60))
    with pytest.raises(RuleError, match="more than 4000 names"):
        convert(
            schema(f'<rule context="a"><let name="v0" value="1"/>{lets}<assert test="b"/></rule>'),
            "rules.sch",
        )


def test_all_is_said_at_once() -> None:
    with pytest.raises(RuleError) as caught:
        convert(
            schema(
                '<rule context="*"><assert test="a"/></rule>\n<rule context="b"><assert test="x("/></rule>'
            ),
            "r",
        )
    assert [each.line for each in caught.value.problems] == [3, 4]


def test_the_phase_has_to_be_there() -> None:
    with pytest.raises(RuleError, match="there is no phase 'model'"):
        convert(schema(""), "r", "model")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = FOLDER / "invoice.sch"
    assert run(["convert", str(source), str(tmp_path / "rules.xcep")]) == 0
    assert run(["convert", str(source), "--out", str(tmp_path / "rules.xml"), "--phase", "model"]) == 0
    assert run(["convert", str(source), "a", "--out", "b"]) == 2
    text, xml = load_rules(tmp_path / "rules.xcep"), load_rules(tmp_path / "rules.xml")
    assert [tree.definition for tree in text.graph.trees] == [tree.definition for tree in xml.graph.trees]
    assert run(["check", str(tmp_path / "rules.xcep")]) == 0
    assert run(["convert", str(tmp_path / "rules.xcep"), "--phase", "model"]) == 2
    assert "--phase is for Schematron" in capsys.readouterr().err
    (tmp_path / "two.sch").write_text(schema(
        '<rule context="a"><assert test="b"/></rule><rule context="a[b]"><assert test="c"/></rule>'
    ).replace("<schema", '<schema queryBinding="xslt2"'))  # fmt: skip
    assert run(["convert", str(tmp_path / "two.sch")]) == 0
    said = capsys.readouterr().err
    assert "a rule before it has the same context, a" in said and "queryBinding is xslt2" in said
