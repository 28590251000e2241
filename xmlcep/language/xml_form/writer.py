"""Event definitions to rules in XML, as the reader reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lxml import etree

from path_types import PathType

from ...algebra import (
    ActiveRule,
    Disjunction,
    EventDefinition,
    EventTrigger,
    Expression,
    Leaf,
    Operator,
    Options,
    Reference,
    RuleParameter,
    Where,
    parts_of_action,
)
from ...errors import XmlCepError
from ...events import PrimitiveType
from ..building import MAX_NESTING
from ..printer import print_number, print_path, said_of_event, said_of_operator, said_of_rule
from .names import (
    ALL,
    COMPOSITE,
    LET,
    NAMESPACE,
    NOT,
    ON,
    OPAQUE,
    PRIMITIVE,
    VARIABLE,
    operator_name,
)

_ELEMENT_OF = {operation: name for name, operation in PRIMITIVE.items()}


def print_xml_definitions(
    definitions: Iterable[EventDefinition],
    namespaces: Mapping[str, str] | None = None,
    references: Iterable[Reference] = (),
    active_rules: Iterable[ActiveRule] = (),
    parameters: Iterable[RuleParameter] = (),
) -> str:
    """The definitions as rules in XML that read back to equal definitions, with a declaration that says UTF-8.

    Raises `XmlCepError` for what XML has no characters for and for operators nested too deep.
    """
    writer = _Writer(namespaces or {})
    root = etree.Element(f"{{{NAMESPACE}}}rules", nsmap={None: NAMESPACE})
    for prefix, uri in writer.namespaces.items():
        _add(root, "namespace", prefix=prefix or None, uri=uri)
    for reference in references:
        _add(root, "reference", name=reference.name, file=reference.file)
    for parameter in parameters:
        is_text = isinstance(parameter.value, str)
        value = parameter.value if isinstance(parameter.value, str) else print_number(parameter.value)
        _add(root, "param", name=parameter.name, **{"text" if is_text else "number": value})
    for definition in definitions:
        writer.definition(root, definition)
    for rule in active_rules:
        writer.active_rule(root, rule)
    etree.indent(root)
    text = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


class _Writer:
    """Writes with one set of namespaces."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self.namespaces = namespaces

    def _path(self, path: PathType) -> str:
        return print_path(path, self.namespaces)

    def definition(self, rules: etree._Element, definition: EventDefinition) -> None:
        event = _add(
            rules, "event", name=definition.name, **dict(said_of_event(definition)),
            description=definition.description or None,
        )  # fmt: skip
        self._root(event, definition.expression)

    def active_rule(self, rules: etree._Element, rule: ActiveRule) -> None:
        element = _add(rules, "rule", name=rule.name, **dict(said_of_rule(rule)), **{"if": rule.condition})
        trigger = rule.trigger
        if isinstance(trigger, EventTrigger):
            path = None if trigger.path is None else self._path(trigger.path)
            _add(element, ON, event=trigger.name, path=path)
        else:
            self._root(_add(element, ON, **dict(said_of_event(trigger))), trigger.expression)
        for action in rule.actions:
            given = {name: getattr(action, name) for name in parts_of_action(type(action))}
            _add(
                element, action.word,
                **{name: value.value if isinstance(value, Where) else value for name, value in given.items()},
            )  # fmt: skip

    def _root(self, parent: etree._Element, root: Operator) -> None:
        is_single_leaf = isinstance(root, Disjunction) and len(root.operands) == 1
        if is_single_leaf and root.options == Options():
            self.expression(parent, root.operands[0], 1)  # T1
        else:
            self.expression(parent, root, 1)

    def expression(self, parent: etree._Element, expression: Expression, depth: int) -> None:
        if isinstance(expression, Leaf):
            self._leaf(parent, expression)
            return
        if depth > MAX_NESTING:
            raise XmlCepError(
                f"operators are nested more than {MAX_NESTING} deep, which cannot be written as XML"
            )
        self._operator(parent, expression, depth)

    def _operator(self, parent: etree._Element, operator: Operator, depth: int) -> None:
        names = [parameter.name for parameter in operator.parameters]
        arguments = dict(zip(names, operator.arguments, strict=True))
        said = dict(said_of_operator(operator.options, self._path))
        options = {name: value for name, value in said.items() if not name.startswith("let ")}
        element = _add(parent, operator_name(type(operator)), **arguments, **options)
        for let in operator.options.let:
            _add(element, LET, name=let.name, select=let.expression)
        bounds = {each.operand: each.bounds for each in operator.collected}
        for k, operand in enumerate(operator.written):
            parent = element
            if k in operator.negated:
                parent = _add(element, NOT)
            elif k in bounds:
                lower, upper = bounds[k]
                parent = _add(element, ALL, min=str(lower), max="*" if upper is None else str(upper))
            self.expression(parent, operand, depth + 1)

    def _leaf(self, parent: etree._Element, leaf: Leaf) -> None:
        path = f"{self._path(leaf.type.path)}{leaf.type.scope.value}"
        common = {"path": path, "filter": leaf.filter, "as": leaf.name}
        if leaf.opaque is not None:
            own = {"language": leaf.opaque.language, "text": leaf.opaque.text}
            element = _add(parent, OPAQUE, **own, **common)
        elif isinstance(leaf.type, PrimitiveType):
            element = _add(parent, _ELEMENT_OF[leaf.type.operation], **common)
        else:
            element = _add(parent, COMPOSITE, event=leaf.type.name, **common)
        for name, expression in leaf.bindings:
            _add(element, VARIABLE, name=name, select=expression)


def _add(parent: etree._Element, name: str, /, **attributes: str | bool | None) -> etree._Element:
    """One more element in the parent, with those of the attributes that are not None."""
    element = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    for attribute, value in attributes.items():
        if value is None:
            continue
        try:
            element.set(attribute, "true" if value is True else str(value))
        except ValueError:
            raise XmlCepError(
                f"{value!r} has characters that XML has none for: rules with it cannot be written as XML"
            ) from None
    return element
