"""Every finding of an audit can be asked why: by its number, and by time point, event and node."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep.auditing.explanations import QuestionError, why

RULES = """
event Both     = ins(item/price) & ins(item/quantity)
event Sane     (item) {when="price and quantity"} = ins(item/price) & ins(item/quantity)
event Guarded  (item) {if="count(price) = 1"}     = ins(item/price) & ins(item/quantity)
event Any      (/order) = ?(item) & del(item)
event Bare     {end=custom} = ins(item) ; not ins(item/price)
event Changes  {end=non-local} = x[1,*] *(item/price/text())
event Filtered = ins(item/price/text())[../../quantity]
event Settled  = plus[ins(item/price), "5 min"]
event Unpriced {within="10 min"} = ins(item) ; not ins(item/price)
event Reminder = periodic[ins(item), "7 min", del(item)]
"""


def edit(document: xmlcep.Document, choose: random.Random) -> None:
    """One edit: most of them come and go with more than one node, so that they are several records."""
    root = document.root
    item = etree.fromstring("<item><price>1</price><quantity>2</quantity></item>")
    for part in choose.sample(list(item), choose.randint(0, 2)):
        item.remove(part)
    here = choose.choice(root) if len(root) else None
    match "insert" if here is None else choose.choice(["insert", "insert", "part", "text", "remove", "move"]):
        case "insert":
            root.append(item)
        case "part":
            part = etree.SubElement(here, choose.choice(["price", "quantity"]))
            part.text = "3"
        case "text" if len(here):
            here[0].text = str(choose.randint(0, 9))
        case "remove":
            root.remove(here)
        case "move":
            root.insert(0, here)


def recorded(log: Path, seed: int) -> None:
    """A log of random edits, some of them in transactions, while time goes on."""
    choose = random.Random(seed)
    clock = iter(range(1_767_225_600, 1_800_000_000))
    document = xmlcep.fromstring("<order/>", name="d", now=lambda: next(clock) + 60.0 * choose.randint(0, 1))
    with xmlcep.record(document, log):
        for _ in range(15):
            for _ in range(choose.randint(0, 200)):
                next(clock)
            if choose.random() < 0.4:
                with document.transaction(user="ann"):
                    edit(document, choose)
                    edit(document, choose)
            else:
                edit(document, choose)


@pytest.mark.parametrize("seed", range(2))
def test_every_finding_can_be_explained(tmp_path: Path, seed: int) -> None:
    log = tmp_path / "log.jsonl"
    recorded(log, seed)
    rules = xmlcep.parse_rules(RULES)
    findings = list(xmlcep.audit(log, rules, engine="local").records())
    assert len({finding["name"] for finding in findings}) > 6
    earlier: Counter[str] = Counter()
    for number, finding in enumerate(findings, 1):
        answer = why(log, rules, number)
        named = f"{finding['ts']}:{finding['name']}:{','.join(map(str, finding['ids']))}"
        earlier[named] += 1
        assert answer.text().startswith(f"{finding['name']} was raised at ")
        assert why(log, rules, f"{named}:{earlier[named]}").to_record() == answer.to_record()
    with pytest.raises(QuestionError, match=f"there is no finding {len(findings) + 1}: there are"):
        why(log, rules, len(findings) + 1)
