"""What a rules file declares: events, that is, named expressions (T1), reference documents (V8), parameters (V9)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..position import NOWHERE, Position
from .expressions import Operator
from .options import ContextName, Order, Severity


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """``event NAME {context, flat, across, order} = expression``: a named composite event type.

    ``expression`` is always an operator: a definition that is a single leaf has a disjunction of that one
    leaf. The path type written behind the name, and ``end`` and ``when`` of the event, stand in the options
    of that root operator. ``across``: of several documents, then it is flat,
    too (V11). ``severity`` and ``message`` are what findings say (Y10), ``description`` is the comment
    above the event, which is not compared.
    """

    name: str
    expression: Operator
    context: ContextName = ContextName.CHRONICLE
    flat: bool = False
    order: Order = Order.INTERVAL
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    severity: Severity | None = None
    message: str | None = None
    description: str = field(default="", compare=False, repr=False)
    message_at: Position = field(default=NOWHERE, compare=False, repr=False)
    across: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """``reference name = "file"``: a document that expressions see as ``$name`` (V8)."""

    name: str
    file: str
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RuleParameter:
    """``param name = value``: a number or a text that expressions see as ``$name`` (V9).

    The value is the one that is used: that of the statement, or what whoever loads the rules gives in its place.
    """

    name: str
    value: float | str
    at: Position = field(default=NOWHERE, compare=False, repr=False)
