"""The audit of change logs: `audit`, the one function for all engines.

One module because an audit is one course of steps, from what is asked for to what is written.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..arguments import NAMES, PATH, check, optional
from ..checking.left_out import LeftOut
from ..engine import OnRemoved, StateError
from ..rules import Rules
from ..timestamps import TimeError, as_microseconds, time_or_day, timestamp
from .choice import Choice, Engine, choose_engine
from .conditions import conditions_of
from .erased import ErasedValue, Unjudged, erased_values
from .findings.atomic_files import AtomicFile, OutputError, check_targets
from .findings.by_event import PartitionedFindings
from .findings.collector import MOST_HOMES, Collector
from .findings.corrections import Earlier
from .findings.parts import PartFindings, is_folder
from .findings.spool import Spool
from .findings.writers import FindingsWriter, JsonLinesFindings, ParquetFindings, TemporaryFolder
from .frontier import Frontier, frontier_of, late_of
from .inputs import FoundFiles, LogFile, LogPath, PipeCopy, find_files, with_pipes_kept
from .local.engine import LocalAudit
from .local.replaced_rules import replaced
from .notes import (
    apart,
    changes_left_out,
    late_records,
    left_out_entries,
    logs_of_one_name,
    misnamed_findings,
    one_large_key,
)
from .progress import Progress, Steps
from .quarantine import OnBadRecord, default_target
from .request import AuditError, AuditRequest, Format, Late, Policy, named_format
from .result import AuditResult, Summary
from .seals import check_seals
from .since import AuditState, Delivery, Since, end_of, holding, news_of
from .since.kept import keep, state_before, tidy
from .since.past_files import part_of_held, parts_between
from .whitespace import keep_meaningful

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MOST_APART = 5  # notes
_WRITERS: dict[str, type[JsonLinesFindings] | type[ParquetFindings]] = {
    "jsonl": JsonLinesFindings,
    "parquet": ParquetFindings,
}


def audit(
    logs: LogPath | Iterable[LogPath],
    rules: Rules,
    *,
    engine: Engine = "auto",
    out: LogPath | None = None,
    format: Format | None = None,
    partition_by_rule: bool = False,
    operators: bool = False,
    on_bad_record: Policy = "skip",
    quarantine: LogPath | None = None,
    summary_file: LogPath | None = None,
    ignore_whitespace: bool = False,
    spark: SparkSession | None = None,
    master: str | None = None,
    partitions: int | None = None,
    until: str | datetime | None = None,
    since: LogPath | None = None,
    final: bool = False,
    on_removed: OnRemoved | None = None,
    new_since: Literal["now", "begin"] = "now",
    late: Late | None = None,
    wait: str | None = None,
    where: Sequence[str] = (),
    progress: Progress | None = None,
) -> AuditResult:
    """Replays change logs under ``rules`` and returns the findings. They are the same, byte for byte, with each engine.

    ``logs`` are files, folders and glob patterns (or ``file://`` URLs), of one or many documents. Files that continue a
    given one are read, too; pipes are read once; ``"-"`` is standard input. ``engine`` is ``"local"``, ``"spark"``, or
    ``"auto"``: Spark if the logs are large enough, with the reason in ``result.notes``. Spark runs on ``spark``, else
    on ``master`` (default: this machine), in ``partitions`` partitions.

    ``out`` is the file for the findings; it appears when it is complete. ``format``, else its name, makes it JSON Lines
    or Parquet. With Spark, ``out`` may be a folder (``"found/"``), to which tasks write files, in the order of their
    names. With ``partition_by_rule`` it is a folder with a file for each event type, ``name=EVENT/findings.FORMAT``.
    ``operators`` reports inner operators, too. Bad records go to the file ``quarantine`` (default: beside ``out``);
    ``on_bad_record`` decides about their documents. ``summary_file`` gets the counts as a JSON object.

    ``until`` (RFC 3339 text, a day, or a `datetime.datetime` with a time zone) advances the clock at the end of each
    document, so that deadlines up to then fire (W6). ``ignore_whitespace`` ignores changes from white space to white
    space.

    ``since`` is a file with the state from which the next run resumes; the first run creates it. Only new records are
    read, and findings are appended to ``out``. Together, the runs find what one audit of the whole log finds. ``final``
    says that the log is complete. Other rules than in earlier runs replace these (G7). If events are missing in them,
    or have changed, ``on_removed`` must say whether their partial matches are flushed or dropped. New events begin with
    this run, or, with ``new_since="begin"``, at the beginning of the log.

    ``late`` decides about records that come after later ones. The time points of a recorded document have no gaps, so a
    missing one shows. ``"wait"`` holds the records above a gap in the state until the gap is filled; ``wait`` ("1 h")
    limits this, by the newest ``at``. ``"refuse"`` (the first default) reads on, and a late record is bad.
    ``"restart"``, from the first run on, reads on as well; for a late record the audit goes back to a state from before
    it (some are kept beside ``since``), and appends corrections to ``out``: retractions, ``{"doc": …, "retract":
    KEY}``, and new findings. Without ``late``, a run does as the run before.

    ``where`` selects from the findings of the result, not from those in ``out``: ``severity=warning`` (or more severe),
    ``event=``, ``document=``, ``user=``, ``after=``, ``before=``, ``text=``; a finding must meet all of them.

    ``progress`` is called with an `Advance` now and then, with Spark when a step begins. An exception in it ends the
    audit.

    Raises `XmlCepError` for everything that a user can set right: logs that cannot be read, a bad record with
    ``on_bad_record="fail"``, no Java; `StateError` for a state that cannot be resumed; `TypeError` for ``rules`` that
    are no rules.
    """
    started = time.perf_counter()
    check(
        "audit()", out=(out, optional(PATH)), quarantine=(quarantine, optional(PATH)),
        summary_file=(summary_file, optional(PATH)), since=(since, optional(PATH)), where=(where, NAMES),
    )  # fmt: skip
    target = None if out is None else Path(out)
    request = AuditRequest(
        rules=rules, engine=engine, out=target, format=format or named_format(target) or "jsonl",
        partition_by_rule=partition_by_rule, operators=operators,
        in_parts=out is not None and not partition_by_rule and is_folder(out),
        policy=on_bad_record, quarantine=None if quarantine is None else Path(quarantine),
        summary_file=None if summary_file is None else Path(summary_file), ignore_whitespace=ignore_whitespace,
        spark=spark, master=master, partitions=partitions, until=as_text(until),
        since=None if since is None else Path(since), final=final, on_removed=on_removed, new_since=new_since,
        late=late, wait=wait, progress=progress,
    )  # fmt: skip
    request.check()
    chosen = conditions_of(where, [tree.name for tree in rules.graph.trees])
    rules.warn_ignored(stacklevel=2)
    with ExitStack() as stack:
        kept = with_pipes_kept(logs, stack)
        if request.since is not None:
            _refuse_pipes(kept)
        found = find_files(kept)
        if request.since is not None:
            stack.enter_context(holding(request.since))
            result = _audit_since(request, found, request.since, started)
            return replace(result, _where=chosen)
        choice = choose_engine(engine, found.files, rules, spark=spark, master=master, partitions=partitions)
        return replace(_Audit(request, found, choice, started).run(), _where=chosen)


class _Audit:
    """An audit that was asked for rightly, of files that are there."""

    def __init__(
        self,
        request: AuditRequest,
        found: FoundFiles,
        choice: Choice,
        started: float,
        since: Since | None = None,
        all_files: Sequence[LogFile] = (),
    ) -> None:
        self._request = request
        self._since = since
        self._all_files = all_files  # those in which nothing is new, too
        self._files = found.files
        self._choice = choice
        self._started = started
        self._summary = Summary(choice.engine, files=len(found.files))
        self._summary.references = {
            name: document.digest for name, document in request.rules.documents.items()
        }
        self._summary.params = {each.name: each.value for each in request.rules.parameters}
        self._summary.notes += choice.notes
        self._summary.notes += left_out_entries(found.left_out)
        if not request.partition_by_rule:
            self._summary.notes += misnamed_findings(request.out, request.format)
        if request.until is not None and not request.rules.graph.needs_time:
            self._summary.notes.append("until: changes nothing, because no rule measures time")

    def note(self, notes: Iterable[str]) -> None:
        """What is to be said besides."""
        self._summary.notes += notes

    def run(self) -> AuditResult:
        """Replays, and writes what there is to write."""
        request, summary = self._request, self._summary
        with ExitStack() as stack:
            temporary = None
            if request.out is None:
                temporary = TemporaryFolder("xmlcep-findings-")
                failed = stack.enter_context(ExitStack())
                failed.callback(temporary.delete)
                target = temporary.path / f"findings.{request.format}"
            else:
                target = request.out
            bad_records = default_target(target) if request.quarantine is None else request.quarantine
            self._check_targets(target, bad_records)
            spool = stack.enter_context(Spool())
            collector = Collector(spool, summary, OnBadRecord(request.policy))
            unjudged = self._check_seals()
            with _writing(target, request) as writer:
                if not isinstance(writer, PartFindings):
                    self._replay(collector, unjudged.writer(writer, summary))
                elif unjudged:
                    raise OutputError(
                        f"{target}: the logs have erased values, for which findings are looked through one by one: give"
                        " the name of a file"
                    )
                else:
                    self._replay(collector, writer)
                summary.notes += changes_left_out(LeftOut(request.rules).by_event(collector.left_out))
                summary.notes += islice(apart(request.rules, collector.homes, MOST_HOMES), _MOST_APART)
                summary.notes += late_records(collector.late)
                summary.notes += one_large_key(summary.documents, request.rules)
                writer.close()
                bad = collector.quarantine.write(bad_records)
                summary.notes += [
                    f"the seal of {each.log} is broken: {each.reason}"
                    for each in summary.seals
                    if each.state == "broken"
                ]
                summary.notes += unjudged.notes()
                if summary.quarantined:
                    summary.notes += logs_of_one_name(self._files)
                summary.seconds = time.perf_counter() - self._started
                if request.summary_file is not None:
                    _write_summary(summary, request.summary_file)
            if temporary is not None:
                failed.pop_all()
        return AuditResult(summary, target, bad, request.format, temporary)

    def _check_seals(self) -> Unjudged:
        """Follows the chains of sealed logs; returns which events read values that were erased from them."""
        erased: list[ErasedValue] = []
        files, parts = (self._files, None) if self._since is None else (self._since.logs, self._since.parts)
        self._summary.seals = check_seals(
            files, lambda origin, line: erased.extend(erased_values(origin, line)), parts
        )
        unjudged = Unjudged(self._request.rules, erased)
        if unjudged and self._since is not None:
            raise AuditError(
                f"{next(unjudged.notes())}: with `since`, an audit cannot leave out findings: audit the whole log"
                " without it"
            )
        self._summary.unjudged = unjudged.events
        return unjudged

    def _check_targets(self, target: Path, bad_records: Path) -> None:
        request = self._request
        if request.in_parts and self._choice.engine == "local":
            raise OutputError(
                f"{target}: is a folder: give the name of a file, or engine='spark', which writes part files"
            )
        folder = request.partition_by_rule or request.in_parts
        targets = (None if folder else target, bad_records, request.summary_file)
        check_targets(
            [each for each in targets if each is not None],
            [
                *request.rules.files,
                *(each.source for each in request.rules.documents.values()),
                *(file.path for file in self._files),
            ],
        )

    def _replay(self, collector: Collector, writer: FindingsWriter | PartFindings) -> None:
        request = self._request
        keep = keep_meaningful if request.ignore_whitespace else None
        if self._choice.engine == "local":
            if self._since is not None:
                self._summary.notes += replaced(
                    self._since.state, self._all_files, request.rules, collector, operators=request.operators,
                    keep=keep, on_removed=request.on_removed, new_since=request.new_since,
                )  # fmt: skip
            steps = Steps(request.progress, ("reading", "writing"))
            local = LocalAudit(
                request.rules,
                collector,
                operators=request.operators,
                keep=keep,
                until=request.until,
                steps=steps,
                since=self._since,
            )
            local.run(self._files)
            assert not isinstance(writer, PartFindings)
            _write_spooled(writer, collector, self._summary, steps, local)
        else:
            self._replay_with_spark(collector, writer)

    def _replay_with_spark(self, collector: Collector, writer: FindingsWriter | PartFindings) -> None:
        from .spark.session import require_spark, spark_session

        _refuse_on_workers(self._request.rules)
        require_spark()
        from .spark.failures import explained
        from .spark.job import SparkAudit

        with spark_session(self._request.spark, master=self._request.master) as session, explained():
            SparkAudit(session, self._request, collector).run(self._files, writer)


def _refuse_pipes(logs: Iterable[LogPath]) -> None:
    for log in logs:
        if isinstance(log, PipeCopy):
            raise AuditError(
                f"{log}: is a pipe: with `since`, logs must be files, to know which records are new"
            )


def _audit_since(request: AuditRequest, found: FoundFiles, path: Path, started: float) -> AuditResult:
    """One run of an audit that goes on: its output is in its place once and only once, whenever it is killed."""
    rules, out = request.rules, request.out
    assert out is not None
    quarantine = default_target(out) if request.quarantine is None else request.quarantine
    sources = [
        *rules.files,
        *(each.source for each in rules.documents.values()),
        *(f.path for f in found.files),
    ]
    into = {"findings": out, "quarantine": quarantine}
    if request.summary_file is not None:
        into["summary"] = request.summary_file
    check_targets([*into.values(), path], sources)
    options = {"operators": request.operators, "ignore_whitespace": request.ignore_whitespace}
    state = AuditState.load(path, rules, options, into, request.on_removed)
    _agree_on_late(state, request)
    news = news_of(found.files, state.files, final=request.final)
    late = late_of(news.parts, state) if state.late == "restart" else {}
    earlier: Earlier | None = None
    if late:
        before = state
        state = state_before(state, rules, late)
        earlier = _found_since(request, found, state.as_read(), before)
        news = news_of(found.files, state.files, final=request.final)
    elif state.late == "restart":
        keep(state)
    state.begin_run(final=request.final)
    state.deliveries = [
        Delivery(state.beside(what), target, None if what == "summary" else end_of(target))
        for what, target in into.items()
    ]
    findings, bad_records, *summary = state.deliveries
    run = replace(
        request, out=findings.source, quarantine=bad_records.source, since=None, final=False,
        summary_file=summary[0].source if summary else None,
    )  # fmt: skip
    choice = Choice("local", _taken_instead(request))
    since, frontier = _waiting(Since(state, news.parts), request)
    files = [part.file for part in since.parts]
    one = _Audit(run, FoundFiles(files, found.left_out), choice, started, since, found.files)
    one.note(news.notes)
    one.note(() if frontier is None else frontier.notes())
    result = one.run()
    if earlier is not None:
        result.summary.notes.append(earlier.correct(findings.source, bad_records.source, late))
    state.held = [] if frontier is None else list(frontier.held())
    state.save(rules)
    for delivery in state.deliveries:
        delivery.make()
    tidy(state)
    state.end_run()
    bad = None if result.quarantine is None else quarantine
    return AuditResult(result.summary, out, bad, request.format, _start=findings.at or 0)


def _agree_on_late(state: AuditState, request: AuditRequest) -> None:
    """What is done with late records; an audit that goes back for them does so from its first run on (else findings
    might be missing that nobody could add)."""
    late = request.late or state.late
    if state.runs and late != state.late and "restart" in (late, state.late):
        raise StateError(
            f"{state.path}: the runs before had `late={state.late!r}`, this one has {late!r}: all runs of an audit that"
            " restarts need it"
        )
    if late == "restart" and state.before is not None:
        raise StateError(
            f"{state.path}: an audit with `late='restart'` keeps its rules: findings of others cannot be corrected"
        )
    said = request.rules.said_of_across
    if late == "restart" and said:
        raise AuditError(
            f"{said}, and `late='restart'` goes back for the findings of one document: say 'wait' or 'refuse'"
        )
    state.late = late


def _found_since(request: AuditRequest, found: FoundFiles, back: AuditState, state: AuditState) -> Earlier:
    """What the runs since the state to which this one goes ``back`` have found: they are replayed as one."""
    parts = parts_between(found.files, back.files, state.files)
    with tempfile.TemporaryDirectory(prefix="xmlcep-restart-") as folder:
        out, bad = Path(folder) / "findings.jsonl", Path(folder) / "bad.jsonl"
        run = replace(
            request, out=out, quarantine=bad, since=None, final=False, until=None, summary_file=None, progress=None
        )  # fmt: skip
        files = FoundFiles([part.file for part in parts], [])
        _Audit(run, files, Choice("local", []), 0.0, Since(back, parts), found.files).run()
        return Earlier.of(out, bad)


def _waiting(since: Since, request: AuditRequest) -> tuple[Since, Frontier | None]:
    """The run without what is held above gaps, and with what was held and is not any more."""
    state = since.state
    if state.late != "wait" and not state.held:
        return since, None
    frontier = frontier_of(
        since.parts, state.held, state.reached, request.longest_wait(),
        give_up=request.final or state.late != "wait",
    )  # fmt: skip
    held = len(list(frontier.held()))
    released = [each for each in state.held if each.ts <= frontier.of(each.doc)]
    if released:
        headers = {doc: header for past in state.files.values() for doc, header in past.headers.items()}
        first = part_of_held(released, state.beside("held"), f"{state.path} (held)", headers)
        others = [
            part._replace(file=part.file._replace(place=place)) for place, part in enumerate(since.parts, 1)
        ]
        since = since._replace(parts=[first, *others])
    return since._replace(frontier=frontier.of if held else None), frontier


def _taken_instead(request: AuditRequest) -> list[str]:
    asked = request.engine == "spark" or request.spark is not None or request.master is not None
    return ["engine local: since resumes a state, which Spark cannot read"] if asked else []


def _refuse_on_workers(rules: Rules) -> None:
    """O1: a language says whether it works on workers."""
    for tree in rules.graph.trees:
        for text in rules.graph.opaque_texts(tree):
            if not text.on_workers:
                raise AuditError(
                    f"event {tree.name}: the language {text.language!r} does not work on Spark's workers (O1): "
                    "use engine='local'"
                )


@contextmanager
def _writing(target: Path, request: AuditRequest) -> Iterator[FindingsWriter | PartFindings]:
    """A writer for findings that appear at ``target`` when the block is left without an error."""
    with ExitStack() as stack:
        writer: FindingsWriter | PartFindings
        format = request.format
        if request.in_parts:
            writer = stack.enter_context(PartFindings(target, format))
        elif request.partition_by_rule:
            writer = stack.enter_context(PartitionedFindings(target, format, _WRITERS[format]))
        else:
            file = stack.enter_context(AtomicFile(target))
            writer = _WRITERS[format](file.stream)
        try:
            yield writer
        except BaseException:
            writer.abandon()
            raise


def as_text(until: str | datetime | None) -> str | None:
    """A time as records hold it; raises `AuditError` for what is none."""
    if until is None:
        return None
    try:
        return timestamp(time_or_day(until) if isinstance(until, str) else as_microseconds(until))
    except TimeError as error:
        raise AuditError(f"until: {error}") from None


def _write_spooled(
    writer: FindingsWriter, collector: Collector, summary: Summary, steps: Steps, local: LocalAudit
) -> None:
    records, findings = summary.records, summary.findings
    withheld = collector.quarantine.settle()
    done = 0
    steps.begin(records=records, total=records)
    for doc, text in collector.spool.findings():
        if doc not in withheld:
            writer.write(text)
        if steps.told:
            done += text.count(b"\n")
            steps.tell(done / findings, records, records)
    for text in local.found_across(withheld):
        writer.write(text)


def _write_summary(summary: Summary, target: Path) -> None:
    with AtomicFile(target) as file:
        for text in summary.json_text():
            file.stream.write(text)
