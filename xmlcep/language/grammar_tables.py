"""The tables of the grammar as plain data, worked out beforehand: `grammar_tables.json`.

Lark takes a sixth of a second to work them out, in every process that reads rules. They are those of one version of
lark and of one grammar, which they name; with any other they are worked out anew. Whoever changes the grammar
writes them again: ``python -m tests.language.tables``.
"""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from typing import Any

import lark

TABLES = "grammar_tables.json"


def parser_of_tables(grammar: str) -> lark.Lark | None:
    """The parser of this grammar; None if the tables are not of it, or of another lark than is installed."""
    tables = json.loads(files("xmlcep.language").joinpath(TABLES).read_bytes())
    if tables["lark"] != lark.__version__ or tables["grammar"] != digest(grammar):
        return None
    return lark.Lark.load(as_lark_saves(tables))


def digest(grammar: str) -> str:
    """What tells one grammar from others."""
    return hashlib.sha256(grammar.encode()).hexdigest()


def as_lark_saves(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables as `lark.Lark.save` has them: JSON has no keys that are numbers, so there they are places in lists."""
    data = dict(tables["data"])
    parser = data["parser"] = dict(data["parser"])
    table = parser["parser"] = dict(parser["parser"])
    names = table["tokens"]
    places = {name: place for place, name in enumerate(names)}
    table["tokens"] = dict(enumerate(names))
    table["states"] = {
        number: {places[name]: action for name, action in actions.items()}
        for number, actions in enumerate(table["states"])
    }
    return {"data": data, "memo": dict(enumerate(tables["memo"]))}
