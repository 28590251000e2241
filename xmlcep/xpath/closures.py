"""Syntax tree to Python functions: the one evaluator of expressions.

What an expression is asked of (the subject: an `Environment`, or an event as it is) is looked at by the functions of
a `Sight`; nodes, in tables or in an lxml tree, are the list of their texts wherever a value is wanted. Each node of
the tree becomes a function of the subject, made for the kind of value that is wanted of it. The meaning is that of
`values` and `functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from . import values
from .checking import Focus, kind_of, may_be_missing
from .closure_forms import (
    Item,
    Lists,
    Numbers,
    S,
    Selection,
    Texts,
    Truths,
    Values,
    any_compared,
    any_equal,
    applied,
    compared,
    compared_further,
    computed,
    item_at,
    items_where,
    junction,
    last_item,
    number_in,
    numbers_compared,
    text_comparison,
)
from .environment import Environment
from .functions import FUNCTIONS, Parameter
from .kinds import VariableKind, Variables
from .node_closures import NodeClosures
from .nodes import Source
from .regex import matcher
from .sight import Sight, View
from .syntax import (
    BOOLEAN_OPERATORS,
    Call,
    Filter,
    Literal,
    Negation,
    Number,
    Operation,
    Path,
    Syntax,
    Variable,
    is_constant,
)
from .values import Value, number_of, text_of, truth_of


class Closures(NodeClosures[S]):
    """Makes functions of the parts of one checked expression."""

    def __init__(self, sight: Sight[S], variables: Variables, namespaces: Mapping[str, str]) -> None:
        super().__init__(sight, variables, namespaces)
        self._constants: dict[int, Value] = {}  # by the id of the syntax; None: it has no constant value

    # -- as a kind of value ---------------------------------------------------------------------------------

    def string(self, syntax: Syntax, focus: Focus) -> Texts[S]:
        """The expression as a string."""
        if _is_own(syntax, focus):
            return self._own_text(focus)
        if self._kind(syntax, focus) is VariableKind.NODES:
            first = self.first(syntax, focus)
            return lambda subject: first(subject) or ""  # type: ignore[return-value]
        value = self.raw(syntax, focus)
        if self._kind(syntax, focus) is VariableKind.STRING and not may_be_missing(syntax):
            return value  # type: ignore[return-value]
        return lambda subject: text_of(value(subject))

    def number(self, syntax: Syntax, focus: Focus) -> Numbers[S]:
        """The expression as a number."""
        if _is_own(syntax, focus):
            return number_in(self._own_text(focus))
        if self._kind(syntax, focus) is VariableKind.NODES:
            return number_in(self.first(syntax, focus))
        value, kind = self.raw(syntax, focus), self._kind(syntax, focus)
        if kind is VariableKind.NUMBER and not may_be_missing(syntax):
            return value  # type: ignore[return-value]
        if kind is VariableKind.STRING:
            return number_in(value)
        return lambda subject: number_of(value(subject))

    def boolean(self, syntax: Syntax, focus: Focus) -> Truths[S]:
        """The expression as a boolean."""
        if self._kind(syntax, focus) is VariableKind.NODES:
            nodes = self.nodes(syntax, focus)
            return lambda subject: bool(nodes(subject))
        value, kind = self.raw(syntax, focus), self._kind(syntax, focus)
        if kind is VariableKind.BOOLEAN and not may_be_missing(syntax):
            return value  # type: ignore[return-value]
        return lambda subject: truth_of(value(subject))

    def items(self, syntax: Syntax, focus: Focus) -> Lists[S]:
        """The expression, a list, as its values."""
        value = self.raw(syntax, focus)
        return lambda subject: found if (found := value(subject)) is not None else ()  # type: ignore[return-value]

    def raw(self, syntax: Syntax, focus: Focus) -> Values[S]:
        """The expression as what it is."""
        constant = self._constant(syntax, focus)
        if constant is not None:
            return lambda _: constant
        return self._raw(syntax, focus)

    def _raw(self, syntax: Syntax, focus: Focus) -> Values[S]:
        match syntax:
            case Literal(value) | Number(value):
                return lambda _: value
            case _ if self._kind(syntax, focus) is VariableKind.NODES:
                return self._texts(syntax, focus)
            case Variable(name):
                return self._variable(name)
            case Negation(operand, negative):
                number = self.number(operand, focus)
                return (lambda subject: -number(subject)) if negative else number
            case Operation():
                return self._operation(syntax, focus)
            case Call():
                return self._call(syntax, focus)
            case Filter(operand, predicates):
                return self._filter(operand, predicates, focus)
            case Path():
                own = self._own_text(focus)
                return lambda subject: (own(subject),)
        raise TypeError(f"{syntax} is not an expression")

    def _kind(self, syntax: Syntax, focus: Focus) -> VariableKind:
        return kind_of(syntax, focus, self._variables)

    def _constant(self, syntax: Syntax, focus: Focus) -> Value:
        """The value of an expression that always has the same; None if it has not."""
        if id(syntax) not in self._constants:  # once, or constants in each other take exponential time
            value = self._raw(syntax, focus)(None) if is_constant(syntax) else None  # type: ignore[arg-type]
            self._constants[id(syntax)] = value
        return self._constants[id(syntax)]

    def _variable(self, name: str) -> Values[S]:
        read = self._sight.variable(name)
        if self._variables[name] is not VariableKind.NUMBER:
            return read

        def number(subject: S) -> Value:
            value = read(subject)
            return value if value is None else number_of(value)

        return number

    def _own_text(self, focus: Focus) -> Texts[S]:
        if focus is Focus.OWN:
            return self._sight.own
        return lambda item: text_of(item.value)  # type: ignore[attr-defined]

    # -- operators ------------------------------------------------------------------------------------------

    def _operation(self, operation: Operation, focus: Focus) -> Values[S]:
        sign = operation.rest[0][0]
        operands = [operation.first, *(operand for _, operand in operation.rest)]
        if sign in ("or", "and"):
            return junction(sign, [self.boolean(operand, focus) for operand in operands])
        if sign not in BOOLEAN_OPERATORS:
            rest = [(sign, self.number(operand, focus)) for sign, operand in operation.rest]
            return computed(self.number(operation.first, focus), rest)
        truth = self._comparison(sign, operands[0], operands[1], focus)
        further = [(sign, self.raw(operand, focus)) for sign, operand in operation.rest[1:]]
        return compared_further(truth, further) if further else truth

    def _number_constant(self, syntax: Syntax, focus: Focus) -> float | None:
        constant = self._constant(syntax, focus)
        return None if constant is None else number_of(constant)

    def _comparison(self, sign: str, a: Syntax, b: Syntax, focus: Focus) -> Truths[S]:
        kinds = {
            VariableKind.STRING if _is_own(operand, focus) else self._kind(operand, focus)
            for operand in (a, b)
        }
        if kinds == {VariableKind.STRING} and sign in ("=", "!="):
            return text_comparison(sign, self._text(a, focus), self._text(b, focus))
        if kinds == {VariableKind.NODES, VariableKind.STRING} and sign == "=":
            for nodes, other in ((a, b), (b, a)):
                wanted = self._constant(other, focus)
                if isinstance(wanted, str):
                    return any_equal(self._texts(nodes, focus), wanted)
        if kinds == {VariableKind.NODES, VariableKind.NUMBER}:
            left, right = self._number_constant(a, focus), self._number_constant(b, focus)
            if right is not None:
                return any_compared(sign, self._texts(a, focus), right)
            if left is not None:
                return any_compared(values.MIRRORED[sign], self._texts(b, focus), left)
        numbers = kinds <= {VariableKind.NUMBER, VariableKind.STRING}
        if numbers and (sign != "!=" or not (may_be_missing(a) or may_be_missing(b))):
            # What is missing is NaN here: not equal, not less, not more.
            return numbers_compared(sign, self.number(a, focus), self.number(b, focus))
        return compared(sign, self.raw(a, focus), self.raw(b, focus))

    def _text(self, syntax: Syntax, focus: Focus) -> Values[S]:
        """A string, or None if it is missing."""
        return self._own_text(focus) if _is_own(syntax, focus) else self.raw(syntax, focus)

    # -- functions ------------------------------------------------------------------------------------------

    def _call(self, call: Call, focus: Focus) -> Values[S]:
        name, arguments = call.function, call.arguments
        match name:
            case "string":
                return self.string(arguments[0], focus)
            case "number":
                return self.number(arguments[0], focus)
            case "boolean":
                return self.boolean(arguments[0], focus)
            case "not":
                truth = self.boolean(arguments[0], focus)
                return lambda subject: not truth(subject)
            case "position":
                return lambda item: float(item.position)  # type: ignore[attr-defined]
            case "last":
                return lambda item: float(item.last)  # type: ignore[attr-defined]
            case "count" if self._kind(arguments[0], focus) is VariableKind.NODES:
                nodes = self.nodes(arguments[0], focus)
                return lambda subject: float(len(nodes(subject)))
            case "count":
                items = self.items(arguments[0], focus)
                return lambda subject: float(len(items(subject)))
            case "name" | "local-name" | "namespace-uri":
                return self._name(name, arguments[0], focus)
            case "lang":
                return self._language(arguments[0], focus)
            case "matches":
                return self._matches(*arguments, focus=focus)
            case _ if name in self._sight.running and isinstance(arguments[0], Variable):
                return self._sight.running[name]
        function = FUNCTIONS[name]
        assert function.python is not None
        made = [
            self._argument(function.parameter(i), argument, focus) for i, argument in enumerate(arguments)
        ]
        return applied(function.python, made)

    def _argument(self, parameter: Parameter, argument: Syntax, focus: Focus) -> Callable[[S], Any]:
        match parameter:
            case Parameter.STRING:
                return self.string(argument, focus)
            case Parameter.NUMBER:
                return self.number(argument, focus)
            case Parameter.BOOLEAN:
                return self.boolean(argument, focus)
        return self.items(argument, focus)

    def _matches(
        self, text: Syntax, pattern: Syntax, flags: Syntax | None = None, *, focus: Focus
    ) -> Truths[S]:
        assert isinstance(pattern, Literal)
        finds = matcher(pattern.value, flags.value if isinstance(flags, Literal) else "")
        string = self.string(text, focus)
        return lambda subject: finds(string(subject))

    # -- predicates -----------------------------------------------------------------------------------------

    def _filter(self, operand: Syntax, predicates: Sequence[Syntax], focus: Focus) -> Values[S]:
        """``[…]`` of a list of values."""
        items, selections = self.items(operand, focus), self._selections(None, predicates, Focus.ITEM)

        def kept(subject: S) -> Sequence[values.Single]:
            found = items(subject)
            for selection in selections:
                found = selection(subject, None, found)
            return found

        return kept

    def _selections(
        self, source: Source | None, predicates: Sequence[Syntax], focus: Focus
    ) -> Sequence[Selection[Any]]:
        """What predicates keep of nodes of a source, or of values."""
        if not predicates:
            return ()
        inside = Closures(self._inside(source), self._variables, self._namespaces)
        return [inside._selection(predicate, focus) for predicate in predicates]

    def _selection(self, predicate: Syntax, focus: Focus) -> Selection[Any]:
        match predicate:
            case Call("last", ()):
                return last_item
        index = self._number_constant(predicate, focus)
        kind = self._kind(predicate, focus)
        if index is not None and kind is VariableKind.NUMBER:
            return item_at(index)
        if kind in (VariableKind.NUMBER, VariableKind.VALUE):
            return items_where(self.raw(predicate, focus), by_place=True)
        return items_where(self.boolean(predicate, focus), by_place=False)

    def _inside(self, source: Source | None) -> Sight[Item[S]]:
        outside, view = self._sight.variable, self._sight.view

        def variable(name: str) -> Callable[[Item[S]], Value]:
            read = outside(name)
            return lambda item: read(item.subject)

        def environment(item: Item[S]) -> Environment:
            assert view is not None
            return view.environment(item.subject)

        own: Callable[[Item[S]], str] = lambda item: text_of(item.value)  # noqa: E731
        there = None if source is None else View(source, _DOCUMENT, _NODE, environment)
        outer = self._sight.current or view
        if outer is None:
            return Sight(own, variable, there)
        document, node = outer.document, outer.node
        current = View(
            outer.source, lambda item: document(item.subject), lambda item: node(item.subject), environment
        )
        return Sight(own, variable, there, current=current)


_DOCUMENT, _NODE = attrgetter("document"), attrgetter("value")


def _is_own(syntax: Syntax, focus: Focus) -> bool:
    return focus in (Focus.OWN, Focus.ITEM) and isinstance(syntax, Path) and syntax.is_context
