"""Text to syntax tree: a recursive-descent parser of XPath 1.0 with variables.

It knows the grammar and nothing else: whether functions and variables exist and fit is checked on the tree
(`checking`). Names are resolved here, where their tokens are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn, TypeAlias

from ..language import PREDECLARED
from ..suggestions import did_you_mean
from .errors import ExpressionError
from .syntax import (
    CONTEXT_STEP,
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
    Span,
    Step,
    Syntax,
    Test,
    Union,
    Variable,
    compared_in,
)
from .tokens import Token, TokenKind, tokenize

MAX_NESTED = 50
"""The most parentheses and brackets in each other."""

MAX_PREDICATES_NESTED = 10
"""The most brackets in each other: those within are asked again for each node that those without are asked of."""


Constants: TypeAlias = Mapping[str, object]
"""What names stand for: of those that stand for a number or a text (V9) the tree has that."""
_NONE: Constants = {}


def parse(
    expression: str, namespaces: Mapping[str, str] | None = None, constants: Constants = _NONE
) -> Syntax:
    """The syntax tree of an expression; raises `ExpressionError`, which points into it.

    ``namespaces`` maps prefixes to URIs, ``""`` is that of element names without a prefix (attributes without a
    prefix have none). Clark notation ``{uri}name`` needs no prefix.
    """
    return _Parser(expression, {**PREDECLARED, **(namespaces or {})}, constants).parse()


class Written(NamedTuple):
    """A syntax tree, and where its operands and arguments are written in the text of the expression."""

    syntax: Syntax
    extent: Callable[[Syntax], Span]
    text: str

    def of(self, part: Syntax) -> str:
        """An operand or argument as it is written: `Span` alone marks where it begins."""
        start, width = self.extent(part)
        return self.text[start : start + width]


def parse_written(expression: str, namespaces: Mapping[str, str] | None = None) -> Written:
    """The syntax tree of an expression, and where its parts are written; raises what `parse` raises."""
    parser = _Parser(expression, {**PREDECLARED, **(namespaces or {})})
    return Written(parser.parse(), parser.extent, expression)


def compared(expression: str, namespaces: Mapping[str, str] | None = None) -> list[str]:
    """The parts of a truth (`compared_in`) as they are written, each once."""
    parser = _Parser(expression, {**PREDECLARED, **(namespaces or {})})
    return list(dict.fromkeys(map(parser.written, compared_in(parser.parse()))))


_LEVELS = {
    "or": 1, "and": 2, "=": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5,
    "*": 6, "div": 6, "mod": 6,
}  # fmt: skip
_AXES = {axis.value: axis for axis in Axis}
_NODE_TYPES = ("text", "node", "comment", "processing-instruction")
_WITH_CONTEXT = frozenset(
    {"string", "number", "string-length", "normalize-space", "name", "local-name", "namespace-uri"}
)
_DESCENDANTS = Step(Axis.DESCENDANT_OR_SELF, NodeTest.NODE)
_PARENT = Step(Axis.PARENT, NodeTest.NODE)


class _Parser:
    def __init__(self, expression: str, namespaces: Mapping[str, str], constants: Constants = _NONE) -> None:
        self.expression = expression
        self.constants = constants
        self.namespaces = namespaces
        self.tokens = list(tokenize(expression))
        self.next = 0
        self.nested = 0
        self.brackets = 0
        self.extents: dict[int, tuple[int, int]] = {}
        """Of operands, from where to where they are written, with the parentheses around them; by their identity."""

    def parse(self) -> Syntax:
        if not self.expression.strip():
            self._fail(self.tokens[-1], "nothing", 'write an XPath expression such as "price > 0"')
        syntax = self._expression()
        if self.token.kind is not TokenKind.END:
            self._fail(
                self.token,
                f"unexpected {self.token.text!r}",
                "an operator such as = or 'and' is missing here",
            )
        return syntax

    def written(self, part: Syntax) -> str:
        """A part of the tree as it is written: `at` only marks where it begins."""
        return self.expression[slice(*self._extent(part))]

    def extent(self, part: Syntax) -> Span:
        """From where on, and how wide, an operand or argument is written."""
        start, end = self._extent(part)
        return Span(start, end - start)

    def _extent(self, part: Syntax) -> tuple[int, int]:
        if id(part) not in self.extents and isinstance(part, Operation):
            return self._extent(part.first)[0], self._extent(part.rest[-1][1])[1]
        return self.extents[id(part)]

    # -- tokens ---------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.next]

    def _take(self) -> Token:
        self.next += 1
        return self.tokens[self.next - 1]

    def _took(self, *symbols: str) -> bool:
        found = self.token.is_symbol(*symbols)
        self.next += found
        return found

    def _expect(self, symbol: str, hint: str) -> None:
        if not self._took(symbol):
            found = f"unexpected {self.token.text!r}" if self.token.text else "it ends too early"
            self._fail(self.token, f"{found}: expected {symbol!r}", hint)

    def _fail(self, token: Token, problem: str, hint: str = "") -> NoReturn:
        raise ExpressionError(self.expression, token.start, len(token.text), problem, hint)

    # -- expressions ----------------------------------------------------------------------------------------

    def _expression(self) -> Syntax:
        self.nested += 1
        if self.nested > MAX_NESTED:
            self._fail(
                self.token, f"more than {MAX_NESTED} parentheses and brackets in each other", "simplify it"
            )
        operands, operators = [self._unary()], []
        while self.token.kind is TokenKind.OPERATOR and self.token.text in _LEVELS:
            operators.append(self._take().text)
            operands.append(self._unary())
        self.nested -= 1
        return _joined(operands, operators)

    def _unary(self) -> Syntax:
        start = self.token
        minuses = 0
        while self._took("-"):
            minuses += 1
        operand = self._union()
        syntax = Negation(operand, minuses % 2 == 1, _span(start)) if minuses else operand
        return self._ends(syntax, start)

    def _ends(self, syntax: Syntax, start: Token) -> Syntax:
        """An operand that was begun there and is read to its end."""
        last = self.tokens[self.next - 1]
        self.extents[id(syntax)] = (start.start, last.start + len(last.text))
        return syntax

    def _union(self) -> Syntax:
        start = self.token
        operands = [self._ends(self._path(), start)]
        while self.token.kind is TokenKind.OPERATOR and self.token.text == "|":
            self._take()
            first = self.token
            operands.append(self._ends(self._path(), first))
        return operands[0] if len(operands) == 1 else Union(tuple(operands), _span(start))

    def _path(self) -> Syntax:
        if self._starts_location_path():
            return self._location_path()
        start = self.token
        syntax = self._primary()
        predicates = self._predicates()
        if predicates:
            syntax = Filter(syntax, predicates, _span(start))
        if self.token.is_symbol("/", "//"):
            syntax = Path(syntax, self._further_steps(), _span(start))
        return syntax

    def _primary(self) -> Syntax:
        token = self._take()
        at = _span(token)
        match token.kind:
            case TokenKind.LITERAL:
                return Literal(token.text[1:-1], at)
            case TokenKind.NUMBER:
                return Number(float(token.text), at)
            case TokenKind.VARIABLE:
                return self._variable(token.text[1:], at)
            case TokenKind.NAME:
                return self._function(token)
            case TokenKind.END:
                self._fail(token, "it ends too early", "an operand is missing at the end")
        if token.is_symbol("("):
            syntax = self._expression()
            self._expect(")", "close the parenthesis")
            return syntax
        self._fail(
            token, f"unexpected {token.text!r}", "an operand is missing here: a path, a number or a string"
        )

    def _variable(self, name: str, at: Span) -> Syntax:
        value = self.constants.get(name)
        if isinstance(value, float):
            return Number(value, at)
        return Literal(value, at) if isinstance(value, str) else Variable(name, at)

    def _function(self, name: Token) -> Syntax:
        self._expect("(", "a function has parentheses")
        arguments: list[Syntax] = []
        while not self.token.is_symbol(")"):
            if arguments:
                self._expect(",", "arguments are separated by commas")
            arguments.append(self._expression())
        self._take()
        if not arguments and name.text == "current":
            return Path(Root.CURRENT, self._further_steps(), _span(name))
        if not arguments and name.text in _WITH_CONTEXT:
            arguments.append(Path(None, (CONTEXT_STEP,), _span(name)))
        return Call(name.text, tuple(arguments), _span(name))

    # -- paths ----------------------------------------------------------------------------------------------

    def _starts_location_path(self) -> bool:
        token = self.token
        if token.is_symbol("/", "//", ".", "..", "@", "*"):
            return True
        if token.kind is not TokenKind.NAME:
            return False
        return token.text in _NODE_TYPES or not self.tokens[self.next + 1].is_symbol("(")

    def _location_path(self) -> Path:
        start = self.token
        if not start.is_symbol("/", "//"):
            return Path(None, (self._step(), *self._further_steps()), _span(start))
        if start.text == "/":
            self._take()
            if not self._starts_step():
                return Path(Root.ROOT, (), _span(start))
            return Path(Root.ROOT, (self._step(), *self._further_steps()), _span(start))
        return Path(Root.ROOT, self._further_steps(), _span(start))

    def _starts_step(self) -> bool:
        return self.token.is_symbol(".", "..", "@", "*") or self.token.kind is TokenKind.NAME

    def _further_steps(self) -> tuple[Step, ...]:
        steps: list[Step] = []
        while self.token.is_symbol("/", "//"):
            if self._take().text == "//":
                steps.append(_DESCENDANTS)
            steps.append(self._step())
        return tuple(steps)

    def _step(self) -> Step:
        token = self.token
        if self._took("..", "."):
            if self.token.is_symbol("["):
                instead = "parent" if token.text == ".." else "self"
                self._fail(self.token, f"a predicate of {token.text!r}", f"write {instead}::node()[…]")
            return _PARENT if token.text == ".." else CONTEXT_STEP
        axis = self._axis()
        test = self._node_test(axis)
        return Step(axis, test, self._predicates())

    def _predicates(self) -> tuple[Syntax, ...]:
        predicates = []
        while self.token.is_symbol("["):
            self.brackets += 1
            if self.brackets > MAX_PREDICATES_NESTED:
                problem = f"more than {MAX_PREDICATES_NESTED} brackets in each other"
                self._fail(self.token, problem, "simplify it")
            self._take()
            predicates.append(self._expression())
            self._expect("]", "close the bracket")
            self.brackets -= 1
        return tuple(predicates)

    def _axis(self) -> Axis:
        if self._took("@"):
            return Axis.ATTRIBUTE
        token = self.token
        if token.kind is not TokenKind.NAME or not self.tokens[self.next + 1].is_symbol("::"):
            return Axis.CHILD
        self.next += 2
        if token.text not in _AXES:
            hint = did_you_mean(token.text, _AXES) or f"axes: {', '.join(_AXES)}"
            self._fail(token, f"the unknown axis {token.text!r}", hint)
        return _AXES[token.text]

    def _node_test(self, axis: Axis) -> Test:
        token = self._take()
        if token.is_symbol("*"):
            return NameTest(None, None)
        if token.kind is not TokenKind.NAME:
            found = f"unexpected {token.text!r}" if token.text else "it ends too early"
            self._fail(
                token, f"{found}: expected a step of a path", "write a name, *, @name, text(), . or .."
            )
        return self._node_type(token) if self._took("(") else self._name(token, axis)

    def _node_type(self, token: Token) -> NodeTest:
        if token.text not in _NODE_TYPES:
            self._fail(
                token,
                f"the function {token.text}() as a step",
                "a step is a name, *, @name, text() or node()",
            )
        if token.text in ("comment", "processing-instruction"):
            self._fail(
                token,
                f"{token.text}()",
                "comments and processing instructions are not part of what an expression sees (U2)",
            )
        self._expect(")", f"{token.text}() takes nothing between its parentheses")
        return NodeTest.TEXT if token.text == "text" else NodeTest.NODE

    def _name(self, token: Token, axis: Axis) -> NameTest:
        """A name test: Clark notation, a prefix, or the default namespace of elements."""
        name = token.text
        if name.startswith("{"):
            uri, local = name[1:].rsplit("}", 1)
        elif ":" in name:
            prefix, local = name.split(":")
            if prefix not in self.namespaces:
                known = ", ".join(sorted(filter(None, self.namespaces))) or "none"
                hint = f"declare it (known prefixes: {known}) or write {{uri}}{local}"
                self._fail(token, f"the unknown prefix {prefix!r}", hint)
            uri = self.namespaces[prefix]
        else:
            uri, local = "" if axis is Axis.ATTRIBUTE else self.namespaces.get("", ""), name
        return NameTest(uri, None if local == "*" else local)


def _span(token: Token) -> Span:
    return Span(token.start, len(token.text))


def _joined(operands: list[Syntax], operators: list[str]) -> Syntax:
    """The tree of operands and the operators between them: those that bind stronger are deeper."""
    for level in range(6, 0, -1):
        if not any(_LEVELS[operator] == level for operator in operators):
            continue
        joined: list[Syntax] = []
        left: list[str] = []
        rest: list[tuple[str, Syntax]] = []
        first = operands[0]
        for operator, operand in zip(operators, operands[1:], strict=True):
            if _LEVELS[operator] == level:
                rest.append((operator, operand))
                continue
            joined.append(Operation(first, tuple(rest), first.at) if rest else first)
            left.append(operator)
            first, rest = operand, []
        joined.append(Operation(first, tuple(rest), first.at) if rest else first)
        operands, operators = joined, left
    return operands[0]
