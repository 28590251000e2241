"""Whether an expression can be evaluated, to its last branch: told from the syntax tree before any event (D4).

XPath 1.0 is statically typed but for variables, whose kinds are known here, too. So whatever could fail in evaluation
is an error now: unknown functions and variables, wrong numbers and kinds of arguments, paths where there is
no node to start from. Evaluation never raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NoReturn

from ..errors import MissingExtraError
from ..suggestions import did_you_mean
from .errors import ExpressionError
from .functions import FUNCTIONS, INSTEAD, Parameter
from .kinds import NodeKind, VariableKind, Variables
from .regex import PatternError, matcher
from .syntax import (
    BOOLEAN_OPERATORS,
    Call,
    Filter,
    Literal,
    Negation,
    Number,
    Operation,
    Path,
    Root,
    Span,
    Syntax,
    Union,
    Variable,
    same_focus,
)

MAX_DEPTH = 100
"""The most levels of the syntax tree: whatever walks it needs a stack of some multiple of that."""


class Focus(Enum):
    """What ``.`` is at a place in the expression."""

    NODE = "a node of a document"
    OWN = "the text or attribute node that the expression is about"
    ITEM = "a value of a list"
    NOTHING = "nothing"


_FOCUS = {
    NodeKind.ELEMENT: Focus.NODE, NodeKind.TEXT: Focus.OWN, NodeKind.ATTRIBUTE: Focus.OWN,
    NodeKind.NONE: Focus.NOTHING,
}  # fmt: skip


def outer_focus(node: NodeKind) -> Focus:
    """What ``.`` is outside of all brackets."""
    return _FOCUS[node]


def focus_in(kind: VariableKind) -> Focus:
    """What ``.`` is in the predicates of something of this kind."""
    return Focus.ITEM if kind is VariableKind.LIST else Focus.NODE


def kind_of(syntax: Syntax, focus: Focus, variables: Variables) -> VariableKind:
    """The kind of value of a checked expression."""
    match syntax:
        case Literal():
            return VariableKind.STRING
        case Number() | Negation():
            return VariableKind.NUMBER
        case Variable(name):
            kind = variables[name]
            return VariableKind.NODES if kind.is_of_document else kind
        case Call(function):
            return FUNCTIONS[function].result
        case Operation(_, rest):
            return VariableKind.BOOLEAN if rest[0][0] in BOOLEAN_OPERATORS else VariableKind.NUMBER
        case Filter(operand):
            return kind_of(operand, focus, variables)
        case Path() if syntax.is_context and focus in (Focus.OWN, Focus.ITEM):
            return VariableKind.LIST
    return VariableKind.NODES


def may_be_missing(syntax: Syntax) -> bool:
    """Whether a checked expression that is not a list can give nothing (None)."""
    return isinstance(syntax, Variable) or (isinstance(syntax, Call) and FUNCTIONS[syntax.function].optional)


def selects_by_place(predicate: Syntax, variables: Variables) -> bool:
    """Whether which nodes a predicate takes can depend on their places in the list of those it is asked of."""
    kind = kind_of(predicate, Focus.NODE, variables)
    return kind in (VariableKind.NUMBER, VariableKind.VALUE) or _asks_for_place(predicate)


def _asks_for_place(syntax: Syntax) -> bool:
    if isinstance(syntax, Call) and syntax.function in ("position", "last"):
        return True
    return any(map(_asks_for_place, same_focus(syntax)))


@dataclass(frozen=True, slots=True)
class Needs:
    """What evaluating an expression takes: nodes at all, and nodes of the document that is changed (F3)."""

    nodes: bool
    document: bool


def check(expression: str, syntax: Syntax, node: NodeKind, variables: Variables) -> Needs:
    """Raises `ExpressionError` for what cannot be evaluated; says what evaluating it takes."""
    checker = _Checker(expression, variables, outer_focus(node))
    checker.check(syntax, checker.outer, 1, Place(outer=True))
    return Needs(checker.nodes, checker.document)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in an expression something is: in no predicate (``outer``); of which variable the predicate is."""

    outer: bool = False
    of: str = ""


