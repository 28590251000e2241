"""Logs as commands take them: what comes through a pipe, or is ``-`` (standard input), is read once and kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import click

from ..auditing.inputs import LogPath as LogPath
from ..auditing.inputs import find_files, with_pipes_kept
from ._arguments import FilePath
from ._rules_input import STANDARD_INPUT, claim_standard_input


def _kept(context: click.Context, _: click.Parameter, given: tuple[str, ...]) -> tuple[LogPath, ...]:
    if context.resilient_parsing:  # a shell that completes a line
        return given
    if STANDARD_INPUT in given:
        claim_standard_input(context, "the log")
    with ExitStack() as stack:
        kept = tuple(with_pipes_kept(given, stack))
        # A context that cannot be made, as another option is wrong, is not left; that of the program is.
        context.find_root().call_on_close(stack.pop_all().close)
    return kept


def logs_argument(
    name: str, metavar: str, *, required: bool = True, **more: Any
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """One or more logs, each of which can be read more than once while the command runs."""
    return click.argument(
        name,
        nargs=-1,
        required=required,
        metavar=metavar,
        type=FilePath(allow_dash=True),
        callback=_kept,
        **more,
    )


def log_option(*names: str, help: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """One log, or none, kept in the same way."""

    def kept(context: click.Context, option: click.Parameter, given: str | None) -> LogPath | None:
        return None if given is None else _kept(context, option, (given,))[0]

    return click.option(*names, metavar="LOG", type=FilePath(allow_dash=True), callback=kept, help=help)


def files_read(logs: Sequence[LogPath]) -> list[str]:
    """The files of logs, which must not be written to; raises `LogError` for those that are not there."""
    return [os.fspath(file.path) for file in find_files(logs).files]
