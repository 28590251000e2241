"""``xmlcep apply``: action rules run over a document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..actions.firing import FiringRecord
from ..errors import XmlCepError
from ..events import PrimitiveEvent
from ..log.json_codec import FASTEST
from ..recording.playing import Playback, PlayedClock
from ..rules import Rules
from ..rules.additions import Additions
from ..wrapping import Document, parse
from ..xml_writer import xml_file
from ._arguments import FilePath, format_option
from ._bad_records import LeftOut
from ._commands import command as command_of
from ._idle_rules import say_some
from ._log_arguments import LogPath, files_read, log_option
from ._output import inform, put
from ._rules_input import STANDARD_INPUT, claim_standard_input, load, with_additions
from ._targets import Target, Written, force_option, guard, out_option, write_out

FAILED = 1


def _claimed(context: click.Context, _: click.Parameter, document: str) -> str:
    if document == STANDARD_INPUT:
        claim_standard_input(context, "the document")
    return document


@command_of(name="apply")
@click.argument("rules_file", metavar="RULES", type=FilePath(allow_dash=True))
@click.argument("document", metavar="DOC.xml", type=FilePath(allow_dash=True), callback=_claimed)
@log_option("--log", help="Repeat the edits of this log, which began with DOC.xml.")
@click.option("--initial", is_flag=True, help="Begin with an insertion of everything in the document.")
@out_option("Write the document here, not to standard output.", metavar="NEW.xml")
@force_option
@with_additions
@click.option("--dry-run", is_flag=True, help="Only report what each firing did.")
@format_option("json: an object a line for each firing; needs --out or --dry-run.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=64, show_default=True, help="How deep a cascade may be."
)
def command(
    rules_file: str, document: str, log: LogPath | None, initial: bool, out: str | None, force: bool,
    additions: Additions, dry_run: bool, form: str, limit: int,
) -> int:  # fmt: skip
    """Run the action rules of RULES over a document, and report what each firing did (L11).

    The rules see the edits of a log, or with --initial an insertion of everything. Application functions are
    listed, not run. RULES, DOC.xml or LOG can be - (standard input). Messages go to standard output, or to
    standard error if the document is written to standard output. Exit status 1 if a firing failed.
    """
    if log is None and not initial:
        raise click.UsageError("say what happens to the document: --initial, or --log LOG")
    if out is not None and dry_run:
        raise click.UsageError("--dry-run writes no document: leave --out away")
    if form == "json" and out is None and not dry_run:
        raise click.UsageError("--format json needs --out or --dry-run: standard output is the document")
    rules = load([rules_file], additions)
    if rules.triggers is None:
        raise XmlCepError(f"{rules_file}: there are no action rules: write rule NAME on EVENT do …")
    sources = [name for name in (rules_file, document) if name != STANDARD_INPUT]
    sources += [] if log is None else files_read([log])
    guard([] if out is None else [Target(Path(out), Written.DOCUMENT)], sources, force=force)
    to_error = out is None and not dry_run
    clock = PlayedClock()
    wrapped = parse(sys.stdin.buffer if document == STANDARD_INPUT else document, now=clock)
    left_out = LeftOut(only_torn=True)
    playback = None if log is None else Playback(wrapped, log, clock, on_bad=left_out)
    wrapped = wrapped if playback is None else playback.document
    report = _Report(to_error=to_error, json=form == "json")
    try:
        _run(wrapped, rules, report, playback, initial=initial, limit=limit)
    except _UnwritableError as found:
        raise found.error from None
    if not dry_run:
        write_out(xml_file(wrapped.tree) + b"\n", out)
    return left_out.status() or (FAILED if report.errors else 0)


class _UnwritableError(BaseException):
    """What happens cannot be said: it ends the command, in the middle of an edit too, as Ctrl-C does.

    An ordinary error in a function that rules call is one of the rules.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _UnwritableError(error) from error


class _Report:
    """Says what happens."""

    def __init__(self, *, to_error: bool, json: bool) -> None:
        self.errors = 0
        self.firings = 0
        self.rules = set[str]()
        self._to_error = to_error or json
        self._json = json

    def say(self, line: str) -> None:
        """One line; raises `_UnwritableError`."""
        with _writing():
            inform(line, err=self._to_error)

    def _put(self, record: FiringRecord) -> None:
        with _writing():
            put(FASTEST.dumps(record.to_record()))

    def fired(self, record: FiringRecord) -> None:
        """A firing is over."""
        self.firings += 1
        self.rules.add(record.rule)
        if self._json:
            return self._put(record)
        where = record.events[0].instance
        more = f" and {len(record.events) - 1} more" if len(record.events) > 1 else ""
        self.say(
            f"{record.rule} at {record.ts}, for {where}{more}:" + ("" if record.edits else " nothing to do")
        )
        for event in record.edits:
            self.say(f"  {_shown(event)}")
        for raised in record.raised:
            self.say(f"  raise {raised.name}({raised.instance})")

    def failed(self, error: XmlCepError) -> None:
        """Something went wrong."""
        self.errors += 1
        inform(f"xmlcep: {error}")


def _shown(event: PrimitiveEvent) -> str:
    values = {
        "ins": f" {event.value!r}",
        "upd": f" {event.old!r} → {event.value!r}",
        "del": f" {event.old!r}",
    }
    has_value = event.value is not None or event.old is not None
    return f"{event.op} {event.instance}{values[event.op] if has_value else ''}"


def _run(
    document: Document, rules: Rules, report: _Report, playback: Playback | None, *, initial: bool, limit: int
) -> None:
    assert rules.triggers is not None
    functions = {name: _not_called(report, name) for name in rules.triggers.functions}
    with document.rules(
        rules, actions=functions, on_fire=report.fired, on_error=report.failed, limit=limit, initial=initial
    ) as acting:
        if playback is not None:
            played = playback.run()
            report.say(f"{played.edits} edits of the log")
            if played.left_out:
                report.say(
                    f"{played.left_out} records left out: their nodes were gone, or rules had made them"
                )
        report.say(f"{report.firings} firing{'' if report.firings == 1 else 's'}")
        _empty(report, acting.counts.empty)
        say_some(acting.unmatched(report.rules))
    if playback is not None:
        playback.join_texts()


def _empty(report: _Report, count: int) -> None:
    if count:
        report.say(f"{count} actions selected nothing")


def _not_called(report: _Report, name: str) -> Callable[[FiringRecord], None]:
    """Stands for a function of the application."""
    return lambda record: report.say(f'  call "{name}": not called here')
