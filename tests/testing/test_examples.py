"""Examples of edits with what is expected: in comments of rules, in the command, in pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source import ROOT
from xmlcep import RuleError, parse_rules
from xmlcep.cli.main import run
from xmlcep.errors import XmlCepError
from xmlcep.testing import Example, ExampleError, examples_of, rules_case

RULES = """
namespace x = "urn:x"
event Dearer(item) = upd(item/price/text())[number(.) > number($old)]
event Both = ins(item/price) & ins(item/quantity)
event Unpaid(order) {within="3 days"} = ins(order/item) ; not ins(order/payment)
event Bare {end=custom} = ins(item) ; not ins(item/price)
event Marked = *(item/@x:mark)
event Gone = del(item)
event By = ins(item/price)[$meta:user = 'ann']
"""
START = "start <order><item><price>1</price></item><item>t<b/>u</item></order>;"

# the event that is looked for; edits with what is expected
CASES = [
    ("Dearer", "upd order/item[1]/price = 2 => Dearer"),
    ("Dearer", "upd order/item[1]/price = 2 => Dearer at order/item[1]; upd //price = 1 => nothing"),
    ("Dearer", "upd /order/item/price/text() = 2; upd order/item/price = 3 => 2 Dearer"),
    ("Both", "ins order/item[2]/price = 5; ins order/item[2]/quantity => Both at order/item[2]"),
    (
        "Both",
        "ins order/item[1]; ins order/item[1]/price; ins order/item[1]/quantity => Both at order/item[1]",
    ),
    ("Unpaid", "ins order/item; +2 days => nothing; +2 d => Unpaid at order"),
    ("Unpaid", "ins order/item; at 2026-01-03T00:00:00Z => nothing; at 2026-01-05T00:00:00Z => Unpaid"),
    ("Unpaid", "ins order/item\nins order/payment\n+4 days\n=> nothing"),
    ("Bare", "begin; ins order/item; commit => Bare"),
    ("Bare", "begin; ins order/item; ins order/item[3]/price; commit => nothing"),
    ("Bare", "ins order/item => nothing; end => Bare"),
    (
        "Marked",
        "ins order/item[1]/@x:mark = 'a; b => c'; upd order/item/@x:mark = d; del order/item/@x:mark => 3 Marked",
    ),
    ("Gone", "del order/item[b] => Gone, \"count(item) = 1\", 'not(//b)'"),
    ("Gone", "ins order/item[2]/text() = v => \"item[2] = 'tv'\""),
    ("Gone", "ins order/text() = v; del order/item[2]/text()[1] => \"item[2] = 'u'\""),
    ("By", "begin user=ann; ins order/item[2]/price = 1; commit => By"),
    ("By", "begin user=bob; ins order/item[2]/price = 1; commit => nothing"),
]


@pytest.mark.parametrize(("name", "edits"), CASES)
def test_what_is_found(name: str, edits: str) -> None:
    rules_case(RULES, f"only {name}; {START} {edits}")


# edits; what is said
WRONG = [
    ("upd order/item/price = 2", "line 1: unexpected: Dearer(/order#1/item#2) at 1 {upd@1}"),
    ("upd order/item/price = 2 => nothing", "not expected: Dearer(/order#1/item#2) at 1 {upd@1}"),
    ("upd order/item/price = 2 => 2 Dearer", "line 1: upd order/item/price = 2: missing: Dearer"),
    (
        "\n\nupd order/item/price = 2 => Dearer at order/item[2]",
        "line 3: upd order/item/price = 2: missing: Dearer at",
    ),
    ("upd order/item/price = 0 => 'item/price = 1'", "'item/price = 1' is not true of <order>"),
    ("upd order/item/price = 2 => Dearer, Both", "missing: Both"),
]


@pytest.mark.parametrize(("edits", "said"), WRONG)
def test_what_differs_is_said(edits: str, said: str) -> None:
    with pytest.raises(AssertionError) as caught:
        rules_case(RULES, f"only Dearer, Both; {START} {edits}")
    assert said in str(caught.value)


REFUSED = [
    ("insert order/item", "'insert' is not a step"),
    ("upd order/item", "upd order/item = VALUE"),
    ("del", "del is incomplete"),
    ("ins order/item; ins order/item; upd order/item = 3", "order/item leads to 2 nodes: upd writes to it"),
    ("ins order/x/y", "order/x leads to no node: order/x is where it goes\n  hint: the document is <order/>"),
    ("ins order/item[", "line 1"),
    ("+3 dais", "did you mean days?"),
    ("+3 changes", "3 changes is not a time"),
    ("+1 day; at 2026-01-01T00:00:00Z", "it is 2026-01-02T00:00:00Z already"),
    ("at noon", "line 1: at noon"),
    ("commit", "there is no transaction to commit"),
    ("begin; begin", "a transaction is open already"),
    ("begin; +1 day", "time passes in a transaction"),
    ("ins order/item => Dearr", "did you mean Dearer?"),
    ("only Dearr; ins order/item", "the rules have no event 'Dearr'"),
    ("ins order/item => Dearer!", "'Dearer!' is nothing to expect"),
    ("ins order/item => 'item['", "it ends too early"),
    ("ins order/item; start <a/>", "start comes first"),
    ("end; ins order/item", "the document has ended"),
    ("ins order/y:a", "the unknown prefix 'y'"),
    ("ins order/item = \0", "line 1: ins order/item = "),
    ("ins order/item; ins order/item/text() = a; upd order/item/text()[2] = b", "leads to no node"),
    ("del order", "the root element stays"),
    ("upd order/item[b = 'a'", "line 1"),
    ("start <a>; ins a/b", "line 1"),
]


@pytest.mark.parametrize(("edits", "said"), REFUSED)
def test_what_cannot_be_run_is_refused(edits: str, said: str) -> None:
    with pytest.raises(XmlCepError) as caught:
        rules_case(RULES, edits)
    assert said in str(caught.value)
    assert isinstance(caught.value, ExampleError) or edits.startswith("start <a>")


def test_expect() -> None:
    rules_case(parse_rules(RULES), f"only Dearer; {START} upd order/item/price = 2", expect=["Dearer"])
    rules_case(RULES, f"only Dearer; {START} upd order/item/price = 0", expect=[])
    with pytest.raises(AssertionError, match="missing: Dearer"):
        rules_case(RULES, f"only Dearer; {START} upd order/item/price = 0", expect="Dearer")
    with pytest.raises(RuleError):
        rules_case("event A", "ins a/b")


def test_examples_in_comments() -> None:
    text = "event A = ins(b)\n  #> ins a/b\n#> => A\n# no example\n#> ins a/c => nothing"
    assert list(examples_of(text)) == [Example(" ins a/b\n => A", 2), Example(" ins a/c => nothing", 5)]
    assert [example.failures(parse_rules(text)) for example in examples_of(text)] == [[], []]


@pytest.mark.parametrize("name", ["control", "keeping", "purchase-order"])
def test_the_samples_carry_tests(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = ROOT / "samples" / "purchase_order" / f"{name}.xcep"
    assert run(["test", str(file)]) == 0
    assert "0 failed" in capsys.readouterr().out


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong, none = (tmp_path / f"{name}.xcep" for name in ("right", "wrong", "none"))
    right.write_text("event A = ins(a/b)\n#> ins a/b => A\n")
    wrong.write_text("event B = ins(a/c)\n#> ins a/b => B\n\n#> ins b => A\n#\n#> nonsense")
    none.write_text("event C = ins(a/d)\n")
    assert run(["test", str(right)]) == 0
    assert capsys.readouterr().out == "1 example, 0 failed\n"
    assert run(["test", str(wrong), str(right)]) == 1
    out = capsys.readouterr().out
    assert f"{wrong}: line 2: ins a/b: missing: B; not expected: A(" in out
    assert f"{wrong}: line 6: 'nonsense' is not a step" in out
    assert out.endswith("4 examples, 3 failed\n")
    assert run(["test", str(none)]) == 2


@pytest.mark.parametrize(
    ("options", "status", "said"), [(["--xcep"], 1, "line 4: ins a/b: not expected: A("), ([], 4, "")]
)
def test_in_pytest(tmp_path: Path, options: list[str], status: int, said: str) -> None:
    (tmp_path / "rules.xcep").write_text("event A = ins(a/b)\n#> ins a/b => A\n#\n#> ins a/b => nothing\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "xmlcep.testing.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    environment = {
        **os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [*command, *options, "rules.xcep"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said in done.stdout
    assert "Traceback" not in done.stdout
    assert done.returncode == status, done.stdout
