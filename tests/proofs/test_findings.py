"""Findings that prove themselves: made, checked without the log, attacked; for random rules and histories."""

from __future__ import annotations

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
from xmlcep.auditing.proving import Bundle, Checker, check_lines, prove
from xmlcep.auditing.proving.bundle import line_of
from xmlcep.cli import main
from xmlcep.proofs import public_key
from xmlcep.proofs.errors import ProofError
from xmlcep.proofs.keys import write_keys
from xmlcep.proofs.log_tree import last_checkpoint, tree_folder
from xmlcep.proofs.notes import Note, PrivateKey
from xmlcep.rules import Rules

pytest.importorskip("cryptography")

KNOWN = tuple(name for name in EVERYTHING if name not in UNKNOWN_TO_THE_ENGINE)
RULES = """
event Both = ins(item/price) & ins(item/quantity)
event Unpriced = ins(item) ; not ins(item/price) ; ins(item/quantity)
event Late = (ins(item) ; not ins(item/price)) {within="1 hour"}
event Asked = (ins(item/quantity) ; ins(item/comment)) {if="price"}
"""


class Case:
    """A log with findings that prove themselves."""

    def __init__(self, folder: Path) -> None:
        self.rules = xmlcep.parse_rules(RULES)
        self.log, self.proofs = folder / "order.jsonl", folder / "proofs.jsonl"
        self.key = write_keys(PrivateKey.new("orders"), folder / "key")
        (folder / "rules.xcep").write_text(RULES)
        document = xmlcep.fromstring("<order/>", name="order", now=lambda: 1_700_000_000)
        with xmlcep.record(document, self.log, tree=folder / "key"):
            for number in range(4):
                item = etree.SubElement(document.root, "item")
                for name in ("price", "quantity", "comment")[number % 2 :]:
                    etree.SubElement(item, name).text = str(number)
        self.result = audit(self.log, self.rules, until="2026-01-01")
        self.made = prove(self.result.records(), self.log, self.rules, self.proofs, until="2026-01-01")
        self.lines = self.proofs.read_bytes().splitlines(keepends=True)

    def of(self, event: str) -> dict[str, Any]:
        """A bundle of this event, as it is written."""
        found: list[dict[str, Any]] = [json.loads(line) for line in self.lines]
        return next(each for each in found if each["finding"]["name"] == event)

    def check(self, bundle: dict[str, Any], rules: Rules | None = None) -> None:
        Checker([public_key(self.key)], rules=rules).check(Bundle.parse(json.dumps(bundle).encode()))


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("proofs"))


def test_every_finding_is_proved(case: Case) -> None:
    """With the log's key and nothing else; under the rules, too."""
    assert case.made == (case.result.summary.findings, 0, {})
    assert set(case.result.summary.per_rule) == {"Both", "Unpriced", "Late", "Asked"}
    for rules in (None, case.rules):
        assert list(check_lines(case.lines, Checker([public_key(case.key)], rules=rules))) == [None] * len(
            case.lines
        )
    assert [len(case.of(name)["entries"]) for name in ("Both", "Unpriced", "Late", "Asked")] == [2, 1, 1, 1]
    for line in case.lines:
        assert line_of(Bundle.parse(line)) == line


def test_the_finding_is_what_the_audit_found(case: Case) -> None:
    """Beside the number of its entry in each change."""
    for record, line in zip(case.result.records(), case.lines, strict=True):
        finding = json.loads(line)["finding"]
        for cited in (finding, *finding["constituents"]):
            if (n := cited.pop("n", None)) is None:
                assert finding["name"] == "Late" and cited is finding  # time has raised it
                continue
            assert json.loads(case.log.read_bytes().splitlines()[n - 1])["ts"] == cited["ts"]
        assert finding == record


