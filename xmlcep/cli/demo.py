"""``xmlcep demo``: the whole story on the purchase order sample, in one go."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import click
from lxml import etree
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..actions.firing import FiringRecord
from ..auditing import audit
from ..auditing.choice import Engine
from ..auditing.findings.order import Ranking
from ..errors import MissingExtraError
from ..events import CompositeEvent, Event, PrimitiveEvent
from ..recording.rebuilding import rebuild
from ..reporting import write_report
from ..rules import Rules, load_rules
from ..schema import derive
from ..wrapping import parse
from ..xml_writer import xml_text
from ._arguments import FilePath
from ._commands import command as command_of
from ._output import make_console, plain
from ._story import Chapter, Sample, canonical, find_sample, tell
from ._targets import Target, Written, force_option, guard

DIFFERENCES = 1
LOG = "purchase-order.jsonl"
REPORT = "report.html"
ENGINES: dict[Engine, str] = {"local": "in one process", "spark": "by Spark"}
STYLES = {"ins": "green", "upd": "yellow", "del": "red"}


@command_of(name="demo")
@click.option(
    "--engine", type=click.Choice(["spark", "local"]), default="spark", show_default=True,
    help="local: skip the audit by Spark, which takes most of the time.",
)  # fmt: skip
@click.option(
    "--keep", "kept", type=FilePath(file_okay=False, path_type=Path), metavar="DIRECTORY",
    help="Keep the change log and the findings there.",
)  # fmt: skip
@force_option
def command(engine: Engine, kept: Path | None, force: bool) -> int:
    """Show everything on a sample: edit, detect live, record, audit the log, compare.

    Ordinary lxml calls edit a purchase order while rules watch it and a change log is recorded. The log is
    audited, in one process and with Spark; an earlier version is rebuilt, an event is derived from the schema,
    and a report is written. Parts that need a missing package are skipped. Exit status 1 if an audit differs
    from what was seen live.
    """
    console = make_console()
    sample = find_sample()
    with ExitStack() as stack:
        folder = kept or Path(stack.enter_context(TemporaryDirectory(prefix="xmlcep-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        guard(_targets(folder), [sample.document, sample.rules, sample.schema], force=force)
        agreed = _run(console, sample, folder, ("local",) if engine == "local" else ("local", "spark"))
        _report(console, sample, folder / LOG, folder / REPORT if kept else _lasting_file())
    if kept is not None:
        console.print(f"\nThe change log and the findings are in {plain(str(kept))}.")
    return 0 if agreed else DIFFERENCES


def _targets(folder: Path) -> list[Target]:
    """The files that the demo leaves in a folder."""
    findings = ("live.jsonl", *(f"{engine}.jsonl" for engine in ENGINES), "derived.jsonl")
    return [
        Target(folder / LOG, Written.SAMPLE),
        *(Target(folder / name, Written.FINDINGS) for name in findings),
        Target(folder / REPORT, Written.REPORT),
    ]


def _run(console: Console, sample: Sample, folder: Path, engines: Sequence[Engine]) -> bool:
    log = folder / LOG
    log.unlink(missing_ok=True)  # of an earlier run: record() would continue it
    _show_document(console, sample)
    _show_rules(console, sample)
    chapters = _edit(console, sample, log)
    rules = load_rules(sample.rules)
    live = _findings([event for chapter in chapters for event in chapter.found], rules)
    (folder / "live.jsonl").write_bytes(live)
    agreed = _audit(console, log, rules, live, engines)
    agreed = _rebuild(console, log, chapters) and agreed
    agreed = _derive(console, sample, log, live) and agreed
    _act(console, sample)
    return agreed


def _edit(console: Console, sample: Sample, log: Path) -> list[Chapter]:
    _title(console, 3, "Ordinary lxml calls edit the order; what is found at once")
    chapters = []
    for chapter in tell(sample, log):
        _show_chapter(console, chapter)
        chapters.append(chapter)
    return chapters


def _audit(console: Console, log: Path, rules: Rules, live: bytes, engines: Sequence[Engine]) -> bool:
    """Audits the log with each engine; says whether all findings are those seen live, to the byte."""
    _title(console, 4, "The recorded log is audited with the same rules")
    _command(console, f"audit {log.name} --rules purchase-order.xcep --engine {engines[-1]}")
    table = Table(box=None, pad_edge=False)
    for heading in ("", "findings", "SHA-256 of the findings", ""):
        table.add_column(heading)
    table.add_row("seen live", str(live.count(b"\n")), sha256(live).hexdigest()[:16], "")
    agreed = True
    left_out: list[MissingExtraError] = []
    for engine in engines:
        try:
            with console.status(f"auditing, {ENGINES[engine]}"):
                found = _audited(log, rules, engine)
        except MissingExtraError as error:
            table.add_row(ENGINES[engine], "", "", Text("left out", style="yellow"))
            left_out.append(error)
            continue
        agreed = agreed and found == live
        verdict = Text("the same", style="green") if found == live else Text("DIFFERENT", style="bold red")
        table.add_row(ENGINES[engine], str(found.count(b"\n")), sha256(found).hexdigest()[:16], verdict)
    console.print(table)
    for missing in left_out:
        _left_out(console, missing)
    return agreed


def _left_out(console: Console, error: MissingExtraError) -> None:
    console.print(Text(plain(f"Left out: {error}"), style="yellow"))


def _audited(log: Path, rules: Rules, engine: Engine) -> bytes:
    result = audit([log], rules, engine=engine, out=log.with_name(f"{engine}.jsonl"))
    return result.out.read_bytes()


def _rebuild(console: Console, log: Path, chapters: Sequence[Chapter]) -> bool:
    """Rebuilds the document as it was after each transaction; says whether all were the same. Shows one."""
    _title(console, 5, "Any earlier version is rebuilt from the log")
    _command(console, f"rebuild {log.name} --at {chapters[1].end}")
    rebuilt = [rebuild(log, chapter.end) for chapter in chapters]
    equal = [canonical(root) == chapter.document for root, chapter in zip(rebuilt, chapters, strict=True)]
    shown = 1
    console.print(
        f"At time point {chapters[shown].end}, before {chapters[shown + 1].reason!r}, the second item was"
    )
    console.print(Text(plain(_shown(rebuilt[shown].findall("item")[1]))))
    console.print("and in the end")
    console.print(Text(plain(_shown(rebuilt[-1].findall("item")[1]))))
    console.print(f"{sum(equal)} of {len(equal)} versions are what the application had.")
    return all(equal)


def _derive(console: Console, sample: Sample, log: Path, live: bytes) -> bool:
    """Derives what a complete item is; says whether an audit finds it for the same items as was seen live."""
    _title(console, 6, "The schema already says what a complete item is")
    _command(console, f"derive {sample.schema.name} --only item")
    try:
        rules = derive(sample.schema, only=("item",))
    except MissingExtraError as error:
        _left_out(console, error)
        return True
    assert rules.text is not None  # derived rules are written to be read
    lines = rules.text.splitlines()
    for line in lines[lines.index("") + 1 :]:  # the heading ends at the first empty line
        console.print(Text(plain(line), style="dim" if line.startswith("#") else ""))
    result = audit(log, rules, out=log.with_name("derived.jsonl"))
    derived = _complete_items(result.lines())
    by_hand = _complete_items(live.splitlines())
    console.print(
        "With these rules the audit finds complete items", ", ".join(f"#{node}" for node in derived), end=""
    )
    console.print(
        ": the same as the rule above." if derived == by_hand else Text(f", the rule above {by_hand}.", "red")
    )
    return derived == by_hand


def _act(console: Console, sample: Sample) -> None:
    """Shows action rules: what they do when a price changes."""
    _title(console, 7, "Action rules: on an event, if a condition holds, change the document")
    _command(console, f"check {sample.acting.name}")
    rules = load_rules(sample.acting)
    for line in str(rules).split("rule ")[1:3]:
        console.print(Text(plain(f"rule {line}".rstrip())))
    document = parse(sample.document)
    with document.rules(rules, on_fire=lambda record: _show_firing(console, record)):
        console.print("price.text = '160.00'", style="bold")
        document.root.find("item/price").text = "160.00"
    console.print(Text(plain(_shown(document.root.find("item")))))


def _show_firing(console: Console, record: FiringRecord) -> None:
    edits = ", ".join(f"{event.op} {_place(event)} {_values(event)}" for event in record.edits)
    console.print(Text(plain(f"  {record.rule}: {edits}"), style="bold cyan"))


def _report(console: Console, sample: Sample, log: Path, page: Path) -> None:
    """The story as a page for a browser, which stays."""
    _title(console, 8, "All of it as a page")
    _command(console, f"report {log.name} --rules {sample.rules.name} -o {page.name}")
    try:
        write_report(log, load_rules(sample.rules), page, title="The purchase order")
    except MissingExtraError as error:
        page.unlink(missing_ok=True)
        _left_out(console, error)
        return
    console.print(f"Open {plain(page.resolve().as_uri())} in a browser.", soft_wrap=True)


def _lasting_file() -> Path:
    """A file that nobody deletes: a page is there to be opened when the demo is over."""
    with NamedTemporaryFile(prefix="xmlcep-demo-", suffix=".html", delete=False) as file:
        return Path(file.name)


def _complete_items(lines: Iterable[bytes]) -> list[int]:
    """The node ids of the items that findings call complete."""
    findings = map(json.loads, lines)
    return [finding["ids"][-1] for finding in findings if finding["name"] == "CompleteItem"]


def _shown(element: etree._Element) -> str:
    return "  " + xml_text(element)


def _title(console: Console, number: int, text: str) -> None:
    console.print()
    console.rule(f"{number}  {text}", align="left")


def _command(console: Console, arguments: str) -> None:
    """The command that does what follows."""
    console.print(f"$ xmlcep {arguments}", style="dim")


def _show_document(console: Console, sample: Sample) -> None:
    """The document before the story."""
    _title(console, 1, "An order, as it came in")
    console.print(Text(plain(sample.document.read_text(encoding="utf-8").strip())))


def _show_rules(console: Console, sample: Sample) -> None:
    """The rules file as it stands, its comments dimmed."""
    _title(console, 2, "What we want to know: the rules")
    for line in sample.rules.read_text(encoding="utf-8").splitlines():
        console.print(Text(line, style="dim" if line.startswith("#") else ""))


def _show_chapter(console: Console, chapter: Chapter) -> None:
    console.print(f"\n{chapter.user}: {chapter.reason}", style="bold")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right", style="dim")
    for _ in range(4):
        table.add_column(overflow="fold")
    for change in chapter.changes:
        raised = [event for event in chapter.found if event.ts == change.ts]
        table.add_row(
            str(change.ts), Text(change.op, style=STYLES[change.op]), _place(change), _values(change),
            Text("\n".join(map(_told, raised)), style="bold cyan"),
        )  # fmt: skip
    console.print(table)


def _place(event: PrimitiveEvent) -> Text:
    """The changed node, below the root, with the id of the root's child: ``item#9/price/text()``."""
    steps = [str(step) for step in event.path.steps]
    if len(steps) > 1:
        steps = [f"{steps[1]}#{event.ids[1]}", *steps[2:]]
    return Text(plain("/".join(steps)))


def _values(event: PrimitiveEvent) -> Text:
    if event.op == "upd":
        return Text(plain(f"{event.old} → {event.value}"))
    return Text(plain(event.value or event.old or ""))


def _told(event: CompositeEvent) -> str:
    """A composite with the time points of the changes it is made of."""
    node = "" if event.path is None else f"{event.path.steps[-1]}#{event.ids[-1]}"
    return plain(f"{event.name} {node} ← {_made_of(event)}")


def _made_of(event: CompositeEvent) -> str:
    return " ".join(filter(None, map(_constituent, event.constituents)))


def _constituent(event: Event) -> str:
    """A change by its time point, an event by name and what is in it, an inner operator's by that only."""
    if isinstance(event, PrimitiveEvent):
        return str(event.ts)
    return _made_of(event) if event.operator else f"{event.name}({_made_of(event)})"


def _findings(found: Sequence[CompositeEvent], rules: Rules) -> bytes:
    """What was seen live as an audit would write it."""
    ranking = Ranking(rules)
    in_order = sorted(found, key=lambda event: (event.ts, ranking.place(event)))
    return b"".join(ranking.encode(event) + b"\n" for event in in_order)
