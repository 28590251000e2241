"""What was deleted again completes nothing: by hand, and in random edits against xmlschema."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from path_types import Axis
from tests.schema.generated import Generated, schemas
from tests.schema.test_generated_schemas import small_document
from tests.schema.validation import Node, is_complete
from xmlcep import SchemaError, derive
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
ITEM = f"""<xs:schema {XS}><xs:element name="item"><xs:complexType><xs:sequence>
  <xs:element name="price" type="xs:decimal"/><xs:element name="quantity" type="xs:string"/>
</xs:sequence></xs:complexType></xs:element></xs:schema>"""


@pytest.mark.parametrize(
    ("deletions", "told"),
    [(True, [["CompletePrice"], [], [], [], ["CompletePrice", "CompleteItem"], []]),
     (False, [["CompletePrice"], [], ["CompleteItem"], [], ["CompletePrice"], []])],
)  # fmt: skip
def test_a_part_that_is_gone(deletions: bool, told: list[list[str]], tmp_path: Path) -> None:
    """It is not there when the rest comes; a new one is, but only with all that is in it."""
    file = tmp_path / "item.xsd"
    file.write_text(ITEM, encoding="utf-8")
    document = xmlcep.fromstring("<items/>")
    item = etree.SubElement(document.root, "item")
    document.root.remove(item)
    found: list[list[str]] = []
    with document.watch(derive(file, deletions=deletions), on_event=lambda each: found[-1].append(each.name)):

        def step(edit: object) -> None:
            found.append([])
            edit()  # type: ignore[operator]

        item = etree.SubElement(document.root, "item")
        price = etree.SubElement(item, "price")
        step(lambda: setattr(price, "text", "1"))
        step(lambda: item.remove(price))
        step(lambda: etree.SubElement(item, "quantity"))
        step(lambda: etree.SubElement(item, "price"))
        step(lambda: setattr(item[-1], "text", "2"))
        step(lambda: item.remove(item[-1]))
    assert found == told


class Step(NamedTuple):
    """A change, the node that it is about, and the nodes that are there after it."""

    change: PrimitiveEvent
    node: Node
    present: frozenset[Node]


def edits(nodes: list[Node], choose: random.Random) -> Iterator[Step]:
    """The nodes inserted in a random order; now and then one is deleted with all that is in it, and comes again."""
    ids: dict[Node, int] = {}
    ts = 0
    for _ in range(3 * len(nodes)):
        ready = [node for node in nodes if node not in ids and (node.parent is None or node.parent in ids)]
        if not ready:
            return
        if ids and choose.random() < 0.25:
            top = choose.choice(list(ids))
            changed = [node for node in reversed(nodes) if node in ids and top in node.ancestors()]
        else:
            changed = [choose.choice(ready)]
        for node in changed:
            ts += 1
            gone = node in ids
            if not gone:
                ids[node] = ts
            path = tuple(ids[each] for each in node.ancestors())
            change = PrimitiveEvent(ts, "ins", node.path, path, value=node.value, pos=place(node, ids))
            if gone:
                change = change._replace(op="del", value=None, old=node.value, pos=None)
                del ids[node]
            yield Step(change, node, frozenset(ids))


def place(node: Node, there: Collection[Node]) -> int | None:
    """Its index among the child nodes of its parent that are there; an attribute has none."""
    if node.step.axis is Axis.ATTRIBUTE:
        return None
    siblings = () if node.parent is None else node.parent.children
    return sum(each in there and each.index < node.index for each in siblings if each.step.axis is Axis.CHILD)


def enough(element: Node, present: Collection[Node], schema: object) -> bool:
    """Whether the judge finds nothing missing in an element, nor in those of its children that count."""
    inside = [each for each in element.children if each.is_element and each in present]
    complete = {each.index: 0 for each in inside if enough(each, present, schema)}
    return is_complete(element, set(present), complete, schema)


@given(generated=schemas(recursive=True, wildcards=True), seed=st.integers(0, 2**32))
@settings(max_examples=45)
def test_complete_means_that_it_is_there(generated: Generated, seed: int) -> None:
    """Whoever is said to be complete is so then, and is said to be once; whoever is so at the end was said to be."""
    schema, nodes = small_document(generated)
    try:
        rules = derive(schema, xsi_type="all" if "xsi:type" in generated.document else "complex")
    except SchemaError as error:
        assume("nothing to derive" not in str(error))
        raise
    assume(not any(remark in (rules.text or "") for remark in ("to a limited depth", "asks only whether")))
    detector = Detector(rules)
    told: set[int] = set()
    there: dict[int, Node] = {}
    present: frozenset[Node] = frozenset()
    for change, node, present in edits(nodes, random.Random(seed)):
        if change.op == "ins":
            there[change.ids[-1]] = node
        for composite in detector.feed(change):
            element = composite.ids[-1]
            assert element not in told
            told.add(element)
            assert enough(there[element], present, schema), composite
        if change.op == "del":
            del there[change.ids[-1]]
    places = {tree.path for tree in rules.graph.trees}
    event(f"told: {min(len(told), 3)}")
    for element, node in there.items():
        if not places.isdisjoint(node.path.endings) and enough(node, present, schema):
            assert element in told, node.path
