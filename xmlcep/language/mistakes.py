"""Syntax mistakes in the user's words: what was found, what was expected, what to write instead."""

from __future__ import annotations

import re

from lark import Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from contexts.constraints import RELATIONS
from path_types.names import NCNAME

from ..algebra import ACTIONS
from ..suggestions import did_you_mean
from .habits import hint_for_habit
from .source import Source
from .statements import KEYWORDS

_A_VARIABLE = "a variable such as $price"
_A_VALUE = "an expression in parentheses that are all closed"
_WORDS = {
    "EVENT": "'event'",
    "EVENT_NAMESPACE": "'namespace'",
    "REFERENCE": "'reference'",
    "PARAM": "'param'",
    "RULE": "'rule'",
    "ON": "'on'",
    "IF": "'if'",
    "DO": "'do'",
    "WITH": "'with'",
    "WHERE": "'first into', 'last into', 'before' or 'after'",
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
    "VARIABLE": _A_VARIABLE,
    "VALUE": _A_VALUE,
    "INT": "a whole number",
    "NUMBER": "a number",
    "STAR": "'*'",
}
_JOINING = {"and": "&", "or": "|", "then": ";"}
_EVENT = "an event such as ins(item)"
_ACTION = "an action: insert, delete, set, replace, move, call or raise"
_A_PATH = "a path such as order/item"
_WITHOUT_PATH = "an event is written with its path, such as ins(order/item) or Address(billTo/address)"
_MISSING_NAME = {
    "=": "write event NAME = …",
    "(": "write event NAME(path) = …",
    "}": "leave out the empty braces or the last comma",
}
_UNIT = {"INS", "UPD", "DEL", "QUESTION", "TIMES"}
_PATH = {"SLASH", "AT", "CLARK"}
_ORDER = (
    "'event'", "'namespace'", "'reference'", "'param'", "'rule'", "'on'", _EVENT, _A_PATH, "a name", "a number",
    "a string in quotes", "a whole number", _A_VARIABLE, _A_VALUE, "'='", "options in braces", "'if'", "'do'", _ACTION,
    "'with'", "'first into', 'last into', 'before' or 'after'", "'('", "'['", "')'", "']'", "','", "'}'", "';'", "'&'",
    "'|'", "'*'", "the end of the statement",
)  # fmt: skip
_QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u00ab\u00bb`"
_NAME = re.compile(rf"{NCNAME}\s+({NCNAME})")
_RULE = re.compile(r"rule\s")
_ASCII = {"\uff08": "(", "\uff09": ")", "\uff1b": ";", "\uff1d": "=", "\uff0c": ","}


def report_mistake(error: UnexpectedInput, source: Source) -> Tree[Token] | None:
    """Reports a syntax mistake; the result is a tree "unreadable" with the event's name if that is known."""
    text = source.text
    expected = _expected(error, in_rule=_RULE.match(text) is not None)
    if isinstance(error, UnexpectedToken):
        token = _sign(error.token)
        start, end = token.start_pos or 0, token.end_pos or 0
        if token.type == "$END":  # it is where the last token is
            _report(source, end - 1, end, "the statement ends too early", expected, _hint_at_end(expected))
        elif token.type == "CLARK":  # taken for {uri}name only because nothing fits here
            _report(source, start, start + 1, "unexpected '{'", expected, _hint_for_character("{", expected))
        else:
            hint = hint_for_habit(text, start, expected) or _hint_at(
                token, expected, text[:start].rstrip(), text[end:].lstrip()[:1]
            )
            _report(source, start, end, f"unexpected {text[start:end]!r}", expected, hint)
    else:
        assert isinstance(error, UnexpectedCharacters)
        _report_character(error.pos_in_stream or 0, expected, source)
    name = _NAME.match(text)
    return Tree("unreadable", [Token("NAME", name.group(1))]) if name else None


def _sign(token: Token) -> Token:
    """The token; of an XPath in brackets that cannot stand there only the bracket, which was not meant so."""
    if token.type not in ("FILTER", "VALUE"):
        return token
    bracket = Token("LSQB" if token.type == "FILTER" else "LPAR", token[0])
    bracket.start_pos, bracket.end_pos = token.start_pos, (token.start_pos or 0) + 1
    return bracket


def _report_character(start: int, expected: list[str], source: Source) -> None:
    """A character that no token begins with here."""
    character = source.text[start]
    if character in "\"'":
        line_end = source.text.find("\n", start)
        source.report(
            start, line_end if line_end >= 0 else len(source.text), "a string without an end",
            f"close it with {character} in the same line; \\n is a line end",
        )  # fmt: skip
    else:
        hint = hint_for_habit(source.text, start, expected) or _hint_for_character(character, expected)
        _report(source, start, start + 1, f"unexpected {character!r}", expected, hint)


def _report(source: Source, start: int, end: int, found: str, expected: list[str], hint: str) -> None:
    *most, last = expected
    listed = f"{', '.join(most)} or {last}" if most else last
    source.report(start, end, f"{found}: expected {listed}", hint)


def _expected(error: UnexpectedInput, *, in_rule: bool) -> list[str]:
    """What could be at the place of the mistake, in the user's words."""
    interactive = getattr(error, "interactive_parser", None)
    accepted = set(interactive.accepts()) if interactive is not None else set()
    words = {_WORDS[terminal] for terminal in accepted & _WORDS.keys()}
    if accepted >= _UNIT:
        words -= {"'('", "'*'"}
        words.add(_EVENT)
    elif accepted >= _PATH:
        words -= {"'*'", "a whole number"}
        words.add(_A_PATH)
    elif "NAME" in accepted:
        words.add("a name")
    if "INSERT" in accepted:
        words.add(_ACTION)
    if "$END" in accepted:
        # Operators fit as well: the parser has only finished the expression by itself before it gave up.
        words |= (
            {"the end of the statement"} if in_rule else {"';'", "'&'", "'|'", "the end of the statement"}
        )
    return sorted(words, key=_ORDER.index)


def _hint_at(token: Token, expected: list[str], before: str, next_character: str) -> str:
    """What the user may have meant by a word or sign that cannot stand here; "" if there is no telling."""
    word = str(token)
    is_word = token.type in ("NAME", "INS", "UPD", "DEL", "PREFIXED")
    if "'event'" in expected:
        if next_character in ("=", "(", "{") and is_word and not did_you_mean(word, KEYWORDS):
            return f"write: event {word} …"
        begins = "every statement begins with event, rule, param, namespace or reference"
        return f"{did_you_mean(word, KEYWORDS)} {begins}".strip()
    if _RULE.match(before) and (hint := _hint_in_rule(token, word, expected)):
        return hint
    if expected == ["'='"]:
        return f"write '=' before {word}" if token.type == "STRING" else ""
    if expected == ["a name"] and token.type == "VARIABLE":
        return f"write {word[1:]} here, and {word} where it is used"
    if expected == ["a name"]:
        return (
            "a name does not begin with a digit"
            if token.type in ("INT", "NUMBER")
            else _MISSING_NAME.get(word, "")
        )
    if word == "{":
        return _hint_for_character(word, expected)
    if before.endswith("not"):
        return "write 'not' before an operand of a sequence: a ; not b ; c (A5); not(b)[a, c] is the same"
    if "';'" in expected:
        return _hint_after_operand(word, is_word)
    if _A_PATH in expected:
        return _hint_in_path(token)
    if expected == ["a number", "a string in quotes"]:
        return "the value of a parameter is a number, 100 or 1.5, or a text in quotes"
    if expected == ["a string in quotes"] and token.type != "STRING":
        return 'write it in quotes: "…"'
    if expected == ["'('"]:
        return _WITHOUT_PATH
    if "'}'" in expected:
        return "options are separated by commas" if is_word else "a '{' is not closed"
    return ""


def _hint_in_rule(token: Token, word: str, expected: list[str]) -> str:
    """What is often mistaken in an action rule."""
    if "a name" in expected and "'('" in expected and token.type in _UNIT | {"STAR", "NOT"}:
        return "write an expression in parentheses: on (ins(item)), on (ins(item) ; del(item/price))"
    if _ACTION in expected:
        return did_you_mean(word, ACTIONS)
    if "'on'" in expected or "'do'" in expected:
        return 'a rule is written: rule NAME on EVENT if "…" do set "@status" = "\'new\'"'
    if expected[:1] == ["'first into', 'last into', 'before' or 'after'"]:
        return 'write where it is put: insert "<note/>" last into "."'
    return ""


def _hint_after_operand(word: str, is_word: bool) -> str:
    if word in _JOINING:
        return f"write {_JOINING[word]!r}"
    if word in RELATIONS:
        return f"write an operand on either side, and of several relations (a {word} b) {word} c"
    if is_word or word in ("(", "*", "?", "×", "x"):
        near = did_you_mean(word, RELATIONS) if is_word else ""
        return near or "join two operands with ';', '&' or '|'"
    return "there is no '(' that this closes" if word == ")" else ""


def _hint_in_path(token: Token) -> str:
    if token.type == "STRING":
        return "a path is written without quotes"
    return {
        "(": "text() is the only node test with parentheses in a path",
        "[": 'a path has no predicates; conditions on values go into {when="…"} after an operator',
        ")": "an event is written with its path, such as ins(order/item)",
    }.get(str(token), "")


def _hint_at_end(expected: list[str]) -> str:
    if expected == ["'('"]:
        return _WITHOUT_PATH
    if "')'" in expected:
        return "a '(' is not closed"
    if "'}'" in expected:
        return "a '{' is not closed"
    return "something is missing after the last operator" if _EVENT in expected else ""


def _hint_for_character(character: str, expected: list[str]) -> str:
    if character in _QUOTES:
        return 'write straight quotes: "…"'
    if character in _ASCII:
        return f"write {_ASCII[character]!r}"
    if character == "{":
        if _A_PATH in expected:
            return "write a namespaced name as {uri}name"
        if expected == ["'on'"]:
            return "write options of a rule after its event: rule NAME on EVENT {priority=5} do …"
        return "write options after an event's name, after ')' of an operator, or after a multiplicity's ']'"
    if character == "." and _A_PATH in expected:
        return "a path leads down only, from a node to its children: it has neither '.' nor '..'"
    if character == ":":
        return (
            "write event NAME = …" if "'='" in expected else "write a prefixed name without blanks: po:item"
        )
    if character in "+-.!<>":
        return 'write conditions on values in quotes: {when="price > 0"}'
    return ""
