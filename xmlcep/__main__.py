"""The command line: ``xmlcep`` and ``python -m xmlcep``."""

from __future__ import annotations

import io
import os
import sys

from . import starting


def main() -> int:
    """Runs the command given on the command line and returns its exit status.

    Without the packages of the extra ``cli`` it says how to get them and returns 2.
    """
    starting.end_at_interrupts()
    _open_closed_streams()
    _let_go_what_cannot_be_said()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where the terminal is not UTF-8
    try:
        from .cli.main import run
    except ModuleNotFoundError as error:
        from .errors import MissingExtraError

        package = (error.name or "").partition(".")[0]
        if package not in ("click", "rich"):
            raise
        print(f"xmlcep: {MissingExtraError('the command line', package, 'cli')}", file=sys.stderr)
        return 2
    try:
        return run()
    except KeyboardInterrupt:  # between two lines of its frame
        print("stopped", file=sys.stderr)
        return starting.INTERRUPTED
    finally:
        starting.ignore_interrupts()


def _open_closed_streams() -> None:
    """Puts something in place of standard streams that are closed (``>&-``), or the next file opened would be one.

    What is written to standard output then fails, which is said; what goes to standard error goes nowhere.
    """
    if sys.stdin is None:
        _open_null(0, os.O_RDONLY)
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stdout is None:
        _open_null(1, os.O_RDONLY)
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        _open_null(2, os.O_WRONLY)
        sys.stderr = os.fdopen(2, "w", closefd=False)


class _Sayings(io.FileIO):
    """Standard error. What cannot be written, as nobody reads it or a disk is full, goes nowhere, and so does the rest.

    Else a mistake that nobody could read about would end with Python's own status, 1 or 120, where 1 means findings.
    """

    def write(self, data: memoryview, /) -> int:  # type: ignore[override]
        """All of it is taken."""
        try:
            return super().write(data)
        except OSError:
            _open_null(self.fileno(), os.O_WRONLY)
            return memoryview(data).nbytes


def _let_go_what_cannot_be_said() -> None:
    stream = sys.stderr
    if isinstance(stream, io.TextIOWrapper) and not stream.closed:
        raw = _Sayings(stream.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, line_buffering=True)


def _open_null(number: int, mode: int) -> None:
    opened = os.open(os.devnull, mode)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


if __name__ == "__main__":
    sys.exit(main())
