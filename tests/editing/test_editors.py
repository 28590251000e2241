"""What editors get beside the language server: the TextMate grammar, and the folder that VS Code packs."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from xmlcep.language.colours import Colour, patterns

FOLDER = REPOSITORY / "editors" / "vscode"


def test_the_grammar_is_that_of_the_language() -> None:
    """python editors/textmate.py writes it."""
    made = runpy.run_path(str(REPOSITORY / "editors" / "textmate.py"))
    assert Path(made["FILE"]).read_text(encoding="utf-8") == made["written"]()


def test_it_asks_nothing_that_only_python_knows() -> None:
    for each in json.loads((FOLDER / "syntaxes" / "xcep.tmLanguage.json").read_text())["patterns"]:
        assert not re.search(r"\(\?P|\\U|\\u|\(\?[a-zA-Z]", each["match"]), each


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("event", Colour.DECLARATION), ("param", Colour.DECLARATION), ("# a", Colour.COMMENT), ("1.5", Colour.NUMBER),
        ("text()", Colour.OPERATION), ("$old", Colour.VARIABLE), ("'a'", Colour.STRING), ("name", Colour.NAME),
    ],
)  # fmt: skip
def test_the_first_pattern_that_fits_says_the_colour(text: str, colour: Colour) -> None:
    fits = (each.colour for each in patterns() if (m := re.match(each.regex, text)) and m.group() == text)
    assert next(fits) is colour


def test_the_folder_has_what_it_names() -> None:
    package = json.loads((FOLDER / "package.json").read_text())
    named = [package["main"], *(each["path"] for each in package["contributes"]["grammars"])]
    named += [each["configuration"] for each in package["contributes"]["languages"]]
    assert [name for name in named if not (FOLDER / name).is_file()] == []
    json.loads((FOLDER / "language-configuration.json").read_text())
    # A workspace must not say what is run.
    assert package["contributes"]["configuration"]["properties"]["xmlcep.command"]["scope"] == "machine"
