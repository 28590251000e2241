"""``xmlcep keygen``: keys that sign the checkpoints of a log."""

from __future__ import annotations

from pathlib import Path

import click

from ..proofs.keys import write_keys
from ..proofs.notes import PrivateKey
from ._arguments import FilePath
from ._commands import command as command_of
from ._output import inform


@command_of(name="keygen")
@click.argument("file", type=FilePath())
@click.option(
    "--name", help="The name of the signer, without white space and +. Default: the name of the file."
)
@click.option("--witness", is_flag=True, help="Make a key for `xmlcep witness`.")
def command(file: str, name: str | None, witness: bool) -> None:
    """Write a new Ed25519 key to FILE, for its owner only, and its public key to FILE.pub.

    Pass the private key to record(…, tree=FILE), and give the public key to verifiers: `xmlcep verify --key
    FILE.pub`.
    """
    public = write_keys(PrivateKey.new(name or Path(file).stem, witness=witness), Path(file))
    inform(f"{file}: the private key; {public}: the public key, to be given to others", err=False)
