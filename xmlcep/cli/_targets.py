"""The guard of every command that writes: nothing that is read, and nothing of somebody else's, is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..auditing.findings.atomic_files import AtomicFile, check_targets
from ..auditing.findings.rows import COLUMNS
from ..errors import XmlCepError
from ..files import bytes_of, largest, reading
from ..log.json_codec import STANDARD
from ..proofs.errors import ProofError
from ..proofs.notes import Note
from ._arguments import F, FilePath
from ._output import put


class Written(Enum):
    """What a command writes into a file, and so may replace there."""

    FINDINGS = "findings"
    QUARANTINE = "bad records"
    SUMMARY = "a summary"
    RULES = "rules"
    """They may have been edited since they were derived: never replaced unasked."""
    SAMPLE = "the log of the demo"
    REPORT = "a report"
    STATE = "the state of an audit"
    PROOFS = "findings with proofs"
    CHECKPOINT = "a checkpoint"
    CHANGES = "what two documents differ in"
    """Nothing tells such a file from others: never replaced unasked."""
    DOCUMENT = "a document"
    """The same."""
    STAMP = "a stamp"
    """The same."""


class Target(NamedTuple):
    """A file that a command is going to write."""

    path: Path
    written: Written


def standard_output(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    """The callback of options for output that goes to standard output without them: ``-`` is that, too."""
    return None if given == "-" else given


def out_option(help: str, *names: str, **more: Any) -> Callable[[F], F]:
    """``--out`` for what goes to standard output without it; `write_out` writes it."""
    return click.option("-o", "--out", *names, type=FilePath(), callback=standard_output, help=help, **more)


force_option = click.option(
    "--force", is_flag=True, help="Overwrite existing files (never one that is read)."
)


def write_out(data: str | bytes, out: str | None) -> None:
    """Writes to a file, which appears when it is complete, or to standard output."""
    if out is None:
        put(data, nl=False)
        return
    with AtomicFile(Path(out)) as file:
        file.stream.write(data.encode() if isinstance(data, str) else data)


def guard(targets: Sequence[Target], sources: Sequence[str | Path], *, force: bool) -> None:
    """Refuses to write over what is read and, unless ``force``, over what no such command has written.

    Raises `XmlCepError`, which names the file.
    """
    check_targets([target.path for target in targets], list(map(str, sources)))
    if force:
        return
    for path, written in targets:
        if path.is_file() and path.stat().st_size and not _RECOGNISED[written](path):
            kept = _KEPT.get(written, f" and does not hold {written.value}")
            raise XmlCepError(
                f"{path}: is there already{kept}: write to another file, or add --force to overwrite it"
            )


def _first_record(path: Path) -> dict[str, object]:
    with reading(path) as stream:
        line = stream.readline(largest("record"))
    try:
        record = STANDARD.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _are_findings(path: Path) -> bool:
    with reading(path) as stream:
        parquet = stream.read(4) == b"PAR1"
    if not parquet:
        return {"name", "constituents"} <= _first_record(path).keys() or _is_exchanged(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return "constituents" in pq.read_schema(path).names
    except (pa.ArrowException, OSError):
        return False


def _is_exchanged(path: Path) -> bool:
    """Whether it is CSV, CloudEvents, SARIF or JUnit XML as an audit writes them."""
    with reading(path) as stream:
        begin = stream.read(1000)
    return begin.startswith(",".join(COLUMNS).encode()) or any(
        mark in begin
        for mark in (b'"type":"xmlcep.', b'"driver": {"name":"xmlcep"', b'<testsuite name="xmlcep"')
    )


def _is_report(path: Path) -> bool:
    with reading(path) as stream:
        return b'<meta name="generator" content="xmlcep report">' in stream.read(2000)


def _is_checkpoint(path: Path) -> bool:
    try:
        return bool(Note.parse(bytes_of(path)).signatures)
    except ProofError:
        return False


def _is_summary(path: Path) -> bool:
    with reading(path) as stream:
        begin = stream.read(200)
    return begin.startswith(b"{") and b'"engine"' in begin and b'"files"' in begin


_KEPT = {
    Written.RULES: " and may have been edited", Written.CHANGES: "", Written.DOCUMENT: "", Written.STAMP: "",
}  # fmt: skip
_RECOGNISED: dict[Written, Callable[[Path], bool]] = {
    Written.FINDINGS: _are_findings,
    Written.QUARANTINE: lambda path: {"reason", "raw", "file"} <= _first_record(path).keys(),
    Written.SUMMARY: _is_summary,
    Written.CHECKPOINT: _is_checkpoint,
    **dict.fromkeys(_KEPT, lambda path: False),
    Written.REPORT: _is_report,
    Written.STATE: lambda path: _first_record(path).get("xmlcep") == "audit",
    Written.PROOFS: lambda path: "xmlcep_proof" in _first_record(path),
    Written.SAMPLE: lambda path: _first_record(path).get("doc") == "purchase-order",
}
