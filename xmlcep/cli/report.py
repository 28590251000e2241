"""``xmlcep report``: an audit as a page for a browser."""

from __future__ import annotations

from pathlib import Path

import click

from ..report import write_report
from ._log_arguments import LogPath, files_read, logs_argument
from ._output import plain
from ._paths import FilePath
from ._rule_sources import allow_option, reference_option, rules_option
from ._rules_input import load
from ._targets import Target, Written, force_option, guard


@click.command(name="report")
@logs_argument("logs", "LOG…")
@rules_option
@reference_option
@allow_option
@click.option("-o", "--out", metavar="FILE", type=FilePath(), required=True, help="Where the page goes.")
@click.option("--title", metavar="TEXT", help="Its heading.")
@force_option
@click.option("-q", "--quiet", is_flag=True, help="Say nothing.")
def command(
    logs: tuple[LogPath, ...],
    rules_files: tuple[str, ...],
    references: dict[str, str],
    allow: tuple[str, ...],
    out: str,
    title: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Audit LOG and write what is found as one page: numbers, a timeline, a table that sorts and filters, each finding
    with its events, and why rules found nothing. It needs no network, and works from a file.
    """
    guard(
        [Target(Path(out), Written.REPORT)],
        [*rules_files, *references.values(), *files_read(logs)],
        force=force,
    )
    contents = write_report(logs, load(rules_files, references, allow), out, title=title)
    if not quiet:
        number = len(contents.findings)
        bad = contents.bad_in_all
        left_out = f", {bad:,} bad record{'' if bad == 1 else 's'} left out" if bad else ""
        click.echo(f"{number:,} finding{'' if number == 1 else 's'}{left_out} in {plain(out)}", err=True)
