"""Where the statements of a rules text begin.

A statement starts at one of the words of `KEYWORDS`, but these are no reserved words: an element may be
called so. In a correct text two words are side by side only at the start of a statement (``event NAME``,
``namespace NAME``, ``namespace STRING``) and within a rule (``on NAME if``, ``last into``), which tells it apart.
Texts with mistakes are cut by what looks most like a start, so that one mistake costs one statement.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from contexts.constraints import RELATIONS
from path_types.names import NCNAME

from .embedded import FILTER, VALUE

EXAMPLE = "#>"
"""What a line with an example of edits begins with."""
_BLANKS = " \t\r\ufeff"
KEYWORDS = ("event", "namespace", "reference", "param", "rule")

# Comments and strings (an unterminated one ends with its line) hide what is in them; {…} without blanks may
# be Clark notation, where # begins no comment and ' no string. Nothing is tried twice (*+, ++): that would take
# memory for every character.
_TOKEN = re.compile(
    rf"""(?P<skip>\#[^\n]*|\{{[^\s{{}}"']*\}}|(?<=[(/@=])\{{[^\s{{}}"]*\}}(?={NCNAME})|[ \t\r\n\ufeff]+)"""
    r"""|(?P<string>"(?:[^"\\\r\n]++|\\.)*+"?|'(?:[^'\\\r\n]++|\\.)*+'?)"""
    rf"""|(?P<word>{NCNAME})"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
# After these a word is part of what came before.
_EXPECTS_WORD = frozenset("(/@:=;|&,{[]▽△×$")
# Words of a rule that may be first in a line with a name or another word behind them.
_RULE_WORDS = frozenset(
    ("on", "if", "do", "first", "last", "into", "before", "after", "with", "insert", "delete", "set", "replace",
     "move", "call", "raise")
)  # fmt: skip
# Words that are between operands, and words that are before one.
_INFIX_WORDS = RELATIONS.keys() | {"as"}
_PREFIX_WORDS = RELATIONS.keys() | {"not"}


_FILTER, _VALUE = re.compile(FILTER), re.compile(VALUE)


class Span(NamedTuple):
    """A piece of the text, from ``start`` to before ``end``."""

    start: int
    end: int


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int
    starts_line: bool


def statements(text: str) -> list[Span]:
    """The statements of the text, in order. The first may begin with something that is not a keyword."""
    tokens = list(_tokens(text))
    starts = [
        token.start
        for i, token in enumerate(tokens)
        if i == 0
        or _starts_statement(tokens[max(0, i - 2) : i], token, tokens[i + 1] if i + 1 < len(tokens) else None)
    ]
    return [Span(start, end) for start, end in pairwise([*starts, len(text)])]


class Extent(NamedTuple):
    """A statement without the comments and blanks behind it; ``has_comments``: there are some in it."""

    start: int
    end: int
    has_comments: bool


def extents(text: str) -> list[Extent]:
    """The statements of the text, in order; between them are comments, blanks and line ends only."""
    comments: list[int] = []
    ends: list[int] = []
    for _, match in _matches(text):
        if match.group().startswith("#"):
            comments.append(match.start())
        elif match.group().strip(" \t\r\n\ufeff"):
            ends.append(match.end())
    found = []
    for start, stop in statements(text):
        end = ends[bisect_left(ends, stop + 1) - 1]
        inside = bisect_left(comments, end) - bisect_left(comments, start)
        found.append(Extent(start, end, inside > 0))
    return found


def comment_above(text: str, start: int) -> str:
    """The comment that ends in the line before a statement which begins its line at ``start``; "" if there is none.

    Lines of examples (``#>``) are not part of it.

    >>> comment_above("# of old\\n\\n# What it\\n#  is.\\nevent A = ins(a)", 27)
    'What it\\n is.'
    """
    end = text.rfind("\n", 0, start)
    if text[end + 1 : start].strip(_BLANKS):
        return ""
    found: list[str] = []
    while end >= 0:
        begin = text.rfind("\n", 0, end)
        line = text[begin + 1 : end].strip(_BLANKS)
        if not line.startswith("#") or line.startswith(EXAMPLE):
            break
        found.append(line[1:].removeprefix(" "))
        end = begin
    return "\n".join(reversed(found)).strip("\n")


def comment_count(text: str) -> int:
    """How many comments there are in the text."""
    return sum(match.group().startswith("#") for _, match in _matches(text))


def _tokens(text: str) -> Iterator[_Token]:
    line_is_empty = True
    for kind, match in _matches(text):
        if kind == "skip":
            line_is_empty = line_is_empty or "\n" in match.group()
            continue
        yield _Token(kind, match.group(), match.start(), match.end(), line_is_empty)
        line_is_empty = False


def _matches(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The text in pieces, each with its kind."""
    before = ["", "", ""]  # the last tokens' text
    at = 0
    while at < len(text):
        # In an XPath there are no comments, and strings have no escapes.
        embedded = _embedded_at(text, at, before)
        match = embedded or _TOKEN.match(text, at)
        assert match is not None
        at = match.end()
        kind = "other" if embedded else match.lastgroup or "other"
        yield kind, match
        if kind != "skip":
            before = [*before[1:], match.group()]


def _embedded_at(text: str, at: int, before: list[str]) -> re.Match[str] | None:
    """An XPath in ``[…]`` behind a leaf's path, or in ``(…)`` behind ``as $name =``, that begins here."""
    if text[at] == "[" and before[-1] == ")":
        return _FILTER.match(text, at)
    if text[at] == "(" and before[-1] == "=" and before[0] == "$":
        return _VALUE.match(text, at)
    return None


def _starts_statement(last: Sequence[_Token], token: _Token, after: _Token | None) -> bool:
    """Whether a statement starts at a token; ``last`` are the one or two before it."""
    before = last[-1]
    if token.kind != "word":
        return False
    followed_by_word = after is not None and after.kind == "word"
    if before.text == "raise" or (before.text == "as" and last[0].text not in ("as", "$")):
        return False  # raise event: an event called event; as event: an operand
    if before.text == "on" and last[0].text != "raise":
        return False  # on event if …
    if before.text == "rule" and after is not None and after.text == "on":
        return False  # rule event on …: a rule called event
    if token.text in KEYWORDS and followed_by_word:
        return True
    if before.kind == "word" and before.text in KEYWORDS:
        return False  # a name: event event = …
    if token.text not in KEYWORDS:
        # "evnt A = …" on a new line: a misspelt keyword
        misplaced = token.starts_line and followed_by_word and before.text not in _EXPECTS_WORD
        return misplaced and token.text not in _INFIX_WORDS and token.text not in _RULE_WORDS
    if token.text == "namespace" and after is not None and after.kind == "string":
        return True
    is_leaf = after is not None and after.text == "("
    if is_leaf and (before.text == "}" or before.text in _PREFIX_WORDS):
        return False  # x[1,*]{…} event(item), not event(item): an event called event
    # a keyword with something missing after it, where it cannot be a name
    return before.text not in _EXPECTS_WORD
