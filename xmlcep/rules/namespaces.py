"""Several rules files as one set: each reads its names with the declarations of its own.

Paths know their namespaces from reading. XPath is read with those of the set, so a file whose declarations mean
something else has the names in its expressions written out (``{uri}name``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from ..algebra import Becomes, EventDefinition, Leaf, Operator
from ..algebra.expressions import Expression
from ..algebra.options import Options
from ..xpath.tokens import qualified
from .braces import TextError, with_expressions


def of_the_set(files: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The declarations of a set of files: of those of one prefix the first."""
    together: dict[str, str] = {}
    for own in files:
        for prefix, uri in own.items():
            together.setdefault(prefix, uri)
    return {prefix: uri for prefix, uri in together.items() if prefix or uri}


class Names:
    """The names in a file's expressions, written so that the declarations of the set do not change them."""

    def __init__(self, own: Mapping[str, str], together: Mapping[str, str]) -> None:
        self._own = own
        self._together = together

    @property
    def stay(self) -> bool:
        """Whether they mean the same in the set as they are."""
        prefixes = {"", *self._own}
        return all(self._own.get(each, "") == self._together.get(each, "") for each in prefixes)

    def definition(self, definition: EventDefinition) -> EventDefinition:
        """A definition with its expressions written so."""
        if self.stay:
            return definition
        message = definition.message
        with suppress(TextError):  # which is reported where it is compiled
            message = None if message is None else with_expressions(message, self._text)
        return replace(definition, expression=self._operator(definition.expression), message=message)

    def _operator(self, operator: Operator) -> Operator:
        operands = tuple(map(self._expression, operator.operands))
        if isinstance(operator, Becomes):
            operator = replace(operator, test=self._text(operator.test))
        return replace(operator, operands=operands, options=self._options(operator.options))  # type: ignore[type-var]

    def _expression(self, expression: Expression) -> Expression:
        return self._leaf(expression) if isinstance(expression, Leaf) else self._operator(expression)

    def _leaf(self, leaf: Leaf) -> Leaf:
        bindings = tuple(each._replace(expression=self._given(each.expression)) for each in leaf.bindings)
        return replace(leaf, filter=self._given(leaf.filter), bindings=bindings)

    def _options(self, options: Options) -> Options:
        return replace(
            options, when=self._given(options.when), guard=self._given(options.guard),
            having=self._given(options.having),
            let=tuple(each._replace(expression=self._text(each.expression)) for each in options.let),
        )  # fmt: skip

    def _given(self, expression: str | None) -> str | None:
        return None if expression is None else self._text(expression)

    def _text(self, expression: str) -> str:
        return qualified(expression, self._own, self._together)
