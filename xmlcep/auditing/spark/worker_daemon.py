"""The process from which Spark forks its Python workers, with what they need loaded before: ``python -m`` this module.

PySpark's own daemon loads nothing, so every worker imports all modules and makes the tables of the grammar: almost a
second of CPU each, which is what a small audit takes by itself.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

_KEPT_BYTES = 32 * 2**20
_WITHOUT_PANDAS = "XMLCEP_WITHOUT_PANDAS"
DAEMON_SETTINGS = {
    "spark.python.daemon.module": __name__,
    # PyArrow loads pandas to see whether it was given some, which takes as long as all our own modules.
    f"spark.executorEnv.{_WITHOUT_PANDAS}": "1",
    # A task makes and frees tables of some megabytes all the time. Given back to the system each time, their pages
    # are made anew and emptied each time, which is half of what putting findings in order takes.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(_KEPT_BYTES),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(8 * _KEPT_BYTES),
}
"""Makes Spark start it; for a session whose workers have this machine's files."""

FORKS_LOADED = sys.platform == "linux"
"""Whether a process may be forked after it has loaded numpy; elsewhere the system's libraries do not allow it."""


class _NoPandas(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises `ImportError` for pandas."""
        if fullname == "pandas":
            raise ImportError("not looked for")
        return None


@contextmanager
def _pandas_hidden() -> Iterator[None]:
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def installed_path(path: Sequence[str], home: str) -> list[str]:
    """Where to import from: ``path`` without the archives of Spark's ``home``, if that is the installed package.

    Spark puts archives of PySpark and py4j before the folders of the same modules. Python compiles what it finds in an
    archive each time: 0.6 s of CPU.
    """
    folders = [each for each in path if Path(home) not in Path(each).parents]
    pyspark, py4j = (PathFinder.find_spec(name, folders) for name in ("pyspark", "py4j"))
    if py4j is None or pyspark is None or pyspark.origin != str(Path(home, "__init__.py")):
        return list(path)
    return folders


def main() -> None:
    """Loads what workers need, then does what PySpark's daemon does."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no thread of numpy before the fork
    sys.path[:] = installed_path(sys.path, os.environ.get("SPARK_HOME", ""))
    import pyarrow as pa
    import pyspark.worker  # noqa: F401
    from pyspark.daemon import manager

    from ...rules import parse_rules

    parse_rules("event A = ins(a)")  # makes the tables of the grammar
    with (
        _pandas_hidden() if os.environ.get(_WITHOUT_PANDAS) else nullcontext()
    ):  # others' sessions may use it
        pa.array([0])  # looks for pandas, once, to see whether this is a frame
    from . import tasks  # noqa: F401

    gc.freeze()  # the workers share the pages
    manager()


if __name__ == "__main__":
    main()
