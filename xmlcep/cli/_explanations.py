"""What the commands that explain have in common: options, and how answers are printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ._output import inform, put
from ._rules_input import rules_option, with_additions

F = TypeVar("F", bound=Callable[..., Any])


def common_options(function: F) -> F:
    """``--rules`` and what goes with it, ``--doc``, ``--format``."""
    options = (
        rules_option,
        with_additions,
        click.option("--doc", metavar="NAME", help="The document, in a log of several."),
        click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True),
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
