"""Becoming true ``becomes["expression"](path)`` (B1 to B4): nothing arrives; all nodes are asked, every time."""

from __future__ import annotations

from typing import Any

from xmlcep.algebra import Becomes, Termination
from xmlcep.events import PrimitiveEvent

from .. import expressions
from ..document import NaiveDocument
from ..events import Group
from ..leaves import admitted
from ..relations import equals_or_ends
from .operator import Arrival, OperatorState


class BecomesState(OperatorState):
    """``at_flush`` is the document as it was at the flush before, or when the rules came (G7); ``latest`` by node the
    last change since then that turned it true (B3)."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.at_flush = self.around.after.copy()
        self.latest: dict[int, PrimitiveEvent] = {}

    def _becomes(self) -> Becomes:
        assert isinstance(self.expression, Becomes)
        return self.expression

    def arrivals(self, child: int, occurred: list[Any]) -> list[Arrival]:
        return []

    def changed(self, event: PrimitiveEvent) -> None:
        """B1, B2: a record of an edit that turned the expression true at some nodes."""
        before, after = self.around.before, self.around.after
        for node in self._nodes(after):
            if self._is_true(after, node) and not self._is_true(before, node) and self._did_it(node) is event:
                self.latest[node] = event
                if self.end is Termination.EARLIEST:
                    self._raise(after, node)

    def _did_it(self, node: int) -> PrimitiveEvent:
        """B2: the last change of the edit at or below the node, if there is one, else the last of the edit."""
        edit = self.around.edit
        return next((event for event in reversed(edit) if node in event.ids), edit[-1])

    def fire_at_flush(self) -> None:
        """B3."""
        after = self.around.after
        for node in self._nodes(after) if self.end is Termination.CUSTOM else []:
            if self._is_true(after, node) and not self._is_true(self.at_flush, node):
                self._raise(after, node)
        self.at_flush = after.copy()

    def _raise(self, document: NaiveDocument, node: int) -> None:
        change = self.latest[node]
        values = admitted(self._becomes().subject, change, document.instance(node), self.around)
        if values is not None:
            self.check_time()
            entry, group = self.entry(change, 0, values), Group(node)
            if self.lets_pass(group, [entry]):
                self.raise_(group, [entry], document.instance(node))

    def _nodes(self, document: NaiveDocument) -> list[int]:
        """The nodes of its path type, in the order of their ids (E2)."""
        wanted = self._becomes().subject.type.path
        return [
            node for node in sorted(document.nodes) if equals_or_ends(wanted, document.instance(node).path)
        ]

    def _is_true(self, document: NaiveDocument, node: int) -> bool:
        """Whether the expression is true at a node, in this document; not where there is none."""
        answer = document.ask(self._becomes().test, node, self.around.references)
        return answer is not None and expressions.is_true(answer)


STATE = BecomesState
