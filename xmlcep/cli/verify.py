"""``xmlcep verify``: checks the hash chain of a sealed change log, and findings that prove themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from ..auditing.proving import Checker, check_lines
from ..files import bytes_of, largest, reading
from ..log.errors import BrokenChainError, UnsealedError
from ..log.json_codec import FASTEST
from ..log.seal import verify
from ..log.tree import has_tree, verify_tree
from ..proofs.errors import ProofError
from ..proofs.keys import public_key
from ..proofs.notes import Note, PublicKey
from ..recording.erasing import erased_records
from ..rules import Rules
from ..rules.additions import Additions
from ._arguments import FilePath, format_option
from ._bad_records import said
from ._commands import command as command_of
from ._commands import refuse, refuse_others
from ._log_arguments import LogPath, logs_argument
from ._output import inform, put
from ._rules_input import NAMES_OF_ADDITIONS, load, with_additions

DIFFERENCES = 1
UNSEALED = 4


@command_of(name="verify")
@logs_argument("log", "LOG…", required=False)
@click.option(
    "--finding", "findings", type=FilePath(), metavar="FILE",
    help="Instead of a log: the proofs that `xmlcep audit --proofs` wrote.",
)  # fmt: skip
@click.option(
    "--rules", "rules_files", type=FilePath(), multiple=True, metavar="FILE",
    help="With --finding: replay the entries under these rules (repeatable).",
)  # fmt: skip
@with_additions
@click.option(
    "--head", metavar="HASH", help="A hash of the chain that was kept elsewhere: detects a cut-off end."
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
    help="The public key that must have signed the checkpoints, or of a witness (repeatable).",
)  # fmt: skip
@format_option("json: length, head and the size covered by a checkpoint.")
@click.pass_context
def command(
    context: click.Context,
    log: tuple[LogPath, ...],
    findings: str | None,
    rules_files: tuple[str, ...],
    additions: Additions,
    head: str | None,
    kept: tuple[str, ...],
    keys: tuple[str, ...],
    form: str,
) -> None:
    """Find the first altered, missing or swapped record of a sealed change LOG.

    If there is a tree beside the log (LOG.tree), its checkpoints are checked too. Give the first file of a log
    in several files, or several files in their order.

    --finding needs neither log nor network: it checks that a signed log has the changes of each finding, and
    with --rules that they raise it. Exit status 1: the chain is broken, a checkpoint does not fit the log, or a
    finding is not proved; 4: the log is not sealed.
    """
    known = [public_key(key) for key in keys]
    if findings is not None:
        refuse_others(_BESIDE_FINDING, "--finding is checked without a log")
        context.exit(
            _verify_findings(
                findings, known, kept, load(rules_files, additions) if rules_files else None, form
            )
        )
    refuse(["rules_files", *NAMES_OF_ADDITIONS], "--rules is for --finding: a log is verified without rules")
    if not log:
        raise click.UsageError("say what to verify: LOG, or --finding FILE")
    source = log[0] if len(log) == 1 else log
    seal, covered = None, None
    try:
        seal = verify(source, head=head)
    except BrokenChainError as error:
        inform(f"xmlcep: {error}")
    except UnsealedError as error:
        inform(f"xmlcep: {error}")
        context.exit(UNSEALED)
    try:
        if kept or keys or has_tree(source):
            covered = verify_tree(source, kept=kept, keys=known)
    except ProofError as error:
        inform(f"xmlcep: {error}")
        context.exit(DIFFERENCES)
    if seal is None:
        context.exit(DIFFERENCES)
    gone = erased_records(source) if seal.erasable else {}
    if form == "json":
        found: dict[str, object] = {"length": seal.length, "head": seal.head}
        if gone:
            found["erased"] = {"values": sum(gone.values()), "records": list(gone)}
        if covered is not None:
            found["checkpoint"] = {"size": covered.checkpoint.size, "signed_by": [key.name for key in known]}
        put(FASTEST.dumps(found).decode())
        return
    inform(f"{seal.length} records, unbroken; head {seal.head}", err=False)
    if gone:
        inform(f"erased: {sum(gone.values()):,} values, in {said('record', list(gone))}", err=False)
    if covered is not None:
        signed = (
            f"signed by {', '.join(key.name for key in known)}" if known else "signatures not checked (--key)"
        )
        size = covered.checkpoint.size
        inform(
            f"tree: agrees with the checkpoint of {size:,} of {covered.entries:,} records; {signed}",
            err=False,
        )


_BESIDE_FINDING = ("findings", "form", "rules_files", *NAMES_OF_ADDITIONS, "kept", "keys")
_SHOWN = 20


def _verify_findings(
    file: str, keys: Sequence[PublicKey], kept: Sequence[str], rules: Rules | None, form: str
) -> int:
    """Checks each finding of a file of bundles; says which are not proved, and why."""
    if not keys and not kept:
        raise click.UsageError(
            "--finding needs --key, by which the log is signed, or --checkpoint, one that was kept"
        )
    checker = Checker(keys, [Note.parse(bytes_of(Path(each))) for each in kept], rules)
    proved, failures = 0, list[dict[str, object]]()
    with reading(file) as stream:
        for number, error in enumerate(
            check_lines(iter(partial(stream.readline, largest("record")), b""), checker), 1
        ):
            proved += error is None
            if error is not None:
                failures.append({"finding": number, "reason": str(error)})
    wrong = len(failures)
    if form == "json":
        trees = [{"origin": tree.origin, "size": tree.size} for tree in checker.checkpoints]
        put(
            FASTEST.dumps(
                {"proved": proved, "failures": failures, "trees": trees, "replayed": rules is not None}
            )
        )
        return DIFFERENCES if wrong or not proved else 0
    for each in failures[:_SHOWN]:
        inform("xmlcep: {0}: finding {finding}: {reason}".format(file, **each))
    if wrong > _SHOWN:
        inform(f"xmlcep: {file}: and {wrong - _SHOWN:,} more are not proved")
    inform(f"{proved:,} of {proved + wrong:,} findings proved", err=False)
    for tree in checker.checkpoints:
        signed = f"signed by {', '.join(key.name for key in keys)}" if keys else "as it was kept"
        inform(f"their changes are in {tree.origin}, of {tree.size:,} entries, {signed}", err=False)
    if rules is None:
        inform("that the rules raise them was not checked (--rules)", err=False)
    elif proved:
        inform("the rules raise each of them from the entries that it has", err=False)
    return DIFFERENCES if wrong or not proved else 0
