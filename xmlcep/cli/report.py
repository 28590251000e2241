"""``xmlcep report``: an audit as a page for a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from ..reporting import write_report
from ..rules import Rules
from ..rules.additions import Additions
from ._arguments import FilePath
from ._bad_records import say_left_out
from ._commands import command as command_of
from ._log_arguments import LogPath, files_read, logs_argument
from ._output import inform
from ._rules_input import files_of, load, rules_option, saying_ignored, with_additions
from ._targets import Target, Written, force_option, guard


@command_of(name="report")
@logs_argument("logs", "LOG…")
@rules_option
@with_additions
@click.option("-o", "--out", metavar="FILE", type=FilePath(), required=True, help="Write the page here.")
@click.option("--title", metavar="TEXT", help="The heading of the page.")
@force_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def command(
    logs: tuple[LogPath, ...],
    rules_files: tuple[str, ...],
    additions: Additions,
    out: str,
    title: str | None,
    force: bool,
    quiet: bool,
) -> int:
    """Audit LOG and write the findings as one HTML page: numbers, a timeline, a table to sort and filter, each
    finding with its events, and why definitions found nothing. The page needs no network.
    """
    guard(
        [Target(Path(out), Written.REPORT)],
        [*rules_files, *files_of(additions), *files_read(logs)],
        force=force,
    )
    return write_page(logs, load(rules_files, additions), out, title=title, quiet=quiet)


def write_page(
    logs: Sequence[LogPath], rules: Rules, out: str, *, title: str | None = None, quiet: bool
) -> int:
    """Writes the page and says what is in it; returns the exit status."""
    with saying_ignored(rules):
        contents = write_report(logs, rules, out, title=title)
    if not quiet:
        number = len(contents.findings)
        inform(f"{number:,} finding{'' if number == 1 else 's'} in {out}")
    first = next(("{file}:{record}: {reason}".format_map(each) for each in contents.bad), "")
    return say_left_out(contents.bad_in_all, first)
