"""The options of an audit that goes on from a state, as ``xmlcep audit`` has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ._arguments import FilePath

_OPTIONS = (
    click.option(
        "--state", "since", metavar="FILE", type=FilePath(),
        help="Read only what is new since the last run with this file (the first makes it), and append what is found"
        " to --out.",
    ),
    click.option(
        "--final", is_flag=True, help="With --state: the log is complete, what waits for its end is found."
    ),
    click.option(
        "--on-removed", type=click.Choice(["flush", "drop"]),
        help="With --state and other rules than before: what becomes of partial matches in events that were changed or"
        " removed.",
    ),
    click.option(
        "--new-since", type=click.Choice(["now", "begin"]), default="now", show_default=True,
        help="With --state and other rules than before: new events begin with this run, or as if they had always been"
        " there, for which the whole log is read again.",
    ),
)  # fmt: skip


def since_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command these options."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
