"""`xmlcep pending`, `why`, `why-not`, and the functions behind them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from xmlcep import fromstring, load_rules, parse_rules, record
from xmlcep.auditing.explanations import QuestionError, pending, why, why_not
from xmlcep.cli.main import run
from xmlcep.explaining import Reason
from xmlcep.log import LogError

RULES = """event Complete = ins(item/price) & ins(item/quantity)
event Changed = upd(item/price/text()) ; upd(item/price/text())
"""

Shell = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log of two documents, and rules."""
    (tmp_path / "rules.xcep").write_text(RULES)
    for name, items in {"a": 2, "b": 1}.items():
        doc = fromstring("<order>" + "<item/>" * items + "</order>", name=name)
        with record(doc, tmp_path / f"{name}.jsonl"):
            for item in doc.root:
                with doc.transaction(user="ann"):
                    item.append(item.makeelement("price"))
                    item[0].text = "3"
            if name == "a":
                doc.root[0].append(item.makeelement("quantity"))
                doc.root[0][0].text = "4"
    return tmp_path


@pytest.fixture
def shell(folder: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Runs a command on the logs of the folder; its output, which has to come with this status."""

    def run_it(command: str, *arguments: str, status: int = 0) -> str:
        logs = [str(folder / "a.jsonl"), str(folder / "b.jsonl")]
        got = run([command, *logs, *arguments, "--rules", str(folder / "rules.xcep")])
        printed = capsys.readouterr()
        assert got == status, printed.err
        return printed.out or printed.err

    return run_it


def test_pending(shell: Shell) -> None:
    lines = shell("pending").splitlines()
    assert lines == [
        " 50%  Complete at /order/item[2]: missing ins(item/quantity)",
        " 50%  Changed at /order/item[1]/price/text()#5: missing upd(item/price/text())",
        " 50%  Complete at /order/item: missing ins(item/quantity)",
    ]
    assert shell("pending", "--limit", "1").splitlines()[-1] == "and 2 more"
    assert "has      ins(item/price)" in shell("pending", "--full", "--doc", "b")
    assert len(shell("pending", "--event", "Changed").splitlines()) == 1
    assert len(shell("pending", "--at", "2").splitlines()) == 2
    (group,) = [json.loads(line) for line in shell("pending", "--doc", "b", "--format", "json").splitlines()]
    assert (group["doc"], group["node"], group["fraction"]) == ("b", "/order/item", 0.5)
    assert group["missing"] == ["ins(item/quantity)"]


def test_why(shell: Shell) -> None:
    by_number = shell("why", "1")
    assert by_number.startswith(
        "Complete was raised at /order/item[1] at 5: ins(/order/item[1]/quantity) at 5"
    )
    assert "ins(/order/item[1]/price) at 1" in by_number and "ann  transaction 1" in by_number
    assert shell("why", "5:Complete:1,2") == by_number
    assert shell("why", "5:Complete:2") == by_number
    assert json.loads(shell("why", "1", "--format", "json"))["groups"][0]["ids"] == [1, 2]


def test_why_of_what_is_due_until_a_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = folder / "due.xcep"
    rules.write_text('event Unfilled {within="3 days"} = ins(item/price) ; not ins(item/quantity)')
    command = ["why", str(folder / "b.jsonl"), "--rules", str(rules)]
    assert run([*command, "1"]) == 2
    for finding in "1", "2:Unfilled:1,2":
        assert run([*command, finding, "--until", "2999-01-01"]) == 0
        assert "Unfilled was raised at /order/item at 2" in capsys.readouterr().out


def test_the_document_that_came_nearest(tmp_path: Path) -> None:
    rules = parse_rules("event Complete = ins(order/price) & ins(order/quantity)")
    for name, parts in {"nothing": (), "raised": ("price", "quantity"), "almost": ("price",)}.items():
        doc = fromstring("<order/>", name=name)
        with record(doc, tmp_path / f"{name}.jsonl"):
            for part in ("comment", *parts):
                doc.root.append(doc.root.makeelement(part))
        assert why_not(tmp_path, rules, "Complete").doc == name


def test_what_happened_in_another_document(tmp_path: Path) -> None:
    header = '{"xmlcep": 1, "doc": "%s", "ts": 0, "snapshot": "<o/>", "ids": [1]}'
    record = '{"doc": "%s", "ts": 1, "op": "ins", "path": "/o/%s", "ids": [1, 2]}'
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([header % "x", record % ("x", "a"), header % "y", record % ("y", "b"), ""]))
    answer = why_not(log, parse_rules("event C = ins(o/a) & ins(o/b)"), "C")
    assert answer.notes[0] == (
        "ins(o/b) has occurred in another document, 'y': events are combined within a document only; "
        "{across} combines several (V11)."
    )


def test_why_not(shell: Shell) -> None:
    text = shell("why-not", "Complete")
    assert text.startswith(
        "Complete was not raised at /order/item[2]: elsewhere: ins(/order/item[1]/quantity) at 5"
    )
    assert "This is about the document 'a'; there is 1 other" in text
    assert shell("why-not", "Complete", "--doc", "b").startswith(
        "Complete was not raised at /order/item: never-occurred: no ins(item/quantity) has occurred"
    )
    assert shell("why-not", "Complete", "--doc", "a", "--node", "item[1]").startswith(
        "Complete was raised at /order/item[1]"
    )
    assert shell("why-not", "Complete", "--doc", "a", "--node", "2", "--at", "4").startswith(
        "Complete was not raised at /order/item[1]: never-occurred"
    )
    between = shell("why-not", "Complete", "--doc", "a", "--node", "item[1]", "--between", "6", "6")
    assert between.startswith("Complete was not raised at /order/item[1]")
    record = json.loads(shell("why-not", "Changed", "--format", "json"))
    assert record["cause"]["reason"] == "never-occurred" and record["doc"] == "a"


def test_a_time_stands_for_the_last_record_up_to_it(folder: Path) -> None:
    """As for `rebuild`: between two records, at one, before the first, behind the last."""
    records = [json.loads(line) for line in (folder / "a.jsonl").read_text().splitlines()]
    for number, written in enumerate(written for written in records if "ts" in written and "op" in written):
        written["at"] = f"2026-01-31T12:00:{10 * number:02}Z"
    timed = folder / "timed.jsonl"
    timed.write_text("".join(json.dumps(written) + "\n" for written in records))
    points = [written["ts"] for written in records if "op" in written]
    rules = load_rules(folder / "rules.xcep")
    for second, point in ((0, points[0]), (10, points[1]), (15, points[1]), (40, points[4])):
        time = f"2026-01-31T12:00:{second:02}Z"
        assert str(pending(timed, rules, at=time)) == str(pending(timed, rules, at=point))
        asked = [why_not(timed, rules, "Complete", at=moment).text() for moment in (time, point)]
        assert asked[0] == asked[1]
    assert list(pending(timed, rules, at="2026-01-31T11:00:00Z")) == []
    beyond = pending(timed, rules, at="2027-01-01")
    assert list(beyond) == list(pending(timed, rules, at=points[-1]))
    assert beyond.notes == ("The log ends before 2027-01-01: this is its end.",)
    first, last = (points[1], "2026-01-31T12:00:10Z"), (points[3], "2026-01-31T12:00:30Z")
    between = {
        why_not(timed, rules, "Complete", node="item[1]", between=(since, until)).text()
        for since in first
        for until in last
    }
    assert len(between) == 1


def test_a_time_is_asked_of_records_that_have_none(folder: Path) -> None:
    records = [json.loads(line) for line in (folder / "a.jsonl").read_text().splitlines()]
    bare = folder / "bare.jsonl"
    bare.write_text(
        "".join(json.dumps({k: v for k, v in each.items() if k != "at"}) + "\n" for each in records)
    )
    with pytest.raises(LogError, match="the record has no time \\(at\\): say a time point, such as --at 1"):
        pending(bare, load_rules(folder / "rules.xcep"), at="2026-01-31T12:00:00Z")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["why-not", "Complet"], "did you mean Complete?"),
        (["why-not", "Complete", "--node", "item["], "expected a node id or an XPath"),
        (["why-not", "Complete", "--node", "'x'"], "this selects no nodes"),
        (["why-not", "Complete", "--node", "zebra"], "no document has the node 'zebra'"),
        (["why-not", "Complete", "--doc", "zebra"], "nothing is recorded of the document 'zebra'"),
        (["why-not", "Complete", "--at", "1", "--between", "1", "2"], "give one of them"),
        (["why-not", "Complete", "--between", "2", "1"], "2 comes after 1: the earlier one comes first"),
        (
            ["why-not", "Complete", "--between", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00"],
            "2026-01-31T12:00:00Z comes after 2026-01-31T12:00:00+01:00",
        ),
        (["why-not", "Complete", "--at", "yesterday"], "'yesterday' is not a time: expected a day or a time"),
        (["why-not", "Complete", "--between", "1", "noon"], "'noon' is not a time: expected a day or a time"),
        (["pending", "--at", "2026-02-31"], "'2026-02-31' is not a time: expected a day or a time"),
        (["why", "100"], "there is no finding 100: there are 1"),
        (["why", "5:Complete:9"], "there is no finding 5:Complete:9"),
        (["why", "what"], "names no finding"),
        (["pending", "--event", "Chnged"], "did you mean Changed?"),
    ],
)
def test_questions_that_cannot_be_answered(shell: Shell, arguments: list[str], words: str) -> None:
    assert words in shell(*arguments, status=2)


def test_a_question_needs_an_event(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, word in (("why", "finding"), ("why-not", "event")):
        assert run([command, str(folder / "a.jsonl"), "--rules", str(folder / "rules.xcep")]) == 2
        assert f"say which {word}" in capsys.readouterr().err


def test_bad_records_are_counted(folder: Path) -> None:
    with (folder / "a.jsonl").open("a") as log:
        log.write('{"doc": "a", "ts": "x"}\n')
    rules = load_rules(folder / "rules.xcep")
    answer = why_not(folder / "a.jsonl", rules, "Complete", node=3)
    assert answer.cause is not None and answer.cause.reason is Reason.ELSEWHERE
    assert answer.notes[-1] == "1 bad record was left out."
    assert pending(folder / "a.jsonl", rules).total == 2
    with pytest.raises(QuestionError):
        why(folder / "a.jsonl", rules, 7)


def test_records_in_any_order(folder: Path) -> None:
    rules = load_rules(folder / "rules.xcep")
    expected = str(why_not(folder / "a.jsonl", rules, "Complete"))
    header, *lines = (folder / "a.jsonl").read_text().splitlines()
    (folder / "a.jsonl").write_text("\n".join([header, *reversed(lines)]) + "\n")
    assert str(why_not(folder / "a.jsonl", rules, "Complete")) == expected


def test_hostile_names_do_not_reach_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    doc = fromstring("<order><item/></order>", name="a\u202eb")
    with record(doc, folder / "c.jsonl"), doc.transaction(user="\x1b[31mred"):
        doc.root[0].append(doc.root.makeelement("price"))
    run(["pending", str(folder / "c.jsonl"), "--rules", str(folder / "rules.xcep"), "--full"])
    printed = capsys.readouterr().out
    assert "red" in printed and "\x1b" not in printed and "\u202e" not in printed


def test_bad_records_are_told_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What could not be read is no reason to say that nothing is there."""
    log, rules = folder / "a.jsonl", ["--rules", str(folder / "rules.xcep")]
    with log.open("a") as file:
        file.write('rubbish\n{"doc": "a"}\n')
    for command in (["pending"], ["pending", "--full"], ["why-not"], ["why"]):
        finding = {"why": ["1"], "why-not": ["Changed"]}.get(command[0], [])
        assert run([*command, str(log), *finding, *rules]) == 3
        assert capsys.readouterr().out.endswith("\n2 bad records were left out.\n")
    assert run(["pending", str(log), "--format", "json", *rules]) == 3
    assert capsys.readouterr().err.startswith("2 bad records were left out.\n")
    assert run(["why", str(log), "77", *rules]) == 2
    assert capsys.readouterr().err.endswith(": there are 1; 2 bad records were left out\n")
    log.write_text('{"a": 1}\n')
    for call in (
        lambda: pending(log, RULE),
        lambda: why_not(log, RULE, "Changed"),
        lambda: why(log, RULE, 1),
    ):
        with pytest.raises(QuestionError, match="no record of the log can be read, 1 are bad"):
            call()


RULE = parse_rules(RULES)


def test_what_the_end_of_a_log_raises_is_said_to_come_of_it(tmp_path: Path) -> None:
    """It counts as the end of a transaction (D3); what is raised before needs no such note."""
    log = tmp_path / "log.jsonl"
    records = [
        {"ts": 1, "op": "ins", "path": "/order", "ids": [1], "pos": 0},
        {"ts": 2, "op": "ins", "path": "/order/item", "ids": [1, 2], "pos": 0},
    ]
    log.write_text("".join(json.dumps({"doc": "d", **record}) + "\n" for record in records))
    waiting = parse_rules("event A {end=custom} = ins(order/item) ; not ins(order/item/price)")
    answer = why_not(log, waiting, "A")
    assert "A was raised" in answer.answer
    assert any("raised at the end of the log" in note for note in answer.notes)
    assert "not-released" in str(pending(log, waiting))
    assert why_not(log, parse_rules("event A = ins(order/item)"), "A").notes == ()


@pytest.mark.parametrize("node", ["//d:item", "//p:item", "item", "/p:order/d:item[1]"])
def test_a_node_is_named_as_for_blame(node: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The document's own prefixes and d for its default namespace; without a prefix names are those of the rules."""
    doc = fromstring('<order xmlns="urn:a" xmlns:p="urn:a"/>', name="order")
    with record(doc, tmp_path / "log.jsonl"):
        doc.root.append(doc.root.makeelement("{urn:a}item"))
    doc.close()
    (tmp_path / "a.xcep").write_text('namespace "urn:a"\nevent A = ins(item) & ins(item/price)\n')
    log, rules = str(tmp_path / "log.jsonl"), str(tmp_path / "a.xcep")
    assert run(["why-not", log, "--rules", rules, "A", "--node", node]) == 0, capsys.readouterr().err
    assert "item" in capsys.readouterr().out
