"""``xmlcep report``: an audit as a page for a browser."""

from __future__ import annotations

import click

from ..report import write_report
from ..rules import load_rules
from ._output import plain


@click.command(name="report")
@click.argument("logs", nargs=-1, required=True, metavar="LOG…", type=click.Path())
@click.option("--rules", "rules_file", metavar="FILE", type=click.Path(), required=True, help="The rules.")
@click.option("-o", "--out", metavar="FILE", type=click.Path(), required=True, help="Where the page goes.")
@click.option("--title", metavar="TEXT", help="Its heading.")
@click.option("--quiet", is_flag=True, help="Say nothing.")
def command(logs: tuple[str, ...], rules_file: str, out: str, title: str | None, quiet: bool) -> None:
    """Audit LOG and write what is found as one page: numbers, a timeline, a table that sorts and filters, each finding
    with its events, and why rules found nothing. It needs no network, and works from a file.
    """
    contents = write_report(logs, load_rules(rules_file), out, title=title)
    if not quiet:
        number = len(contents.findings)
        click.echo(f"{number:,} finding{'' if number == 1 else 's'} in {plain(out)}", err=True)
