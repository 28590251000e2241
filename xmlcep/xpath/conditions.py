"""Termination conditions: expressions that must be true for a composite to be raised (D4)."""

from __future__ import annotations

from collections.abc import Mapping

from .environment import Environment
from .errors import ExpressionError
from .expression import Expression, compile_expression
from .kinds import Known, NodeKind, Scope

ConditionError = ExpressionError


class Condition:
    """An expression as a boolean; an element is its context node and the root of all it sees (D4).

    ``variables`` are the reference documents and parameters that it can ask (V8, V9). Raises `ExpressionError` for
    everything that could go wrong in evaluation, so that `holds` never raises; see `compile_expression`.

    >>> from lxml import etree
    >>> item = Environment(element=etree.fromstring("<order><item><price>3</price></item></order>")[0])
    >>> [Condition(when).holds(item) for when in ("price > 2", "/item/price > 2", "..")]
    [True, True, False]
    """

    __slots__ = ("compiled", "expression")

    def __init__(
        self,
        expression: str,
        *,
        namespaces: Mapping[str, str] | None = None,
        variables: Known | None = None,
    ) -> None:
        self.expression = expression
        self.compiled: Expression = compile_expression(
            expression,
            namespaces=namespaces,
            variables=variables,
            node=NodeKind.ELEMENT,
            scope=Scope.SUBTREE,
        )

    def holds(self, seen: Environment) -> bool:
        """Whether the condition is true of an element's subtree as it is now; the variables are the root elements of
        the reference documents.

        An expression that cannot look beyond the subtree is evaluated where the element is; for others a
        copy of the subtree is made the document, which takes time in proportion to its size.
        """
        return self.compiled.boolean(seen)

    def __deepcopy__(self, memo: object) -> Condition:
        return self

    def __repr__(self) -> str:
        return f"Condition({self.expression!r})"
