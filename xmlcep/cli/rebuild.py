"""``xmlcep rebuild``: the document of any time point, from its change log."""

from __future__ import annotations

import click
from lxml import etree

from ..recording.rebuilding import rebuild
from ._versions import leave_out_torn


@click.command(name="rebuild")
@click.argument("log", nargs=-1, required=True, type=click.Path())
@click.option("--at", type=int, metavar="TS", help="The time point; without it the end of the log.")
@click.option("--doc", metavar="NAME", help="The document, in a log of several.")
def command(log: tuple[str, ...], at: int | None, doc: str | None) -> None:
    """Write the document that the change LOG describes, as of a time point, to standard output.

    Comments and processing instructions are not part of a change log. Give the first file of a log that was
    rolled over, or several files in their order.
    """
    root = rebuild(log[0] if len(log) == 1 else log, at, doc=doc, on_bad=leave_out_torn)
    click.echo(etree.tostring(root, encoding="UTF-8", xml_declaration=True), nl=False)
    click.echo()
