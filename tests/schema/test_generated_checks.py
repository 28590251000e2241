"""What `check_rules` refuses never happens: random rules over random histories of documents of generated schemas."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from lxml import etree

from path_types import PathType
from tests.schema.generated import NAMES, Generated, schemas
from tests.schema.test_generated_schemas import load
from tests.schema.validation import Node, insertions, nodes_of, random_order
from xmlcep import RuleError, Rules, parse_rules
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.schema import check_rules


def edits(nodes: list[Node], choose: random.Random) -> Iterator[PrimitiveEvent]:
    """The nodes inserted in a random order; then now and again a subtree is deleted, and inserted anew."""
    yield from insertions(random_order(nodes, choose))
    ids = {node.index: node.index for node in nodes}
    ts = last = len(nodes)
    for _ in range(3):
        top = choose.choice(nodes)
        subtree = [node for node in nodes if top in node.ancestors()]
        for operation, changed in (("del", subtree[::-1]), ("ins", subtree)):
            if operation == "ins":
                for node in subtree:
                    last += 1
                    ids[node.index] = last
            for node in changed:
                ts += 1
                path = tuple(ids[ancestor.index] for ancestor in node.ancestors())
                pos = place(node) if operation == "ins" else None
                yield PrimitiveEvent(ts, operation, node.path, path, value=node.value, pos=pos)


def place(node: Node) -> int:
    """Its index among its parent's child nodes, which are all there."""
    siblings = node.parent.children if node.parent else []
    return sum(each.index < node.index and each.step.axis is node.step.axis for each in siblings)


@st.composite
def rules_over(draw: st.DrawFn, paths: list[PathType]) -> str:
    """An event over some of these paths from one of their steps on, as text."""
    first = draw(st.sampled_from([step for path in paths for step in path.steps if step.is_element]))
    below = [
        PathType.of(False, path.steps[path.steps.index(first) :]) for path in paths if first in path.steps
    ]

    def leaf() -> str:
        return f"{draw(st.sampled_from(['ins', 'ins', 'del', '*']))}({draw(st.sampled_from(below))})"

    kind = draw(st.sampled_from(["times", "times", "sequence", "both", "condition", "elsewhere", "used"]))
    if kind in ("elsewhere", "used"):
        return draw(_rules_of_any_place(paths, used=kind == "used"))
    if kind == "times":
        return f"event A({first}) = x[{draw(st.integers(1, 3))},*] {leaf()}"
    if kind == "condition":
        name = draw(st.sampled_from([*NAMES, "x", "@f", "@r", "text()"]))
        tests = ["{}", "count({}) >= 1", "*/{}", "../{}", "/*/{}", "not({})", "*[{}]"]
        test = draw(st.sampled_from([*tests, ".//{}"] if "@" not in name else tests))
        return f'event A({first}) = (x[1,*] {leaf()}){{when="{test.format(name)}"}}'
    return f"event A({first}) = {leaf()} {';' if kind == 'sequence' else '&'} {leaf()}"


@st.composite
def _rules_of_any_place(draw: st.DrawFn, paths: list[PathType], *, used: bool) -> str:
    """Operators of any path over leaves of any path; ``used``: in an event of its own."""
    ends = [PathType.of(False, path.steps[start:]) for path in paths for start in range(len(path))]
    elements = st.sampled_from([path for path in ends if path.last.is_element])

    def leaf() -> str:
        scope = draw(st.sampled_from(["", "", "", "//"]))
        path = draw(elements if scope else st.sampled_from(ends))
        return f"{draw(st.sampled_from(['ins', 'ins', 'del', '*']))}({path}{scope})"

    inner = f"{leaf()} {draw(st.sampled_from(['&', ';']))} {leaf()}"
    if used:
        asked = draw(st.sampled_from(["", f"[{draw(_LOOKS)}]"]))
        return f"event I({draw(elements)}) = {inner}\nevent A({draw(elements)}) = I({draw(elements)}){asked} & {leaf()}"
    inside = f"({inner}){{path={draw(elements)}, if='{draw(_LOOKS)}'}}"
    return f"event A({draw(elements)}) = {inside} & x[1,*]{{path={draw(elements)}}} {leaf()}"


_LOOKS = st.builds(
    "{}{}".format,
    st.sampled_from(
        ["../", "../../", "ancestor::", "self::", "*/../", "//", ".//@f/../../", "following-sibling::"]
    ),
    st.sampled_from(NAMES),
)


@given(data=st.data(), generated=schemas(recursive=True, wildcards=True), seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_what_is_refused_never_happens(data: st.DataObject, generated: Generated, seed: int) -> None:
    """A multiplicity above maxOccurs does: a deletion can lie between."""
    schema, history = documents(generated, seed)
    rules = readable(data.draw(rules_over(list(dict.fromkeys(each.path for each in history)))))
    detector = Detector(rules)
    raised = {composite.name for each in history for composite in detector.feed(each)}
    problems = check_rules(rules, schema)
    event(f"raised: {bool(raised)}, refused: {bool(problems)}")
    if "not(" not in str(rules):
        refused = [each.message for each in problems]
        assert not [said for said in refused for name in raised if said.startswith(f"event {name}:")]


@given(data=st.data(), generated=schemas(recursive=True), seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_a_misspelt_name_is_refused(data: st.DataObject, generated: Generated, seed: int) -> None:
    """In a path or in a condition, wherever it is."""
    schema, history = documents(generated, seed)
    rules = readable(data.draw(rules_over(list(dict.fromkeys(each.path for each in history)))))
    assume(check_rules(rules, schema) == [])
    text = str(rules)
    words = [match.start() for match in re.finditer(r"(?<![\w$])(?:root|[abcdexyf])(?![\w(,])", text)]
    at = data.draw(st.sampled_from(words))
    misspelt = readable(f"{text[:at]}zz{text[at:]}")
    assert check_rules(misspelt, schema), str(misspelt)


def documents(generated: Generated, seed: int) -> tuple[object, list[PrimitiveEvent]]:
    root = etree.fromstring(generated.document)
    assume(sum(1 for _ in root.iter()) <= 30)
    schema = load(generated.schema)
    assume(schema.is_valid(root))
    nodes = nodes_of(root, schema)
    assume(2 <= len(nodes) <= 30)
    return schema, list(edits(nodes, random.Random(seed)))


def readable(text: str) -> Rules:
    try:
        return parse_rules(text)
    except RuleError:
        assume(False)
        raise
