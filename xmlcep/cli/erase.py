"""``xmlcep erase``: takes values out of a log, so that it still verifies."""

from __future__ import annotations

import click

from ..log.json_codec import FASTEST
from ..recording.erasing import erase
from ..versions.blame import blame, select
from ._arguments import FilePath, at_option, format_option
from ._bad_records import LeftOut, said
from ._commands import command as command_of
from ._output import inform, put


@command_of(name="erase")
@click.argument("file", type=FilePath())
@click.option("--xpath", metavar="EXPR", help="The nodes: //customer[@id='7'].")
@at_option
@click.option(
    "--node", "nodes", type=int, multiple=True, metavar="ID", help="A node by id; also a deleted one."
)
@click.option(
    "--record",
    "records",
    type=int,
    multiple=True,
    metavar="N",
    help="The node that record N (its n) is about.",
)
@format_option("json: an object: the number of values, and in which records.")
def command(
    file: str,
    xpath: str | None,
    at: int | str | None,
    nodes: tuple[int, ...],
    records: tuple[int, ...],
    form: str,
) -> None:
    """Erase all values of nodes, and of nodes below them, from an erasable log, in all its files.

    FILE is the first file of the log. It still verifies, also with checkpoints made before; readers see [erased].
    First delete the values from the document. Findings, proofs, converted logs and backups may also have them.
    --xpath is evaluated at --at.
    """
    if xpath is None and not nodes and not records:
        raise click.UsageError("say what to erase: --xpath, --node or --record")
    chosen = set(nodes)
    if xpath is not None:
        found = blame(file, at=at, on_bad=LeftOut(only_torn=True))
        chosen |= {found.id_of(node) for node in select(found.root, xpath)}
    made = erase(file, nodes=chosen, records=records)
    if form == "json":
        put(FASTEST.dumps(made._asdict()).decode())
        return
    values = "1 value" if made.values == 1 else f"{made.values:,} values"
    inform(f"{file}: {values} erased, in {said('record', made.records)}", err=False)
    if made.elsewhere:
        inform(f"the same text is still in {said('node', made.elsewhere)}", err=False)
