"""Values taken out of logs: all of them, nothing else; seal, tree and proofs stay; what reads them is not judged."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.proofs.logs import written
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing import audit
from xmlcep.auditing.proving import Bundle, Checker, prove
from xmlcep.cli import main
from xmlcep.documents import Replica
from xmlcep.log.erasable import ERASED, entry_of
from xmlcep.log.errors import BrokenChainError, LogError, LogLockedError
from xmlcep.log.seal import verify
from xmlcep.log.segments import segments
from xmlcep.log.tree import verify_tree
from xmlcep.proofs.errors import ProofError
from xmlcep.proofs.log_tree import last_checkpoint, tree_folder
from xmlcep.recording import erase
from xmlcep.recording.erasing import erased_records
from xmlcep.recording.recovery import recover

KNOWN = tuple(name for name in EVERYTHING if name not in UNKNOWN_TO_THE_ENGINE)
SECRET = "Ann <& \"Lee\" 'x' ]]>"
RULES = """
event Named = upd(customer/@name)
event Ann = upd(customer/@name)[starts-with(., 'Ann')]
event Rich {if="string-length(/order/customer/@name) > 3"} = ins(order/item)
event Both = Ann(order/customer/@name) ; ins(order/item)
"""


def recorded(log: Path, **options: Any) -> xmlcep.Document:
    """A name that is in a snapshot, is changed, and is in the snapshots of further files."""
    root = etree.fromstring("<order><customer/><note>n</note></order>")
    root[0].set("name", SECRET)
    root[0].text = SECRET
    document = xmlcep.wrap(etree.ElementTree(root), name="order")
    customer = document.root[0]
    with xmlcep.record(document, log, erasable=True, **options):
        for number in range(4):
            customer.set("name", f"{SECRET}{number}")
            etree.SubElement(document.root, "item").text = str(number)
        del customer.attrib["name"]
        customer.text = None
    return document


def lines(log: Path) -> list[bytes]:
    return [line for file in segments(log) for line in file.read_bytes().splitlines()]


def node_of(log: Path, path: str) -> int:
    return next(
        int(record["ids"][-1]) for record in map(json.loads, lines(log)) if record.get("path") == path
    )


@pytest.mark.parametrize(
    "options", [{}, {"max_bytes": 1500}, {"tree": True}, {"tree": True, "max_bytes": 1500}], ids=str
)
def test_no_file_has_the_value_and_nothing_is_broken(tmp_path: Path, options: dict[str, Any]) -> None:
    log = tmp_path / "order.jsonl"
    document = recorded(log, state_every=100, **options)
    before, seal = lines(log), verify(log)
    (tmp_path / "order.jsonl.state").write_text(SECRET)
    name = node_of(log, "/order/customer/@name")
    made = erase(log, nodes=[name])
    after = lines(log)
    assert verify(log) == seal and seal.erasable
    assert list(map(entry_of, before)) == list(map(entry_of, after))
    assert sum(erased_records(log).values()) == made.values >= 10
    assert tuple(erased_records(log)) == made.records
    for number, line in enumerate(before, 1):
        assert (line == after[number - 1]) == (number not in made.records)
    assert "Ann" in "".join(map(bytes.decode, after))  # the text of the customer is another node
    text = node_of(log, "/order/customer/text()")
    assert made.elsewhere == (text,)
    assert erase(log, nodes=[text]).elsewhere == ()
    assert all(b"Ann" not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    if "tree" in options:
        covered = verify_tree(log)
        assert covered.checkpoint.size == covered.entries == len(before)
    assert xmlcep.rebuild(log, at=1)[0].attrib == {"name": ERASED}
    assert [item.text for item in xmlcep.rebuild(log).iter("item")] == list("0123")
    with xmlcep.record(document, log, **options):  # it goes on, and what is new can be erased, too
        document.root.set("more", SECRET)
    assert erase(log, records=[len(before) + 1]).values >= 1
    recover(log).close()
    assert verify(log).length == len(lines(log)) > len(before)


def test_a_node_stands_for_all_below_it(tmp_path: Path) -> None:
    log = tmp_path / "order.jsonl"
    recorded(log)
    assert erase(log, nodes=[1]).values > 10
    assert set(re.findall(r'"(?:value|old)":"(.*?)"', log.read_text())) == {ERASED}
    rebuilt = xmlcep.rebuild(log, at=1)
    assert {*rebuilt.itertext(), *(value for each in rebuilt.iter() for value in each.attrib.values())} == {
        ERASED
    }


TEXTS = st.text(st.sampled_from("a<&\"'>]\n\t é\u2028"), min_size=1, max_size=6)


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> etree._Element:
    """With comments, instructions, namespaces and CDATA sections."""
    name = draw(st.sampled_from(("a", "{urn:p}b", "{urn:&'}c")))
    element = etree.Element(name, nsmap=draw(st.sampled_from(({}, {None: "urn:p"}, {"q": "urn:q'x='y'"}))))
    for attribute in draw(st.lists(st.sampled_from(("x", "{urn:p}y", "xmlns-z")), unique=True, max_size=2)):
        element.set(attribute, draw(TEXTS | st.just("")))
    element.text = draw(st.none() | TEXTS | st.builds(etree.CDATA, st.sampled_from(("<b>&amp;", "x", "--"))))
    for kind in draw(st.lists(st.sampled_from("ecp"), max_size=3)) if depth else ():
        if kind == "e":
            child = draw(elements(depth=depth - 1))
        elif kind == "c":
            child = etree.Comment(draw(st.sampled_from((" <a x='1'> ", "]]>", " - "))))
        else:
            child = etree.ProcessingInstruction("pi", draw(st.sampled_from(("<a>", "x='1'"))))
        child.tail = draw(st.none() | TEXTS)
        element.append(child)
    return element


@given(elements(), st.data())
@settings(max_examples=100, deadline=None)
def test_of_any_snapshot_that_node_and_no_other(element: etree._Element, data: st.DataObject) -> None:
    document = xmlcep.wrap(etree.ElementTree(element), name="d")
    xml, ids = document.snapshot()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "d.jsonl"
        xmlcep.record(document, log, erasable=True).close()
        values = _values(xml, ids)
        if not values:
            return
        chosen = data.draw(st.sampled_from(sorted(values)))
        seal = verify(log)
        assert erase(log, nodes=[chosen]).values == 1
        header = json.loads(log.read_bytes())
        assert _values(header["snapshot"], header["ids"]) == {**values, chosen: ERASED}
        assert verify(log) == seal


def _values(xml: str, ids: list[int]) -> dict[int, str]:
    """The texts and attributes of a document by node id, as a replica has them."""
    nodes = Replica.from_snapshot(xml, ids)._nodes
    attributes = {node: nodes.values[parent][name] for node, (parent, name) in nodes.attributes.items()}
    return {**nodes.texts, **attributes}


def test_what_is_refused(tmp_path: Path) -> None:
    log, plain = tmp_path / "order.jsonl", tmp_path / "plain.jsonl"
    document = recorded(log)
    with xmlcep.record(xmlcep.fromstring("<a x='1'/>", name="a"), plain, seal=True):
        pass
    for given_log, nodes, records, message in (
        (plain, [2], [], "the log is not erasable"),
        (tmp_path / "none.jsonl", [2], [], "there is no log"),
        (log, [999], [], "no value of node 999"),
        (log, [], [999], "no record 999"),
        (log, [], [1], "record 1 is not a change"),
    ):
        before = plain.read_bytes(), log.read_bytes()
        with pytest.raises(LogError, match=message):
            erase(given_log, nodes=nodes, records=records)
        assert before == (plain.read_bytes(), log.read_bytes())
    assert not (tmp_path / "none.jsonl").exists()
    with pytest.raises(LogError, match="not erasable: a log is from its first record"):
        xmlcep.record(xmlcep.fromstring("<a x='1'/>", name="a"), plain, erasable=True)
    with xmlcep.record(document, log), pytest.raises(LogLockedError):
        erase(log, nodes=[1])


def field(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        record[name] = value(record) if callable(value) else value

    return change


def as_sealed(record: dict[str, Any]) -> None:
    """Shows the digest as if it were the value."""
    record["value"], record["salts"] = record.pop("erased")[0], 1


def no_salts(record: dict[str, Any]) -> None:
    record["value"] = record.pop("erased")[0]
    del record["salts"]


FORGED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a value in place of an erased one": (field("value", "Bob"), "a value that was erased is 'Bob'"),
    "another digest": (field("erased", ["A" * 43 + "="]), "was altered"),
    "no digest": (field("erased", []), "not as many salts"),
    "no number": (field("erased", [7]), "is not what a recording writes"),
    "another salt": (field("salts", ["A" * 22]), "not as many salts"),
    "a salt and the marker": (lambda record: record.update(salts=["A" * 22], erased=[]), "was altered"),
    "null": (field("value", None), "not as many salts"),
    "the digest shown": (as_sealed, "is not what a recording writes"),
    "the digest shown, without salts": (no_salts, "was altered"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_an_erased_value_is_not_another(tmp_path: Path, name: str) -> None:
    log = tmp_path / "order.jsonl"
    recorded(log, tree=True)
    text = node_of(log, "/order/item/text()")
    erase(log, nodes=[text])
    attack, message = FORGED[name]
    changed = lines(log)
    index = next(at for at, line in enumerate(changed) if b'"erased":' in line)
    record = json.loads(changed[index])
    attack(record)
    changed[index] = json.dumps(record, separators=(",", ":")).encode()
    log.write_bytes(b"\n".join([*changed, b""]))
    with pytest.raises(BrokenChainError, match=message):
        verify(log)
    with pytest.raises(ProofError, match="was changed"):
        verify_tree(log)
    with contextlib.suppress(LogError):
        erase(log, nodes=[1])


def without_values(finding: Any) -> Any:
    """A finding record without the values of its changes, and without its message, which may show them."""
    if isinstance(finding, dict):
        gone = ("value", "old", "message")
        return {name: without_values(each) for name, each in finding.items() if name not in gone}
    return [without_values(each) for each in finding] if isinstance(finding, list) else finding


def test_an_audit_leaves_out_what_it_cannot_judge(tmp_path: Path) -> None:
    log, rules = tmp_path / "order.jsonl", xmlcep.parse_rules(RULES)
    recorded(log)
    before = audit(log, rules, engine="local")
    assert dict(before.summary.per_rule) == {"Named": 4, "Ann": 4, "Rich": 4, "Both": 4}
    erase(log, nodes=[node_of(log, "/order/customer/@name")])
    after = audit(log, rules, engine="local")
    assert {name: count for name, count in after.summary.per_rule.items() if count} == {"Named": 4}
    assert after.summary.findings == 4 == len(list(after.records()))
    assert after.summary.unjudged == ["Ann", "Both", "Rich"]
    assert (
        "event Ann cannot be judged in document 'order': it reads values that were erased. Its findings from there"
        f" on are left out: /order/customer/@name in {log}:2 and 3 more"
    ) in after.notes
    assert list(map(without_values, after.records())) == [
        without_values(each) for each in before.records() if each["name"] == "Named"
    ]
    with pytest.raises(xmlcep.errors.XmlCepError, match="audit the whole log without it"):
        audit(log, rules, since=tmp_path / "state", out=tmp_path / "findings.jsonl")
    assert not audit(log, xmlcep.parse_rules("event Item = ins(order/item)"), engine="local").summary.unjudged


@given(full_rule_sets(constructs=KNOWN), timed_histories(), st.data())
@settings(max_examples=40, deadline=None)
def test_no_finding_is_false_and_none_is_lost(definitions: Any, history: Any, data: st.DataObject) -> None:
    """Of any rules: events that are judged are found as they were before the value was erased; of the others what was
    found before the first record that lacks it."""
    rules = rules_of(definitions)
    with tempfile.TemporaryDirectory() as folder:
        log = written(folder, history, erasable=True)
        options: dict[str, Any] = {"engine": "local", "until": "2026-01-01T00:10:00Z"}
        before = [without_values(each) for each in audit(log, rules, **options).records()]
        nodes = sorted({r["ids"][-1] for r in map(json.loads, lines(log)) if r.get("salts")} - {None})
        if not nodes:
            return
        made = erase(log, nodes=[data.draw(st.sampled_from(nodes))])
        verify_tree(log)
        first = json.loads(lines(log)[made.records[0] - 1])["ts"]
        result = audit(log, rules, **options)
        after = [without_values(each) for each in result.records()]
        unjudged = result.summary.unjudged
    expected = [each for each in before if each["name"] not in unjudged or each["ts"] < first]
    left = [each for each in after if each["name"] not in unjudged or each["ts"] < first]
    assert left == expected, show_rules(definitions)
    assert all(each in before for each in after), show_rules(definitions)
    assert len(after) == result.summary.findings


def test_bundles_before_and_after(tmp_path: Path) -> None:
    """One from before proves what it did; of what cannot be judged there is none that the rules raise."""
    log, rules = tmp_path / "order.jsonl", xmlcep.parse_rules(RULES)
    recorded(log, tree=True)
    result = audit(log, rules, engine="local")
    prove(result.records(), log, rules, tmp_path / "before")
    old = [Bundle.parse(line) for line in (tmp_path / "before").read_bytes().splitlines()]
    kept = last_checkpoint(tree_folder(log))
    assert kept is not None
    erase(log, nodes=[node_of(log, "/order/customer/@name")])
    after = audit(log, rules, engine="local")
    assert prove(after.records(), log, rules, tmp_path / "after") == (4, 0, {})
    checker = Checker([], [kept], rules)
    for line in (tmp_path / "after").read_bytes().splitlines():
        checker.check(Bundle.parse(line))
    checker = Checker([], [kept], rules)
    for bundle in old:
        checker.check(bundle)
    ann = next(bundle for bundle in old if bundle.finding["name"] == "Ann").to_record()
    ann["entries"][0]["lines"] = [
        line.decode() for line in lines(log) if json.loads(line)["n"] == ann["entries"][0]["n"]
    ]
    for cited in ann["finding"]["constituents"]:
        cited["value"] = cited["old"] = ERASED
    with pytest.raises(ProofError, match=r"a value of entry \d was erased, and event Ann reads it"):
        Checker([], [kept], rules).check(Bundle.parse(json.dumps(ann).encode()))


def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.xcep").write_text(RULES)
    Path("1.xml").write_text("<order><customer id='7' name='Ann'/></order>")
    Path("2.xml").write_text("<order><customer id='7' name='Anna'/></order>")
    assert (
        main.run(["history", "1.xml", "2.xml", "-o", "order.jsonl", "--erasable", "--key", "customer=@id"])
        == 0
    )
    assert main.run(["erase", "order.jsonl", "--xpath", "//customer"]) == 0
    assert "order.jsonl: 4 values erased, in records 1, " in capsys.readouterr().out
    assert main.run(["verify", "order.jsonl"]) == 0
    assert "erased: 4 values, in records 1, " in capsys.readouterr().out
    assert main.run(["verify", "order.jsonl", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["erased"]["values"] == 4
    assert main.run(["log", "order.jsonl"]) == 0
    assert ERASED in capsys.readouterr().out
    for command, status in (
        (["audit", "order.jsonl"], 3), (["pending", "order.jsonl"], 3), (["why", "order.jsonl", "1"], 3),
        (["why-not", "order.jsonl", "Ann"], 3),
    ):  # fmt: skip
        assert main.run([*command[:2], "--rules", "rules.xcep", *command[2:]]) == status, command
        captured = capsys.readouterr()
        assert "event Ann cannot be judged in document" in captured.err, command
        assert "Anna" not in captured.out
    for wrong, message in (
        (["erase", "order.jsonl"], "say what to erase"),
        (["erase", "order.jsonl", "--node", "3"], "no value of node"),
        (["erase", "none.jsonl", "--node", "3"], "there is no log"),
    ):
        assert main.run(wrong) == 2
        assert message in capsys.readouterr().err
