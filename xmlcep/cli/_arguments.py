"""Arguments that several commands take: files, moments, the files of namespaces."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..timestamps import TimeError, time_or_day
from ._output import inform


class FilePath(click.Path):
    """A path. The empty one names nothing, although the system takes it for the folder that one is in: what a script
    has no value for would be read, or written to, somewhere."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if not os.fspath(value):
            self.fail("'' names no file: it is empty", param, ctx)
        return super().convert(value, param, ctx)


class Moment(click.ParamType):  # type: ignore[type-arg]  # which click 8.1 does not take
    """A time point (a number), a time, or a day, which is its beginning in UTC; with ``times``, no time point."""

    name = "moment"

    def __init__(self, *, times: bool = False) -> None:
        self._times = times

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Time points as numbers, the others as they are."""
        text = str(value)
        if not self._times and re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        try:
            time_or_day(text)
        except TimeError as error:
            self.fail(str(error) if self._times else f"{error}, or a time point such as 17", param, ctx)
        return text


MOMENT = Moment()
AT = "TS|TIME|DAY"
"""How options for moments show what they take."""

F = TypeVar("F", bound=Callable[..., Any])


def with_options(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Gives a command several options, in this order."""

    def given(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return given


def format_option(json: str, *more: str) -> Callable[[F], F]:
    """``--format text|json``, as ``form``; ``json`` says what an object is, ``more`` are formats of one command."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", *more]),
        default="text",
        show_default=True,
        help=json,
    )


until_option = click.option(
    "--until", metavar="TIME|DAY", type=Moment(times=True),
    help="Advance the clock to this time (2026-01-31T12:00:00Z, 2026-01-31) at the end of each document, so that"
    " deadlines up to then fire.",
)  # fmt: skip
at_option = click.option(
    "--at",
    metavar=AT,
    type=MOMENT,
    help="A time point (17) or a time (2026-01-31T12:00:00Z; 2026-01-31, its beginning in UTC)."
    " Default: the end of the log.",
)


def say_beyond(at: int | str | None, ts: int, time: str | None) -> None:
    """Says that a log ends before the moment that was asked for, and where."""
    shown = "" if time is None else f", {time}"
    inform(f"xmlcep: the log ends before {at}, at {ts}{shown}: this is its end")


def _files_of_namespaces(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The file of every namespace; a namespace may have a ``=`` in it, the file begins behind the last."""
    found: dict[str, str] = {}
    for pair in given:
        uri, equals, file = pair.rpartition("=")
        if not equals or not uri or not file:
            raise click.BadParameter(f"{pair!r}: expected NAMESPACE=FILE", param=option)
        found[uri] = file
    return found


location_option = click.option(
    "--location",
    "locations",
    metavar="NS=FILE",
    multiple=True,
    callback=_files_of_namespaces,
    help="The local file of a namespace that the schema imports (repeatable); nothing is fetched.",
)
