"""The grammar put together: the file `grammar.lark`, what is made of XML names, and the operators' own syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from lark import Lark

from contexts.constraints import RELATIONS
from path_types.names import NAME_CHARACTER, NCNAME

from ..algebra import OPERATORS
from .embedded import FILTER, VALUE

_GAP = r"(?:[ \t\r\n\ufeff]|#[^\n]*+)"
"""What may be between two signs and is skipped there: a blank, or a comment."""
# A word that is before an operand: NAME(path) is an event that is called so. An operand in parentheses has
# parentheses of its own that are not those of text(), nor within a string, a comment or a name in Clark notation.
_BEFORE_OPERAND = (
    rf"""(?={_GAP}++[^(]|{_GAP}*+\("""
    rf"""(?:[^()"'#{{]++|"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|\{{[^\s{{}}"']*+\}}|\{{|{_GAP})*+\((?!{_GAP}*+\)))"""
)
_TERMINALS = rf"""
EVENT: /event(?!{NAME_CHARACTER}|:)/
EVENT_NAMESPACE: /namespace(?!{NAME_CHARACTER}|:)/
REFERENCE: /reference(?!{NAME_CHARACTER}|:)/
PARAM: /param(?!{NAME_CHARACTER}|:)/
RULE: /rule(?!{NAME_CHARACTER}|:)/
RELATION.2: /(?:{"|".join(sorted(RELATIONS, reverse=True))}){_BEFORE_OPERAND}/
NAME: /{NCNAME}/
PREFIXED.1: /{NCNAME}:({NCNAME})?/
CLARK: /\{{[^{{}}\r\n]*\}}({NCNAME})?/
NOT.2: /not{_BEFORE_OPERAND}/
ALL.2: /all(?={_GAP}*+\[)/
VARIABLE: /\${NCNAME}/
TIMES.2: /x(?={_GAP}*+\[)|×/
OPAQUE.2: /opaque(?={_GAP}*+\[)/
LET.2: /let(?={_GAP}++[^=,}}])/
WHERE.2: /(?:first|last){_GAP}++into|before|after/
EXTERNAL.2: /external(?!{_GAP}*+\()/
TEXT.2: /text{_GAP}*+\({_GAP}*+\)/
FILTER: /{FILTER}/
VALUE: /{VALUE}/
"""
"""The terminals of the grammar that are made of XML names, or are an XPath."""


def _operators() -> Iterator[str]:
    """The rules of the operators that say their syntax, each with the terminal of its symbol.

    Only before a bracket is it one: elsewhere elements and events can be called so. ``aperiodic*`` goes before
    ``aperiodic``.
    """
    bracketed = [operator for operator in OPERATORS if operator.syntax]
    yield f"_bracketed: {' | '.join(operator.rule for operator in bracketed)}"
    for operator in bracketed:
        word, starred = operator.symbol.removesuffix("*"), operator.symbol.endswith("*")
        symbol = re.escape(word) + (rf"{_GAP}*+\*" if starred else "")
        yield f"{operator.rule}: {operator.rule.upper()} {operator.syntax}"
        yield rf"{operator.rule.upper()}.{3 if starred else 2}: /{symbol}(?={_GAP}*+\[)/"


@cache
def statement_parser() -> Lark:
    """The parser of a single statement."""
    # Read through the package, which may lie in a zip file: that is how Spark's workers get it.
    written = files("xmlcep.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        "\n".join((written, _TERMINALS, *_operators(), "")),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
    )
