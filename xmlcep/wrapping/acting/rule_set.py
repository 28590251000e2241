"""A rule set as it runs on a document: its rules, what they have seen, which firings wait, what became of others."""

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
    triggers them; ``waiting`` are firings for the end of the transaction (L4). The rest is as for `Document.rules`.
    """

    rules: Rules
    history: EventHistory
    functions: Mapping[str, Function]
    on_fire: Function | None
    on_error: Callable[[XmlCepError], Any] | None
    limit: int
    most: int
    strict: bool
    validity: Validity | None
    first: int = 0
    by_event: Mapping[str, list[RuleProgram]] = field(init=False)
    references: Mapping[str, etree._Element] = field(init=False)
    externals: Mapping[str, CompositeType] = field(init=False)
    waiting: list[Triggered] = field(default_factory=list)
    counts: FiringCounts = field(default_factory=FiringCounts)

    def __post_init__(self) -> None:
        self.have(self.rules, self.functions)

    def have(self, rules: Rules, functions: Mapping[str, Function]) -> None:
        """Has these rules, which call these functions, from now on."""
        assert rules.triggers is not None
        by_event: dict[str, list[RuleProgram]] = {}
        for rule in rules.triggers.programs:
            by_event.setdefault(rule.event, []).append(rule)
        self.rules, self.functions, self.by_event = rules, functions, by_event
        self.references, self.externals = rules.reference_roots(), rules.externals

    def takes(self, event: CompositeEvent) -> bool:
        """Whether an external event is one of these rules'."""
        return self.rules.takes_external(event)
