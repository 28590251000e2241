"""Writing a report: contents, script and style into one file (rule Y7)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..arguments import PATH, TEXT, Kind, check, optional
from ..auditing.findings.atomic_files import AtomicFile
from ..auditing.inputs import LogPath
from ..errors import MissingExtraError
from ..rules import Rules
from .contents import COLUMNS, Contents, contents_of
from .escapes import embedded

CHUNK = 500
"""Findings whose details are parsed together, when one of them is looked at."""


_RULES = Kind(lambda value: isinstance(value, Rules), "rules, as of load_rules(file) or parse_rules(text)")


def write_report(
    logs: LogPath | Iterable[LogPath], rules: Rules, out: LogPath, *, title: str | None = None
) -> Contents:
    """Audits logs and writes the page; returns its contents.

    The file appears when it is complete. Raises what `audit` raises, and `MissingExtraError` without Jinja.
    """
    check("report()", rules=(rules, _RULES), out=(out, PATH), title=(title, optional(TEXT)))
    _jinja()
    contents = contents_of(logs, rules, title=title)
    with AtomicFile(Path(out)) as target:
        for part in render(contents):
            target.stream.write(part.encode("utf-8"))
    return contents


def render(contents: Contents) -> Iterator[str]:
    """The page, in parts."""
    jinja = _jinja()
    environment = jinja.Environment(
        autoescape=True, undefined=jinja.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    here = files(__package__)
    style = (here / "report.css").read_text(encoding="utf-8") + _columns(contents.widths())
    script = (here / "report.js").read_text(encoding="utf-8")
    template = environment.from_string((here / "template.html").read_text(encoding="utf-8"))
    page = template.render(
        contents=contents,
        columns=COLUMNS,
        safe=jinja.utils.markupsafe.Markup,
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )
    before, mark, behind = page.partition("<!-- data -->")
    assert mark
    yield before
    yield from _data(contents)
    yield behind


_MOST_WIDE = (9, 21, 18, 24, 22)
"""Characters of the columns before those that take what is left."""


def _columns(widths: Sequence[int]) -> str:
    """The columns of the table, as wide as their texts and headings, without those in which there is nothing."""
    named = zip(widths, _MOST_WIDE, COLUMNS, strict=False)
    given = [max(min(width, most), len(name) + 1) + 2 for width, most, name in named if width]
    shares = [share for width, share in zip(widths[5:], (2, 1.3), strict=True) if width]
    columns = [f"{width}ch" for width in given] + [f"minmax(16ch, {share}fr)" for share in shares]
    hidden = [
        f".head > :nth-child({place}), .row > :nth-child({place})"
        for place, width in enumerate(widths, 1)
        if not width
    ]
    hide = f"{', '.join(hidden)} {{ display: none; }}\n" if hidden else ""
    return (
        f".head, .row {{ grid-template-columns: {' '.join(columns)}; }}\n"
        f".head, #rows {{ min-width: {sum(given) + 16 * len(shares)}ch; }}\n{hide}"
    )


def _data(contents: Contents) -> Iterator[str]:
    """The data as JSON in elements that no browser runs; details in chunks, of which a page reads those it shows."""
    given: dict[str, Any] = {
        "texts": contents.texts,
        "findings": contents.findings,
        "changes": contents.changes,
        "rules": [rule["name"] for rule in contents.rules],
        "severities": {rule["name"]: rule["severity"] for rule in contents.rules if rule["severity"]},
        "chunk": CHUNK,
    }
    yield f'<script type="application/json" id="data">{embedded(given)}</script>\n'
    for number, start in enumerate(range(0, len(contents.details), CHUNK)):
        chunk = contents.details[start : start + CHUNK]
        yield f'<script type="application/json" id="details{number}">{embedded(chunk)}</script>\n'


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _jinja() -> Any:
    try:
        import jinja2
        import jinja2.utils
    except ImportError:
        raise MissingExtraError("a report", "jinja2", "report") from None
    return jinja2
