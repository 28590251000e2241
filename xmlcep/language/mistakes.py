"""Syntax mistakes in the user's words: what was found, what was expected, what to write instead."""

from __future__ import annotations

import re

from lark import Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from .options import suggestion
from .source import Source
from .statements import KEYWORDS, Span

_WORDS = {
    "EVENT": "'event'",
    "EVENT_NAMESPACE": "'namespace'",
    "STRING": "a string in quotes",
    "EQUAL": "'='",
    "LPAR": "'('",
    "RPAR": "')'",
    "LBRACE": "options in braces",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COMMA": "','",
    "SEMICOLON": "';'",
    "_OR": "'|'",
    "_AND": "'&'",
    "INT": "a whole number",
    "STAR": "'*'",
}
_UNIT = {"INS", "UPD", "DEL", "QUESTION", "TIMES"}
_PATH = {"SLASH", "AT", "CLARK"}
_ORDER = (
    "'event'", "'namespace'", "an event such as ins(item)", "a path such as order/item", "a name", "a string in quotes",
    "a whole number", "'='", "options in braces", "'('", "'['", "')'", "']'", "','", "'}'", "';'", "'&'", "'|'", "'*'",
    "the end of the statement",
)  # fmt: skip
_QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u00ab\u00bb`"
_NAME = re.compile(r"[^\W\d]\w*\s+([^\W\d][\w.\-\u00b7]*)")
_ASCII = {"\u2013": "-", "\u2014": "-", "\uff08": "(", "\uff09": ")", "\uff1b": ";", "\uff1d": "=", "\uff0c": ","}


def report_mistake(error: UnexpectedInput, span: Span, source: Source) -> Tree[Token] | None:
    """Reports a syntax mistake; the result is a tree "unreadable" with the event's name if that is known."""
    expected = _expected(error)
    text = source.text
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        end = span.start + len(_without_tail(text[span.start : span.end]))
        _report(source, end - 1, end, "the statement ends too early", expected, _hint_at_end(expected))
    elif isinstance(error, UnexpectedToken):
        token = error.token
        if token.type == "CLARK":  # taken for {uri}name only because nothing fits here
            token = token.update(value="{")
            token.end_pos = (token.start_pos or 0) + 1
        assert token.start_pos is not None and token.end_pos is not None
        _report(
            source, token.start_pos, token.end_pos, f"unexpected {str(token)!r}", expected,
            _hint_at(token, expected, text),
        )  # fmt: skip
    else:
        assert isinstance(error, UnexpectedCharacters)
        start = error.pos_in_stream
        assert start is not None
        if text[start] in "\"'":
            line_end = text.find("\n", start)
            end = line_end if line_end >= 0 else len(text)
            source.report(
                start, end, "a string without an end",
                f"close it with {text[start]} in the same line; \\n stands for a line end",
            )  # fmt: skip
        else:
            _report(source, start, start + 1, f"unexpected {text[start]!r}", expected, _hint_for_character(text[start]))
    name = _NAME.match(text, span.start, span.end)
    return Tree("unreadable", [Token("NAME", name.group(1))]) if name else None


def _report(source: Source, start: int, end: int, found: str, expected: list[str], hint: str) -> None:
    *most, last = expected
    listed = f"{', '.join(most)} or {last}" if most else last
    source.report(start, end, f"{found}: expected {listed}", hint)


def _expected(error: UnexpectedInput) -> list[str]:
    """What could stand at the place of the mistake, in the user's words."""
    interactive = getattr(error, "interactive_parser", None)
    accepted = set(interactive.accepts()) if interactive is not None else set()
    words = {_WORDS[terminal] for terminal in accepted & _WORDS.keys()}
    if accepted >= _UNIT:
        words -= {"'('", "'*'"}
        words.add("an event such as ins(item)")
    elif accepted >= _PATH:
        words -= {"'*'"}
        words.add("a path such as order/item")
    elif "NAME" in accepted:
        words.add("a name")
    if "$END" in accepted:
        words.add("the end of the statement")
    return sorted(words, key=_ORDER.index) or ["the end of the statement"]


def _hint_at(token: Token, expected: list[str], text: str) -> str:
    """What the user may have meant by a word or sign that cannot stand here; "" if there is no telling."""
    assert token.start_pos is not None and token.end_pos is not None
    before = text[: token.start_pos].rstrip()
    after = text[token.end_pos :].lstrip()
    word = str(token)
    if word == "{":
        return "options stand behind an event's name, behind ')' of an operator, or behind a multiplicity's ']'"
    if "'event'" in expected:
        return f"{suggestion(word, KEYWORDS)}every statement begins with event or namespace"
    if "a string in quotes" in expected and token.type in ("NAME", "CLARK", "PREFIXED"):
        return 'write the value in quotes: "…"'
    if "a name" in expected and token.type == "INT":
        return "a name does not begin with a digit"
    if word == "(" and before.endswith("()") is False and "')'" in expected:
        return "of the node tests with parentheses only text() can stand in a path"
    if "'('" in expected and before.endswith("x") and word == "[":
        return "write a multiplicity as x[1,*]"
    if "'('" in expected and "an event such as ins(item)" not in expected and token.type in ("SEMICOLON", "RPAR", "$END"):
        return "every event says where: write it with a path, such as Address(billTo/address)"
    if word in ("and", "or", "then") and "'&'" in expected:
        sign = {"and": "&", "or": "|", "then": ";"}[word]
        return f"write {sign!r}"
    if "'='" in expected and word == ":" or after.startswith("="):
        return "write NAME = …"
    if word == ")" and "';'" in expected:
        return "there is no '(' that this closes"
    return ""


def _hint_at_end(expected: list[str]) -> str:
    if "')'" in expected:
        return "a '(' is not closed"
    if "'}'" in expected:
        return "a '{' is not closed"
    if "an event such as ins(item)" in expected:
        return "something is missing after the last operator"
    return ""


def _hint_for_character(character: str) -> str:
    if character in _QUOTES:
        return "write straight quotes: \"…\""
    if character in _ASCII:
        return f"write {_ASCII[character]!r}"
    if character in "+-.!<>":
        return "conditions on values stand in quotes: {when=\"price > 0\"}"
    return ""


def _without_tail(statement: str) -> str:
    """The statement without the blanks and comments at its end."""
    lines = statement.splitlines()
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    whole = "\n".join(lines)
    return whole.split(" #")[0].rstrip() if lines and " #" in lines[-1] and '"' not in lines[-1] else whole.rstrip()
