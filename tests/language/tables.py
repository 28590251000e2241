"""Writes the tables of the grammar: ``python -m tests.language.tables``, after each change of the grammar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

import xmlcep.language
from xmlcep.language.grammar import grammar_text, parser_of_grammar
from xmlcep.language.grammar_tables import TABLES, digest

PLACE = Path(xmlcep.language.__file__).parent / TABLES
_SHIFT = 0


def tables() -> dict[str, Any]:
    """The tables as they are to be written.

    Lark numbers states and signs in an order that differs from run to run: here signs go by their names, and states as
    they are reached from the first, by the names of signs.
    """
    grammar = grammar_text()
    data, memo = parser_of_grammar(grammar).memo_serialize([TerminalDef, Rule])
    table = data["parser"]["parser"]
    names = table["tokens"]
    states = {
        number: dict(sorted((names[sign], action) for sign, action in actions.items()))
        for number, actions in table["states"].items()
    }
    (first,) = table["start_states"].values()
    numbers = {first: 0}
    reached = [first]
    for state in reached:
        for kind, target in states[state].values():
            if kind == _SHIFT and target not in numbers:
                numbers[target] = len(reached)
                reached.append(target)
    assert len(reached) == len(states)
    table["tokens"] = sorted(names.values())
    table["states"] = [
        {
            sign: [kind, numbers[target] if kind == _SHIFT else target]
            for sign, (kind, target) in states[state].items()
        }
        for state in reached
    ]
    for ends in ("start_states", "end_states"):
        table[ends] = {name: numbers[state] for name, state in table[ends].items()}
    assert list(memo) == list(range(len(memo)))
    written = {
        "lark": lark.__version__,
        "grammar": digest(grammar),
        "data": data,
        "memo": list(memo.values()),
    }
    found: dict[str, Any] = json.loads(json.dumps(written))  # without tuples
    return found


if __name__ == "__main__":
    PLACE.write_text(json.dumps(tables(), separators=(",", ":")) + "\n", encoding="utf-8")
