"""``xmlcep witness``: cosigns the checkpoint of a log that goes on from the one it cosigned before."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ..log.writing import write_new_file
from ..proofs.errors import ProofError, SigningKeyError
from ..proofs.keys import private_key, public_key
from ..proofs.witness import witness
from ._commands import command as command_of
from ._output import inform, put
from ._paths import FilePath

REFUSED = 1


@command_of(name="witness")
@click.argument("folder", type=FilePath(), metavar="LOG.tree")
@click.option("--log-key", required=True, metavar="KEY|FILE", help="The public key of the log.")
@click.option(
    "--key", required=True, type=FilePath(), metavar="FILE", help="The private key of this witness."
)
@click.option(
    "--state",
    required=True,
    type=FilePath(),
    metavar="FILE",
    help="What this witness has signed; kept by it.",
)
@click.option("-o", "--out", type=FilePath(), help="Write the cosigned checkpoint to this file.")
@click.pass_context
def command(context: click.Context, folder: str, log_key: str, key: str, state: str, out: str | None) -> None:
    """Cosign the checkpoint in the folder LOG.tree, or in a copy of it, if it continues what was cosigned before.

    Exit status 1: it does not: the log was cut off, rewritten or forked, or its key did not sign it. Whoever verifies
    with the cosigned checkpoint and the witness's key (`xmlcep verify --checkpoint FILE --key WITNESS.pub`) knows that
    the log has shown this witness no other history.
    """
    log, own = public_key(log_key), private_key(key)
    try:
        note = witness(Path(folder), log, own, Path(state), int(time.time()), write_new_file)
    except SigningKeyError:
        raise
    except ProofError as error:
        inform(f"xmlcep: {error}")
        context.exit(REFUSED)
    if out is None:
        put(str(note), nl=False)
    else:
        write_new_file(Path(out), str(note).encode())
