"""Termination conditions: XPath expressions that must be true for a composite to be raised (D4, X3 to X5)."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from lxml import etree

from .checking import check_xpath
from .tokens import ConditionError as ConditionError

__all__ = ["Condition", "ConditionError"]


class Condition:
    """An XPath 1.0 expression as a boolean; an element is its context node and the root of all it sees.

    Element names without a prefix have the namespace ``namespaces[""]`` if there is one, as in paths.
    Raises `ConditionError` for everything that could go wrong in evaluation, so that `holds` never raises:
    syntax, unknown functions, prefixes and axes, wrong arguments, variables, and what is no part of the
    document state (comments, processing instructions, ids).

    >>> item = etree.fromstring("<order><item><price>3</price></item></order>")[0]
    >>> [Condition(when).holds(item) for when in ("price > 2", "/item/price > 2", "..")]
    [True, True, False]
    """

    __slots__ = ("_evaluate", "_in_place", "expression")

    def __init__(self, expression: str, *, namespaces: Mapping[str, str] | None = None) -> None:
        checked = check_xpath(expression, namespaces)
        self.expression = expression
        self._in_place = checked.stays_inside
        try:
            self._evaluate = etree.XPath(
                f"boolean({checked.text})",
                namespaces=checked.prefixes or None,
                regexp=False,
                smart_strings=False,
            )
        except (etree.XPathError, ValueError) as error:
            raise ConditionError(expression, 0, len(expression), f"bad XPath ({error})") from error

    def holds(self, element: etree._Element) -> bool:
        """Whether the condition is true of this element's subtree as it is now.

        An expression that cannot look beyond the subtree is evaluated where the element stands; for others a
        copy of the subtree is made the document, which takes time in proportion to its size.
        """
        if not self._in_place:
            element = copy.deepcopy(element)
            element.tail = None
        return bool(self._evaluate(element))

    def __repr__(self) -> str:
        return f"Condition({self.expression!r})"