def changed(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Sets one value in a bundle, by its path."""

    def change(bundle: dict[str, Any]) -> None:
        *names, last = (int(name) if name.isdecimal() else name for name in path.split("."))
        for name in names:
            bundle = bundle[name]  # type: ignore[index]
        bundle[last] = value(bundle[last]) if callable(value) else value  # type: ignore[index]

    return change


def without_the_middle(bundle: dict[str, Any]) -> None:
    del bundle["entries"][0]["lines"][1]


def under_another_entry(bundle: dict[str, Any]) -> None:
    bundle["finding"]["constituents"][0]["n"] = bundle["finding"]["constituents"][1]["n"]


def of_another_document(bundle: dict[str, Any]) -> None:
    bundle["finding"]["doc"] = "other"


ATTACKS: dict[str, tuple[str, Callable[[dict[str, Any]], None], str]] = {
    "entry": ("Both", changed("entries.0.lines.0", lambda line: line.replace('"pos":0', '"pos":1')), "not in the tree"),
    "value": ("Both", changed("finding.constituents.0.path", "/order/item/other"), "the finding was altered"),
    "user": ("Both", changed("finding.meta", {"user": "ann"}), "the finding was altered"),
    "time": ("Both", changed("finding.at", "2020-01-01T00:00:00Z"), "the finding was altered"),
    "document": ("Both", of_another_document, "is of the document 'other'"),
    "number": ("Both", under_another_entry, "the finding was altered"),
    "no number": ("Both", changed("finding.constituents.0.n", None), "cites entry None"),
    "left out": ("Unpriced", without_the_middle, "not in the tree|too long"),
    "moved": ("Unpriced", changed("entries.0.n", 3), "not in the tree|too long|too short"),
    "root": ("Both", changed("checkpoint", lambda note: re.sub(r"\n\d+\n", "\n17\n", note, count=1)), "it was altered"),
    "path": ("Both", changed("entries.0.path", lambda path: "A" * (len(path) - 4) + path[-4:]), "not in the tree"),
    "path cut": ("Both", changed("entries.0.path", ""), "too short"),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks(case: Case, name: str) -> None:
    """Without the rules already."""
    event, attack, message = ATTACKS[name]
    bundle = case.of(event)
    attack(bundle)
    with pytest.raises(ProofError, match=message):
        case.check(bundle)


FORGED: dict[str, tuple[str, Callable[[dict[str, Any]], None], str]] = {
    "another event": ("Both", changed("finding.name", "Unpriced"), "depends on what did not happen"),
    "no event": ("Both", changed("finding.name", "Other"), "which these rules do not have"),
    "another node": ("Both", changed("finding.ids", [1, 9]), "do not raise the finding"),
    "another interval": ("Unpriced", changed("finding.start", 1), "do not raise the finding"),
    "other rules": ("Both", changed("rules", "0" * 64), "under other rules"),
    "other references": ("Both", changed("references", {"prices": ""}), "another version of the reference document"),
    "another time": ("Late", changed("until", "2023-11-14T00:00:00Z"), "do not raise the finding"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_what_the_rules_do_not_raise(case: Case, name: str) -> None:
    """The entries are in the log, but say something else."""
    event, attack, message = FORGED[name]
    bundle = case.of(event)
    if "." not in name and name == "other references":
        bundle["references"] = {}
    attack(bundle)
    with pytest.raises(ProofError, match=message):
        case.check(bundle, case.rules)


def test_absence_is_not_proved_by_what_was_left_out(case: Case) -> None:
    """Two true entries, without those between them, in which the price is."""
    both, unpriced = case.of("Both"), case.of("Unpriced")
    first = case.lines and json.loads(case.log.read_bytes().splitlines()[1])
    assert first["op"] == "ins"
    unpriced["entries"] = both["entries"]
    unpriced["finding"] = {**both["finding"], "name": "Unpriced"}
    with pytest.raises(ProofError, match="it is not proved that there were no others"):
        case.check(unpriced, case.rules)


def test_other_keys_logs_and_checkpoints(case: Case, tmp_path: Path) -> None:
    bundle = Bundle.parse(case.lines[0])
    other = Case(tmp_path)
    with pytest.raises(ProofError, match="the wrong key: not signed by orders"):
        Checker([public_key(other.key)]).check(bundle)
    checker = Checker([public_key(case.key)])
    checker.check(bundle)
    with pytest.raises(ProofError, match="replayed: the same finding was given before"):
        checker.check(bundle)
    kept = last_checkpoint(tree_folder(case.log))
    assert kept is not None
    Checker([], [kept]).check(bundle)
    origin, size, root, _ = kept.text.split("\n")
    for text, message in (
        (f"{origin}\n{size}\n{'A' * 43}=\n", "forked"),
        (f"{origin}\n{int(size) - 1}\n{root}\n", "none of this size was kept"),
        (f"other/1\n{size}\n{root}\n", "is of another log"),
    ):
        with pytest.raises(ProofError, match=message):
            Checker([], [Note(text)]).check(bundle)
    with pytest.raises(ProofError, match="forked"):  # two histories, each signed by the key
        signer = PrivateKey.new("orders")
        checker = Checker([signer.public])
        for text in (kept.text, f"{origin}\n{size}\n{'A' * 43}=\n"):
            checker.check(Bundle(bundle.finding, bundle.runs, signer.sign(Note(text)), bundle.rules, ""))


def test_a_witness_had_seen_it_before(case: Case) -> None:
    """Then a clock was set."""
    eye, bundle = PrivateKey.new("eye", witness=True), Bundle.parse(case.lines[0])
    for at, right in ((1_700_000_001, True), (1_699_000_000, False)):
        seen = Bundle(bundle.finding, bundle.runs, eye.sign(bundle.checkpoint, at), bundle.rules, "")
        if right:
            Checker([eye.public]).check(seen)
        else:
            with pytest.raises(ProofError, match="the clock of one of them was wrong"):
                Checker([eye.public]).check(seen)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"xmlcep_proof":1}', "[" * 100_000, '{"xmlcep_proof":2}', '{"xmlcep_proof":1,"xmlcep_proof":1}'],
    ids=str.__len__,
)  # fmt: skip
def test_what_is_no_bundle(text: str) -> None:
    with pytest.raises(ProofError, match="not a bundle of a finding"):
        Bundle.parse(text.encode())


@given(st.data())
@settings(max_examples=60)
def test_bundles_of_any_content(case: Case, data: st.DataObject) -> None:
    """Whatever is put in place of a part of it, it is proved, or a `ProofError`."""
    bundle = case.of(data.draw(st.sampled_from(("Both", "Late"))))
    value = st.sampled_from([None, 0, -1, 2**63, 2**70, 1e300, "", "x", [], {}, [[]], [{}], True])
    target: Any = bundle
    while True:
        keys = list(target) if isinstance(target, dict) else list(range(len(target)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(target[key], dict | list) and target[key] and data.draw(st.booleans()):
            target = target[key]
            continue
        target[key] = data.draw(value)
        break
    for rules in (None, case.rules):
        try:
            case.check(bundle, rules)
        except ProofError as error:
            assert str(error)


def test_the_commands(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, proofs = case.log.with_name("rules.xcep"), tmp_path / "proofs"
    asked = [
        "audit",
        str(case.log),
        "--rules",
        str(rules),
        "--until",
        "2026-01-01",
        "-o",
        str(tmp_path / "f.jsonl"),
    ]
    assert main.run([*asked, "--proofs", str(proofs)]) == 0
    assert proofs.read_bytes() == case.proofs.read_bytes()
    assert f"{len(case.lines)} findings with proofs in" in capsys.readouterr().err
    verify = ["verify", "--finding", str(proofs), "--key", str(case.key)]
    assert main.run(verify) == 0
    out = capsys.readouterr().out
    assert (
        f"{len(case.lines)} of {len(case.lines)} findings proved" in out
        and "was not checked (--rules)" in out
    )
    assert main.run([*verify, "--rules", str(rules)]) == 0
    assert "the rules raise each of them" in capsys.readouterr().out
    proofs.write_bytes(b"{}\n" + case.lines[0])
    assert main.run(verify) == 1
    captured = capsys.readouterr()
    assert "finding 1: not a bundle of a finding" in captured.err and "1 of 2 findings proved" in captured.out
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(case.log.read_bytes())
    for wrong, message in (
        (verify[:3], "needs --key"),
        ([*verify, str(plain)], "leave out"),
        (["verify", "--rules", str(rules), str(plain)], "is for --finding"),
        (["verify"], "say what to verify"),
        (["audit", str(plain), "--rules", str(rules), "--proofs", str(tmp_path / "none")], "has no tree"),
    ):
        assert main.run(wrong) == 2
        assert message in capsys.readouterr().err


def test_what_cannot_be_proved_is_counted(case: Case, tmp_path: Path) -> None:
    """Findings that depend on more entries than a bundle may have; those of logs without a tree."""
    made = prove(case.result.records(), case.log, case.rules, tmp_path / "few", until="2026-01-01", most=3)
    assert made.bundles == len(case.lines) and made.not_raised > 0
    few = (tmp_path / "few").read_bytes().splitlines()
    assert list(check_lines(few, Checker([public_key(case.key)]))) == [None] * len(few)
    errors = [each for each in check_lines(few, Checker([public_key(case.key)], rules=case.rules)) if each]
    assert len(errors) == made.not_raised
    other = tmp_path / "other.jsonl"
    document = xmlcep.fromstring("<order/>", name="other")
    with xmlcep.record(document, other):
        etree.SubElement(etree.SubElement(document.root, "item"), "price")
        etree.SubElement(document.root[0], "quantity")
    logs = [case.log, other]
    found = audit(logs, case.rules)
    made = prove(found.records(), logs, case.rules, tmp_path / "both")
    assert made.without == {"their log has no tree": 1}


@given(
    full_rule_sets(constructs=KNOWN),
    timed_histories(),
    st.booleans(),
)
@settings(max_examples=10)
def test_every_finding_of_any_rules_is_proved(definitions: Any, history: Any, operators: bool) -> None:
    """And so a replay of entries raises what an audit finds."""
    rules = rules_of(definitions)
    with tempfile.TemporaryDirectory() as folder:
        log = written(folder, history)
        result = audit(log, rules, engine="local", operators=operators, until="2026-01-01T00:10:00Z")
        made = prove(result.records(), log, rules, Path(folder) / "proofs", until="2026-01-01T00:10:00Z")
        kept = last_checkpoint(tree_folder(log))
        assert kept is not None
        errors = list(
            check_lines((Path(folder) / "proofs").read_bytes().splitlines(), Checker([], [kept], rules))
        )
    assert made == (result.summary.findings, 0, {}), show_rules(definitions)
    assert not any(errors)
