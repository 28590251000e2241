"""The TextMate grammar of rules, made from the grammar of the event language: ``python editors/textmate.py``.

It writes ``editors/vscode/syntaxes/xcep.tmLanguage.json``, which VS Code and most other editors read;
``tests/editing/test_editors.py`` fails where it is not current.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from xmlcep.language.colours import Colour, Pattern, patterns

_CODE_POINT = re.compile(r"\\(?:u([0-9a-f]{4})|U00([0-9a-f]{6}))")
FILE = Path(__file__).with_name("vscode") / "syntaxes" / "xcep.tmLanguage.json"
_SCOPES = {
    Colour.COMMENT: "comment.line.number-sign", Colour.STRING: "string.quoted", Colour.NUMBER: "constant.numeric",
    Colour.DECLARATION: "keyword.declaration", Colour.KEYWORD: "keyword.other", Colour.OPERATION: "support.function",
    Colour.OPERATOR: "keyword.operator.word", Colour.VARIABLE: "variable.other", Colour.NAMESPACED: "entity.name.tag",
    Colour.NAME: "", Colour.EXPRESSION: "string.unquoted.xpath", Colour.SIGN: "",
}  # fmt: skip


def grammar() -> dict[str, Any]:
    """The grammar as a value of JSON."""
    return {
        "name": "xmlcep rules",
        "scopeName": "source.xcep",
        "fileTypes": ["xcep"],
        "patterns": [_pattern(each) for each in patterns()],
    }


def _pattern(pattern: Pattern) -> dict[str, Any]:
    found: dict[str, Any] = {"match": _CODE_POINT.sub(r"\\x{\1\2}", pattern.regex)}
    scope = _SCOPES[pattern.colour] and f"{_SCOPES[pattern.colour]}.xcep"
    if pattern.colour is Colour.EXPRESSION:
        found["captures"] = {"3": {"name": scope}}
    elif scope:
        found["name"] = scope
    return found


def written() -> str:
    """The grammar as it stands in the file."""
    return json.dumps(grammar(), indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
