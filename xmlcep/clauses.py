"""The clauses of the semantics that messages cite by code, such as (T2), read from the pages that come along.

The pages are `docs/semantics.md` and, of action rules and explanations, `docs/actions.md` and `docs/explain.md` (see
setup.cfg); a clause is a heading with an anchor, and what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PAGES = ("semantics.md", "actions.md", "explain.md")
_CLAUSE = re.compile(
    r'^### <a id="(?P<id>[a-z]\d+)"></a>(?P<text>.*?)(?=^#{2,3} |\Z)', re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_CITED = re.compile(r"\(([A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*)\)")


class Clause(NamedTuple):
    """What a clause says: its code, its title, and its text, which has the title in the first line."""

    code: str
    title: str
    text: str


@cache
def read_clauses() -> dict[str, Clause]:
    """All clauses by code, in the order of the pages; none where the pages are not there."""
    pages = filter(Path.is_file, (_folder() / name for name in _PAGES))
    found = (clause for page in pages for clause in _CLAUSE.finditer(page.read_text(encoding="utf-8")))
    return {(code := clause["id"].upper()): _clause(code, clause["text"]) for clause in found}


def where_explained(message: str) -> str:
    """A line that says how to read the clauses that the message cites; empty if it cites none.

    >>> where_explained("the path type cannot be derived (T2)")
    'what (T2) says: xmlcep explain T2'
    """
    cited = {code for match in _CITED.finditer(message) for code in match[1].split(", ")}
    known = [code for code in read_clauses() if code in cited]
    if not known:
        return ""
    says = "says" if len(known) == 1 else "say"
    return f"what {_and(f'({code})' for code in known)} {says}: xmlcep explain {' '.join(known)}"


def _clause(code: str, markdown: str) -> Clause:
    """From ``T2. Title`` and paragraphs."""
    head, _, rest = markdown.strip().partition("\n")
    return Clause(code, head.removeprefix(f"{code}. "), _plain(f"{head}\n{rest}"))


def _plain(markdown: str) -> str:
    """The text without links and fences; what stood between fences is indented."""
    lines, fenced = [], False
    for line in markdown.rstrip().split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        else:
            lines.append(f"    {line}".rstrip() if fenced else _LINK.sub(r"\1", line))
    return "\n".join(lines).rstrip()


def _and(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _folder() -> Path:
    """The folder of the pages: that of the installation, or of the source folder."""
    package = Path(__file__).parent
    installed = package / "docs"
    return installed if installed.is_dir() else package.parent / "docs"
