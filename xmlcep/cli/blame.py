"""``xmlcep blame``: who last changed each element, attribute and text, in the margin of the document."""

from __future__ import annotations

import click

from ..log.json_codec import FASTEST
from ..recording.moment import Moment
from ..versions.blame import Line, blame
from ..versions.stamps import Stamp
from ._arguments import at_option, format_option, say_beyond
from ._bad_records import LeftOut
from ._commands import command as command_of
from ._log_arguments import LogPath, logs_argument
from ._output import inform, plain, put

_WIDEST = 18


@command_of(name="blame")
@logs_argument("log", "LOG…")
@click.option(
    "--xpath", metavar="EXPR", help="Only these elements, attributes or texts: //item[@id='1'], //@price."
)
@at_option
@click.option("--doc", metavar="NAME", help="The document, in a log of several.")
@format_option("json, jsonl: an object a line.", "jsonl")
def command(
    log: tuple[LogPath, ...], xpath: str | None, at: int | str | None, doc: str | None, form: str
) -> int:
    """Show the document that the change LOG describes, with who last changed what, and when.

    Names and dates come from `meta` (author, user; date), or the record's wall clock. Moved nodes are attributed to
    whoever moved them. XPath uses the document's prefixes, and d for its default namespace.
    """
    left_out = LeftOut(only_torn=True)
    moment = Moment(at)
    found = blame(log[0] if len(log) == 1 else log, at=moment, doc=doc, on_bad=left_out)
    lines = list(found.lines(xpath))
    if moment.is_beyond:
        say_beyond(at, moment.ts, moment.time)
    if form != "text":
        for line in lines:
            put(FASTEST.dumps(_record(line)))
        return left_out.status()
    margins = [("", "", "") if line.stamp is None else _margin(line.stamp) for line in lines]
    widths = [max(map(len, column)) for column in zip(*margins, strict=True)]
    for margin, line in zip(margins, lines, strict=True):
        cells = "  ".join(cell.ljust(width) for cell, width in zip(margin, widths, strict=True) if width)
        inform(f"{cells} | {line.text}", err=False)
    return left_out.status()


def _margin(stamp: Stamp) -> tuple[str, str, str]:
    """Version, who and day, each short; what was there from the start says so."""
    version = stamp.version or "start"
    return plain(version[-_WIDEST:]), plain(stamp.who[:_WIDEST]), plain(stamp.when[:10])


def _record(line: Line) -> dict[str, object]:
    stamp = line.stamp
    known = None if stamp is None else stamp.to_record()
    return {"text": line.text, "node": line.node, "stamp": known}
