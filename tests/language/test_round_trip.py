"""What is printed parses back to what was printed."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given

from path_types import PathType
from tests.language import definitions as made
from tests.strategies.rules import rule_sets
from xmlcep.algebra import Conjunction, Disjunction, EventDefinition, Leaf
from xmlcep.errors import XmlCepError
from xmlcep.events import PrimitiveType
from xmlcep.language import parse_definitions, print_definitions, print_expression
from xmlcep.rules import Rules, parse_rules


@given(made.definition_lists(), made.namespaces, made.parameter_lists)
def test_any_definitions(definitions, namespaces, parameters):
    text = print_definitions(definitions, namespaces, parameters=parameters)
    problems = []
    parsed = parse_definitions(text, problems)
    assert not problems, (text, [problem.message for problem in problems])
    assert parsed.definitions == definitions
    assert parsed.namespaces == namespaces
    assert parsed.parameters == parameters
    assert [each.description for each in parsed.definitions] == [each.description for each in definitions]
    assert not parsed.unreadable


@given(rule_sets())
def test_valid_rules(definitions):
    rules = Rules.from_definitions(definitions)
    again = parse_rules(str(rules))
    assert again == rules
    assert str(again) == str(rules)
    assert hash(again) == hash(rules)


@given(made.expressions)
def test_an_expression_alone(expression):
    problems = []
    parsed = parse_definitions(f"event E = {print_expression(expression)}", problems)
    root = parsed.definitions[0].expression
    assert root == (Disjunction((expression,)) if isinstance(expression, Leaf) else expression)


def test_names_are_shortened():
    text = (
        'namespace "urn:po"\nnamespace q = "urn:q"\n\n'
        "event A(/order) = ins(item/@q:n) & ins({}item/{urn:z}x/@n) & x[0,2] ?(q:order/text())\n"
    )
    problems = []
    parsed = parse_definitions(text, problems)
    assert not problems
    assert print_definitions(parsed.definitions, parsed.namespaces) == text


def test_parentheses_stay_as_they_are_meant():
    """T6: (a & b) & c is two operators, a & b & c is one."""
    text = "event A = (ins(a) & ins(a/b)) & ins(a/c)\nevent B = ins(a) & ins(a/b) & ins(a/c)\n"
    rules = parse_rules(text)
    assert [len(definition.expression.operands) for definition in rules.definitions] == [2, 3]
    assert str(rules) == text


def test_what_has_no_notation_is_refused():
    leaf = Leaf(PrimitiveType("ins", PathType.parse("a")))
    two = Conjunction((leaf, leaf))
    for expression in (Conjunction((leaf,)), Disjunction((two,)), Conjunction((two, Disjunction((leaf,))))):
        with pytest.raises(XmlCepError, match="cannot be written"):
            print_definitions([EventDefinition("E", expression)])


def test_rules_are_values():
    rules = parse_rules('namespace p = "urn:p"\nevent E {when="p:b > 1"} = ins(p:a/p:b) & upd(p:a/p:b)')
    same = parse_rules(
        'namespace p="urn:p" event E = (ins(p:a/p:b) & upd({urn:p}a/p:b)){when="p:b > 1"} # the same'
    )
    assert rules == same
    assert len({rules, same}) == 1
    assert rules != parse_rules("event E = ins(a)")
    assert rules != "event E"
    # the same words mean something else with another namespace
    other = Rules.from_definitions(rules.definitions, {"p": "urn:q"})
    assert other != rules
    for copied in (pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules)):
        assert copied == rules
        assert copied.text == rules.text
        assert copied.graph.trees[0].root.condition is not None
