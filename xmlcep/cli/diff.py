"""``xmlcep diff``: what two versions of a document differ in."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from ..files import all_of
from ..log.json_codec import FASTEST
from ..log.records import change_record
from ..matching import Change, ChangeKind
from ..versions.difference import Text, diff, difference_log
from ..versions.entities import Entities
from ..versions.files import read_file
from ..versions.version import refuse_large
from ._arguments import FilePath, format_option
from ._commands import command as command_of
from ._output import plain
from ._targets import Target, Written, force_option, guard, out_option, write_out
from ._versions import all_entities, matching_options, say

DIFFERENCES = 1
_STDIN = "-"
_COLOURS = {
    ChangeKind.INSERTED: "green", ChangeKind.DELETED: "red", ChangeKind.UPDATED: "yellow", ChangeKind.MOVED: "cyan",
    ChangeKind.RENAMED: "yellow",
}  # fmt: skip


@command_of(name="diff")
@click.argument("old", type=FilePath())
@click.argument("new", type=FilePath())
@matching_options
@format_option("json: an object a line for each change; jsonl: the change log from OLD to NEW.", "jsonl")
@out_option("Write to this file, not to standard output.")
@force_option
@click.option("--fail-on-differences", is_flag=True, help="Exit status 1 if there is a difference.")
@click.pass_context
def command(
    context: click.Context, old: str, new: str, keys: tuple[str, ...], schema: str | None, keep_whitespace: bool,
    entities: tuple[str, ...], largest: int, form: str, out: str | None, force: bool, fail_on_differences: bool,
) -> None:  # fmt: skip
    """Show what changed from the XML file OLD to the file NEW (one of them may be -, standard input).

    Each line is a change: + inserted, - deleted, ~ another value or name, > moved. Elements are matched by keys
    (given ones, id, name and the like, or whatever is unique among siblings), then by content, then by
    similarity.
    """
    if old == new == _STDIN:
        raise click.UsageError("standard input can be one of the two documents, not both")
    if out is not None:
        sources = [each for each in (old, new, schema, *entities) if each is not None and each != _STDIN]
        guard([Target(Path(out), Written.CHANGES)], sources, force=force)
    known = all_entities(entities)
    texts = [_read(name, largest, known) for name in (old, new)]
    data, summary, remarks = _SHOWN[form](texts, new, keys, schema, not keep_whitespace)
    for remark in remarks:
        say(remark)
    write_out(data if out is None else click.unstyle(data), out)
    say(summary or _nothing(form, keep_whitespace))
    if summary and fail_on_differences:
        context.exit(DIFFERENCES)


def _nothing(form: str, keep_whitespace: bool) -> str:
    """What is said when there is nothing, and what was not looked at."""
    left_out = [] if keep_whitespace else ["white space that only indents"]
    if form == "jsonl":
        left_out.append("comments and processing instructions")
    what = "no event" if form == "jsonl" else "no difference"
    return f"{what} ({', '.join(left_out)} left out)" if left_out else what


def _coloured(change: Change) -> str:
    return click.style(plain(str(change)), fg=_COLOURS[change.kind])


def _record(change: Change) -> str:
    return FASTEST.dumps(change.to_record()).decode()


def _changes(
    line: Callable[[Change], str], texts: Sequence[Text], _: str, keys: Sequence[str], schema: str | None,
    ignore_whitespace: bool,
) -> tuple[str, str, Sequence[str]]:  # fmt: skip
    """The changes as lines, a summary (empty if there are none), and remarks."""
    found = diff(*texts, keys=keys, schema=schema, ignore_whitespace=ignore_whitespace)
    lines = [line(change) + "\n" for change in found]
    counts = [(found.count(kind), kind.value) for kind in ChangeKind]
    shown = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    summary = f"{len(found):,} change{'' if len(found) == 1 else 's'}: {shown}" if found else ""
    return "".join(lines), summary, found.remarks


def _log(
    texts: Sequence[Text], new: str, keys: Sequence[str], schema: str | None, ignore_whitespace: bool
) -> tuple[str, str, Sequence[str]]:
    """The same as a change log, written when the newer document was, as far as its file says."""
    at = time.time() if new == _STDIN else Path(new).stat().st_mtime
    old, other = texts
    log = difference_log(old, other, keys=keys, schema=schema, ignore_whitespace=ignore_whitespace, at=at)
    records = (log.header.to_record(), *map(change_record, log.events))
    lines = [FASTEST.dumps(record).decode() + "\n" for record in records]
    count = len(log.events)
    return "".join(lines), f"{count:,} event{'' if count == 1 else 's'}" if count else "", log.remarks


_SHOWN: dict[str, Callable[..., tuple[str, str, Sequence[str]]]] = {
    "text": partial(_changes, _coloured), "json": partial(_changes, _record), "jsonl": _log,
}  # fmt: skip


def _read(name: str, largest: int, entities: Entities | None) -> Text:
    if name == _STDIN:
        name, data = "<stdin>", all_of(sys.stdin.buffer, "<stdin>", "document")
        refuse_large(name, len(data), largest)
    else:
        data = read_file(Path(name), largest)
    return Text(name, data if entities is None else entities.resolved(data, name, largest))
