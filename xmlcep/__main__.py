"""The command line: ``xmlcep`` and ``python -m xmlcep``."""

from __future__ import annotations

import io
import sys

from .errors import MissingExtraError


def main() -> int:
    """Runs the command given on the command line and returns its exit status.

    Without the packages of the extra ``cli`` it says how to get them and returns 2.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where the terminal is not UTF-8
    try:
        from .cli.main import run
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("click", "rich"):
            raise
        print(f"xmlcep: {MissingExtraError('the command line', package, 'cli')}", file=sys.stderr)
        return 2
    return run()


if __name__ == "__main__":
    sys.exit(main())
