"""What the commands print with: plain where no terminal reads it, and safe for the terminal that does."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

# C0 and C1 controls but tab and line feed, the marks that turn the direction of writing, and halves of surrogate pairs,
# which cannot be written: names of files that are not UTF-8 have them.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """The text with control characters shown instead of sent, so that data cannot steer a terminal.

    >>> print(plain("red \\x1b[31m text"))
    red \\x1b[31m text
    """
    return _CONTROLS.sub(lambda match: ascii(match.group())[1:-1], text)


_WIDTH = 110
"""Columns where no terminal reads it."""
_NARROWEST = 80


class _Console(Console):
    """Leaves a closed pipe to the command line's frame; rich would exit with 1, here "findings"."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(*, stderr: bool = False, fits: bool = False) -> Console:
    """A rich console: colours and the terminal's width at a terminal, else neither.

    On a terminal with fewer than 80 columns lines are longer than it, for in a narrower table words are taken apart
    and numbers left out; what is drawn over itself has to be one that ``fits``.

    Nothing in printed strings is taken for markup; escape data with `plain` before printing it.
    """
    console = _Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH
    elif not fits:
        console.width = max(console.width, _NARROWEST)
    return console


@contextmanager
def all_written() -> Iterator[None]:
    """Standard output that is written as a whole or fails, also under ``PYTHONUNBUFFERED``.

    Without a buffer Python writes once and forgets what did not fit: on a disk that fills up the rest of a large output
    would be lost without a word.
    """
    given = sys.stdout
    if not isinstance(getattr(given, "buffer", None), io.RawIOBase):
        yield
        return
    with open(
        given.fileno(), "w", buffering=1, encoding=given.encoding, errors=given.errors, closefd=False
    ) as whole:
        sys.stdout = whole
        try:
            yield
        finally:
            sys.stdout = given
