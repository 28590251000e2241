"""``python -m tests.versions.long_run SEED COUNT``: versions of documents as bytes, and logs made of them.

Of each seed a folder of versions (`tests.versions.spelled`), and a few small edits of a larger document
(`tests.versions.small_edits`). Prints the seeds that break a law, with the law.
"""

from __future__ import annotations

import io
import logging
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout

from tests.versions import test_small_edits, test_spelled

LAWS: tuple[Callable[[int], None], ...] = (test_spelled.judge, test_small_edits.judge)


def main() -> None:
    first, count = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    logging.getLogger("xmlcep").setLevel(logging.ERROR)  # rules that match nothing say so
    broken: Counter[str] = Counter()
    for seed in range(first, first + count):
        for law in LAWS:
            try:
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                    law(seed)
            except Exception as error:
                at = [each for each in traceback.extract_tb(error.__traceback__) if "tests" in each.filename][
                    -1
                ]
                broken[at.name] += 1
                print(f"{seed}: {at.name}:{at.lineno}: {type(error).__name__} {str(error)[:200]}", flush=True)
    print(f"{count} seeds, {sum(broken.values())} differences {dict(broken)}")


if __name__ == "__main__":
    main()
