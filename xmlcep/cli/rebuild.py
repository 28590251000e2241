"""``xmlcep rebuild``: the document of any time point, from its change log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..errors import XmlCepError
from ..files import reading
from ..log.json_codec import STANDARD
from ..recording.rebuilding import rebuild_with_end
from ..xml_writer import xml_file
from ._arguments import FilePath, at_option, say_beyond
from ._bad_records import LeftOut
from ._commands import command as command_of
from ._log_arguments import LogPath, files_read, logs_argument
from ._targets import Target, Written, force_option, guard, out_option, write_out


@command_of(name="rebuild")
@logs_argument("log", "LOG…")
@at_option
@click.option("--doc", metavar="NAME", help="The document, in a log of several.")
@click.option(
    "--annotate", metavar="FINDINGS", type=FilePath(),
    help="Mark the elements of these findings (JSON Lines, as an audit writes them) with attributes in a namespace of"
    " their own, and deleted nodes with comments.",
)  # fmt: skip
@out_option("Write the document here, not to standard output.", metavar="FILE")
@force_option
def command(
    log: tuple[LogPath, ...], at: int | str | None, doc: str | None, annotate: str | None, out: str | None,
    force: bool,
) -> int:  # fmt: skip
    """Write the document that the change LOG describes, as of a time point.

    Comments and processing instructions are not part of a change log. Give the first file of a log in several
    files, or several files in their order.
    """
    if out is not None:
        sources = [*files_read(log), *([] if annotate is None else [annotate])]
        guard([Target(Path(out), Written.DOCUMENT)], sources, force=force)
    findings = None if annotate is None else _findings(annotate)
    left_out = LeftOut(only_torn=True)
    rebuilt = rebuild_with_end(
        log[0] if len(log) == 1 else log, at, doc=doc, on_bad=left_out, findings=findings
    )
    write_out(xml_file(rebuilt.root.getroottree()) + b"\n", out)
    if rebuilt.beyond_end:
        say_beyond(at, rebuilt.ts, rebuilt.time)
    return left_out.status()


def _findings(file: str) -> Iterator[dict[str, Any]]:
    """The findings in a file; raises `XmlCepError` for a line that is none."""
    with reading(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = STANDARD.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict) or not {"name", "ts", "ids"} <= record.keys():
                raise XmlCepError(
                    f"{file}, line {number}: not a finding: expected JSON Lines, as `xmlcep audit` writes them"
                )
            yield record
