"""XPath 1.0 expressions, checked to the last branch before they are ever evaluated (D4).

libxml2 finds unknown functions, unknown prefixes, wrong numbers of arguments and operands that are no
node-set only when it comes across them in evaluation. XPath 1.0 without variables is statically typed, so all
of that can be told from the text. The check also resolves names and finds out how far an expression looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from ..language import PREDECLARED
from ..suggestions import did_you_mean
from .tokens import ConditionError, Kind, Token, is_name_in_libxml2, tokenize


class CheckedXPath(NamedTuple):
    """An expression that evaluates without errors: ``text`` for libxml2, with ``prefixes`` made up for it.

    ``stays_inside``: nothing outside the context node's subtree can make a difference, and no absolute path.
    """

    text: str
    prefixes: dict[str, str]
    stays_inside: bool


def check_xpath(expression: str, namespaces: Mapping[str, str] | None = None) -> CheckedXPath:
    """The expression, checked and with its names resolved; raises `ConditionError`.

    ``namespaces`` maps prefixes to URIs, ``""`` is that of element names without a prefix (attributes without
    a prefix have none). Clark notation ``{uri}name`` needs no prefix. ``..`` and the ancestor axes do not
    reach the document node: the element at the top has no parent.

    >>> check_xpath("price >= 0", {"": "urn:po"}).text
    'n0:price >= 0'
    """
    return _Checker(expression, namespaces or {}).check()


_PRECEDENCE = {
    "or": 1, "and": 2, "=": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5,
    "*": 6, "div": 6, "mod": 6,
}  # fmt: skip
_INSIDE_AXES = ("child", "descendant", "descendant-or-self", "self", "attribute")
_UPWARD_AXES = ("parent", "ancestor", "ancestor-or-self")
_OUTSIDE_AXES = (*_UPWARD_AXES, "following", "following-sibling", "preceding", "preceding-sibling")
_NODE_TYPES = ("text", "node", "comment", "processing-instruction")
# name: (fewest arguments, most arguments, whether the first must be a node-set)
_FUNCTIONS: dict[str, tuple[int, int | None, bool]] = {
    "last": (0, 0, False), "position": (0, 0, False), "count": (1, 1, True), "local-name": (0, 1, True),
    "namespace-uri": (0, 1, True), "name": (0, 1, True), "string": (0, 1, False), "concat": (2, None, False),
    "starts-with": (2, 2, False), "contains": (2, 2, False), "substring-before": (2, 2, False),
    "substring-after": (2, 2, False), "substring": (2, 3, False), "string-length": (0, 1, False),
    "normalize-space": (0, 1, False), "translate": (3, 3, False), "boolean": (1, 1, False),
    "not": (1, 1, False),
    "true": (0, 0, False), "false": (0, 0, False), "lang": (1, 1, False), "number": (0, 1, False),
    "sum": (1, 1, True), "floor": (1, 1, False), "ceiling": (1, 1, False), "round": (1, 1, False),
}  # fmt: skip
_INSTEAD = {
    "id": "ids need a DTD, which is never read: write //item[@id = '…']",
    "exists": "a path alone is true if it finds something",
    "empty": "write not(…)",
    "matches": "XPath 1.0 has contains(…, …) and starts-with(…, …)",
    "ends-with": "XPath 1.0 has contains(…, …) and substring(…, …)",
    "lower-case": "XPath 1.0 has translate(…, 'ABC…', 'abc…')",
    "upper-case": "XPath 1.0 has translate(…, 'abc…', 'ABC…')",
    "document": "a condition sees the subtree of its operator's node only",
    "doc": "a condition sees the subtree of its operator's node only",
    "current": "a condition's context node is its operator's node: start the path there",
}
_MAX_DEPTH = 50


class _Checker:
    """A recursive-descent parser of XPath 1.0; its methods return whether the result is a node-set."""

    def __init__(self, expression: str, namespaces: Mapping[str, str]) -> None:
        self.expression = expression
        self.namespaces = {**PREDECLARED, **namespaces}
        self.tokens = list(tokenize(expression))
        self.next = 0
        self.depth = 0
        self.predicates = 0
        self.stays_inside = True
        self.uris: list[str] = []
        self.rewritten: list[tuple[int, int, str]] = []

    def check(self) -> CheckedXPath:
        if not self.expression.strip():
            self._fail(self.tokens[-1], "nothing", 'write an XPath expression such as "price > 0"')
        self._expression()
        if self.token.kind is not Kind.END:
            self._fail(
                self.token,
                f"unexpected {self.token.text!r}",
                "an operator such as = or 'and' is missing here",
            )
        text, at = "", 0
        for start, end, instead in sorted(self.rewritten):
            text += self.expression[at:start] + instead
            at = end
        prefixes = {f"n{i}": uri for i, uri in enumerate(self.uris)}
        return CheckedXPath(text + self.expression[at:], prefixes, self.stays_inside)

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
        raise ConditionError(self.expression, token.start, len(token.text), problem, hint)

    # -- expressions ----------------------------------------------------------------------------------------

    def _expression(self) -> bool:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self._fail(
                self.token, f"more than {_MAX_DEPTH} parentheses and brackets in each other", "simplify it"
            )
        nodes = self._binary(0)
        self.depth -= 1
        return nodes

    def _binary(self, above: int) -> bool:
        """Operands joined by operators that bind stronger than ``above`` (precedence climbing)."""
        nodes = self._unary()
        while self.token.kind is Kind.OPERATOR and _PRECEDENCE.get(self.token.text, 0) > above:
            self._binary(_PRECEDENCE[self._take().text])
            nodes = False
        return nodes

    def _unary(self) -> bool:
        negated = False
        while self._took("-"):
            negated = True
        start = self.token
        nodes = self._path()
        while self.token.kind is Kind.OPERATOR and self.token.text == "|":
            if not nodes:
                self._fail(start, "an operand of '|' that is no path", 'to say "one or the other", write or')
            self._take()
            start = self.token
            nodes = self._path()
            if not nodes:
                self._fail(start, "an operand of '|' that is no path", 'to say "one or the other", write or')
        return nodes and not negated

    def _path(self) -> bool:
        if self._starts_location_path():
            self._location_path()
            return True
        start = self.token
        nodes = self._primary()
        while self.token.is_symbol("["):
            self._require_nodes(nodes, start, "a predicate […]")
            self._predicate()
        if self.token.is_symbol("/", "//"):
            self._require_nodes(nodes, start, "a path after '/'")
            self._take()
            self._steps()
        return nodes

    def _require_nodes(self, nodes: bool, token: Token, what: str) -> None:
        if not nodes:
            self._fail(token, f"{what} of something that is no path", "only paths lead to nodes")

    def _primary(self) -> bool:
        token = self._take()
        if token.kind in (Kind.LITERAL, Kind.NUMBER):
            return False
        if token.is_symbol("("):
            nodes = self._expression()
            self._expect(")", "close the parenthesis")
            return nodes
        if token.kind is Kind.NAME:
            return self._function(token)
        if token.kind is Kind.END:
            self._fail(token, "it ends too early", "an operand is missing at the end")
        self._fail(
            token, f"unexpected {token.text!r}", "an operand is missing here: a path, a number or a string"
        )

    def _function(self, name: Token) -> bool:
        if name.text not in _FUNCTIONS:
            self._fail(name, f"the unknown function {name.text}()", _function_hint(name.text))
        if name.text in ("last", "position") and not self.predicates:
            self._fail(
                name, f"{name.text}() outside of […]", "there is only one context node: write count(…)"
            )
        if name.text == "lang":
            self.stays_inside = False  # looks at the ancestors' xml:lang
        fewest, most, first_is_nodes = _FUNCTIONS[name.text]
        self._expect("(", "a function has parentheses")
        count = 0
        while not self.token.is_symbol(")"):
            if count:
                self._expect(",", "arguments are separated by commas")
            start = self.token
            nodes = self._expression()
            if first_is_nodes and not count and not nodes:
                self._fail(
                    start, f"an argument of {name.text}() that is no path", f"write {name.text}(price)"
                )
            count += 1
        self._take()
        if count < fewest or (most is not None and count > most):
            expected = (
                str(fewest) if fewest == most else f"{fewest} to {most}" if most else f"at least {fewest}"
            )
            self._fail(name, f"{name.text}() with {count} arguments", f"it takes {expected}")
        return False

    # -- paths ----------------------------------------------------------------------------------------------

    def _starts_location_path(self) -> bool:
        token = self.token
        if token.is_symbol("/", "//", ".", "..", "@", "*"):
            return True
        if token.kind is not Kind.NAME:
            return False
        return token.text in _NODE_TYPES or not self.tokens[self.next + 1].is_symbol("(")

    def _location_path(self) -> None:
        if self.token.is_symbol("/", "//"):
            self.stays_inside = False
            alone = self._take().text == "/" and not self._starts_step()
            if alone:
                return
        self._steps()

    def _starts_step(self) -> bool:
        return self.token.is_symbol(".", "..", "@", "*") or self.token.kind is Kind.NAME

    def _steps(self) -> None:
        self._step()
        while self._took("/", "//"):
            self._step()

    def _step(self) -> None:
        token = self.token
        if self._took("..", "."):
            if token.text == "..":
                self.stays_inside = False
                self.rewritten.append((token.start, token.end, "parent::*"))
            if self.token.is_symbol("["):
                axis = "parent" if token.text == ".." else "self"
                self._fail(self.token, f"a predicate of {token.text!r}", f"write {axis}::node()[…]")
            return
        axis = self._axis()
        self._node_test(axis)
        while self.token.is_symbol("["):
            self._predicate()

    def _axis(self) -> str:
        if self._took("@"):
            return "attribute"
        token = self.token
        if token.kind is not Kind.NAME or not self.tokens[self.next + 1].is_symbol("::"):
            return "child"
        self.next += 2
        known = (*_INSIDE_AXES, *_OUTSIDE_AXES)
        if token.text not in known:
            self._fail(
                token,
                f"the unknown axis {token.text!r}",
                did_you_mean(token.text, known) or f"axes: {', '.join(known)}",
            )
        if token.text in _OUTSIDE_AXES:
            self.stays_inside = False
        return token.text

    def _node_test(self, axis: str) -> None:
        token = self._take()
        if token.is_symbol("*"):
            return
        if token.kind is not Kind.NAME:
            found = f"unexpected {token.text!r}" if token.text else "it ends too early"
            self._fail(
                token, f"{found}: expected a step of a path", "write a name, *, @name, text(), . or .."
            )
        if self._took("("):
            self._node_type(token, axis)
        else:
            self._name(token, axis)

    def _node_type(self, token: Token, axis: str) -> None:
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
                "comments and processing instructions are not part of what a condition sees (X5)",
            )
        self._expect(")", f"{token.text}() takes nothing between its parentheses")
        end = self.tokens[self.next - 1].end
        # The node at the top counts as the root (X5): its parent, libxml2's document node, is left out.
        if token.text == "node" and axis in ("parent", "ancestor"):
            self.rewritten.append((token.start, end, "*"))
        elif token.text == "node" and axis == "ancestor-or-self":
            self.rewritten.append((end, end, "[parent::node()]"))

    def _name(self, token: Token, axis: str) -> None:
        """Resolves a name test: Clark notation, a prefix, or the default namespace of elements."""
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
            uri, local = "" if axis == "attribute" else self.namespaces.get("", ""), name
        if not is_name_in_libxml2(local):
            test = f"*[local-name() = '{local}' and namespace-uri() = {_literal(uri)}]"
        elif uri:
            if uri not in self.uris:
                self.uris.append(uri)
            test = f"n{self.uris.index(uri)}:{local}"
        else:
            test = local
        if test != name:
            self.rewritten.append((token.start, token.end, test))

    def _predicate(self) -> None:
        self._take()
        self.predicates += 1
        self._expression()
        self._expect("]", "close the bracket")
        self.predicates -= 1


def _literal(text: str) -> str:
    """The text as XPath writes it; literals have no escapes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    pieces = [f"'{piece}'" for piece in text.split("'")]
    return "concat(" + """, "'", """.join(pieces) + ")"


def _function_hint(name: str) -> str:
    if name in _INSTEAD:
        return _INSTEAD[name]
    if ":" in name or name.startswith("{"):
        return "extension functions are not available: only those of XPath 1.0 are"
    return did_you_mean(name, _FUNCTIONS) or f"the functions of XPath 1.0: {', '.join(sorted(_FUNCTIONS))}"
