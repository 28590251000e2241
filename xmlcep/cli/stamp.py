"""``xmlcep stamp``: has an authority say by when there was a checkpoint (RFC 3161)."""

from __future__ import annotations

from pathlib import Path

import click

from ..files import bytes_of
from ..log.json_codec import FASTEST
from ..log.writing import write_new_file
from ..proofs.errors import ProofError
from ..proofs.notes import Note
from ..proofs.posting import post
from ..proofs.stamps import check_stamp, request_of
from ._arguments import FilePath, format_option
from ._commands import command as command_of
from ._commands import refuse
from ._output import inform, put
from ._targets import Target, Written, force_option, guard

WRONG = 1


@command_of(name="stamp")
@click.argument("checkpoint", type=FilePath())
@click.option("--url", metavar="URL", help="Ask the time stamping authority at this address.")
@click.option(
    "-o", "--out", type=FilePath(), help="Write the stamp, or without --url the request, to this file."
)
@force_option
@click.option(
    "--verify", "stamp", type=FilePath(), metavar="FILE", help="Check this stamp of the checkpoint."
)
@click.option(
    "--root", "roots", type=FilePath(), metavar="PEM", help="The certificates of trusted authorities."
)
@format_option("json: what --verify has found, as an object.")
@click.pass_context
def command(
    context: click.Context,
    checkpoint: str,
    url: str | None,
    out: str | None,
    stamp: str | None,
    roots: str | None,
    force: bool,
    form: str,
) -> None:
    """Have an authority stamp a CHECKPOINT, or check its stamp, which proves that the log had this length by then.

    Without --url, the request is written, to be sent by hand as application/timestamp-query. Exit status 1: the
    stamp is of another checkpoint, or not from a trusted authority.
    """
    note = Note.parse(bytes_of(Path(checkpoint)))
    if stamp is not None:
        refuse(["url", "out", "force"], "--verify checks a stamp")
        if roots is None:
            raise click.UsageError("--verify needs --root, the certificates that are trusted")
        try:
            at = check_stamp(note, bytes_of(Path(stamp)), bytes_of(Path(roots)))
        except ProofError as error:
            inform(f"xmlcep: {stamp}: {error}")
            context.exit(WRONG)
        time = f"{at:%Y-%m-%dT%H:%M:%SZ}"
        if form == "json":
            put(FASTEST.dumps({"stamped_at": time}).decode())
        else:
            inform(f"stamped at {time}", err=False)
        return
    refuse(["roots", "form"], "--root and --format are for --verify")
    if out is None:
        raise click.UsageError("-o says where the stamp, or the request for one, goes")
    guard([Target(Path(out), Written.STAMP)], [checkpoint], force=force)
    content = request_of(note)
    if url is not None:
        answer = post(url, content, {"content-type": "application/timestamp-query"}, seconds=30)
        if answer.status != 200:
            raise ProofError(f"{url}: gives no stamp: status {answer.status}")
        content = answer.body
    write_new_file(Path(out), content)
