"""What the installed command ``xmlcep`` begins with: Ctrl-C is heard before the package is there.

A module beside the package, for to find one inside it Python imports the package, which takes longer than some do.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command given on the command line and returns its exit status: `xmlcep.__main__.main`."""
    try:
        from xmlcep.__main__ import main as run
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr or sys.stdout)
        return 130  # xmlcep.cli.INTERRUPTED, which is not there
    return run()
