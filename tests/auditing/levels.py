"""Rules whose events are made of each other's, under other keys: a log is replayed in three levels."""

from __future__ import annotations

from xmlcep.rules import parse_rules

LEVELS = parse_rules(
    """
    event Complete = ins(item) ; (x[0,1] ins(item/comment) & ins(item/price))
    event Twice = Complete(item) & ins(item/quantity)
    event Ready(/order) = x[2,5] Complete(item)
    event Busy(/order) {flat, context=continuous} = Ready(order) ; ins(order/item/quantity)
    """
)
"""By item, by order, by document; for the logs of `orders`."""
