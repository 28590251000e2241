"""Syntax tree to XPath that libxml2 evaluates, where an expression asks nodes.

libxml2 walks the document, compares texts and counts. Numbers it leaves to `values` and `functions`, by way of
extension functions: it reads ``1e3`` as a number, prints numbers with 15 digits, and has no functions of XPath 2.0.
Values come in as XPath variables, never as text: a list as nodes of a tree of their own. lxml evaluates
with an element as the context node only, so a text or attribute node is looked at by way of its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lxml import etree

from . import values
from .checking import Focus, focus_in, kind_of, may_be_missing
from .environment import Environment
from .extensions import EXTENSIONS, SIGN_NAMES, URI, extension
from .functions import FUNCTIONS, Parameter
from .kinds import VariableKind, Variables
from .libxml2_bindings import Bindings
from .libxml2_names import Names, is_name_in_libxml2, literal
from .regex import matcher
from .syntax import (
    BOOLEAN_OPERATORS,
    Axis,
    Call,
    Filter,
    Literal,
    NameTest,
    Negation,
    NodeTest,
    Number,
    Operation,
    Path,
    Root,
    Step,
    Syntax,
    Union,
    Variable,
)


class Translator:
    """Translates the parts of one checked expression; compiles what it has translated."""

    def __init__(self, variables: Variables, namespaces: Mapping[str, str], *, live: bool = False) -> None:
        self._variables = variables
        self._live = live  # there may be comments
        self._names = Names(namespaces)
        self._bindings = Bindings(variables)
        self._matchers: dict[tuple[str, str], str] = {}
        self._extensions: dict[tuple[str, str], Callable[..., Any]] = dict(EXTENSIONS)
        self._extensions[URI, "name"] = extension(self._names.written)

    def compile(
        self, text: str, start: Callable[[Environment], etree._Element], *, smart: bool = False
    ) -> Callable[[Environment], Any]:
        """What evaluates a translated text; ``start`` gives the context node. Raises `ValueError` if libxml2 cannot
        read it. ``smart``: texts and attributes know where they stand."""
        # lxml makes all that is given known at every evaluation.
        extensions = {key: function for key, function in self._extensions.items() if f"x:{key[1]}(" in text}
        try:
            xpath = etree.XPath(
                text,
                namespaces={"x": URI, **self._names.prefixes},
                extensions=extensions,
                regexp=False,
                smart_strings=smart,
            )
        except etree.XPathError as error:
            raise ValueError(f"libxml2 does not read {text!r}: {error}") from error
        bindings = self._bindings.used_in(text)
        if not bindings:
            return lambda environment: xpath(start(environment))
        return lambda environment: xpath(
            start(environment), **{name: bind(environment) for name, bind in bindings}
        )

    # -- as a kind of value ---------------------------------------------------------------------------------

    def string(self, syntax: Syntax, focus: Focus) -> str:
        """The expression as a string."""
        if _is_own(syntax, focus):
            return self._bindings.own()
        text, kind = self.raw(syntax, focus), self._kind(syntax, focus)
        if kind in (VariableKind.NUMBER, VariableKind.VALUE):
            return f"x:string({text})"
        return text if kind is VariableKind.STRING and not isinstance(syntax, Variable) else f"string({text})"

    def number(self, syntax: Syntax, focus: Focus) -> str:
        """The expression as a number (or no node at all, which libxml2 takes for NaN)."""
        if _is_own(syntax, focus):
            return f"x:number({self._bindings.own()})"
        text, kind = self.raw(syntax, focus), self._kind(syntax, focus)
        match kind:
            case VariableKind.NUMBER:
                return text
            case VariableKind.BOOLEAN:
                return f"number({text})"
            case VariableKind.LIST | VariableKind.NODES:
                return f"x:number(string({text}))"
        return f"x:number({text})"

    def boolean(self, syntax: Syntax, focus: Focus) -> str:
        """The expression as a boolean."""
        if _is_own(syntax, focus):
            return "true()"
        text = self.raw(syntax, focus)
        return text if self._is_boolean(syntax, focus) else f"boolean({text})"

    def raw(self, syntax: Syntax, focus: Focus) -> str:
        """The expression as what it is."""
        match syntax:
            case Literal(value):
                return literal(value)
            case Number(value):
                return self._bindings.number(value)
            case Variable(name):
                return self._bindings.variable(name)
            case Negation(operand, negative):
                return f"(-{'' if negative else '-'}{self.number(operand, focus)})"
            case Operation():
                return f"({self._operation(syntax, focus)})"
            case Call():
                return self._call(syntax, focus)
            case Union(operands):
                return f"({' | '.join(self.nodes(operand, focus) for operand in operands)})"
            case Filter(operand, predicates):
                inner = focus_in(self._kind(operand, focus))
                brackets = "".join(self._predicate(predicate, inner) for predicate in predicates)
                return f"({self.raw(operand, focus)}){brackets}"
            case Path():
                return self._bindings.own_as_list() if _is_own(syntax, focus) else self._path(syntax, focus)

    def _kind(self, syntax: Syntax, focus: Focus) -> VariableKind:
        return kind_of(syntax, focus, self._variables)

    def _is_boolean(self, syntax: Syntax, focus: Focus) -> bool:
        """Whether it is a boolean for sure: a variable can be missing, and is no node then."""
        return self._kind(syntax, focus) is VariableKind.BOOLEAN and not isinstance(syntax, Variable)

    # -- operators ------------------------------------------------------------------------------------------

    def _operation(self, operation: Operation, focus: Focus) -> str:
        signs = [sign for sign, _ in operation.rest]
        operands = [operation.first, *(operand for _, operand in operation.rest)]
        if signs[0] not in BOOLEAN_OPERATORS:
            return _joined([self.number(operand, focus) for operand in operands], signs)
        if signs[0] in ("or", "and"):
            return _joined([self.boolean(operand, focus) for operand in operands], signs)
        text = self._comparison(signs[0], operands[0], operands[1], focus)
        for sign, operand in zip(signs[1:], operands[2:], strict=True):  # what stands before it is a boolean
            text = f"{text} {sign} {self._beside_boolean(sign, operand, focus)}"
        return text

    def _comparison(self, sign: str, a: Syntax, b: Syntax, focus: Focus) -> str:
        kinds = self._kind(a, focus), self._kind(b, focus)
        if any(self._is_boolean(operand, focus) for operand in (a, b)):
            return f"{self._beside_boolean(sign, a, focus)} {sign} {self._beside_boolean(sign, b, focus)}"
        ordered = sign in values.RELATIONS
        own = _is_own(a, focus), _is_own(b, focus)
        single = [
            kind in (VariableKind.NUMBER, VariableKind.STRING) or is_own
            for kind, is_own in zip(kinds, own, strict=True)
        ]
        if all(single) and (ordered or VariableKind.NUMBER in kinds):
            return f"{self._as_number(a, focus)} {sign} {self._as_number(b, focus)}"
        if not ordered and set(kinds) <= {VariableKind.STRING, VariableKind.LIST, VariableKind.NODES}:
            return f"{self._as_text(a, focus)} {sign} {self._as_text(b, focus)}"
        left, right = self._compared(a, focus), self._compared(b, focus)
        if kinds[1] is VariableKind.NUMBER and not may_be_missing(b):
            return f"x:{SIGN_NAMES[sign]}({left}, {right})"
        if kinds[0] is VariableKind.NUMBER and not may_be_missing(a):
            return f"x:{SIGN_NAMES[values.MIRRORED[sign]]}({right}, {left})"
        return f"x:compare('{sign}', {left}, {right})"

    def _as_number(self, syntax: Syntax, focus: Focus) -> str:
        """A number or a string as a number; a missing one as no node, which is not equal and not unequal."""
        if self._kind(syntax, focus) is VariableKind.STRING and isinstance(syntax, Variable):
            return f"x:number-or-nothing({self.raw(syntax, focus)})"
        return self.number(syntax, focus)

    def _as_text(self, syntax: Syntax, focus: Focus) -> str:
        return self._bindings.own() if _is_own(syntax, focus) else self.raw(syntax, focus)

    def _compared(self, syntax: Syntax, focus: Focus) -> str:
        if _is_own(syntax, focus):
            return self._bindings.own_as_list()
        text = self.raw(syntax, focus)
        return f"({text} | {_top_element(text)})" if self._may_have_root(syntax) else text

    def _beside_boolean(self, sign: str, syntax: Syntax, focus: Focus) -> str:
        """An operand whose other operand is a boolean: a boolean, or a number where order is asked for."""
        kind = self._kind(syntax, focus)
        if sign not in values.RELATIONS:
            return self.boolean(syntax, focus)
        if kind.is_list or kind is VariableKind.BOOLEAN:
            return f"number({self.boolean(syntax, focus)})"
        return f"x:number-beside-boolean({self.raw(syntax, focus)})"

    # -- functions ------------------------------------------------------------------------------------------

    def _call(self, call: Call, focus: Focus) -> str:
        name, arguments = call.function, call.arguments
        match name:
            case "string":
                return self.string(arguments[0], focus)
            case "number":
                return f"number({self.number(arguments[0], focus)})"
            case "boolean":
                return self.boolean(arguments[0], focus)
            case "count" if _is_own(arguments[0], focus):
                return "1"
            case "name":
                nodes = _short(self.nodes(arguments[0], focus))
                return f"x:name(namespace-uri({nodes}), local-name({nodes}))"
            case "local-name" | "namespace-uri":
                return f"{name}({self.nodes(arguments[0], focus)})"
            case "matches":
                return f"x:{self._matcher(*arguments[1:])}({self.string(arguments[0], focus)})"
        function = FUNCTIONS[name]
        written = [
            self._argument(function.parameter(index), argument, focus, native=function.native)
            for index, argument in enumerate(arguments)
        ]
        return f"{'' if function.native else 'x:'}{name}({', '.join(written)})"

    def _argument(self, parameter: Parameter, argument: Syntax, focus: Focus, *, native: bool) -> str:
        match parameter:
            case Parameter.STRING:
                return self.string(argument, focus)
            case Parameter.NUMBER:
                text = self.number(argument, focus)
                return text if native else f"number({text})"
            case Parameter.BOOLEAN:
                return self.boolean(argument, focus)
        if _is_own(argument, focus):
            return self._bindings.own_as_list()
        text = self.raw(argument, focus)
        return f"{text}, {_top_element(text)}" if self._may_have_root(argument) and not native else text

    def _matcher(self, pattern: Syntax, flags: Syntax | None = None) -> str:
        assert isinstance(pattern, Literal)
        key = (pattern.value, flags.value if isinstance(flags, Literal) else "")
        name = self._matchers.setdefault(key, f"matches-{len(self._matchers)}")
        self._extensions[URI, name] = extension(matcher(*key))
        return name

    # -- paths ----------------------------------------------------------------------------------------------

    def nodes(self, syntax: Syntax, focus: Focus) -> str:
        """An expression that gives nodes, as these nodes."""
        return self._bindings.own_node() if _is_own(syntax, focus) else self.raw(syntax, focus)

    def _may_have_root(self, syntax: Syntax | Root) -> bool:
        """Whether the root node (not the top element) can be among the nodes."""
        match syntax:
            case Root():
                return True
            case Variable(name):
                return self._variables[name] is VariableKind.NODES
            case Filter(operand):
                return self._may_have_root(operand)
            case Union(operands):
                return any(map(self._may_have_root, operands))
            case Path(start, steps) if start is not None:
                stays = (step.axis in _CAN_KEEP_ROOT and step.test is NodeTest.NODE for step in steps)
                return self._may_have_root(start) and all(stays)
        return False

    def _path(self, path: Path, focus: Focus) -> str:
        steps = list(path.steps)
        if path.start is Root.ROOT:
            start = "/"
        elif path.start is not None:
            assert not isinstance(path.start, Root)
            start = f"({self.raw(path.start, focus)})/"
        elif focus is Focus.OWN:
            start = self._steps_from_own(steps)
        else:
            start = ""
        return start + "/".join(self._step(step) for step in steps)

    def _steps_from_own(self, steps: list[Step]) -> str:
        """What stands before the steps of a path from a text or attribute node; changes the first of them.

        The parent is the context node of libxml2, so the ways up start there.
        """
        first = steps[0]
        if first.axis is Axis.PARENT:
            steps[0] = Step(Axis.SELF, first.test, first.predicates)
            return ""
        if first.axis is Axis.ANCESTOR:
            steps[0] = Step(Axis.ANCESTOR_OR_SELF, first.test, first.predicates)
            return ""
        return f"{self._bindings.own_node()}/"

    def _step(self, step: Step) -> str:
        test, exclusion = self._test(step.test), ""
        # The node at the top counts as the root (X5): its parent, libxml2's document node, is left out.
        if step.test is NodeTest.NODE and step.axis in (Axis.PARENT, Axis.ANCESTOR):
            test = "*"
        elif step.test is NodeTest.NODE and step.axis is Axis.ANCESTOR_OR_SELF:
            exclusion = "[parent::node()]"
        elif self._live and step.test is NodeTest.NODE and step.axis not in _WITHOUT_COMMENTS:
            exclusion = "[not(self::comment() or self::processing-instruction())]"
        predicates = "".join(self._predicate(predicate, Focus.NODE) for predicate in step.predicates)
        return f"{step.axis.value}::{test}{exclusion}{predicates}"

    def _test(self, test: NameTest | NodeTest) -> str:
        if isinstance(test, NodeTest):
            return test.value
        uri, local = test
        if uri is None:
            return "*"
        if local is not None and not is_name_in_libxml2(local):
            return f"*[local-name() = '{local}' and namespace-uri() = {literal(uri)}]"
        if not uri:
            return local or "*[namespace-uri() = '']"
        return f"{self._names.prefix(uri)}:{local or '*'}"

    def _predicate(self, predicate: Syntax, focus: Focus) -> str:
        text = self.raw(predicate, focus)
        return f"[boolean({text})]" if self._kind(predicate, focus) is VariableKind.STRING else f"[{text}]"


def _is_own(syntax: Syntax, focus: Focus) -> bool:
    return focus is Focus.OWN and isinstance(syntax, Path) and syntax.is_context


def _top_element(nodes: str) -> str:
    """The top element where the root node is among the nodes: an extension function never sees the root node, whose
    text is that of the top element."""
    return f"({_short(nodes)})[not(parent::node())]/*"


MAX_REPEATED = 20_000
"""The most characters of what is written twice: such things in each other double the text each time."""


def _short(text: str) -> str:
    if len(text) > MAX_REPEATED:
        raise ValueError("name() or root nodes too often in each other")
    return text


def _joined(operands: Sequence[str], signs: Sequence[str]) -> str:
    return operands[0] + "".join(
        f" {sign} {operand}" for sign, operand in zip(signs, operands[1:], strict=True)
    )


_WITHOUT_COMMENTS = (Axis.SELF, Axis.ATTRIBUTE)
_CAN_KEEP_ROOT = (Axis.SELF, Axis.DESCENDANT_OR_SELF)
