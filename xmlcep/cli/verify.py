"""``xmlcep verify``: checks the hash chain of a sealed change log."""

from __future__ import annotations

import click

from ..log.errors import BrokenChainError, UnsealedError
from ..log.json_codec import FASTEST
from ..log.seal import verify
from ..log.tree import has_tree, verify_tree
from ..proofs.errors import ProofError
from ..proofs.keys import public_key
from ._commands import command as command_of
from ._log_arguments import LogPath, logs_argument
from ._output import inform, put
from ._paths import FilePath

DIFFERENCES = 1
UNSEALED = 4


@command_of(name="verify")
@logs_argument("log", "LOG…")
@click.option(
    "--head", metavar="HASH", help="A hash of the chain that was kept elsewhere: finds a cut-off end."
)
@click.option(
    "--checkpoint",
    "kept",
    multiple=True,
    type=FilePath(),
    metavar="FILE",
    help="A checkpoint of the log's tree that was kept elsewhere (repeatable).",
)
@click.option(
    "--key", "keys", multiple=True, metavar="KEY|FILE",
    help="A public key by which the checkpoints must be signed, or one of a witness (repeatable).",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="json: length, head and the size that a checkpoint covers, as an object.",
)  # fmt: skip
@click.pass_context
def command(
    context: click.Context,
    log: tuple[LogPath, ...],
    head: str | None,
    kept: tuple[str, ...],
    keys: tuple[str, ...],
    form: str,
) -> None:
    """Find the first altered, missing or swapped record of a sealed change LOG.

    A log with a tree beside it (LOG.tree) is checked against its checkpoints, too.

    Give the first file of a log that was rolled over, or several files in their order. Exit status 1: the
    chain is broken, or a checkpoint does not agree with the log; 4: the log is not sealed, so there is nothing to
    check.
    """
    source = log[0] if len(log) == 1 else log
    known = [public_key(key) for key in keys]
    covered = None
    try:
        seal = verify(source, head=head)
        if kept or keys or has_tree(source):
            covered = verify_tree(source, kept=kept, keys=known)
    except (BrokenChainError, ProofError) as error:
        inform(f"xmlcep: {error}")
        context.exit(DIFFERENCES)
    except UnsealedError as error:
        inform(f"xmlcep: {error}")
        context.exit(UNSEALED)
    if form == "json":
        found: dict[str, object] = {"length": seal.length, "head": seal.head}
        if covered is not None:
            found["checkpoint"] = {"size": covered.checkpoint.size, "signed_by": [key.name for key in known]}
        put(FASTEST.dumps(found).decode())
        return
    inform(f"{seal.length} records, unbroken; head {seal.head}", err=False)
    if covered is not None:
        signed = (
            f"signed by {', '.join(key.name for key in known)}" if known else "signatures not checked (--key)"
        )
        size = covered.checkpoint.size
        inform(
            f"tree: agrees with the checkpoint of {size:,} of {covered.entries:,} records; {signed}",
            err=False,
        )
