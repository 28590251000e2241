"""``xmlcep audit``: replays change logs and writes the findings."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Literal, TypeAlias, cast

import click

from ..auditing import AuditResult, audit, make_plan
from ..auditing.findings.atomic_files import check_targets, quarantine_for
from ..auditing.inputs import find_files
from ..auditing.plan.description import describe_pass
from ..auditing.plan.record_counts import count_records
from ..auditing.run import Engine, Format
from ..rules import IgnoredRulesWarning, Rules, load_rules
from ._audit_tables import audit_tables
from ._locations import location_option
from ._output import make_console, plain
from ._progress import audit_progress

Policy: TypeAlias = Literal["skip", "document", "fail"]

FINDINGS_FOUND = 1
QUARANTINED = 3


@click.command(name="audit")
@click.argument("logs", nargs=-1, required=True, metavar="LOG…", type=click.Path())
@click.option("--rules", "rules_file", metavar="FILE", type=click.Path(), help="The rules (*.xcep).")
@click.option(
    "--schema",
    metavar="XSD",
    type=click.Path(),
    help="The rules can use the events derived from it; without rules they are its complete elements.",
)
@location_option
@click.option(
    "--out", metavar="PATH", type=click.Path(), help="Where the findings go; without it to standard output."
)
@click.option("--format", type=click.Choice(["jsonl", "parquet"]), default="jsonl", show_default=True)
@click.option(
    "--partition-by-rule",
    is_flag=True,
    help="Make PATH a folder with a file for each event type: name=EVENT/findings.jsonl.",
)
@click.option("--engine", type=click.Choice(["local", "spark"]), default="local", show_default=True)
@click.option("--master", metavar="URL", help="The Spark master; without it this machine with all its cores.")
@click.option(
    "--partitions", type=click.IntRange(min=1), metavar="N", help="How many parts Spark divides the log into."
)
@click.option("--operators", is_flag=True, help="Report what inner operators raise, too.")
@click.option(
    "--on-bad-record", type=click.Choice(["skip", "document", "fail"]), default="skip", show_default=True,
    help="What becomes of a bad record's document: go on without it, leave out its findings, or stop.",
)  # fmt: skip
@click.option(
    "--quarantine",
    metavar="PATH",
    type=click.Path(),
    help="Where bad records go; without it beside the findings, or in quarantine.jsonl here if those are in no"
    " file (quarantine-2.jsonl if that is there, and so on).",
)
@click.option(
    "--summary",
    "summary_file",
    metavar="PATH",
    type=click.Path(),
    help="Write the counts by event type and document to this file, as JSON.",
)
@click.option(
    "--ignore-whitespace",
    is_flag=True,
    help="Leave out changes of text that is white space before and after.",
)
@click.option("--fail-on-findings", is_flag=True, help="Exit with 1 if there are findings.")
@click.option(
    "--explain", is_flag=True, help="Show the plan, with how many records feed each pass, before the audit."
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, with counts from the logs, and stop.")
@click.option("--quiet", is_flag=True, help="No progress and no table on standard error.")
def command(
    logs: tuple[str, ...], rules_file: str | None, schema: str | None, locations: dict[str, str],
    out: str | None, format: str, partition_by_rule: bool, engine: str, master: str | None,
    partitions: int | None, operators: bool, on_bad_record: str, quarantine: str | None,
    summary_file: str | None, ignore_whitespace: bool, fail_on_findings: bool, explain: bool, dry_run: bool,
    quiet: bool,
) -> int:  # fmt: skip
    """Replay change logs under rules and write the findings, in one process or with Spark: the same bytes.

    LOG is a file (with the files it was rolled over to), a folder or a pattern; JSON Lines, also packed with
    gzip or zstd, or Parquet.
    """
    rules = _rules(rules_file, schema, locations)
    if out is None and format == "parquet":
        raise click.UsageError("--format parquet needs --out: Parquet cannot be written to standard output")
    if out is None and partition_by_rule:
        raise click.UsageError("--partition-by-rule needs --out: the folder for the findings")
    if said := rules.ignored():
        click.echo(f"xmlcep: {plain(said)}", err=True)
    if explain or dry_run:
        _explain(logs, rules, engine)
        if dry_run:
            return 0
    if out is None and quarantine is None:
        quarantine = str(quarantine_for(None))
    if schema is not None:  # of which `audit` does not know
        targets = (None if partition_by_rule else out, quarantine, summary_file)
        check_targets([Path(each) for each in targets if each], [schema])
    with warnings.catch_warnings(), audit_progress(shown=not quiet and sys.stderr.isatty()) as progress:
        warnings.simplefilter("ignore", IgnoredRulesWarning)  # which has been said
        result = audit(
            logs, rules, engine=cast("Engine", engine), out=out, format=cast("Format", format),
            partition_by_rule=partition_by_rule, operators=operators,
            on_bad_record=cast("Policy", on_bad_record), quarantine=quarantine, summary_file=summary_file,
            ignore_whitespace=ignore_whitespace, master=master, partitions=partitions, progress=progress,
        )  # fmt: skip
    if out is None:
        stream = sys.stdout.buffer
        for line in result.lines():
            stream.write(line + b"\n")
        stream.flush()
    if not quiet:
        _report(result, out)
    if result.summary.quarantined:
        return QUARANTINED
    return FINDINGS_FOUND if fail_on_findings and result.summary.findings else 0


def _rules(file: str | None, schema: str | None, locations: dict[str, str]) -> Rules:
    if schema is not None:
        from ..schema.with_rules import load_with_schema  # needs the extra schema

        return load_with_schema(file, schema, locations=locations)
    if file is None:
        raise click.UsageError(
            "say what to look for: --rules FILE, or --schema XSD for its complete elements"
        )
    return load_rules(file)


def _explain(logs: tuple[str, ...], rules: Rules, engine: str) -> None:
    """The files, the plan, and how many records feed each pass."""
    console = make_console(stderr=True)
    files = find_files(logs)
    size = sum(file.size for file in files)
    console.print(f"{len(files)} file{'' if len(files) == 1 else 's'}, {size:,} bytes, engine {engine}")
    plan = make_plan(rules)
    counts = count_records(files, plan)
    for each in plan.passes:
        console.print()
        console.print(plain(describe_pass(each)), soft_wrap=True)
        fed = counts.fed[each.index]
        console.print(
            f"  records     {fed:,} of {counts.records:,} replayed, under {counts.keys[each.index]} keys"
        )


def _report(result: AuditResult, out: str | None) -> None:
    """The tables at the end, and where things are, on standard error."""
    console = make_console(stderr=True)
    for each in audit_tables(result.summary):
        console.print(each, soft_wrap=isinstance(each, str))
    if out is not None:
        console.print(f"findings in {plain(out)}", soft_wrap=True)
    if result.quarantine is not None:
        number = result.summary.quarantined
        records = "1 bad record" if number == 1 else f"{number:,} bad records"
        console.print(f"{records} in {plain(str(result.quarantine))}, with the reasons", soft_wrap=True)
