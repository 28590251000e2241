"""Expressions with their names in Clark notation, so that they mean the same under other declarations."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import ExpressionError
from .tokens import Token, TokenKind, tokenize


def qualified(expression: str, own: Mapping[str, str], other: Mapping[str, str]) -> str:
    """An expression under the declarations ``own`` (prefix to URI) as one that means the same under ``other``.

    Only names that mean something else there are written anew; what is not an expression stays as it is.

    >>> qualified("item/p:price > 3 and @n", {"": "urn:a", "p": "urn:p"}, {"p": "urn:p"})
    '{urn:a}item/p:price > 3 and @n'
    """
    try:
        tokens = list(tokenize(expression))
    except ExpressionError:  # it is refused where it is compiled
        return expression
    pieces, at = [], 0
    for number, token in enumerate(tokens[:-1]):
        name = _name(
            token, tokens[number - 1] if number else None, tokens[number + 1], tokens[number - 2 : number]
        )
        if name is None or own.get(name[0], "") == other.get(name[0], "") or (name[0] and name[0] not in own):
            continue
        pieces += [expression[at : token.start], f"{{{own.get(name[0], '')}}}{name[1]}"]
        at = token.end
    return "".join([*pieces, expression[at:]])


def _name(token: Token, before: Token | None, behind: Token, axis: list[Token]) -> tuple[str, str] | None:
    """Prefix and local name of a name test that declarations have a say in; None for any other token."""
    if token.kind is not TokenKind.NAME or token.text.startswith("{") or behind.is_symbol("(", "::"):
        return None
    prefix, _, local = token.text.rpartition(":")
    of_attribute = before is not None and (
        before.is_symbol("@") or (before.is_symbol("::") and axis[0].text == "attribute")
    )
    return None if of_attribute and not prefix else (prefix, local)
