"""From lark's parse tree of one statement to values; what is no matter of syntax is checked here."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypeGuard, cast

from lark import Token, Transformer_NonRecursive, Tree, v_args
from lark.tree import Meta

from path_types import PathSyntaxError, PathType

from ..algebra import (
    OPERATORS,
    Argument,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Operator,
    Options,
    Position,
)
from ..events import OPERATIONS, CompositeType, EventType, PrimitiveType
from .options import GivenOption, event_options, merged, operator_options
from .source import Source
from .strings import StringProblem, unquote

MAX_NESTING = 100
"""How many operators may stand in each other: more than anybody writes, less than Python can recurse."""

_MAX_DIGITS = 18  # of a number: what is larger is certainly a mistake, and never costs time
_READERS: dict[str, type[Operator]] = {operator.rule: operator for operator in OPERATORS}


class Declaration(NamedTuple):
    """``namespace prefix = "uri"``, prefix "" for unprefixed element names; offsets of the prefix or URI."""

    prefix: str
    uri: str
    start: int
    end: int


class _Path(NamedTuple):
    """A path in the text; ``path`` None: it is none, and ``error`` says why."""

    text: str
    path: PathType | None
    error: PathSyntaxError | None
    start: int
    end: int
    offsets: tuple[int, ...]


class _Unreadable:
    """Stands for an expression in which something is wrong, which has been reported."""


_UNREADABLE = _Unreadable()
_Unit: TypeAlias = Expression | _Unreadable
_Part: TypeAlias = Token | tuple[GivenOption, ...] | _Unit | None  # None: what is optional and left out


def declaration(tree: Tree[Token], source: Source) -> Declaration | None:
    """The declaration that the tree of a ``namespace`` statement says; None if it cannot be read."""
    _, prefix, uri = cast("tuple[Token, Token | None, Token]", tuple(tree.children))
    marked = prefix if prefix is not None else uri
    read = _unquoted(uri, source)
    return None if read is None else Declaration(str(prefix or ""), read, _start(marked), _end(marked))


def definition(tree: Tree[Token], namespaces: dict[str, str], source: Source) -> EventDefinition | None:
    """The definition that the tree of an ``event`` statement says; None if it cannot be known."""
    if _too_deep(tree, source):
        return None
    return cast("EventDefinition | None", _Definitions(namespaces, source).transform(tree))


class _Definitions(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Builds values bottom-up (lark calls the method that is called like the rule, else ``__default__``)."""

    def __init__(self, namespaces: dict[str, str], source: Source) -> None:
        super().__init__()
        self._namespaces = namespaces
        self._source = source

    def path(self, pieces: list[Token]) -> _Path:
        return _read_path(pieces, self._namespaces)

    def option(self, parts: list[Token | _Path | None]) -> GivenOption:
        name, value = parts
        assert isinstance(name, Token)
        option = GivenOption(str(name), _start(name), _end(name))
        if isinstance(value, _Path):
            if option.name == "path":
                self._report_path(value)
            return option._replace(
                value=value.text, value_start=value.start, value_end=value.end, path=value.path
            )
        if value is None:
            return option
        text = _unquoted(value, self._source)
        return option._replace(
            value=text, value_start=_start(value), value_end=_end(value), is_string=True, broken=text is None
        )

    def options(self, options: list[GivenOption]) -> tuple[GivenOption, ...]:
        return tuple(options)

    @v_args(meta=True)
    def leaf(self, meta: Meta, parts: list[Token | _Path]) -> _Unit:
        name, path = parts
        assert isinstance(name, Token) and isinstance(path, _Path)
        self._report_path(path)
        if path.path is None:
            return _UNREADABLE
        type_: EventType
        if name.type in ("NAME", "QUESTION"):
            type_ = CompositeType(None if name.type == "QUESTION" else str(name), path.path)
        else:
            type_ = PrimitiveType(str(name), path.path)
        return Leaf(type_, self._source.position(meta.start_pos, meta.end_pos))

    def __default__(self, rule: str, parts: list[_Part], meta: Meta) -> _Unit:
        """An operator: its declaration reads what stands in the text (`Operator.read`)."""
        declared = _READERS[rule]
        tokens = [part for part in parts if isinstance(part, Token)]
        arguments = [self._argument(token) for token in tokens if token.type in ("INT", "STAR", "STRING")]
        given = [option for part in parts if _is_options(part) for option in part]
        options = operator_options(given, self._source)
        if _UNREADABLE in parts:
            return _UNREADABLE
        operands = tuple(part for part in parts if isinstance(part, Leaf | Operator))
        end = meta.end_pos if declared.infix else _end(tokens[-1]) + 1
        at = self._source.position(meta.start_pos, end)
        return declared.read(operands, arguments, options, at, self._report)

    def _argument(self, token: Token) -> Argument:
        at = self._source.position(_start(token), _end(token))
        if token.type == "STAR":
            return Argument(None, at)
        if token.type == "STRING":
            return Argument(_unquoted(token, self._source) or "", at)
        return Argument(int(token[: _MAX_DIGITS + 1]), at)

    def _report(self, at: Position, message: str, hint: str) -> None:
        self._source.report_at(at, message, hint)

    @v_args(meta=True)
    def group(self, meta: Meta, parts: list[_Part]) -> _Unit:
        inner, given = cast("tuple[_Unit, tuple[GivenOption, ...] | None]", tuple(parts))
        options = operator_options(given or (), self._source)
        if isinstance(inner, _Unreadable) or not given:
            return inner
        if isinstance(inner, Leaf):
            # an operand that is an operator of its own, as for an event that is a single leaf (N4)
            inner = Disjunction((inner,), at=self._source.position(meta.start_pos, meta.end_pos))
        return self._with_options(
            inner, options, {option.name: (option.start, option.end) for option in given}
        )

    def event(self, parts: list[_Part | _Path]) -> EventDefinition | None:
        _, name, path, given, expression = cast(
            "tuple[Token, Token, _Path | None, tuple[GivenOption, ...] | None, _Unit]", tuple(parts)
        )
        if name in OPERATIONS:
            self._source.report(
                _start(name),
                _end(name),
                f"{str(name)!r} is an operation and cannot be the name of an event",
                "choose another name",
            )
            return None
        options = event_options(given or (), self._source)
        root = options.root
        places = {option.name: (option.start, option.end) for option in given or ()}
        if path is not None:
            self._report_path(path)
            at = self._source.position(path.start, path.end)
            root = replace(root, path=path.path, places={**root.places, "path": at})
            places["path"] = (path.start, path.end)
        if isinstance(expression, _Unreadable):
            return None
        at = self._source.position(_start(name), _end(name))
        if isinstance(expression, Leaf):
            expression = Disjunction((expression,), at=expression.at)
        expression = self._with_options(expression, root, places)
        return EventDefinition(str(name), expression, options.context, options.flat, options.order, at)

    def _with_options(
        self, operator: Operator, options: Options, places: dict[str, tuple[int, int]]
    ) -> Operator:
        """The operator with these options too, from ``places``; one it has already is reported (N6)."""
        together, twice = merged(operator.options, options)
        for name in twice:
            message = f"the option {name!r} of this operator is given in two places"
            self._source.report(*places[name], message, "leave one out (N6)")
        return operator.with_options(together)

    def _report_path(self, path: _Path) -> None:
        if path.error is not None:
            offset = path.error.offset
            start = path.offsets[offset] if offset < len(path.offsets) else path.end
            step = re.match(r"[^/\s]*", path.text[offset:])
            width = max(1, len(step.group()) if step else 1)
            self._source.report(
                start, start + width, f"{path.error.problem} in {path.text!r}", path.error.hint
            )


