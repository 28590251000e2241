"""``xmlcep history``: a change log from the versions of a document, in git or in files."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..log.json_codec import FASTEST
from ..versions.history import Skipped, Step, Written, write_history
from ..versions.making import versions_of
from ._arguments import FilePath, format_option
from ._commands import command as command_of
from ._output import make_console, plain, put
from ._versions import all_entities, all_keys, matching_options, say

_MOST_REASONS = 20  # for which versions were left out; beyond, the number of versions
_OWN = re.compile(r"\d+|&[^;\s]*;|'[^']*'")  # what differs where the reason is the same: places, names


@command_of(name="history")
@click.argument("paths", nargs=-1, required=True, type=FilePath(path_type=Path))
@click.option("-o", "--out", required=True, type=FilePath(), help="The change log; continued if it exists.")
@click.option("--by-time", is_flag=True, help="Order files by modification time, not by name.")
@click.option(
    "--branch", metavar="REVISION", help="The branch or commit to read. Default: what is checked out."
)
@click.option("--since", metavar="DATE", help="Changes from this date on: 2026-03-31, '2 weeks ago'.")
@click.option("--base", metavar="REVISION", help="Only commits that are not in this branch or commit.")
@click.option("--all-parents", is_flag=True, help="Also the commits of merged branches.")
@click.option("--tracked", is_flag=True, help="The tracked changes in one file, of Oxygen or Word.")
@click.option("--name", help="The document's name in the log. Default: the name of the file or of the log.")
@click.option(
    "--seal", is_flag=True, help="Seal the log, so that `xmlcep verify` can tell if it was altered."
)
@click.option("--erasable", is_flag=True, help="Seal it so that `xmlcep erase` can take values out of it.")
@format_option("json: the summary as an object, on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No progress; only list what was skipped.")
@matching_options
def command(
    paths: tuple[Path, ...], out: str, by_time: bool, branch: str | None, since: str | None, base: str | None,
    all_parents: bool, tracked: bool, name: str | None, seal: bool, erasable: bool, form: str, quiet: bool,
    keys: tuple[str, ...], schema: str | None, keep_whitespace: bool, entities: tuple[str, ...], largest: int,
) -> None:  # fmt: skip
    """Write a change log of the versions of a document.

    One path is a file in a git repository: its versions are the commits that changed it (first parents,
    following renames), and each record has author, date and subject. Several paths, or a folder, are versions
    of one document, in order of their names. With --tracked the versions are the tracked changes in the file,
    with author and date. Run again, it appends what is new.
    """
    if name == "":
        raise click.BadParameter("'' is not a name: it is empty", param_hint="--name")
    if out == "-":
        raise click.UsageError("-o -: a change log is continued in its file: give the name of a file")
    with versions_of(
        paths, out, by_time=by_time, branch=branch, since=since, base=base, all_parents=all_parents, tracked=tracked,
        largest=largest,
    ) as (source, called), _progress(shown=not quiet) as progress:  # fmt: skip
        for remark in source.remarks:
            say(remark)
        done = write_history(
            source, out, name=name or called, keys=all_keys(keys, schema), ignore_whitespace=not keep_whitespace,
            seal=seal, erasable=erasable, largest=largest, entities=all_entities(entities), progress=progress,
        )  # fmt: skip
    if form == "json":
        put(FASTEST.dumps({"log": out, **done.to_record()}).decode())
    else:
        _report(done, out, quiet)


@contextmanager
def _progress(*, shown: bool) -> Iterator[Callable[[Step], None] | None]:
    """A bar with the versions done, the one in hand and the time left; only at a terminal."""
    console = make_console(stderr=True, fits=True)
    if not shown or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("versions"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True, get_time=time.monotonic) as bar:
        task = bar.add_task("", total=None)
        yield lambda step: bar.update(
            task, completed=step.done, total=step.total, description=plain(step.label)
        )


def _report(done: Written, out: str, quiet: bool) -> None:
    for remark in done.remarks:
        say(remark)
    for sentence in _left_out(done.skipped):
        say(f"left out: {sentence}")
    if not quiet:
        behind = f" behind {done.continued}" if done.continued else ""
        counts = f"{done.changed:,} with changes, {_many(done.events, 'event')}"
        say(f"{out}: {_many(done.read, 'version')}{behind}, {counts}")


def _left_out(skipped: Sequence[Skipped]) -> Iterator[str]:
    """The versions that were left out by reason, the commonest first; of several versions the reason of the first."""
    by_reason: dict[str, list[Skipped]] = {}
    for each in skipped:
        by_reason.setdefault(_OWN.sub("", each.reason), []).append(each)
    groups = sorted(by_reason.values(), key=len, reverse=True)
    for group in groups[:_MOST_REASONS]:
        more = f" and {_many(len(group) - 1, 'more version')} to {group[-1].label}" if len(group) > 1 else ""
        yield f"{group[0].label}{more}: {group[0].reason}"
    rest = sum(map(len, groups[_MOST_REASONS:]))
    if rest:
        yield _many(rest, "more version")
    if any("entit" in each.reason for each in skipped):
        yield "entities: --entities standard, or --entities FILE with their declarations, reads such versions"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
