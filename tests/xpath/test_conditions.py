"""What a condition sees: the subtree of its node, the node as the root of it (D4, U2)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from xmlcep.rules import parse_rules
from xmlcep.xpath import Environment, Expression, Scope, compile_expression


def condition_of(text: str, **given: Any) -> Expression:
    return compile_expression(text, scope=Scope.SUBTREE, **given)


DOCUMENT = """
<order id="o" xml:lang="en"><before/>
  <item id="i1" xml:space="preserve"><price>3</price><quantity>0</quantity>
    <item id="i2"><price>7</price></item></item>after
  <item id="i3"/><billTo/>
</order>"""

# condition, whether it holds of item i1
TABLE = [
    ("price", True),
    ("comment", False),
    ("price > 2", True),
    ("price > 3", False),
    ("quantity", True),  # the element is there
    ("number(quantity)", False),  # 0
    ("string(comment)", False),  # ''
    ("'false'", True),
    ("/item/price = 3", True),
    ("/order", False),
    ("//billTo", False),
    ("//price[. = 7]", True),
    ("count(//item) = 2", True),
    ("count(/descendant::item) = 2", True),
    ("..", False),
    ("parent::node()", False),
    ("parent::*", False),
    ("../item", False),
    ("price/..", True),
    ("price/../..", False),
    ("item/../../*", False),
    ("item/price/ancestor::item[last()]/@id = 'i1'", True),
    ("count(item/price/ancestor::node()) = 2", True),
    ("count(item/price/ancestor-or-self::node()) = 3", True),
    ("item/price/ancestor-or-self::node()[last()]/@id = 'i1'", True),
    ("ancestor::order", False),
    ("ancestor::node()", False),
    ("following::node()", False),
    ("preceding::node()", False),
    ("following-sibling::node()", False),
    ("preceding-sibling::*", False),
    ("price/following-sibling::quantity", True),
    ("item/price/preceding::price = 3", True),
    ("price/following::text()[contains(., 'after')]", False),
    ("contains(string(/), 'after')", False),
    ("lang('en')", False),  # xml:lang stands above the node
    ("@xml:space = 'preserve'", True),
    ("/", True),
    ("/item/@id = 'i1'", True),
    ("name() = 'item' and self::item", True),
]


@pytest.mark.parametrize(("expression", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_table(expression, expected):
    root = etree.fromstring(DOCUMENT)
    before = etree.tostring(root)
    assert condition_of(expression).boolean(Environment(element=root[1])) is expected
    assert etree.tostring(root) == before


_STEPS = (
    "item", "price", "*", "..", ".", "node()", "@id", "text()", "ancestor::*", "ancestor-or-self::node()",
    "parent::node()", "following::*", "preceding::node()", "following-sibling::*",
    "preceding-sibling::node()", "descendant::*",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(_STEPS), min_size=1, max_size=4),
    st.sampled_from(("", "/", "//")),
    st.integers(0, 8),
)
def test_nothing_outside_the_subtree_matters(steps, start, number):
    """The same subtree gives the same answer whatever stands around it."""
    root = etree.fromstring(DOCUMENT)
    element = list(root.iter())[number]
    alone = copy.deepcopy(element)
    alone.tail = None
    moved = etree.fromstring("<x><item id='i9'/><price/>text<y/></x>")
    moved[2].append(copy.deepcopy(element))
    condition = condition_of(start + "/".join(steps))
    assert (
        condition.boolean(Environment(element=element))
        == condition.boolean(Environment(element=alone))
        == condition.boolean(Environment(element=moved[2][0]))
    )


@given(
    st.lists(
        st.sampled_from(("item", "price", "*", ".", "node()", "@id", "descendant::*")), min_size=1, max_size=4
    )
)
def test_in_place_and_in_a_copy_are_the_same(steps):
    path = "/".join(steps)
    fast, slow = condition_of(f"count({path}) mod 2"), condition_of(f"(count({path}) mod 2) or (/..)")
    for element in etree.fromstring(DOCUMENT).iter():
        assert fast.boolean(Environment(element=element)) == slow.boolean(Environment(element=element))


def test_conditions_of_rules():
    rules = parse_rules(
        'namespace "urn:po"\nevent Sane = (ins(item/price) & ins(item/quantity)) {when="price >= 0 and @id"}'
    )
    condition = rules.graph.trees[0].root.condition
    assert condition is not None
    assert condition.boolean(
        Environment(element=etree.fromstring("<item xmlns='urn:po' id='1'><price>1</price></item>"))
    )
    assert not condition.boolean(
        Environment(element=etree.fromstring("<item id='1'><price>1</price></item>"))
    )


def test_a_condition_needs_an_element():
    with pytest.raises(
        ValueError, match=r"needs an element as its context node, but the path type here is item/@n"
    ):
        parse_rules('event E {when="true()"} = ins(item/@n) & upd(item/@n)')
