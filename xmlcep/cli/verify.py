"""``xmlcep verify``: checks the hash chain of a sealed change log."""

from __future__ import annotations

import click

from ..log.errors import BrokenChainError, UnsealedError
from ..log.seal import verify
from ._log_arguments import LogPath, logs_argument
from ._output import inform

DIFFERENCES = 1
UNSEALED = 4


@click.command(name="verify")
@logs_argument("log", "LOG…")
@click.option(
    "--head", metavar="HASH", help="A hash of the chain that was kept elsewhere: finds a cut-off end."
)
@click.pass_context
def command(context: click.Context, log: tuple[LogPath, ...], head: str | None) -> None:
    """Find the first altered, missing or swapped record of a sealed change LOG.

    Give the first file of a log that was rolled over, or several files in their order. Exit status 1: the
    chain is broken; 4: the log is not sealed, so there is nothing to check.
    """
    try:
        seal = verify(log[0] if len(log) == 1 else log, head=head)
    except BrokenChainError as error:
        inform(f"xmlcep: {error}")
        context.exit(DIFFERENCES)
    except UnsealedError as error:
        inform(f"xmlcep: {error}")
        context.exit(UNSEALED)
    inform(f"{seal.length} records, unbroken; head {seal.head}", err=False)
