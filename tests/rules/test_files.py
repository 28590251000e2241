"""Rules in several files: one set, with messages that say which file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from xmlcep import RuleError, Rules, XmlCepError, fromstring, load_rules, parse_rules


def write(folder: Path, **texts: str) -> list[Path]:
    """Files called ``NAME.xcep`` with these texts."""
    files = []
    for name, text in texts.items():
        file = folder / f"{name}.xcep"
        file.write_text(text, encoding="utf-8")
        files.append(file)
    return files


def problems(*files: Path) -> list[tuple[str, int, str]]:
    """File, line and message of all that is wrong."""
    with pytest.raises(RuleError) as caught:
        load_rules(*files)
    return [(Path(each.at.file).name, each.line, each.message) for each in caught.value.problems]


def test_events_of_one_file_are_used_in_another(tmp_path: Path) -> None:
    files = write(tmp_path, a="event A(item) = B(item) ; ins(item/x)", b="\nevent B(item) = ins(item/price)")
    rules = load_rules(*files)
    assert rules == parse_rules("event A(item) = B(item) ; ins(item/x)\nevent B(item) = ins(item/price)")
    assert rules.files == tuple(map(str, files))
    assert parse_rules(str(rules)) == rules
    assert load_rules(files[1]).files == (str(files[1]),)


@pytest.mark.parametrize(
    "text",
    [
        "event A = ins(item/price)[¦numbr(.) > 3]",
        "event A = ins(item/price) as $p = (¦numbr(.))",
        'event A(item) {when="¦numbr(price)"} = ins(item)',
        'event A(item) {if="¦numbr(price)"} = ins(item)',
        'event A(item) {let n="¦numbr(3)"} = ins(item)',
        'event A = x[1,2]{having="¦numbr(3)"} ins(item/price)',
        'rule A on (ins(item)) if "¦numbr(.)" do delete "price"',
        'rule A on (ins(item)) do delete "price[¦numbr(.)]"',
        'rule A on (ins(item)) do set "@n" = "¦numbr(.)"',
        'rule A on (ins(item)) do insert "<n>{¦numbr(.)}</n>" last into "."',
    ],
)
def test_mistakes_in_expressions_are_shown_in_their_file(tmp_path: Path, text: str) -> None:
    wrong = f"# a comment\n{text.replace('¦', '')}"
    files = write(tmp_path, first="event First = ins(x)", second=wrong)
    with pytest.raises(RuleError) as caught:
        load_rules(*files)
    (problem,) = caught.value.problems
    assert (problem.at.file, problem.line, problem.column) == (str(files[1]), 2, text.index("¦") + 1)
    assert text.replace("¦", "") in str(caught.value)


def test_all_that_is_wrong_in_all_files(tmp_path: Path) -> None:
    first, second = write(
        tmp_path,
        a="event A = ins(item\nevent Twice = ins(x)",
        b="\nevent B = A(item) & Nobody(item)\nevent Twice = ins(y)\nevent C = x[2,1] ins(item/x)\n"
        'event D(item) {when="prise("} = ins(item)',
    )
    found = problems(first, second)
    assert found[:-1] == [
        ("a.xcep", 1, "the statement ends too early: expected a path such as order/item or ')'"),
        ("b.xcep", 2, "event B: there is no event called Nobody"),
        ("b.xcep", 3, "the event 'Twice' is defined twice"),
        ("b.xcep", 4, "the lower bound 2 is above the upper bound 1"),
    ]
    assert found[-1][:2] == ("b.xcep", 5)
    with pytest.raises(RuleError) as caught:
        load_rules(second, first)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{second}:2:21: event B: there is no event called Nobody"
    assert lines[1:3] == ["  event B = A(item) & Nobody(item)", "                      ^^^^^^^^^^^^"]
    twice = next(at for at, line in enumerate(lines) if "defined twice" in line)
    assert lines[twice] == f"{first}:2:7: the event 'Twice' is defined twice"
    assert lines[twice + 3] == f"  hint: its first definition is in {second}, line 3: choose another name"


def test_declarations_hold_for_their_file(tmp_path: Path) -> None:
    """Paths know their namespace; the prefixes may mean different things."""
    first, second = write(
        tmp_path,
        a='namespace "urn:a"\nnamespace p = "urn:p"\nevent A = ins(item/p:x)',
        b='namespace p = "urn:q"\nevent B = ins(item/p:x)',
    )
    rules = load_rules(first, second)
    assert [str(leaf.type.path) for tree in rules.graph.trees for leaf in tree.leaves()] == [
        "{urn:a}item/{urn:p}x",
        "item/{urn:q}x",
    ]
    assert parse_rules(str(rules)) == rules


EXPRESSIONS = (
    'event E(item) {when="count(x) = 1"} = ins(item/x)',
    'event E(item) {when="p:x and not(@p:n) and not(@n)"} = ins(item/p:x)',
    'event E(item) {if="//x"} = ins(item/x)',
    "event E(item) {when=\"child::item/descendant::x[attribute::n or x = 'x'] or x\"} = ins(item/x)",
    "event E = ins(item/x)[../p:x or ..//x]",
    "event E = ins(item/x) as $n = (string(../x))",
    'event E {let n="count($a)", having="$n = 1"} = ins(item/x) as $a = (string(../x[1])) & ins(item/p:x)',
)
"""Each with names in expressions."""
A = 'namespace "urn:a"\nnamespace p = "urn:p"\n'
B = 'namespace p = "urn:q"\n'


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("own", [A, B])
def test_expressions_have_the_names_of_their_file(own: str, expression: str, tmp_path: Path) -> None:
    """A set finds what each file finds alone, whatever the others declare, and is printed and read as such."""
    other = (B if own == A else A) + 'event Other(item) {when="x"} = ins(item/x)'
    file, beside = write(tmp_path, a=own + expression, b=other)
    raised = found(load_rules(file))
    assert raised
    for order in ((file, beside), (beside, file)):
        rules = load_rules(*order)
        assert [event for event in found(rules) if event[0] == "E"] == raised
        assert parse_rules(str(rules)) == rules
        assert parse_rules(rules.xml()) == rules


def found(rules: Rules) -> list[Any]:
    """What is raised in a document with elements of the same names in all the namespaces."""
    document = fromstring("<order><item xmlns='urn:a'/><item/></order>")
    with document.watch(rules) as watch:
        for item in list(document.root):
            for uri in ("urn:a", "urn:p", "urn:q", ""):
                etree.SubElement(item, f"{{{uri}}}x" if uri else "x")
        watch.flush()
        return [(each.name, each.ids, each.ts, each.bindings) for each in watch.findings]


def test_rules_that_act_have_to_agree(tmp_path: Path) -> None:
    acting = 'rule R%d on (ins(item)) do insert "<x/>" last into "."'
    first, second = write(tmp_path, a=A + acting % 1, b=B + acting % 2)
    ((file, _, said),) = problems(first, second)
    assert file == "b.xcep"
    assert said == "the namespaces here are not those of another file; both have action rules"
    beside = write(tmp_path, b=B + 'event E(item) {when="x"} = ins(item/x)')
    for order in ((first, *beside), (*beside, first)):
        assert load_rules(*order).namespaces == {"": "urn:a", "p": "urn:p"}


def test_conditions_keep_the_names_of_their_file(tmp_path: Path) -> None:
    """A file without conditions does not change what those of another mean, whichever comes first."""
    files = write(
        tmp_path, a='namespace "urn:a"\nevent A = ins(item)', b='event B(item) {when="x"} = ins(item/x)'
    )
    for order in (files, files[::-1]):
        rules = load_rules(*order)
        assert "" not in rules.namespaces
        assert "ins({urn:a}item)" in str(rules)


def test_files_that_cannot_be_a_set(tmp_path: Path) -> None:
    (file,) = write(tmp_path, a="event A = ins(item)")
    with pytest.raises(XmlCepError, match=r"a\.xcep: the rules file is given twice"):
        load_rules(file, file)
    with pytest.raises(XmlCepError, match=r"no\.xcep: the rules file cannot be read"):
        load_rules(file, tmp_path / "no.xcep")
    with pytest.raises(RuleError, match=r"e\.xcep: *there is no event|e\.xcep:1:1: there is no event"):
        load_rules(file, *write(tmp_path, e="# nothing\n"))
