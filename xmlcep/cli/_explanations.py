"""What the commands that explain have in common: options, and how answers are printed."""

from __future__ import annotations

import json

import click

from ._arguments import F, format_option
from ._output import inform, put
from ._rules_input import rules_option, with_additions


def common_options(function: F) -> F:
    """``--rules`` and what goes with it, ``--doc``, ``--format``."""
    options = (
        rules_option,
        with_additions,
        click.option("--doc", metavar="NAME", help="The document, in a log of several."),
        format_option("json: an object a line."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def show_record(record: object) -> None:
    """A value as one line of JSON."""
    put(json.dumps(record, ensure_ascii=False, default=str))


def show_text(text: str) -> None:
    """A text, with whatever could steer a terminal escaped."""
    inform(text, err=False)
