"""What the running states of a detector share: clock, timers, the document that expressions ask, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from lxml import etree

from contexts.combinations import Tries
from path_types import PathType

from ..documents import Replica
from ..rules.programs import OperatorProgram
from ..xpath import Environment
from ..xpath.environment import NO_VARIABLES
from ..xpath.values import Value
from .clock import Clock
from .timers import Timers
from .waiting import Waiting
from .witness import Witness

References: TypeAlias = Mapping[str, etree._Element]
"""The root elements of reference documents by name: what rules look things up in (V8)."""
NO_REFERENCES: References = {}
MOST_TRIES = 1_000_000
"""How many combinations are tried for one arrival (Q5), unless told otherwise."""


class Setting:
    """One for each detector.

    ``programs`` are those of the operators of all trees, by their index, then by postorder; ``document`` is what
    expressions ask, None if none does; ``references`` are the reference documents. ``general`` closes every short way:
    each record takes all trees through its time point, each operator stores entries and searches among them,
    conditions are asked at every change below their node, and expressions of lxml elements.
    """

    def __init__(
        self,
        programs: Sequence[Sequence[OperatorProgram]],
        *,
        follows_time: bool,
        uses_time: bool,
        document: Replica | None = None,
        references: References = NO_REFERENCES,
        tries: int = MOST_TRIES,
        general: bool = False,
    ) -> None:
        self.programs = programs
        self.document = document
        self.references = references
        self.clock = Clock(follows_time=follows_time, uses_time=uses_time)
        self.timers = Timers()
        self.expiries = Timers()
        """When what has become too old for every window can be freed (G4)."""
        self.tries = Tries(tries)
        self.general = general
        self.waiting = Waiting()
        self.witnesses: Mapping[int, Witness] = {}
        """By the index of a tree; nobody needs one who asks no questions."""
        self.gone: set[tuple[int, int]] = set()
        """The nodes that are gone for a tree (by its index) in which something may still be raised there (G4)."""

    def sees(
        self,
        path: PathType,
        ids: Sequence[int],
        variables: Mapping[str, Value | etree._Element] = NO_VARIABLES,
    ) -> Environment | None:
        """What an expression sees of a node; None if it is not there, or there is no document."""
        document = self.document
        if document is None:
            return None
        return (document.environment_in_tree if self.general else document.environment)(path, ids, variables)

    def reset(self) -> None:
        """As before the first record."""
        self.clock.reset()
        self.timers.clear()
        self.expiries.clear()
        self.waiting.clear()
        self.gone.clear()
