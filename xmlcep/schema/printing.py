"""Derived events as a rules text that a person reads and edits."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from ..language import print_definitions
from ..language.layout import WIDTH, lay_out
from .building import DerivedEvent

MAX_COMMENT = 400
"""Characters of one comment; documentation in schemas can run to pages."""


def print_events(
    events: Iterable[DerivedEvent], namespaces: Mapping[str, str], heading: Iterable[str]
) -> str:
    """The heading, the namespace declarations and the events, each under its comments."""
    pieces = [_comment(heading)] if heading else []
    declarations = print_definitions((), namespaces)
    if declarations:
        pieces.append(declarations)
    pieces += [_comment(event.comments) + lay_out(event.definition, namespaces) + "\n" for event in events]
    return "\n".join(pieces)


def _comment(lines: Iterable[str]) -> str:
    """Comment lines: no line end of a schema's text can end a comment before its time."""
    shown: list[str] = []
    for line in lines:
        words = " ".join("".join(c if c.isprintable() else " " for c in line).split())
        if len(words) > MAX_COMMENT:
            words = words[: MAX_COMMENT - 1].rpartition(" ")[0] + " …"
        shown += textwrap.wrap(words, WIDTH - 2, break_long_words=False, break_on_hyphens=False) or [""]
    return "".join(f"# {line}".rstrip() + "\n" for line in shown)
