"""The process from which Spark forks its Python workers, with what they need loaded before: ``python -m`` this module.

PySpark's own daemon loads nothing, so every worker imports all modules and makes the tables of the grammar: almost a
second of CPU each, which is what a small audit takes by itself.
"""

from __future__ import annotations

import gc
import os
import sys

_KEPT_BYTES = 32 * 2**20
DAEMON_SETTINGS = {
    "spark.python.daemon.module": __name__,
    # A task makes and frees tables of some megabytes all the time. Given back to the system each time, their pages
    # are made anew and emptied each time, which is half of what putting findings in order takes.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(_KEPT_BYTES),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(8 * _KEPT_BYTES),
}
"""Makes Spark start it; for a session whose workers have this machine's files."""

FORKS_LOADED = sys.platform == "linux"
"""Whether a process may be forked after it has loaded numpy; elsewhere the system's libraries do not allow it."""


def main() -> None:
    """Loads what workers need, then does what PySpark's daemon does."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no thread of numpy before the fork
    import pyarrow as pa
    import pyspark.worker  # noqa: F401
    from pyspark.daemon import manager

    from ...rules import parse_rules
    from . import tasks  # noqa: F401

    parse_rules("event A = ins(a)")  # makes the tables of the grammar
    pa.array([0])  # loads pandas, where there is one, to see whether this is a frame
    gc.freeze()  # the workers share the pages
    manager()


if __name__ == "__main__":
    main()
