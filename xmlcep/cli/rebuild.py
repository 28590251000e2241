"""``xmlcep rebuild``: the document of any time point, from its change log."""

from __future__ import annotations

import re

import click
from lxml import etree

from ..recording.rebuilding import rebuild_with_end
from ._output import plain
from ._versions import leave_out_torn


@click.command(name="rebuild")
@click.argument("log", nargs=-1, required=True, type=click.Path())
@click.option(
    "--at",
    metavar="TS|TIME",
    help="The time point, such as 17, or a time, such as 2026-01-31T12:00:00Z; without it the end of the log.",
)
@click.option("--doc", metavar="NAME", help="The document, in a log of several.")
def command(log: tuple[str, ...], at: str | None, doc: str | None) -> None:
    """Write the document that the change LOG describes, as of a time point, to standard output.

    Comments and processing instructions are not part of a change log. Give the first file of a log that was
    rolled over, or several files in their order.
    """
    when = int(at) if at is not None and re.fullmatch(r"-?[0-9]{1,18}", at) else at
    rebuilt = rebuild_with_end(log[0] if len(log) == 1 else log, when, doc=doc, on_bad=leave_out_torn)
    click.echo(etree.tostring(rebuilt.root, encoding="UTF-8", xml_declaration=True), nl=False)
    click.echo()
    if rebuilt.beyond_end:
        time = "" if rebuilt.time is None else f", {rebuilt.time}"
        click.echo(
            plain(f"xmlcep: the log ends before {at}, at {rebuilt.ts}{time}: this is its end"), err=True
        )
