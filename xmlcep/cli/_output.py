"""What the commands print with: plain where no terminal reads it, and safe for the terminal that does."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

# C0 and C1 controls but tab and line feed, other ends of lines, the marks that turn the direction of writing, tags, and
# halves of surrogate pairs, which cannot be written: names of files that are not UTF-8 have them.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def plain(text: str) -> str:
    """The text with control characters shown instead of sent, so that data cannot steer a terminal.

    >>> print(plain("red \\x1b[31m text"))
    red \\x1b[31m text
    """
    return _CONTROLS.sub(lambda match: ascii(match.group())[1:-1], text)


def inform(text: str, *, err: bool = True, bold: bool = False, nl: bool = True) -> None:
    """Says something to a person, on standard error unless told otherwise."""
    shown = plain(text)
    click.echo(click.style(shown, bold=True) if bold else shown, err=err, nl=nl)


def put(data: str | bytes, *, nl: bool = True) -> None:
    """Writes data to standard output, as they are for a program or a file, `plain` for a terminal."""
    if sys.stdout.isatty():
        text = data.decode("utf-8", "backslashreplace") if isinstance(data, bytes) else data
        data = plain(text)
    click.echo(data, nl=nl)


class _Shown(io.RawIOBase):
    """A terminal's standard output, for bytes of data; see `put`."""

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any, /) -> int:
        """Writes whole characters."""
        put(bytes(data), nl=False)
        return len(data)


def data_output() -> BinaryIO:
    """Standard output for bytes of data, which go where `put` has them go; to be flushed."""
    sys.stdout.flush()
    return cast("BinaryIO", _Shown()) if sys.stdout.isatty() else sys.stdout.buffer


_WIDTH = 110
"""Columns where no terminal reads it."""
_NARROWEST = 80


class _Console(Console):
    """Sends no control characters of data to a terminal. Leaves a closed pipe to the command line's frame; rich would
    exit with 1, here "findings"."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is drawn, with all text `plain`: what steers the terminal is rich's own."""
        for each in super().render(renderable, options):
            yield each if each.control else each._replace(text=plain(each.text))


def make_console(*, stderr: bool = False, fits: bool = False) -> Console:
    """A rich console: colours and the terminal's width at a terminal, else neither.

    On a terminal with fewer than 80 columns lines are longer than it, for in a narrower table words are taken apart
    and numbers left out; what is drawn over itself has to be one that ``fits``.

    Nothing in printed strings is taken for markup. Data are to be `plain` where their width matters, as in tables.
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
