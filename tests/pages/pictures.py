"""The pictures of the pages, drawn from what the engine finds: ``python -m tests.pages.pictures`` writes them anew.

`tests/pages/test_pictures.py` sees that they are what the engine finds today. That of the report is a browser's:
``python -m tests.pages.pictures chromium`` (any Chromium, by its command) takes it.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

from tests.project.source import ROOT
from xmlcep import Detector, PrimitiveEvent, parse_rules
from xmlcep.cli.main import group

FOLDER = ROOT / "docs" / "pictures"
CONTEXTS = {
    "chronicle": "the oldest, each once",
    "recent": "the newest, again and again",
    "continuous": "each waiting change gets a match",
    "cumulative": "all that has come, as one",
    "unrestricted": "every combination",
}
LINE = "p p q p q"
"""A change of a price (p) or a quantity (q) of one item at each time point."""
PATHS = {"p": "/order/item/price/text()", "q": "/order/item/quantity/text()"}
STEP, LEFT, TOP = 64, 150, 44


def matches(context: str) -> list[tuple[int, list[int]]]:
    """When the event is raised, and of which time points, in the order of raising."""
    rules = parse_rules(
        f"event Both {{context={context}}} = upd(item/price/text()) & upd(item/quantity/text())"
    )
    detector = Detector(rules)
    found = []
    for ts, kind in enumerate(LINE.split(), 1):
        record = {
            "doc": "d",
            "ts": ts,
            "op": "upd",
            "path": PATHS[kind],
            "ids": [1, 2, 3 if kind == "p" else 5, 4],
        }
        for composite in detector.feed(PrimitiveEvent.from_record(record)):
            found.append((ts, sorted(part["ts"] for part in composite.to_record()["constituents"])))
    return found


def x(ts: int) -> int:
    return LEFT + STEP * ts


def row(context: str, top: int) -> tuple[list[str], int]:
    """The lines of one context: the events, and below them a bar for each match; and how high that is."""
    found = matches(context)
    lines = [
        f'<text x="8" y="{top + 5}" class="name">{context}</text>',
        f'<text x="8" y="{top + 22}" class="note">{CONTEXTS[context]}</text>',
        f'<line x1="{x(1) - 24}" y1="{top}" x2="{x(len(LINE.split())) + 24}" y2="{top}" class="axis"/>',
    ]
    for ts, kind in enumerate(LINE.split(), 1):
        lines.append(f'<circle cx="{x(ts)}" cy="{top}" r="11" class="{kind}"/>')
        lines.append(f'<text x="{x(ts)}" y="{top + 4}" class="event">{kind}{ts}</text>')
    for number, (_, parts) in enumerate(found):
        y = top + 24 + 13 * number
        lines.append(f'<line x1="{x(parts[0])}" y1="{y}" x2="{x(parts[-1])}" y2="{y}" class="match"/>')
        lines += [f'<circle cx="{x(ts)}" cy="{y}" r="4" class="part"/>' for ts in parts]
    return lines, max(62, 44 + 13 * len(found))


def contexts() -> str:
    """The same changes of one item in each context, for `upd(price) & upd(quantity)`."""
    lines: list[str] = []
    top = TOP
    for context in CONTEXTS:
        drawn, height = row(context, top)
        lines += drawn
        top += height
    width = x(len(LINE.split())) + 40
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
            ' role="img" aria-label="What each context combines">',
            "<style>",
            "svg { font: 13px sans-serif; background: #fff }",
            ".name { font-weight: bold } .note { font-size: 11px; fill: #555 }",
            ".event { text-anchor: middle; font-size: 11px; fill: #fff }",
            ".axis { stroke: #bbb } .p { fill: #1f5fa8 } .q { fill: #a8501f }",
            ".match { stroke: #2a8a3c; stroke-width: 2 } .part { fill: #2a8a3c }",
            "</style>",
            *lines,
            "</svg>",
            "",
        )
    )


TERMINAL = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="xmlcep demo">
<style>
text {{ font: {char_height}px monospace; white-space: pre }}
{styles}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#292929"/>
<defs>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}<g>{matrix}</g></g>
</svg>
"""
"""What rich fills in, without the fonts that it would fetch."""


def demo() -> str:
    """What a terminal shows of two transactions of ``xmlcep demo``."""
    shown = CliRunner().invoke(
        group,
        ["demo", "--engine", "local"],
        env={"FORCE_COLOR": "1", "COLUMNS": "96", "TERM": "xterm-256color"},
    )
    assert shown.exit_code == 0, shown.output
    paragraphs = [Text.from_ansi(each) for each in shown.output.split("\n\n")]
    console = Console(record=True, width=84, file=io.StringIO())
    for paragraph in paragraphs:
        if paragraph.plain.startswith(("ann: two items by phone", "bob: new price list")):
            for line in paragraph.split():
                line.rstrip()
                console.print(line)
            console.print()
    return console.export_svg(title="xmlcep demo", code_format=TERMINAL, unique_id="demo")


PICTURES: dict[str, Callable[[], str]] = {"contexts.svg": contexts, "demo.svg": demo}


def write(folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(), encoding="utf-8")


def photograph(browser: str, folder: Path = FOLDER) -> None:
    """The report of the demo, as a browser shows it."""
    with tempfile.TemporaryDirectory() as kept, contextlib.chdir(kept):
        shutil.copy(ROOT / "samples" / "purchase_order" / "purchase-order.xcep", kept)
        for line in (
            "demo --engine local --keep .",
            "report purchase-order.jsonl --rules purchase-order.xcep --force -o report.html",
        ):
            CliRunner().invoke(group, line.split(), catch_exceptions=False)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,780"]
        subprocess.run(
            [
                browser,
                *flags,
                f"--screenshot={folder / 'report.png'}",
                Path("report.html").resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


if __name__ == "__main__":
    write()
    for command in sys.argv[1:]:
        photograph(command)
