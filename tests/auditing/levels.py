"""Rules whose events are made of each other's, under other keys: a log is replayed in two levels."""

from __future__ import annotations

from xmlcep.rules import parse_rules

LEVELS = parse_rules(
    """
    event Complete = ins(item) ; (x[0,1] ins(item/comment) & ins(item/price))
    event Ready(/order) = x[2,5] Complete(item)
    """
)
"""By item, by order; for the logs of `orders`."""
