"""Event definitions to text, in the notation that the parser reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from path_types import Axis, PathType, Step
from path_types.names import name_parts

from ..algebra import (
    Action,
    ActiveRule,
    Call,
    ContextName,
    Coupling,
    Delete,
    Disjunction,
    EventDefinition,
    EventTrigger,
    Expression,
    Insert,
    Leaf,
    Move,
    Operator,
    Options,
    Order,
    Raise,
    Reference,
    Replace,
    RuleParameter,
    SetValue,
)
from ..errors import XmlCepError
from ..events import PrimitiveType
from .embedded import FILTER, VALUE, is_embeddable
from .options import STRINGS
from .strings import quote

Said: TypeAlias = Iterator[tuple[str, str | bool | None]]
"""Options by name in the order in which they are written, with their values; None: not given; True: a flag."""


def said_of_operator(options: Options, path: Callable[[PathType], str]) -> Said:
    """The options of an operator, ``let`` with the name of its variable behind; ``path`` writes a path."""
    yield "context", options.context and options.context.value
    yield "end", options.end and options.end.value
    yield "path", None if options.path is None else path(options.path)
    yield from (("when", options.when), ("if", options.guard))
    for name, window in (("within", options.within), ("gap", options.gap)):
        yield name, None if window is None else str(window)
    yield "having", options.having
    yield from ((f"let {let.name}", let.expression) for let in options.let)
    yield "by", ", ".join(options.by) or None
    yield from (("strict", options.strict or None), ("slide", options.slide or None), ("name", options.name))


def said_of_event(definition: EventDefinition, of_root: Said | None = None) -> Said:
    """The options of an event itself, and among them those of its root."""
    yield "context", None if definition.context is ContextName.CHRONICLE else definition.context.value
    yield "flat", (definition.flat and not definition.across) or None
    yield "across", definition.across or None
    yield "order", None if definition.order is Order.INTERVAL else definition.order.value
    yield from of_root or ()
    yield "severity", definition.severity and definition.severity.value
    yield "message", definition.message


def said_of_rule(rule: ActiveRule) -> Said:
    """The options of an action rule."""
    yield "priority", str(rule.priority) if rule.priority else None
    yield "mode", rule.mode and rule.mode.value
    yield "coupling", None if rule.coupling is Coupling.IMMEDIATE else rule.coupling.value


def print_definitions(
    definitions: Iterable[EventDefinition],
    namespaces: Mapping[str, str] | None = None,
    references: Iterable[Reference] = (),
    active_rules: Iterable[ActiveRule] = (),
    parameters: Iterable[RuleParameter] = (),
) -> str:
    """The definitions as a rules text that parses back to equal definitions.

    ``namespaces`` (prefix to URI, "" for unprefixed element names) are declared first, and shorten the names;
    then come reference documents and parameters; action rules come last.
    Raises `XmlCepError` for an expression that the language has no notation for.
    """
    printer = _Printer(namespaces or {})
    events = [
        line for each in definitions for line in (*comment_of(each.description), printer.definition(each))
    ]
    rules = [printer.active_rule(rule) for rule in active_rules]
    declarations = [
        *printer.declarations(), *map(printer.reference, references), *map(printer.parameter, parameters)
    ]  # fmt: skip
    parts = ["".join(f"{line}\n" for line in part) for part in (declarations, events, rules) if part]
    return "\n".join(parts)


def comment_of(description: str) -> Iterator[str]:
    """A description as the lines of the comment above an event."""
    return (f"# {line}" if line else "#" for line in description.split("\n") if description)


def print_active_rule(rule: ActiveRule, namespaces: Mapping[str, str] | None = None) -> str:
    """An action rule as it stands in a rules text, without a line end behind it."""
    return _Printer(namespaces or {}).active_rule(rule)


def print_expression(expression: Expression, namespaces: Mapping[str, str] | None = None) -> str:
    """An expression as it stands behind ``event NAME =``, with all its options.

    Raises `XmlCepError` for an expression that the language has no notation for.
    """
    printer = _Printer(namespaces or {})
    if isinstance(expression, Leaf):
        return printer.leaf(expression)
    return printer.operator(expression, expression.options)


def print_action(action: Action) -> str:
    """An action of a rule as it is written."""
    return _Printer({}).action(action)


def print_operand(expression: Expression, namespaces: Mapping[str, str] | None = None) -> str:
    """An expression as it stands in a longer one: in parentheses if it joins operands."""
    return _Printer(namespaces or {}).operand(expression)


def print_number(value: float) -> str:
    """A number with all its digits and no exponent."""
    return format(Decimal(repr(value)), "f").removesuffix(".0")


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

    def reference(self, reference: Reference) -> str:
        return f"reference {reference.name} = {quote(reference.file)}"

    def parameter(self, parameter: RuleParameter) -> str:
        value = parameter.value
        return f"param {parameter.name} = {quote(value) if isinstance(value, str) else print_number(value)}"

    def definition(self, definition: EventDefinition) -> str:
        root = definition.expression
        path = "" if root.options.path is None else f"({self.path(root.options.path)})"
        body, options = self._definition(definition)
        behind_name = _braces(*options)
        return f"event {definition.name}{path}{' ' if behind_name else ''}{behind_name} = {body}"

    def _definition(self, definition: EventDefinition) -> tuple[str, list[tuple[str, str | bool | None]]]:
        """The expression of an event, and the options that are behind its name; its path is not among them."""
        root = definition.expression
        of_root = self._said(replace(root.options, context=None, path=None, name=None))
        behind_name = [*said_of_event(definition, of_root)]
        # A context behind the name is the default of all operators, so the root's own is behind the root.
        own = Options(context=root.options.context, name=root.options.name)
        is_single_leaf = len(root.operands) == 1 and isinstance(root, Disjunction)
        if is_single_leaf and own == Options() and isinstance(root.operands[0], Leaf):
            body = self.leaf(root.operands[0])  # T1
        else:
            body = self.operator(root, own)
        return body, behind_name

    # ---- action rules -------------------------------------------------------------------------------

    def active_rule(self, rule: ActiveRule) -> str:
        own = [*said_of_rule(rule)]
        if isinstance(rule.trigger, EventTrigger):
            path = "" if rule.trigger.path is None else f"({self.path(rule.trigger.path)})"
            trigger, options = f"{rule.trigger.name}{path}", own
        else:
            body, of_event = self._definition(rule.trigger)
            root_path = rule.trigger.expression.options.path
            given_path = None if root_path is None else self.path(root_path)
            trigger, options = f"({body})", [("path", given_path), *of_event, *own]
        braces = _braces(*options)
        lines = [f"rule {rule.name} on {trigger}{' ' if braces else ''}{braces}"]
        if rule.condition is not None:
            lines.append(f"     if {quote(rule.condition)}")
        lines.append("     do " + ",\n        ".join(map(self.action, rule.actions)))
        return "\n".join(lines)

    def action(self, action: Action) -> str:
        match action:
            case Insert(fragment, where, target):
                return f"insert {quote(fragment)} {where.value} {quote(target)}"
            case Delete(target):
                return f"delete {quote(target)}"
            case SetValue(target, value):
                return f"set {quote(target)} = {quote(value)}"
            case Replace(target, fragment):
                return f"replace {quote(target)} with {quote(fragment)}"
            case Move(source, where, target):
                return f"move {quote(source)} {where.value} {quote(target)}"
            case Call(function):
                return f"call {quote(function)}"
            case Raise(event, target):
                return f"raise {event}" + ("" if target is None else f"({quote(target)})")

    # ---- operators ------------------------------------------------------------------------------------

    def operator(self, operator: Operator, options: Options) -> str:
        """The operator with these options instead of its own."""
        braces = self.options(options)
        if len(operator.operands) < 2 and operator.infix and not (operator.fewest == 1 and braces):
            raise XmlCepError(
                f"a {operator.kind} of {len(operator.operands)} operands without options cannot be written: "
                "put its operand in its place"
            )
        if len(operator.operands) == 1 and operator.infix and not isinstance(operator.operands[0], Leaf):
            raise XmlCepError(
                f"a {operator.kind} of one operator cannot be written: put the operator in its place"
            )
        return operator.notation(self, braces)

    # ---- what an operator's notation is made of (`Writer`) ------------------------------------------

    def expression(self, expression: Expression) -> str:
        if isinstance(expression, Leaf):
            return self.leaf(expression)
        return self.operator(expression, expression.options)

    def operand(self, expression: Expression) -> str:
        """Always in parentheses if it joins operands: nobody has to remember what binds stronger."""
        text = self.expression(expression)
        joins = isinstance(expression, Operator) and expression.infix and not self.options(expression.options)
        return f"({text})" if joins else text

    def quoted(self, text: str) -> str:
        return quote(text)

    # ---- leaves, options, paths ---------------------------------------------------------------------

    def leaf(self, leaf: Leaf) -> str:
        if leaf.opaque is not None:
            name = f"opaque[{quote(leaf.opaque.language)}, {quote(leaf.opaque.text)}]"
        elif isinstance(leaf.type, PrimitiveType):
            name = leaf.type.operation
        else:
            name = leaf.type.name or "?"
        text = f"{name}({self.path(leaf.type.path)}{leaf.type.scope.value})"
        if leaf.filter is not None:
            text += _embedded(FILTER, f"[{leaf.filter}]")
        for name, value in leaf.bindings:
            text += f" as ${name}" + ("" if value is None else f" = {_embedded(VALUE, f'({value})')}")
        if leaf.name is not None:
            text += f" as {leaf.name}"
        return text

    def options(self, options: Options) -> str:
        return _braces(*self._said(options))

    def _said(self, options: Options) -> Said:
        return said_of_operator(options, self.path)

    def path(self, path: PathType) -> str:
        return ("/" if path.absolute else "") + "/".join(map(self._step, path.steps))

    def _step(self, step: Step) -> str:
        if step.axis is Axis.ATTRIBUTE:
            return f"@{self._name(step.test, default='')}"
        return self._name(step.test, default=self._namespaces.get("", "")) if step.is_element else step.test

    def _name(self, name: str, default: str) -> str:
        """A name in Clark notation as the parser reads it where ``default`` is that of unprefixed names."""
        uri, local = name_parts(name)
        if uri == default:
            return local
        return f"{self._prefixes[uri]}:{local}" if uri in self._prefixes else f"{{{uri}}}{local}"


def _embedded(pattern: str, text: str) -> str:
    """An XPath with its brackets."""
    if not is_embeddable(pattern, text):
        raise XmlCepError(f"{text} cannot be written: its brackets or quotes do not balance")
    return text


def _braces(*options: tuple[str, str | bool | None]) -> str:
    """``{name=value, …}`` of the options that are given."""
    given = []
    for name, value in options:
        if isinstance(value, str):
            is_string = name.partition(" ")[0] in STRINGS
            given.append(f"{name}={quote(value) if is_string else value}")
        elif value:
            given.append(name)
    return f"{{{', '.join(given)}}}" if given else ""
