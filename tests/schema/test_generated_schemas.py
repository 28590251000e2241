"""Completion events of generated schemas, in random orders of insertion, against xmlschema."""

from __future__ import annotations

import random
import warnings

import xmlschema
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from lxml import etree

from path_types import PathType, Step, equals_or_ends
from tests.schema.compared_with_validation import Comparer, Comparison
from tests.schema.generated import NAMES, Generated, schemas
from tests.schema.validation import Node, left_out, nodes_of, outcome, random_order
from xmlcep.algebra import leaves_of
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules, parse_rules
from xmlcep.schema import SchemaError, derive


def load(text: str) -> xmlschema.XMLSchema10:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return xmlschema.XMLSchema10(text, allow="none", defuse="never")


@given(generated=schemas(), seed=st.integers(0, 2**32), gaps=st.integers(0, 3))
@settings(max_examples=50)
def test_complete_when_enough_is_there(generated: Generated, seed: int, gaps: int) -> None:
    """Raised exactly when the judge finds nothing missing any more, once; never if a required part is left out."""
    compared, _ = judge(generated, seed, gaps)
    assert compared.wrong == []


@given(generated=schemas(recursive=True, wildcards=True), seed=st.integers(0, 2**32), gaps=st.integers(0, 3))
@settings(max_examples=35)
def test_elements_inside_each_other(generated: Generated, seed: int, gaps: int) -> None:
    """The same where elements stand in each other and are required there, and beside wildcards.

    An event whose comment says that it looks to a limited depth only may come early, but neither late nor twice.
    """
    compared, rules = judge(generated, seed, gaps)
    shallow = "to a limited depth" in (rules.text or "")
    for path, expected, raised in compared.wrong:
        assert shallow, (path, expected, raised)
        assert len(raised) == 1, (path, expected, raised)
        assert not expected or raised < expected, (path, expected, raised)


def small_document(generated: Generated) -> tuple[xmlschema.XMLSchema10, list[Node]]:
    """The schema, and the nodes of the document if the judge can take them: two to thirty, up to six children each.

    Up to six the judge tries all there is to try. What is too large is seen before the schema is read.
    """
    root = etree.fromstring(generated.document)
    assume(sum(1 for _ in root.iter()) <= 30 and max(len(element) for element in root.iter()) <= 6)
    schema = load(generated.schema)
    assume(schema.is_valid(root))  # xmlschema refuses a few valid rounds of choices with optional branches
    nodes = nodes_of(root, schema)
    assume(2 <= len(nodes) <= 30)
    return schema, nodes


def judge(generated: Generated, seed: int, gaps: int) -> tuple[Comparison, Rules]:
    """The document with some parts left out, inserted in a random order: what the events say against the judge."""
    schema, nodes = small_document(generated)
    choose = random.Random(seed)
    kept = left_out(nodes, choose.sample(nodes[1:], min(gaps, len(nodes) - 1)))
    event(f"left out: {len(nodes) > len(kept)}, recursive: {generated.recursive}")
    try:
        rules = derive(schema, xsi_type="all" if "xsi:type" in generated.document else "complex")
    except SchemaError as error:
        assume("nothing to derive" not in str(error))
        raise
    return Comparer(rules).compare(kept, outcome(random_order(kept, choose), rules, schema)), rules


@given(generated=schemas())
@settings(max_examples=25)
def test_the_text_parses_to_the_same_definitions(generated: Generated) -> None:
    rules = derive(load(generated.schema), changes=True, violations=True)
    assert rules.text is not None
    assert parse_rules(rules.text).definitions == rules.definitions
    assert max(map(len, rules.text.splitlines())) < 300


@given(generated=schemas(), seed=st.integers(0, 2**32))
@settings(max_examples=25)
def test_the_judge_agrees_with_validation_of_the_whole(generated: Generated, seed: int) -> None:
    """Once everything is there the root is complete; a valid document has nothing missing."""
    schema = load(generated.schema)
    nodes = nodes_of(etree.fromstring(generated.document), schema)
    order = random_order(nodes, random.Random(seed))
    result = outcome(order, derive(schema), schema)
    assert {node.index for node in nodes if node.is_element} <= result.expected.keys()


@given(
    generated=schemas(recursive=True, wildcards=True),
    names=st.sets(st.sampled_from(NAMES), min_size=1, max_size=2),
    gone=st.integers(0, 2),
)
@settings(max_examples=30)
def test_one_too_many_is_told_at_once(generated: Generated, names: set[str], gone: int) -> None:
    """Of the names of the root's content as many are inserted as there can be, some deleted again, and one more."""
    wanted = frozenset(names)
    model = generated.models["root"]
    assume(wanted <= set(model.names()))
    most = max(model.counts(wanted, 3))
    is_bounded = most == max(model.counts(wanted, 4))
    rules = derive(load(generated.schema), violations=True)
    about = {name for name in violations(rules, "/root") if is_about(rules, name, wanted)}
    assert len(about) == is_bounded or (
        len(wanted) > 1 and not about
    )  # of two names only if they are in a choice
    detector = Detector(rules)
    root = PathType.parse("/root")
    detector.feed(PrimitiveEvent(1, "ins", root, (1,)))
    told: list[int] = []
    here: list[int] = []
    operations = [*(["ins"] * most), *(["del", "ins"] * min(gone, most)), "ins"]
    for ts, operation in enumerate(operations, 2):
        node = ts if operation == "ins" else here.pop()
        path = root.child(Step.element(min(wanted) if node % 2 else max(wanted)))
        pos = len(here) if operation == "ins" else None
        here += [node] * (operation == "ins")
        found = detector.feed(PrimitiveEvent(ts, operation, path, (1, node), pos=pos))
        told += [composite.ts for composite in found if composite.name in about]
    assert told == [1 + len(operations)] * len(about)


def violations(rules: Rules, place: str) -> list[str]:
    """The events for too many children in the elements at a place, or at one that it ends with."""
    path = PathType.parse(place)
    trees = [tree for tree in rules.graph.trees if tree.name.startswith("TooMany")]
    return [tree.name for tree in trees if equals_or_ends(tree.path, path)]


def is_about(rules: Rules, name: str, names: frozenset[str]) -> bool:
    """Whether a violation event counts just these children."""
    [definition] = [each for each in rules.definitions if each.name == name]
    return {leaf.type.path.last.test for leaf in leaves_of(definition.expression)} == names