def _is_options(part: object) -> TypeGuard[tuple[GivenOption, ...]]:
    return type(part) is tuple


def _read_path(pieces: list[Token], namespaces: dict[str, str]) -> _Path:
    """The path that the pieces make up, wherever blanks and line ends stand between them."""
    text = ""
    offsets: list[int] = []
    for i, piece in enumerate(pieces):
        if i and not {piece.type, pieces[i - 1].type} & {"SLASH", "AT"}:
            text += " "  # two names side by side are not one name
            offsets.append(_start(piece))
        text += "text()" if piece.type == "TEXT" else str(piece)
        offsets += [min(_start(piece) + k, _end(piece) - 1) for k in range(len(text) - len(offsets))]
    start, end = _start(pieces[0]), _end(pieces[-1])
    try:
        return _Path(text, PathType.parse(text, namespaces), None, start, end, tuple(offsets))
    except PathSyntaxError as error:
        return _Path(text, None, error, start, end, tuple(offsets))


def _unquoted(token: Token, source: Source) -> str | None:
    """What the string says; None if it cannot be read, which is reported."""
    try:
        return unquote(token)
    except StringProblem as problem:
        start = _start(token) + problem.offset
        source.report(start, start + 2, problem.message, problem.hint)
        return None


def _too_deep(tree: Tree[Token], source: Source) -> bool:
    """Whether operators stand too deep in each other; found without recursion, before anything recurses."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += node.data in ("group", "multiplicity")
        if depth > MAX_NESTING:
            source.report(
                node.meta.start_pos,
                node.meta.start_pos + 1,
                f"operators and parentheses are nested more than {MAX_NESTING} deep",
                "give an inner part a name with an event of its own",
            )
            return True
        waiting += [(child, depth) for child in node.children if isinstance(child, Tree)]
    return False


def _start(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos


def _end(token: Token) -> int:
    assert token.end_pos is not None
    return token.end_pos
