"""The options of an audit that goes on from a state, as ``xmlcep audit`` has them."""

from __future__ import annotations

import click

from ._arguments import FilePath, with_options

since_options = with_options(
    click.option(
        "--state", "since", metavar="FILE", type=FilePath(),
        help="Read only records that are new since the last run with this file, and append the findings to --out. The"
        " first run creates the file.",
    ),
    click.option(
        "--final", is_flag=True, help="With --state: the log is complete; raise events that are deferred to its end."
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
        help="With --state, if a record is missing. wait: hold the records after it until it arrives; refuse: go on,"
        " and quarantine it if it arrives later; restart: go on, and if it arrives later, append retractions and new"
        " findings. Default: as in the run before, at first refuse.",
    ),
    click.option(
        "--wait", metavar="TIME",
        help="With --late wait: hold records at most this long, by the times in the log: '1 h'.",
    ),
)  # fmt: skip
"""Gives a command these options."""
