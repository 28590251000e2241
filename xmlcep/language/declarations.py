"""Statements of a rules text that declare something for all of it: namespaces, reference documents, parameters."""

from __future__ import annotations

from typing import NamedTuple, cast

from lark import Token, Tree

from ..algebra import Reference, RuleParameter
from .paths import end_of, start_of
from .source import Source
from .strings import StringProblem, unquote


class Declaration(NamedTuple):
    """``namespace prefix = "uri"``, prefix "" for unprefixed element names; offsets of the prefix or URI."""

    prefix: str
    uri: str
    start: int
    end: int


def declaration(tree: Tree[Token], source: Source) -> Declaration | None:
    """The declaration that the tree of a ``namespace`` statement says; None if it cannot be read."""
    _, prefix, uri = cast("tuple[Token, Token | None, Token]", tuple(tree.children))
    marked = prefix if prefix is not None else uri
    read = unquoted(uri, source)
    return None if read is None else Declaration(str(prefix or ""), read, start_of(marked), end_of(marked))


def reference(tree: Tree[Token], source: Source) -> Reference | None:
    """The reference document that the tree of a ``reference`` statement names (V8); None if it cannot be read."""
    _, name, file = cast("tuple[Token, Token, Token]", tuple(tree.children))
    read = unquoted(file, source)
    return None if read is None else Reference(str(name), read, source.position(start_of(name), end_of(file)))


def parameter(tree: Tree[Token], source: Source) -> RuleParameter | None:
    """The parameter that the tree of a ``param`` statement declares (V9); None if it cannot be read."""
    _, name, given = cast("tuple[Token, Token, Token]", tuple(tree.children))
    value = float(given) if given.type == "NUMBER" else unquoted(given, source)
    at = source.position(start_of(name), end_of(name))
    return None if value is None else RuleParameter(str(name), value, at)


def unquoted(token: Token, source: Source) -> str | None:
    """What the string says; None if it cannot be read, which is reported."""
    try:
        return unquote(token)
    except StringProblem as problem:
        start = start_of(token) + problem.offset
        source.report(start, start + 2, problem.message, problem.hint)
        return None