class _Checker:
    def __init__(self, expression: str, variables: Variables, outer: Focus) -> None:
        self.expression = expression
        self.variables = variables
        self.outer = outer
        self.nodes = False
        self.document = False

    def check(self, syntax: Syntax, focus: Focus, depth: int, place: Place) -> VariableKind:
        """Checks an expression with all in it; returns its kind."""
        if depth > MAX_DEPTH:
            self._fail(
                syntax.at, f"more than {MAX_DEPTH} operators and functions in each other", "simplify it"
            )
        match syntax:
            case Variable(name):
                self._variable(name, syntax.at)
            case Call():
                self._call(syntax, focus, depth, place)
            case Negation() | Operation():
                for part in same_focus(syntax):
                    self.check(part, focus, depth + 1, place)
            case Union():
                self._union(syntax, focus, depth, place)
            case Filter(operand, predicates):
                self._filter(operand, predicates, focus, depth, place)
            case Path():
                self._path(syntax, focus, depth, place)
        return kind_of(syntax, focus, self.variables)

    def _fail(self, at: Span, problem: str, hint: str) -> NoReturn:
        raise ExpressionError(self.expression, at.start, at.width, problem, hint)

    # -- variables and functions ----------------------------------------------------------------------------

    def _variable(self, name: str, at: Span) -> None:
        kind = self.variables.get(name)
        if kind is VariableKind.NODES:
            self.nodes = True
        if kind is not None and kind.is_of_document:
            self.nodes = self.document = True
        if kind is not None:
            return
        known = sorted(self.variables)
        shown = ", ".join(f"${variable}" for variable in known[:12]) + (" …" if len(known) > 12 else "")
        there = f"there are {shown}" if known else "there are none here: write the value"
        self._fail(at, f"the unknown variable ${name}", did_you_mean(name, known) or there)

    def _call(self, call: Call, focus: Focus, depth: int, place: Place) -> None:
        name, arguments = call.function, call.arguments
        if name not in FUNCTIONS:
            self._fail(call.at, f"the unknown function {name}()", _function_hint(name))
        function, count = FUNCTIONS[name], len(arguments)
        if count < function.fewest or (function.most is not None and count > function.most):
            self._fail(call.at, f"{name}() with {count} arguments", f"it takes {function.arity}")
        if name in ("last", "position") and place.outer:
            self._fail(call.at, f"{name}() outside of […]", "there is only one context node: write count(…)")
        if name == "lang":
            self._needs_node(call.at, "lang()", focus)
            if focus is Focus.ITEM:
                self._fail(call.at, "lang() of a value", "only nodes have a language")
            self.nodes = True
            self.document |= not place.of
        for index, argument in enumerate(arguments):
            self._argument(name, function.parameter(index), argument, focus, depth, place)
        if name == "matches":
            self._pattern(*arguments[1:])

    def _argument(
        self, function: str, parameter: Parameter, argument: Syntax, focus: Focus, depth: int, place: Place
    ) -> None:
        kind = self.check(argument, focus, depth + 1, place)
        match parameter:
            case Parameter.LIST if not kind.is_list:
                if isinstance(argument, Variable):
                    hint = f"${argument.name} is {kind.value} here, not several"
                else:
                    hint = f"write {function}(price)"
                problem = f"an argument of {function}() that is neither a path nor a list"
                self._fail(argument.at, problem, hint)
            case Parameter.NODES:
                if isinstance(argument, Path) and argument.is_context and focus is Focus.OWN:
                    self.nodes = self.document = True  # the name of a text or attribute node
                elif kind is not VariableKind.NODES:
                    problem = f"an argument of {function}() that is not a path"
                    self._fail(argument.at, problem, f"only nodes have names: write {function}(*[1])")
            case Parameter.LITERAL if not isinstance(argument, Literal):
                problem = f"a pattern or flags of {function}() that are no string in quotes"
                hint = "the pattern has to be known beforehand: write it in quotes, or use contains(…, …)"
                self._fail(argument.at, problem, hint)

    def _pattern(self, pattern: Syntax, flags: Syntax | None = None) -> None:
        assert isinstance(pattern, Literal)
        assert flags is None or isinstance(flags, Literal)
        try:
            matcher(pattern.value, flags.value if flags else "")
        except PatternError as error:
            at = Span(pattern.at.start + 1 + error.offset, error.width)
            self._fail(at, f"in the pattern {error.problem}", error.hint)
        except MissingExtraError as error:
            self._fail(pattern.at, "a pattern, which needs the package google-re2,", error.command)

    # -- nodes ----------------------------------------------------------------------------------------------

    def _needs_node(self, at: Span, what: str, focus: Focus) -> None:
        if focus is Focus.NOTHING:
            there = ", ".join(f"${name}" for name in sorted(self.variables)[:6])
            hint = f"write with variables ({there})" if there else "there is no node to start from"
            self._fail(at, f"{what}, although there is no document here,", hint)

    def _union(self, union: Union, focus: Focus, depth: int, place: Place) -> None:
        sources = []
        for operand in union.operands:
            kind = self.check(operand, focus, depth + 1, place)
            own = isinstance(operand, Path) and operand.is_context and focus is Focus.OWN
            if not kind.is_list:
                hint = 'to say "one or the other", write or'
                self._fail(operand.at, "an operand of '|' that is not a path", hint)
            if kind is VariableKind.LIST and not own:
                hint = "there is no order between values of several lists: ask each of them"
                self._fail(operand.at, "an operand of '|' that is a list of values", hint)
            if own:
                self.nodes = self.document = True
            sources.append(self._source(operand))
            if sources[-1] != sources[0]:
                hint = "there is no order between nodes of several documents: ask each of them"
                self._fail(operand.at, "an operand of '|' of another document than that before", hint)

    def _filter(
        self, operand: Syntax, predicates: tuple[Syntax, ...], focus: Focus, depth: int, place: Place
    ) -> None:
        kind = self.check(operand, focus, depth + 1, place)
        if not kind.is_list:
            hint = _one_value_hint(operand, kind) or "only paths lead to nodes"
            self._fail(operand.at, "a predicate […] of something that is not a path", hint)
        inner = Place(of=self._source(operand) or ("." if kind is VariableKind.LIST else ""))
        self._predicates(predicates, focus_in(kind), depth, inner if inner.of else Place(of=place.of))

    def _path(self, path: Path, focus: Focus, depth: int, place: Place) -> None:
        if path.start is Root.CURRENT:
            self._needs_node(path.at, "current()", self.outer)
            self.nodes = self.document = True
            of = ""
        elif path.start is None or isinstance(path.start, Root):
            self._start(path, focus, place)
            of = place.of
        else:
            kind = self.check(path.start, focus, depth + 1, place)
            if kind is not VariableKind.NODES:
                hint = _one_value_hint(path.start, kind) or "only paths lead to nodes"
                self._fail(path.start.at, "a path after '/' of something that is not a path", hint)
            of = self._source(path.start) or place.of
        for step in path.steps:
            self._predicates(step.predicates, Focus.NODE, depth, Place(of=of))

    def _start(self, path: Path, focus: Focus, place: Place) -> None:
        """A path that starts at the context node or at the root."""
        self._needs_node(path.at, "a location path", focus)
        if path.is_context and focus in (Focus.OWN, Focus.ITEM):
            return
        if focus is Focus.ITEM:
            hint = "values have no children: turn it around, //item[@id = $v], or compare outside of the brackets"
            self._fail(path.at, f"a path in a predicate of {_shown(place.of)}, a list of values,", hint)
        self.nodes = True
        self.document |= not place.of

    def _source(self, syntax: Syntax | Root | None) -> str:
        """Where nodes come from, see `_source`; variables may have nodes of the document, too."""
        name = _source(syntax)
        kind = self.variables.get(name)
        return "" if kind is not None and kind.is_of_document else name

    def _predicates(self, predicates: tuple[Syntax, ...], focus: Focus, depth: int, place: Place) -> None:
        for predicate in predicates:
            self.check(predicate, focus, depth + 1, place)


def _source(syntax: Syntax | Root | None) -> str:
    """Where nodes come from: the name of a variable; ``""`` the document."""
    match syntax:
        case Variable(name):
            return name
        case Path(start) | Filter(start):
            return _source(start)
        case Union(operands):
            return _source(operands[0])
        case Call("distinct-values"):
            return "."
    return ""


def _shown(source: str) -> str:
    return "it" if source == "." else f"${source}"


def _one_value_hint(syntax: Syntax, kind: VariableKind) -> str:
    if not isinstance(syntax, Variable):
        return ""
    article = "has values, not nodes" if kind is VariableKind.LIST else f"is {kind.value} here"
    return f"${syntax.name} {article}"


def _function_hint(name: str) -> str:
    if name in INSTEAD:
        return INSTEAD[name]
    if ":" in name or name.startswith("{"):
        return "extension functions are not available: only those of docs/expressions.md are"
    return did_you_mean(name, FUNCTIONS) or f"the functions: {', '.join(sorted(FUNCTIONS))}"
