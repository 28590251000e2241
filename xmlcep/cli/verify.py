"""``xmlcep verify``: checks the hash chain of a sealed change log."""

from __future__ import annotations

import click

from ..log.errors import BrokenChainError, UnsealedError
from ..log.json_codec import FASTEST
from ..log.seal import verify
from ._commands import command as command_of
from ._log_arguments import LogPath, logs_argument
from ._output import plain

DIFFERENCES = 1
UNSEALED = 4


@command_of(name="verify")
@logs_argument("log", "LOG…")
@click.option(
    "--head", metavar="HASH", help="A hash of the chain that was kept elsewhere: finds a cut-off end."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="json: length and head as an object.",
)  # fmt: skip
@click.pass_context
def command(context: click.Context, log: tuple[LogPath, ...], head: str | None, form: str) -> None:
    """Find the first altered, missing or swapped record of a sealed change LOG.

    Give the first file of a log that was rolled over, or several files in their order. Exit status 1: the
    chain is broken; 4: the log is not sealed, so there is nothing to check.
    """
    try:
        seal = verify(log[0] if len(log) == 1 else log, head=head)
    except BrokenChainError as error:
        click.echo(plain(f"xmlcep: {error}"), err=True)
        context.exit(DIFFERENCES)
    except UnsealedError as error:
        click.echo(plain(f"xmlcep: {error}"), err=True)
        context.exit(UNSEALED)
    if form == "json":
        click.echo(FASTEST.dumps({"length": seal.length, "head": seal.head}).decode())
    else:
        click.echo(f"{seal.length} records, unbroken; head {seal.head}")
