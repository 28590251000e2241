"""The options of an audit that goes on from a state, as ``xmlcep audit`` has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ._arguments import FilePath

_OPTIONS = (
    click.option(
        "--state", "since", metavar="FILE", type=FilePath(),
        help="Read only records that are new since the last run with this file, and append the findings to --out. The"
        " first run creates the file.",
    ),
    click.option(
        "--final", is_flag=True, help="With --state: the log is complete; release what is deferred to its end."
    ),
    click.option(
        "--on-removed", type=click.Choice(["flush", "drop"]),
        help="With --state and changed rules: raise or drop the partial matches of changed or removed definitions.",
    ),
    click.option(
        "--new-since", type=click.Choice(["now", "begin"]), default="now", show_default=True,
        help="With --state and changed rules: new definitions see only this run, or the whole log.",
    ),
    click.option(
        "--late", type=click.Choice(["wait", "refuse", "restart"]),
        help="With --state: hold records that came before others which are missing, until these are there; refuse: read"
        " what is held, and quarantine what comes too late; restart: go back to before what comes too late, and append"
        " retractions and new findings. Default: as in the run before, at first refuse.",
    ),
    click.option(
        "--wait", metavar="TIME",
        help="With --late wait: how long at most records are held, by the times in the log, as '1 h'.",
    ),
)  # fmt: skip


def since_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command these options."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
