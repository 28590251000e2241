"""What is easily taken for something else: what happens with what is written, and that the hint does what is meant."""

from __future__ import annotations

import re

import pytest
from lxml import etree

import xmlcep
from xmlcep.checking.checks import check_rules
from xmlcep.checking.misread import misread
from xmlcep.rules import parse_rules

APPROVED = "event Raised = ins(o/a)\nevent Approved = Raised(o/a) ; ins(o/b)\n"
NOT_BEHIND = "begins too early then to come after it"
COUNTED = "counts from the first ins(o/b) on"
AGAIN = "raises all that is in the window again"

WARNED = [
    # rules, what is said, the line to write; a history, how often the first and the better one are raised in it
    ("event A {end=custom} = Raised(o/a) ; not Approved(o)", NOT_BEHIND, "Raised(o/a) ; not ins(o/b)", "ab!", (1, 0)),
    ("event A {end=custom} = ins(o/a) ; not Approved(o)", NOT_BEHIND, "ins(o/a) ; not ins(o/b)", "ab!", (1, 0)),
    ("event A {end=custom} = ins(o/a) ; not (ins(o/a) & ins(o/b))", NOT_BEHIND,
     "ins(o/a) ; not ins(o/b)", "ab!", (1, 0)),
    ("event A = Raised(o/a) ; not Approved(o) ; ins(o/c)", NOT_BEHIND,
     "Raised(o/a) ; not ins(o/b) ; ins(o/c)", "abc", (1, 0)),
    ("event A = ins(o/c) ; Raised(o/a) ; not Approved(o) ; ins(o/c)", NOT_BEHIND,
     "ins(o/c) ; Raised(o/a) ; not ins(o/b) ; ins(o/c)", "cabc", (1, 0)),
    ("event A = ins(o/a) ; x[1,*] ins(o/b) ; ins(o/c)", COUNTED,
     "ins(o/a) ; all[1,*] ins(o/b) ; ins(o/c)", "babbc", (0, 1)),
    ("event A = ins(o/a) ; x[2,*] ins(o/b)", COUNTED, "ins(o/a) ; ins(o/b) ; ins(o/b)", "babb", (0, 1)),
    ('event A(o) = x[3,*]{within="11 changes"} ins(o/a)', AGAIN,
     'x[3,3]{slide, within="11 changes"} ins(o/a)', "aaaaa", (3, 3)),
]  # fmt: skip
SILENT = [
    "event A {end=custom} = Raised(o/a) ; not Raised(o/a)",  # no other one
    "event A {end=custom} = Raised(o/a) ; not ins(o/a)",
    "event A {end=custom} = ins(o/a) ; not (ins(o/a) ; ins(o/a))",  # no two others
    "event A {end=custom} = ins(o/a) ; not x[2,*] ins(o/a)",
    "event A {end=custom} = (ins(o/a) ; ins(o/b)) ; not (ins(o/a) ; ins(o/c))",  # of another a
    "event A {end=custom} = ins(o/a) ; not (ins(o/b) ; ins(o/c))",
    "event A {end=custom} = ins(o/a) ; not (ins(o/a) | (ins(o/a) & ins(o/b)))",
    "event A {end=custom} = ins(o/a)[@x = 1] ; not (ins(o/a)[@x = 2] ; ins(o/b))",
    "event A {end=custom, order=detection} = Raised(o/a) ; not Approved(o)",
    "event A = not Approved(o) ; ins(o/b)",
    "event A = Raised(o/a) ; ins(o/b) ; not ins(o/c) ; Approved(o)",
    "event A(o) = ins(o) ; x[1,*] ins(o/b) ; ins(o/c)",  # nothing comes before the insertion of its node
    "event A = x[1,*] ins(o/b) ; ins(o/c)",
    "event A = ins(o/a) ; x[1,3] ins(o/b) ; ins(o/c)",
    'event A = ins(o/a) ; x[1,*]{within="3 days"} ins(o/b) ; ins(o/c)',
    "event A {order=detection} = ins(o/a) ; x[1,*] ins(o/b) ; ins(o/c)",
    "event A = ins(o/a) & x[1,*] ins(o/b)",
    "event A(o) = x[3,*] ins(o/a)",
    'event A(o) = x[3,3]{within="3 days"} ins(o/a)',
    'event A(o) = x[1,*]{within="3 days"} ins(o/a)',
    'event A(o) = x[3,*]{within="3 days", end=custom} ins(o/a)',
    'event A(o) = x[3,*]{within="3 days", having="sum($p) > 5"} ins(o/a/@p) as $p',
    'event A(o) = x[3,*]{within="3 days", let total = "sum($p)"} ins(o/a/@p) as $p',
    'event A = x[3,*]{within="3 days"} ins(o/a) & ins(o/b)',
]


