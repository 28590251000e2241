"""What random rules choose from: nodes, paths, bounds, durations, and expressions by what they are asked of."""

from __future__ import annotations

from xmlcep.algebra import Unit, Window

ANCHORS = ("item", "item", "item", "order/item", "/order/item", "/order", "price")
BELOW = {
    "element": ("price", "quantity", "comment", "price", "quantity", "comment", "", "item"),
    "valued": ("price/text()", "quantity/text()", "@partNum", "price/text()", "@partNum"),
}
BELOW_ORDER = {
    "element": ("item", "item/price", "item/quantity", "item/comment", "billTo", "item/price"),
    "valued": ("item/@partNum", "item/price/text()", "item/@partNum", "@partNum"),
}
OPERATIONS = {"element": ("ins", "ins", "ins", "*", "del"), "valued": ("ins", "*", "upd", "*", "del")}
BELOW_PRICE = {"element": ("", "comment"), "valued": ("text()", "@partNum")}
BOUNDS = ((1, None), (1, 2), (2, 2), (2, 3), (2, None), (1, 1), (0, 1), (0, None), (1, 3))
ALONG: tuple[tuple[int, int | None], ...] = ((1, None), (0, None), (1, 2), (0, 1), (2, None), (1, 1))
"""The bounds of what is taken along (A6)."""
COMPARED = (
    "${0} = $meta:user",
    "$meta:user != ${0}",
    "not(${0} = string($ts mod 3))",
    "$op = 'ins' or ${0} = 5",
)
"""Filters about another operand (A8)."""
RELATIONS = (
    "before", "after", "meets", "met-by", "overlaps", "overlapped-by", "starts", "started-by", "during",
    "contains", "finishes", "finished-by", "equals", "par",
)  # fmt: skip
SECOND = 1_000_000
TIMES = (SECOND, 2 * SECOND, 3 * SECOND, 5 * SECOND, 10 * SECOND, 500_000)
WINDOWS = (
    *(Window(time, Unit.TIME) for time in TIMES),
    *(Window(n, Unit.CHANGES) for n in (1, 2, 4, 8)),
    *(Window(n, Unit.TRANSACTIONS) for n in (1, 1, 2, 3)),
)
# Filters and values, by what they are asked of; some ask the document, some do not.
OF_VALUES = (
    ". = '5'", "number(.) > 0", "number(.) > number($old)", "$old != $new", "$op = 'ins'", "$meta:user = 'ann'",
    "../../@partNum", "starts-with(., '1')", "$ts mod 2 = 1", "../@partNum = .", "not(../../comment)", "$txn > 0",
    "time($at) mod 2 = 0", "time($at) > time('2026-01-01T00:00:03Z') or not($at)",
)  # fmt: skip
OF_ELEMENTS = (
    "$op = 'ins'", "$meta:user = 'ann'", "@partNum", "price", "../@partNum = 5", ". = '5'", "count(../*) mod 2 = 1",
    "text()", "$ts > 4", "following-sibling::*", "not(comment)", "count(ancestor::node()) < 2", "time($at) mod 2 = 0",
)  # fmt: skip
VALUES = (
    "number(.)", "$meta:user", "$new", "string-length(.)", "../../@partNum", "concat($op, .)", "time($at) mod 60",
)  # fmt: skip
VALUES_OF_ELEMENTS = (
    "$meta:user", "$op", "string(@partNum)", "count(../*)", "@partNum", "$ts mod 3",
)  # fmt: skip
# What turns true: of what is in the element, and of what is not.
TESTS = (
    "price", "not(price)", "comment or price", "count(*) > 1", "price = 5", "string-length(.) mod 2 = 1", ".//price",
    "@partNum", "not(comment)", "true()", "../@partNum = @partNum", "count(../*) mod 2 = 0",
    "not(following-sibling::*)", "//comment", "@partNum = preceding::*/@partNum", "parent::item",
)  # fmt: skip
GUARDS = ("price", "@partNum = '5'", "count(*) > 1", "not(comment)", "../item[2]", "true()")
# What asks reference documents (V8): without a look at the document, and with one.
OF_PARTS = (
    "$parts//part[@state = 'old']/@n = {}", "$parts/parts/part[@n = {}]/@state != 'new'",
    "number({}) > $parts/parts/part[2]/@n", "count($parts//part) > string-length({})", "not($parts//@n = {})",
)  # fmt: skip
# Opaque leaves (O1), with filters.
OPAQUE = (
    (("own", "unnamed"), "$length > 0 or $op = 'del'"), (("own", "unnamed"), "$length mod 2 = 1"),
    (("own", "priced"), None), (("own", "priced"), "@partNum or ../@partNum"),
    (("own", "document_order"), "$size > 3"), (("xpath31", "$op = 'ins' or ancestor-or-self::item[price]"), None),
)  # fmt: skip
VALUES_OF_PARTS = (
    "string($parts//part[@n = {}]/@state)",
    "$parts/parts/part[@n = {}]",
    "count($parts//*[@n != {}])",
)


# Messages of findings (Y10): of their change, of the document; {} is a variable of the event.
MESSAGES = (
    "{{$op}}: {{$old}} to {{$new}}", "{{concat($meta:user, '}}', \"{{\")}} at {{$ts}}", "{{{{}}}} ${}: {{${}}} ",
    "{{count(${})}}",
)  # fmt: skip
MESSAGES_OF_DOCUMENT = (
    "{{@partNum}} of {{count(//item)}}",
    "{{.}}{{count(ancestor::*)}}",
    "{{../@partNum}}{{price}}",
)


def without_document(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Those that need the record only: variables and the value."""
    return tuple(
        text for text in texts if "$" in text or text in (". = '5'", "number(.)", "string-length(.)")
    )
