"""Steps of a path type: an axis and a node test (rule P1)."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Axis(Enum):
    """Where a step leads: to a child node (element or text) or to an attribute."""

    CHILD = "child"
    ATTRIBUTE = "attribute"


TEXT_TEST = "text()"


class Step(NamedTuple):
    """One step: ``axis`` and ``test``, a name in Clark notation (``{uri}local``) or ``text()``.

    >>> str(Step.element("{urn:po}item")), str(Step.attribute("partNum")), str(Step.text())
    ('{urn:po}item', '@partNum', 'text()')
    """

    axis: Axis
    test: str

    @classmethod
    def element(cls, name: str) -> Step:
        """The step to child elements called ``name`` (Clark notation)."""
        return cls(Axis.CHILD, name)

    @classmethod
    def attribute(cls, name: str) -> Step:
        """The step to the attribute called ``name`` (Clark notation)."""
        return cls(Axis.ATTRIBUTE, name)

    @classmethod
    def text(cls) -> Step:
        """The step to child text nodes."""
        return cls(Axis.CHILD, TEXT_TEST)

    @property
    def is_element(self) -> bool:
        """Whether the step leads to an element; only such a step may be followed by another (P1)."""
        return self.axis is Axis.CHILD and self.test != TEXT_TEST

    def __str__(self) -> str:
        return f"@{self.test}" if self.axis is Axis.ATTRIBUTE else self.test
