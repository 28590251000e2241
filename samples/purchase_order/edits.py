"""The story of the demo: how a purchase order is edited, in ordinary lxml calls.

Nothing here knows of xmlcep but `main`, which records the story as a change log::

    python samples/purchase_order/edits.py orders.jsonl
    xmlcep audit orders.jsonl --rules samples/purchase_order/purchase-order.xcep
    xmlcep audit orders.jsonl --rules samples/purchase_order/control.xcep
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lxml import etree


class Step(NamedTuple):
    """One transaction of the story: who edits, why, and how."""

    user: str
    reason: str
    edit: Callable[[etree._Element], None]


def enter_two_items(order: etree._Element) -> None:
    """Two items are entered at once, their parts interleaved: each must find its own parts."""
    lamp = etree.SubElement(order, "item", partNum="26-BX")
    kettle = etree.SubElement(order, "item", partNum="31-CD")
    etree.SubElement(lamp, "price").text = "39.98"
    etree.SubElement(kettle, "price").text = "24.50"
    etree.SubElement(kettle, "quantity").text = "2"
    etree.SubElement(lamp, "quantity").text = "1"


def enter_addresses(order: etree._Element) -> None:
    """A new billing address arrives as a ready-made subtree, the shipping address part by part."""
    bill_to = etree.fromstring(
        "<billTo><name>Robert Smith</name>"
        "<address><street>8 Oak Avenue</street><city>Old Town</city></address></billTo>"
    )
    order.insert(0, bill_to)
    ship_to = order.find("shipTo")
    assert ship_to is not None
    address = etree.SubElement(ship_to, "address")
    etree.SubElement(address, "city").text = "Mill Valley"
    etree.SubElement(address, "street").text = "123 Mill Lane"


def apply_price_list(order: etree._Element) -> None:
    """New prices for two items; of the first the quantity is changed as well."""
    lamp, kettle = order.findall("item")[1:3]
    _child(lamp, "price").text = "35.00"
    _child(lamp, "quantity").text = "4"
    _child(lamp, "price").text = "34.50"
    _child(kettle, "price").text = "26.00"


def enter_with_slips(order: etree._Element) -> None:
    """An item with a price and a quantity that cannot be meant."""
    mower = etree.SubElement(order, "item", partNum="872-AA")
    etree.SubElement(mower, "comment").text = "Confirm this is electric"
    etree.SubElement(mower, "price").text = "-148.95"
    etree.SubElement(mower, "quantity").text = "0"


def correct_slips(order: etree._Element) -> None:
    """The slips are found: first the price, then the quantity."""
    mower = order.findall("item")[-1]
    _child(mower, "price").text = "148.95"
    _child(mower, "quantity").text = "1"


def withdraw(order: etree._Element) -> None:
    """The kettle has become too dear: out it goes."""
    order.remove(order.findall("item")[2])


STEPS = (
    Step("ann", "two items by phone", enter_two_items),
    Step("ann", "addresses", enter_addresses),
    Step("bob", "new price list", apply_price_list),
    Step("eve", "one more item", enter_with_slips),
    Step("ann", "slips corrected", correct_slips),
    Step("bob", "too dear", withdraw),
)


def main(log: str) -> None:
    """Records the story to the change log ``log``, which must not exist yet."""
    import xmlcep

    doc = xmlcep.parse(Path(__file__).with_name("purchase-order.xml"))
    with xmlcep.record(doc, log):
        for step in STEPS:
            with doc.transaction(user=step.user, reason=step.reason):
                step.edit(doc.root)


def _child(element: etree._Element, name: str) -> etree._Element:
    found = element.find(name)
    assert found is not None
    return found


if __name__ == "__main__":
    main(sys.argv[1])
