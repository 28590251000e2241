"""Values from outside in an expression for libxml2: as its variables, never as text."""

from __future__ import annotations

from collections.abc import Callable

from path_types.names import local_name, namespace_of

from . import values
from .environment import Environment
from .extensions import Argument, argument_of, as_elements, protect
from .kinds import VariableKind, Variables
from .libxml2_names import reads_exactly


class Bindings:
    """The variables that a translation has made up, and where their values come from."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._names: dict[tuple[str, object], str] = {}  # by what it stands for
        self._binders: dict[str, Callable[[Environment], Argument]] = {}

    def used_in(self, text: str) -> tuple[tuple[str, Callable[[Environment], Argument]], ...]:
        """The names of the variables in a text, and what gives their values."""
        return tuple((name, bind) for name, bind in self._binders.items() if f"${name}" in text)

    def _bind(self, key: tuple[str, object], bind: Callable[[Environment], Argument]) -> str:
        name = self._names.setdefault(key, f"v{len(self._names)}_")
        self._binders[name] = bind
        return f"${name}"

    def variable(self, name: str) -> str:
        """A variable of the expression."""
        kind = self._variables[name]
        text = self._bind(("variable", name), _BINDERS.get(kind, _bind_value)(name))
        # The root node is the parent of the root element, which lxml cannot pass.
        if kind is VariableKind.NODES:
            return f"{text}/parent::node()"
        if kind is VariableKind.TEXTS:
            number = self._bind(("own", "number"), lambda environment: environment.text)
            return f"{text}/text()[{number} = 0 or position() = {number}]"
        return f"{text}/@*[{self._own_name()}]" if kind is VariableKind.ATTRIBUTES else text

    def number(self, value: float) -> str:
        """A number; a variable if libxml2 would read it as another."""
        text = values.text_of_number(value)
        return text if reads_exactly(text, value) else self._bind(("number", value), lambda _: value)

    def own(self) -> str:
        """The text of the text or attribute node that the expression is about."""
        return self._bind(("own", ""), lambda environment: protect(environment.value))

    def own_as_list(self) -> str:
        """The same as a node with that text."""
        return self._bind(("own", "list"), lambda environment: as_elements([environment.value]))

    def own_node(self) -> str:
        """That node itself, looked at from its parent."""
        text = self._bind(
            ("own", "text"), lambda environment: 0.0 if environment.attribute else environment.text
        )
        return f"(text()[{text}] | @*[{self._own_name()}])"

    def _own_name(self) -> str:
        uri = self._bind(("own", "uri"), lambda environment: namespace_of(environment.attribute))
        local = self._bind(("own", "local"), lambda environment: local_name(environment.attribute))
        return f"local-name() = {local} and namespace-uri() = {uri}"


def _bind_value(name: str) -> Callable[[Environment], Argument]:
    return lambda environment: argument_of(environment.variables.get(name))  # type: ignore[arg-type]


def _bind_list(name: str) -> Callable[[Environment], Argument]:
    return lambda environment: as_elements(environment.variables.get(name) or ())  # type: ignore[arg-type]


def _bind_nodes(name: str) -> Callable[[Environment], Argument]:
    def bind(environment: Environment) -> Argument:
        root = environment.variables.get(name)
        return [] if root is None else [root]

    return bind


def _bind_elements(name: str) -> Callable[[Environment], Argument]:
    return lambda environment: environment.variables.get(name) or []


_BINDERS = {
    VariableKind.LIST: _bind_list, VariableKind.NODES: _bind_nodes, VariableKind.ELEMENTS: _bind_elements,
    VariableKind.TEXTS: _bind_elements, VariableKind.ATTRIBUTES: _bind_elements,
}  # fmt: skip
