"""Random action rules, and random edits of small documents; how often what may not end does not (rule L9).

``python -m tests.actions.random_rules`` says the share.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from lxml import etree

import xmlcep
from xmlcep import CascadeError, Rules, parse_rules
from xmlcep.actions import TriggeringGraph, triggering_graph

NAMES = ("a", "b", "c")
TRIGGERS = (
    "ins({n})", "del({n})", "ins({n}/@x)", "upd({n}/@x)", "*({n}/@y)", "upd({n}/text())", "*({n}/text())", "*({n}//*)",
    "*(r/{n})", "ins({n}) ; ins({n}/@x)", "x[2,3] ins(r/{n})", "ins({n}/@x) & ins({n}/@y)", "ins({n}) | ins({m}/@x)",
    "x[0,2] ins({n}/{m})", "P({n})", "Q(a)", "any[2]{{path=r}}(ins(r/a), ins(r/b), del(r/c))", "ins({n})[@x]",
    '(ins(r/{n}) ; del(r/{m})) {{path=r, within="5 changes"}}', "(ins({n}) ; not ins({n}/@x)) {{end=custom}}",
    "(ins({n}) ; not ins({n}/@x)) {{end=non-local}}", "(ins(r/{n}/@x) as $v & ins(r/{m}/@y) as $v) {{path=r}}",
    '(*({n}/@x) as $p ; *({n}/@y) as $q) {{having="$p < $q"}}', "aperiodic[ins({n}), del({n}/{m})] *({n}/@x)",
    'plus[ins({n}), "2 s"]', '(ins({n}/{m}) & del({n}/@x)) {{when="@y"}}',
)  # fmt: skip
CONDITIONS = (None, None, "not(@x)", "not({m})", "@y", "count(//{n}) < 6", "../{m}", "$delta", "@x != 1")
ACTIONS = (
    "set '@x' = '1'", "set '@y' = 'count(//{n})'", "set '//{m}/@x' = '1'", "set '.' = 'count(*)'", "set '{m}' = '1'",
    "delete '@x'", "delete '{m}'", "delete '.'", "delete '//{n}/@y'", "insert '<{m}/>' last into '.'",
    "insert '<{m} x=\"1\">t</{m}>' first into '/r'", "insert 't' last into '.'", "insert '<{m}/>' after '.'",
    "replace '{m}' with '<{n}/>'", "delete '/r'", "delete 'text()'", "set '@x' = '@x + 1'", "set '$delta/@z' = '1'",
    "insert '<{m} y=\"{{count(*)}}\">{{name()}}</{m}>' before '.'",
    "move '{m}' last into '/r'", "move '.' last into '/r'", "raise P", "raise P('{m}')", "raise P('//a')",
    "delete '..'", "delete 'ancestor::{m}'", "replace '..' with '<{n}/>'", "set '..' = 'name()'",
    "move '/r' last into '{m}'", "move '..' last into '.'",
)  # fmt: skip


def random_rules(seed: int, most: int = 4) -> Rules:
    """One to so many rules that can be read."""
    chance = random.Random(seed)
    while True:
        lines = ["event P(a) = external", "event Q(a) {context=recent} = P(a) & *(a/@x)"]
        for number in range(chance.randint(1, most)):
            names = dict(zip("nm", chance.choices(NAMES, k=2), strict=True))
            condition = chance.choice(CONDITIONS)
            said = f' if "{condition.format(**names)}"' if condition else ""
            actions = ", ".join(
                chance.choice(ACTIONS).format(**names) for _ in range(chance.choice((1, 1, 2, 2, 3)))
            )
            options = chance.choice(("", "", " {coupling=commit}", " {mode=set}", " {priority=2}"))
            trigger = chance.choice(TRIGGERS).format(**names)
            lines.append(f"rule R{number} on ({trigger}){options}{said} do {actions}")
        try:
            return parse_rules("\n".join(lines))
        except xmlcep.RuleError:
            continue


def graph_of(rules: Rules) -> TriggeringGraph:
    """The triggering graph."""
    assert rules.triggers is not None
    return triggering_graph(rules.triggers)


def random_edit(root: Any, chance: random.Random) -> None:
    """One edit of a document of few elements."""
    elements = list(root.iter(etree.Element))
    node = chance.choice(elements)
    match chance.randint(0, 6):
        case 0 | 1 if len(elements) < 30:
            node.append(etree.Element(chance.choice(NAMES), **({"x": "1"} if chance.random() < 0.3 else {})))
        case 2:
            node.set(chance.choice("xy"), str(chance.randint(0, 9)))
        case 3:
            node.text = str(chance.randint(0, 9))
        case 4 if node is not root:
            node.getparent().remove(node)
        case 5:
            node.attrib.pop(chance.choice("xy"), None)
        case _:
            node.append(etree.fromstring("<a y='1'>t<b/></a>"))


def ends(rules: Rules, seed: int, *, edits: int, limit: int) -> bool:
    """Whether every cascade of some random edits ends, none deeper than ``limit``."""
    chance = random.Random(seed)
    doc = xmlcep.fromstring("<r><a x='1'>t<b/></a><b y='1'><c/></b><c/></r>")
    errors: list[Exception] = []
    with doc.rules(rules, on_error=errors.append, limit=limit, firings=3_000):
        for _ in range(edits):
            if chance.random() < 0.2:
                with doc.transaction():
                    random_edit(doc.root, chance)
                    random_edit(doc.root, chance)
            else:
                random_edit(doc.root, chance)
            if any(isinstance(error, CascadeError) for error in errors):
                doc._check()
                return False
    doc._check()
    return True


def share(count: int) -> tuple[int, int, int, int]:
    """Of random rule sets: how many end for sure, how many have cycles with reasons only, how many others, and how many
    of these do not end on one of 30 documents."""
    terminating = reasons = others = endless = 0
    for seed in range(count):
        rules = random_rules(seed)
        graph = graph_of(rules)
        if graph.terminates:
            terminating += 1
        elif not graph.endless:
            reasons += 1
        else:
            others += 1
            endless += any(not ends(rules, number, edits=15, limit=64) for number in range(30))
    return terminating, reasons, others, endless


if __name__ == "__main__":
    sure, told, may, do = share(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    print(
        f"{sure} end for sure, {told} have reasons to end, {may} may not end, {do} of these do not ({do / may:.0%})"
    )
