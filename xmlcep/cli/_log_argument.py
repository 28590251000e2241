"""The change log that a command reads: the files of one log; ``-`` is standard input."""

from __future__ import annotations

from contextlib import ExitStack

import click

from ..auditing.inputs import LogPath as LogPath
from ..auditing.inputs import with_pipes_kept


def _kept(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> tuple[LogPath, ...]:
    """The files; what comes through a pipe is read once and kept while the command runs."""
    return tuple(with_pipes_kept(files, context.with_resource(ExitStack())))


log_argument = click.argument("log", nargs=-1, required=True, type=click.Path(), callback=_kept)
"""For a parameter ``log: tuple[LogPath, ...]``."""
