"""Conjunction ``a & b & …`` (H4)."""

from __future__ import annotations

from .combining import Combining


class ConjunctionState(Combining):
    """All operands, in any order; everything it does is common to what combines."""


STATE = ConjunctionState
