"""A rule set as it runs on a document: its rules, what they have seen, what waits, what became of their firings."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from lxml import etree

from ...actions.firing import Anchor, FiringCounts, FiringRecord
from ...actions.history import EventHistory
from ...errors import XmlCepError
from ...events import CompositeEvent, CompositeType
from ...rules import Rules
from ...rules.rule_programs import RuleProgram
from ..lxml_access import Node

Function: TypeAlias = Callable[[FiringRecord], Any]
"""A function of the application that rules call."""


class Triggered(NamedTuple):
    """A rule that an event triggers, and the node that it fires for."""

    rule: RuleProgram
    event: CompositeEvent
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class Validity:
    """A schema that keeps a document valid (L12).

    ``edits``: it may give what it validates attributes and texts that have defaults, as one of the application's may
    (``attribute_defaults=True``; lxml tells nobody whether it does).
    """

    schema: etree.XMLSchema
    edits: bool

    def objection(self, root: Node) -> str | None:
        """What it says against a tree, which stays as it is; None if that is valid."""
        if self.schema.validate(copy.deepcopy(root) if self.edits else root):
            return None
        said = self.schema.error_log.last_error
        return said.message if said else "the schema says so"


@dataclass(slots=True, eq=False)
class RuleSet:
    """Rules that are open on a document.

    ``first`` is the place of its first rule among all that are open; ``by_event`` has the rules by the event that
    triggers them; ``waiting`` is what waits for the end of the transaction (L4). The rest is as for `Document.rules`.
    """

    rules: Rules
    history: EventHistory
    by_event: Mapping[str, list[RuleProgram]]
    first: int
    functions: Mapping[str, Function]
    on_fire: Function | None
    on_error: Callable[[XmlCepError], Any] | None
    limit: int
    most: int
    strict: bool
    validity: Validity | None
    references: Mapping[str, etree._Element]
    externals: Mapping[str, CompositeType]
    waiting: list[Triggered] = field(default_factory=list)
    counts: FiringCounts = field(default_factory=FiringCounts)

    def takes(self, event: CompositeEvent) -> bool:
        """Whether an external event is one of these rules'."""
        return self.rules.takes_external(event)
