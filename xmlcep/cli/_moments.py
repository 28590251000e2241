"""Moments of a log as arguments: a time point or a time."""

from __future__ import annotations

import re

import click


def moment(text: str) -> int | str:
    """A time point as a number, a time as text; the library says what is wrong with it."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text


at_option = click.option(
    "--at",
    metavar="TS|TIME",
    callback=lambda _, __, text: None if text is None else moment(text),
    help="The time point, such as 17, or a time, such as 2026-01-31T12:00:00Z; without it the end of the log.",
)
