"""Event definitions to text, in the notation that the parser reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from path_types import Axis, PathType, Step

from ..algebra import (
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Operator,
    Options,
    Order,
)
from ..errors import XmlCepError
from ..events import PrimitiveType
from .strings import quote


def print_definitions(
    definitions: Iterable[EventDefinition], namespaces: Mapping[str, str] | None = None
) -> str:
    """The definitions as a rules text that parses back to equal definitions.

    ``namespaces`` (prefix to URI, "" for unprefixed element names) are declared first, and shorten the names.
    Raises `XmlCepError` for an expression that the language has no notation for.
    """
    printer = _Printer(namespaces or {})
    events = [printer.definition(definition) for definition in definitions]
    declarations = printer.declarations()
    blank = [""] if declarations and events else []
    return "".join(f"{line}\n" for line in (*declarations, *blank, *events))


def print_expression(expression: Expression, namespaces: Mapping[str, str] | None = None) -> str:
    """An expression as it stands behind ``event NAME =``, with all its options.

    Raises `XmlCepError` for an expression that the language has no notation for.
    """
    printer = _Printer(namespaces or {})
    if isinstance(expression, Leaf):
        return printer.leaf(expression)
    return printer.operator(expression, expression.options)


def print_path(path: PathType, namespaces: Mapping[str, str] | None = None) -> str:
    """A path with its names shortened by the namespaces."""
    return _Printer(namespaces or {}).path(path)


class _Printer:
    """Prints with one set of namespaces."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self._namespaces = namespaces
        # If two prefixes stand for one namespace, the first is used.
        self._prefixes = {uri: prefix for prefix, uri in reversed(list(namespaces.items())) if prefix}

    def declarations(self) -> list[str]:
        return [
            f"namespace {prefix} = {quote(uri)}" if prefix else f"namespace {quote(uri)}"
            for prefix, uri in self._namespaces.items()
        ]

    def definition(self, definition: EventDefinition) -> str:
        root = definition.expression
        path = "" if root.options.path is None else f"({self.path(root.options.path)})"
        behind_name = _braces(
            ("context", None if definition.context is ContextName.CHRONICLE else definition.context.value),
            ("flat", "" if definition.flat else None),
            ("order", None if definition.order is Order.INTERVAL else definition.order.value),
            ("end", root.options.end and root.options.end.value),
            ("when", None if root.options.when is None else quote(root.options.when)),
        )
        # A context behind the name is the default of all operators, so the root's own stands behind the root.
        own = Options(context=root.options.context, name=root.options.name)
        is_single_leaf = len(root.operands) == 1 and isinstance(root, Disjunction)
        if is_single_leaf and own == Options() and isinstance(root.operands[0], Leaf):
            body = self.leaf(root.operands[0])  # N4
        else:
            body = self.operator(root, own)
        return f"event {definition.name}{path}{' ' if behind_name else ''}{behind_name} = {body}"

    def operator(self, operator: Operator, options: Options) -> str:
        """The operator with these options instead of its own."""
        braces = self.options(options)
        if not operator.infix:
            operands = " ".join(map(self.operand, operator.operands))
            return f"{operator.symbol}{operator.brackets()}{braces} {operands}"
        if len(operator.operands) < 2 and not (len(operator.operands) >= operator.fewest and braces):
            raise XmlCepError(
                f"a {operator.kind} of {len(operator.operands)} operands without options cannot be written: "
                "put its operand in its place"
            )
        if len(operator.operands) == 1 and not isinstance(operator.operands[0], Leaf):
            raise XmlCepError(
                "a disjunction of one operator cannot be written: put the operator in its place"
            )
        joined = f" {operator.symbol} ".join(map(self.operand, operator.operands))
        return f"({joined}){braces}" if braces else joined

    def operand(self, expression: Expression) -> str:
        """Always in parentheses if it joins operands: nobody has to remember what binds stronger."""
        if isinstance(expression, Leaf):
            return self.leaf(expression)
        text = self.operator(expression, expression.options)
        joins = expression.infix and not self.options(expression.options)
        return f"({text})" if joins else text

    def leaf(self, leaf: Leaf) -> str:
        name = leaf.type.operation if isinstance(leaf.type, PrimitiveType) else leaf.type.name or "?"
        return f"{name}({self.path(leaf.type.path)})"

    def options(self, options: Options) -> str:
        return _braces(
            ("context", options.context and options.context.value),
            ("end", options.end and options.end.value),
            ("path", None if options.path is None else self.path(options.path)),
            ("when", None if options.when is None else quote(options.when)),
            ("name", options.name),
        )

    def path(self, path: PathType) -> str:
        return ("/" if path.absolute else "") + "/".join(map(self._step, path.steps))

    def _step(self, step: Step) -> str:
        if step.axis is Axis.ATTRIBUTE:
            return f"@{self._name(step.test, default='')}"
        return self._name(step.test, default=self._namespaces.get("", "")) if step.is_element else step.test

    def _name(self, name: str, default: str) -> str:
        """A name in Clark notation as the parser reads it where ``default`` is that of unprefixed names."""
        uri, local = name[1:].split("}", 1) if name.startswith("{") else ("", name)
        if uri == default:
            return local
        return f"{self._prefixes[uri]}:{local}" if uri in self._prefixes else f"{{{uri}}}{local}"


def _braces(*options: tuple[str, str | None]) -> str:
    """``{name=value, …}`` of the options that are given; a value "" is that of a flag."""
    given = [f"{name}={value}" if value else name for name, value in options if value is not None]
    return f"{{{', '.join(given)}}}" if given else ""
