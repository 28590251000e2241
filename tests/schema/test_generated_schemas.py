"""Completion events of generated schemas, in random orders of insertion, against xmlschema."""

from __future__ import annotations

import random
import warnings

import xmlschema
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.schema.generated import Generated, schemas
from tests.schema.judging import left_out, nodes_of, outcome, random_order
from xmlcep.rules import parse_rules
from xmlcep.schema import derive


def load(text: str) -> xmlschema.XMLSchema10:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return xmlschema.XMLSchema10(text, allow="none", defuse="never")


@given(generated=schemas(), seed=st.integers(0, 2**32), gaps=st.integers(0, 3))
@settings(max_examples=100)
def test_complete_when_enough_is_there(generated: Generated, seed: int, gaps: int) -> None:
    """Raised exactly when the judge finds nothing missing any more, once; never if a required part is left out."""
    schema = load(generated.schema)
    root = etree.fromstring(generated.document)
    assume(schema.is_valid(root))  # xmlschema refuses a few valid rounds of choices with optional branches
    choose = random.Random(seed)
    nodes = nodes_of(root, schema)
    assume(2 <= len(nodes) <= 24 and len(root) <= 6)  # up to six children the judge tries all there is to try
    kept = left_out(nodes, choose.sample(nodes[1:], min(gaps, len(nodes) - 1)))
    rules = derive(schema)
    event(f"left out: {len(nodes) > len(kept)}")
    result = outcome(random_order(kept, choose), rules, schema)
    named = {tree.path.last.test for tree in rules.graph.trees}
    for node in kept:
        if node.is_element and node.step.test in named:
            expected = [result.expected[node.index]] if node.index in result.expected else []
            assert result.raised.get(node.index, []) == expected, str(node.path)


@given(generated=schemas())
@settings(max_examples=50)
def test_the_text_parses_to_the_same_definitions(generated: Generated) -> None:
    rules = derive(load(generated.schema), changes=True, violations=True)
    assert rules.text is not None
    assert parse_rules(rules.text).definitions == rules.definitions
    assert max(map(len, rules.text.splitlines())) < 300


@given(generated=schemas(), seed=st.integers(0, 2**32))
@settings(max_examples=50)
def test_the_judge_agrees_with_validation_of_the_whole(generated: Generated, seed: int) -> None:
    """Once everything is there the root is complete; a valid document has nothing missing."""
    schema = load(generated.schema)
    nodes = nodes_of(etree.fromstring(generated.document), schema)
    order = random_order(nodes, random.Random(seed))
    result = outcome(order, derive(schema), schema)
    assert {node.index for node in nodes if node.is_element} <= result.expected.keys()