def raised(rules: str, history: str) -> int:
    document = xmlcep.fromstring("<o/>")
    with document.watch(parse_rules(rules)) as watch:
        for step in history:
            if step == "!":
                watch.flush()
            else:
                etree.SubElement(document.root, step)
    return sum(finding.name == "A" for finding in watch.findings)


@pytest.mark.parametrize(("rules", "said", "write", "history", "times"), WARNED)
def test_what_happens_and_what_was_meant(
    rules: str, said: str, write: str, history: str, times: tuple[int, int]
) -> None:
    (problem,) = misread(parse_rules(APPROVED + rules))
    assert said in problem.message
    assert problem.message.startswith("event A: ")
    assert (problem.line, re.sub(r" \(.*", "", problem.hint) != "") == (3, True)
    given = write.replace(', within="11 changes"', "").removesuffix(" ins(o/a)") if said == AGAIN else write
    assert problem.hint.endswith(tuple(f"write {given}{clause}" for clause in ("", " (S4)", " (A6)")))
    head = rules.partition(" = ")[0]
    assert (raised(APPROVED + rules, history), raised(f"{APPROVED}{head} = {write}", history)) == times
    assert misread(parse_rules(f"{APPROVED}{head} = {write}")) == []


@pytest.mark.parametrize("rules", SILENT)
def test_what_may_be_meant(rules: str) -> None:
    assert misread(parse_rules(APPROVED + rules)) == []


@pytest.mark.parametrize(
    "context", ["unrestricted", "recent", "chronicle", "continuous", "cumulative", "next"]
)
def test_a_count_of_the_event_before_it(context: str) -> None:
    """Which is a mistake, not a surprise: it never matches, and the hint does."""
    rules = f"event A {{context={context}}} = ins(o/a) ; x[1,*] ins(o/a) ; ins(o/c)"
    assert misread(parse_rules(rules)) == []
    (problem,) = check_rules(parse_rules(rules)).problems
    assert "so never begins after it" in problem.message
    assert raised(rules, "aaacaac") == 0
    if context != "recent":  # where only the newest event counts
        assert raised(rules.replace("x[1,*]", "x[1,1]"), "aaacaac") > 0


@pytest.mark.parametrize("either", ["({a} | {b})", "any[1]({a}, {b})"])
def test_an_alternative_without_the_variable_that_joins(either: str) -> None:
    """V2, V5: it has no value that could be equal to that of the other operand."""
    rules = f"event A(o) = {either} & ins(o/@c) as $n"
    said = parse_rules(rules.format(a="ins(o/@a) as $n", b="ins(o/@b)"))
    (problem,) = misread(said)
    assert "ins(o/@b) binds no $n, by which the conjunction (&) joins" in problem.message
    document = xmlcep.fromstring("<o/>")
    with document.watch(said) as watch:
        document.root.set("b", "1")
        document.root.set("c", "1")
        assert not watch.findings
        document.root.set("a", "1")
        assert len(watch.findings) == 1
    assert misread(parse_rules(rules.format(a="ins(o/@a) as $n", b="ins(o/@b) as $n"))) == []
    assert misread(parse_rules(rules.format(a="ins(o/@a) as $m", b="ins(o/@b)"))) == []
