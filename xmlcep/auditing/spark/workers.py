"""Functions for Spark's workers, which may not have the package: then one sentence says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

Task: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]
"""What `DataFrame.mapInArrow` takes."""


def on_workers(module: str, name: str, *arguments: Any) -> Task:
    """The function of this name in a module of this package, called with batches and arguments.

    It travels by value, and so must the arguments: plain ones. So that where the package is missing there is something
    that can say so.
    """

    def task(batches: Iterable[Any]) -> Iterator[Any]:
        try:
            from importlib import import_module

            function = getattr(import_module(f"xmlcep.auditing.spark.{module}"), name)
        except ImportError as error:
            import sys

            raise RuntimeError(
                f"the Python of Spark's workers, {sys.executable}, cannot use xmlcep ({error}): install it there with "
                "pip install 'xmlcep[spark]', or set PYSPARK_PYTHON (spark.pyspark.python) to one that has it, or send "
                "it with spark.addArtifacts(path, pyfile=True)"
            ) from None
        return function(batches, *arguments)  # type: ignore[no-any-return]

    return task
