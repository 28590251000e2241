"""`xmlcep check`: what it shows of rules, and how it reports mistakes."""

from __future__ import annotations

import json

import pytest

from xmlcep.cli.main import run
from xmlcep.rules import load_rules

RULES = """\
namespace "urn:po"
namespace x = "urn:x"
event Quiet {context=recent}
    = (x[0,*]{end=non-local, name=prices} upd(item/price/text()) & ins(item/@x:n)) {when="price > 0"}
event Order(/order) = Quiet(item) ; x[1,2]{path=order} ins(order/item)
event Any {flat, order=detection} = Order(order) | del(order/item)
"""


@pytest.fixture
def rules_file(tmp_path):
    path = tmp_path / "po.xcep"
    path.write_text(RULES, encoding="utf-8")
    return path


def test_it_draws_the_trees(rules_file, capsys):
    assert run(["check", str(rules_file)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{rules_file}: 3 event trees, in the order in which they are processed\n")
    drawing = """\
Quiet  hierarchical
└── △  path item (derived), context recent, when price > 0
    ├── ×[0,*]  path item/price (derived), context recent, end non-local, name prices
    │   └── upd(item/price/text())
    └── ins(item/@x:n)
"""
    assert drawing in shown
    assert "└── ;  path /order (given), context chronicle\n    ├── Quiet(item)\n" in shown
    assert "Any  flat, order detection\n" in shown
    order = shown[shown.index("\nOrder ") : shown.index("\nAny ")]
    assert "depends on   Quiet\n" in order
    assert "used by      Any\n" in order
    for name in ("Quiet", "Order", "Any"):
        about = shown[shown.index(f"\n{name}  ") :]
        assert "\npartition by " in about
        assert "\nbecause      " in about
    assert "urn:po" not in shown


def test_the_plan_and_the_flow_chart(rules_file, capsys):
    assert run(["check", str(rules_file), "--plan"]) == 0
    assert "\npass 1: " in capsys.readouterr().out
    assert run(["check", str(rules_file), "--mermaid"]) == 0
    chart = capsys.readouterr().out
    assert chart == load_rules(rules_file).mermaid()
    assert chart.startswith("flowchart TD\n")
    for line in (
        '  subgraph T0["Quiet"]',
        '    T0O0(["×[0,*]<br/>path item/price (derived)<br/>context recent<br/>end non-local'
        '<br/>name prices"])',
        '    T0O0 --- T0O0L0["upd(item/price/text())"]',
        "    T0O1 --- T0O0",
        "  T0O1 -.-> T1O1L0",  # Quiet feeds the first leaf of Order's root
    ):
        assert f"{line}\n" in chart
    assert "when price #gt; 0" in chart
    assert chart.count("\n  end\n") == chart.count("  subgraph ") > 1


SAYING_MORE = """
event Rise(item) = x[2,3]{within="1 h", slide, by="user", having="sum($price) > 9", let total="sum($price)"}
    upd(item/price/text()) as $price = (number(.)) as $user = ($meta:user)
event Fast(item) {gap="2 s", strict, if="quantity > 1"} = ins(item) ; ins(item/price) ; not del(item) ; ins(item/quantity)
event Open(item) {within="3 days"} = x[1,*] ins(item/price) ; not x[2,*] ins(item/comment)
"""  # noqa: E501


def test_everything_that_is_said_of_an_operator_is_shown(tmp_path, capsys):
    path = tmp_path / "more.xcep"
    path.write_text(SAYING_MORE, encoding="utf-8")
    assert run(["check", str(path)]) == 0
    words = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for said in (
        "context chronicle, within 1 h, slide, joined by $user, let total = sum($price), having sum($price) > 9",
        "binds $price (a list), $user, $total",
        "gap 2 s, strict, if quantity > 1",
        "not del(item)",
        "not ×[2,*]",
        "within 3 days (of the operator above)",
    ):
        assert said in words
    chart = load_rules(path).mermaid()
    for said in (
        "<br/>within 1 h<br/>slide<br/>joined by $user<br/>",
        "<br/>if quantity #gt; 1",
        " -- not --- ",
    ):
        assert said in chart
    assert run(["check", str(path), "--format=json"]) == 0
    rise, fast, open_ = json.loads(capsys.readouterr().out)["events"]
    assert rise["variables"] == {"price": "list", "total": "value", "user": "value"}
    assert rise["tree"].items() >= {"within": "1 h", "slide": True, "joined_by": ["user"]}.items()
    assert fast["tree"].items() >= {"gap": "2 s", "strict": True, "if": "quantity > 1"}.items()
    assert [operand.get("negated", False) for operand in fast["tree"]["operands"]] == [
        False,
        False,
        True,
        False,
    ]
    assert open_["tree"]["operands"][1]["negated"] is True


def test_mistakes_go_to_stderr(tmp_path, capsys):
    path = tmp_path / "bad.xcep"
    path.write_text("event A = ins(item//price)\nevent B = Nobody(item)\n", encoding="utf-8")
    assert run(["check", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "bad.xcep:1:20: an empty step in 'item//price'\n  event A = ins(item//price)\n" in err
    assert "\n                     ^\n" in err
    assert "bad.xcep:2:11: event B: there is no event called Nobody" in err
    assert run(["check", str(tmp_path / "missing.xcep")]) == 2
    assert "missing.xcep: the rules file cannot be read" in capsys.readouterr().err
