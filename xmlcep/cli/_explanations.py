"""What the commands that explain have in common: options, and how answers are printed."""

from __future__ import annotations

import json
from typing import Any

import click

from ._arguments import format_option, with_options
from ._output import inform, put
from ._rules_input import rules_option, with_additions

common_options = with_options(
    rules_option, with_additions,
    click.option("--doc", metavar="NAME", help="The document, in a log of several."),
    format_option("json: an object a line."),
)  # fmt: skip


def show_record(record: object) -> None:
    """A value as one line of JSON."""
    put(json.dumps(record, ensure_ascii=False, default=str))


def show(found: Any, form: str) -> None:
    """An explanation as one line of JSON, or as text in which whatever could steer a terminal is escaped."""
    if form == "json":
        show_record(found.to_record())
    else:
        inform(found.text(), err=False)
