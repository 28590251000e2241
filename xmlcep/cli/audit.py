"""``xmlcep audit``: replays change logs and writes the findings."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, cast

import click
from rich.console import Console

from ..algebra import Severity
from ..auditing import AuditResult, audit, make_plan
from ..auditing.acting import would_fire
from ..auditing.choice import Engine, choose_engine
from ..auditing.findings.atomic_files import AtomicFile
from ..auditing.findings.corrections import keyed
from ..auditing.findings.parts import is_folder
from ..auditing.inputs import LogPath, find_files
from ..auditing.plan.description import describe_pass
from ..auditing.plan.record_counts import count_records
from ..auditing.proving import MOST, Proofs, prove, require_trees
from ..auditing.quarantine import default_target
from ..auditing.request import Format, Late, Policy
from ..auditing.spark.session import require_spark
from ..engine import OnRemoved
from ..log.json_codec import FASTEST
from ..rules import Rules
from ..rules.additions import Additions
from ..schema import derive
from ..schema.with_rules import rules_with_schema
from ._arguments import FilePath, location_option, until_option
from ._audit_tables import audit_tables, seal_lines
from ._bad_records import QUARANTINED, LeftOut, say_quarantined
from ._commands import command as command_of
from ._commands import refuse, refuse_others
from ._findings_output import WRITERS, Choice, Counted, any_so_severe, choice_of, format_of, show_table
from ._idle_rules import say_idle_rules
from ._log_arguments import files_read, logs_argument
from ._output import data_output, inform, make_console, plain, put
from ._progress import audit_progress
from ._rules_input import NAMES_OF_ADDITIONS, files_of, load, read_texts, saying_ignored, with_additions
from ._since_options import since_options
from ._targets import Target, Written, force_option, guard, out_option
from .completion import conditions

FINDINGS_FOUND = 1


def _json_lines(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    return "jsonl" if given == "json" else given


@command_of(name="audit")
@logs_argument("logs", "LOG…")
@click.option(
    "--rules", "rules_files", metavar="FILE", type=FilePath(), multiple=True,
    help="A rules file (*.xcep; repeatable: the files are read together).",
)  # fmt: skip
@click.option(
    "--schema",
    metavar="XSD",
    type=FilePath(),
    help="Add the events derived from this schema; without --rules, audit for its complete elements.",
)
@location_option
@with_additions
@out_option(
    "Write the findings here, not to standard output; with --engine spark DIR/ gets part files, in their order.",
    metavar="PATH",
)
@click.option(
    "--format", type=click.Choice(["table", *WRITERS, "json", "html"]), callback=_json_lines,
    help="Default: by the name of PATH (.parquet, .csv, .html, .sarif, .xml for junit), otherwise a table at a"
    " terminal, else JSON Lines (jsonl, json). html is the page of `xmlcep report`.",
)  # fmt: skip
@click.option(
    "--where", multiple=True, metavar="NAME=VALUE", shell_complete=conditions,
    help="Show only findings of this event, document, user, severity or text, or after or before a time (repeatable).",
)  # fmt: skip
@click.option("--sort", metavar="COLUMN", help="Sort by a column of the table; -COLUMN: descending.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show at most N findings.")
@click.option(
    "--partition-by-rule",
    is_flag=True,
    help="Make PATH a folder with a file for each event: name=EVENT/findings.jsonl.",
)
@click.option(
    "--engine", type=click.Choice(["auto", "local", "spark"]), default="auto", show_default=True,
    help="auto: Spark if the log is large enough; the reason is printed.",
)  # fmt: skip
@click.option("--master", metavar="URL", help="The Spark master. Default: all cores of this machine.")
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    metavar="N",
    help="Have Spark partition the log into so many parts.",
)
@until_option
@since_options
@click.option("--operators", is_flag=True, help="Also report what inner operators raise.")
@click.option(
    "--on-bad-record", type=click.Choice(["skip", "document", "fail"]), default="skip", show_default=True,
    help="At a bad record: skip it, omit the findings of its document, or stop.",
)  # fmt: skip
@click.option(
    "--quarantine",
    metavar="PATH",
    type=FilePath(),
    help="Write bad records here. Default: beside the findings, or to quarantine.jsonl.",
)
@click.option(
    "--proofs",
    metavar="PATH",
    type=FilePath(),
    help="Write a proof of each finding, for `xmlcep verify --finding`; the log must have a tree.",
)
@click.option(
    "--summary",
    "summary_file",
    metavar="PATH",
    type=FilePath(),
    help="Write counts by event and document to this file, as JSON.",
)
@click.option("--ignore-whitespace", is_flag=True, help="Ignore changes from white space to white space.")
@click.option("--fail-on-findings", is_flag=True, help="Exit with 1 if there are findings.")
@click.option(
    "--fail-on", type=click.Choice([each.value for each in Severity]), default=None,
    help="Exit with 1 if there are findings of at least this severity; events without severity count as warnings.",
)  # fmt: skip
@click.option(
    "--explain", is_flag=True, help="First show the plan, with the number of records for each pass."
)
@click.option(
    "--actions", is_flag=True, help="Only report which action rules would have fired, as JSON Lines."
)
@click.option("--dry-run", is_flag=True, help="Show the plan, with counts from the logs, and stop.")
@force_option
@click.option(
    "-q", "--quiet", is_flag=True,
    help="No progress and no table on standard error; warnings remain.",
)  # fmt: skip
def command(
    logs: tuple[LogPath, ...], rules_files: tuple[str, ...], schema: str | None, locations: dict[str, str],
    additions: Additions,
    out: str | None, format: str | None, where: tuple[str, ...], sort: str | None, limit: int | None,
    partition_by_rule: bool, engine: str, master: str | None,
    partitions: int | None, until: str | None, since: str | None, final: bool, on_removed: str | None, new_since: str,
    late: str | None, wait: str | None,
    operators: bool, on_bad_record: str, quarantine: str | None, proofs: str | None,
    summary_file: str | None, ignore_whitespace: bool, fail_on_findings: bool, fail_on: str | None, explain: bool,
    actions: bool, dry_run: bool, force: bool, quiet: bool,
) -> int:  # fmt: skip
    """Replay change logs under rules and write the findings, in one process or with Spark.

    LOG is a file (with the files that continue it), a folder, a pattern, a pipe, or - (standard input): JSON
    Lines, also packed with gzip or zstd, or Parquet.
    """
    if actions:
        _refuse_beside_actions(engine)
    if schema is None:
        refuse(["locations"], "--location is for --schema: no schema is read")
    if engine == "local":
        refuse(["master", "partitions"], "--engine local uses no Spark")
    rules = _rules(rules_files, schema, locations, additions)
    choice = choice_of(where, sort, limit, [tree.name for tree in rules.graph.trees])
    shown = format or format_of(out) or ("table" if out is None and is_terminal() else "jsonl")
    if since is not None and (out is None or shown != "jsonl" or actions):
        raise click.UsageError(
            "--state goes with --out and --format jsonl: findings are appended to that file"
        )
    if out is None:
        _check_shown(format, partition_by_rule)
    elif shown == "table":
        raise click.UsageError("--format table is for a terminal: leave out --out, or write csv")
    stored = out if choice.is_everything and shown in ("jsonl", "parquet") else None
    if out is not None and stored is None and partition_by_rule:
        raise click.UsageError("--partition-by-rule writes all findings as jsonl or parquet")
    if shown == "html":
        refuse_others(_BESIDE_HTML, "--format html is the page of xmlcep report, of all findings")
        return _page(logs, rules, out, force=force, sources=rules_files)
    if actions:
        return _say_what_would_fire(logs, rules, fail_on_findings)
    if explain or dry_run:
        _explain(logs, rules, engine, master, partitions, console=make_console(stderr=not dry_run))
        if dry_run:
            return 0
    if quarantine is None:
        quarantine = str(default_target(None if out is None else Path(out)))
    if proofs is not None and since is not None:
        raise click.UsageError("--proofs are of all findings of an audit: leave out --state")
    folder = partition_by_rule or (engine == "spark" and out is not None and is_folder(out))
    targets = _targets(None if folder else out, quarantine, summary_file, since, proofs)
    sources = [*rules_files, *([] if schema is None else [schema]), *locations.values(), *files_of(additions)]
    if proofs is not None or (out is not None and stored is None):  # else the audit looks at its logs itself
        sources += files_read(logs)
    guard(targets, sources, force=force)
    if proofs is not None:
        require_trees(logs)
    written: Format = "parquet" if stored is not None and shown == "parquet" else "jsonl"
    with saying_ignored(rules), audit_progress(shown=not quiet and sys.stderr.isatty()) as progress:
        result = audit(
            logs, rules, engine=cast("Engine", engine), out=stored, format=written,
            partition_by_rule=partition_by_rule, operators=operators,
            on_bad_record=cast("Policy", on_bad_record), quarantine=quarantine, summary_file=summary_file,
            ignore_whitespace=ignore_whitespace, master=master, partitions=partitions, until=until,
            since=since, final=final, on_removed=cast("OnRemoved | None", on_removed),
            new_since=cast("Literal['now', 'begin']", new_since),
            late=cast("Late | None", late), wait=wait, progress=progress,
        )  # fmt: skip
    if stored is None:
        _show(result, shown, choice, out, rules)
    _report(result, out, quiet=quiet, continued=since is not None)
    if proofs is not None:
        said = prove(result.records(), logs, rules, proofs, until=until)
        for line in _of_proofs(proofs, said):
            inform(line)
    if not quiet and since is None:
        say_idle_rules(find_files(logs).files, rules, result.summary)
    if result.quarantine is not None:
        return say_quarantined(result.summary.quarantined, result.quarantine, appended=since is not None)
    if result.summary.unjudged:
        return QUARANTINED
    least = "info" if fail_on_findings else fail_on
    return FINDINGS_FOUND if least and any_so_severe(result.summary, rules, Severity(least)) else 0


def _of_proofs(file: str, made: Proofs) -> Iterator[str]:
    """What was proved, and what could not be."""
    yield f"{made.bundles:,} findings with proofs in {file}"
    if made.not_raised:
        yield (
            f"{made.not_raised:,} of them: it is proved that their changes are in the log, but not that the rules raise"
            f" them, because they depend on more than {MOST:,} entries"
        )
    for why, count in made.without.items():
        yield f"{count:,} findings without proof: {why}"


def _check_shown(format: str | None, partition_by_rule: bool) -> None:
    """Refuses what needs a file where findings go to standard output."""
    if format == "parquet":
        raise click.UsageError("--format parquet needs --out: Parquet cannot be written to standard output")
    if partition_by_rule and format != "html":
        raise click.UsageError("--partition-by-rule needs --out: the folder for the findings")


def _targets(
    findings: str | None, quarantine: str | None, summary: str | None, since: str | None, proofs: str | None
) -> list[Target]:
    """What the audit writes; ``findings`` is None for standard output and for a folder."""
    named = (
        (findings, Written.FINDINGS), (quarantine, Written.QUARANTINE), (summary, Written.SUMMARY),
        (since, Written.STATE), (proofs, Written.PROOFS),
    )  # fmt: skip
    return [Target(Path(path), written) for path, written in named if path is not None]


def is_terminal() -> bool:
    """Whether standard output is read by a person."""
    return sys.stdout.isatty()


_BESIDE_ACTIONS = (
    "logs", "rules_files", "schema", "locations", *NAMES_OF_ADDITIONS, "engine", "fail_on_findings",
    "actions", "quiet",
)  # fmt: skip
"""The parameters that mean something to `--actions`; of engines it refuses Spark."""

_BESIDE_HTML = (
    "logs", "rules_files", "schema", "locations", *NAMES_OF_ADDITIONS, "out", "format", "engine", "force",
    "quiet",
)  # fmt: skip
"""Those that mean something to a page."""


def _refuse_beside_actions(engine: str) -> None:
    """``--actions`` has no findings: what is about these, and about how they are found, would be ignored."""
    if engine == "spark":
        raise click.UsageError(
            "--actions needs one process, because rules ask the document as it was at each record: leave out"
            " --engine spark"
        )
    refuse_others(_BESIDE_ACTIONS, "--actions writes no findings, only which rules would have fired")


def _say_what_would_fire(logs: Sequence[LogPath], rules: Rules, fail_on_findings: bool) -> int:
    """L11: which action rules would have fired."""
    some = False
    left_out = LeftOut(only_torn=True)
    for firing in would_fire(logs, rules, on_bad=left_out):
        some = True
        put(FASTEST.dumps(firing.to_record()))
    return left_out.status() or (FINDINGS_FOUND if fail_on_findings and some else 0)


def _show(result: AuditResult, format: str, choice: Choice, out: str | None, rules: Rules) -> None:
    """The findings that are asked for, on standard output or in a file."""
    if out is None and format == "jsonl" and choice.is_everything:
        stream = data_output()
        for line in result.lines():
            stream.write(line + b"\n")
        stream.flush()
        return
    found = Counted(keyed(result.records()))
    records = Counted(choice.of(found))
    if format == "table":
        show_table(make_console(), records)
    elif out is None:
        stream = data_output()
        WRITERS[format](stream, records, rules)
        stream.flush()
    else:
        with AtomicFile(Path(out)) as file:
            WRITERS[format](file.stream, records, rules)
    if found.count and not records.count:
        inform(f"--where matches none of the {found.count:,} findings")


def _page(
    logs: Sequence[LogPath], rules: Rules, out: str | None, *, force: bool, sources: tuple[str, ...]
) -> int:
    """The findings as a page for a browser."""
    from .report import write_page  # what few ask for, and all would wait for

    if out is None:
        raise click.UsageError("--format html needs --out: the file for the page")
    guard([Target(Path(out), Written.REPORT)], [*sources, *files_read(logs)], force=force)
    return write_page(logs, rules, out, quiet=True)


def _rules(
    files: tuple[str, ...], schema: str | None, locations: dict[str, str], additions: Additions
) -> Rules:
    if schema is not None:
        if not files:
            return derive(schema, locations=locations)
        return rules_with_schema(read_texts(files), schema, locations=locations, additions=additions)
    if not files:
        raise click.UsageError(
            "say what to look for: --rules FILE, or --schema XSD for its complete elements"
        )
    return load(files, additions)


def _explain(
    logs: Sequence[LogPath], rules: Rules, engine: str, master: str | None, partitions: int | None, *,
    console: Console,
) -> None:  # fmt: skip
    """The files, the plan, and how many records feed each pass."""
    found = find_files(logs)
    files = found.files
    size = sum(file.size for file in files)
    choice = choose_engine(cast("Engine", engine), files, rules, master=master, partitions=partitions)
    if choice.engine == "spark":
        require_spark()
    console.print(
        f"{len(files)} file{'' if len(files) == 1 else 's'}, {size:,} bytes, engine {choice.engine}"
    )
    for note in choice.notes:
        console.print(plain(note), soft_wrap=True)
    plan = make_plan(rules)
    records, counts = count_records(files, plan)
    for each, count in zip(plan.passes, counts, strict=True):
        console.print()
        console.print(plain(describe_pass(each)), soft_wrap=True)
        for line in count.said(records):
            console.print(plain(f"  {line}"), soft_wrap=True)


def _report(result: AuditResult, out: str | None, *, quiet: bool, continued: bool) -> None:
    """The tables at the end, and where things are, on standard error; what is wrong is said even where ``quiet``."""
    console = make_console(stderr=True)
    if not quiet:
        for each in audit_tables(result.summary, continued=continued):
            console.print(each, soft_wrap=isinstance(each, str))
        if out is not None:
            console.print(f"findings in {plain(out)}", soft_wrap=True)
        for line in seal_lines(result.summary):
            console.print(line, soft_wrap=True)
    for note in result.notes:
        if not (quiet and note.startswith("engine ")):
            console.print(plain(note), soft_wrap=True)
