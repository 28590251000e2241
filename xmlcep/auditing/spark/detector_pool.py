"""Detectors that wait for the next document: making one takes as long as replaying hundreds of records."""

from __future__ import annotations

from ...engine import Detector
from ...rules import Rules
from ..plan.partition_key import Plan


class DetectorPool:
    """Detectors for the passes of a plan, each given to one document at a time.

    A worker has one for all its tasks: what a detector has worked out about event types serves every bucket.
    """

    def __init__(self, plan: Plan, *, operators: bool) -> None:
        self._plan = plan
        self._operators = operators
        self._rules: dict[int, Rules] = {}
        self._idle: dict[int, list[Detector]] = {}

    def take(self, pass_index: int) -> Detector:
        """A detector for a pass that is as new."""
        idle = self._idle.get(pass_index)
        return idle.pop() if idle else self._made(pass_index)

    def give(self, pass_index: int, detector: Detector) -> None:
        """Takes one back that is as new again."""
        self._idle.setdefault(pass_index, []).append(detector)

    def _made(self, pass_index: int) -> Detector:
        each = self._plan.passes[pass_index]
        rules = self._rules.get(pass_index)
        if rules is None:
            rules = self._rules[pass_index] = each.rules(self._plan.rules)
        return Detector(rules, operators=self._operators, trees=each.names)
