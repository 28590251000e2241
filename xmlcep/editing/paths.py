"""Which steps there can be behind others, known from an XML Schema or from change logs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from path_types import PathType, Step

from ..events import PrimitiveEvent
from ..log import read_log
from ..schema.deriving import open_schema
from ..schema.loading import Locations
from ..schema.model import TextKind, elements

MOST_RECORDS = 100_000
"""How many records of a log are read: these show the paths there are, and an editor need not wait for more."""


class Steps:
    """The steps that there can be below elements, by the name of the element; ``roots`` can begin an absolute path."""

    def __init__(self) -> None:
        self._below: dict[str, set[Step]] = defaultdict(set)
        self._roots: set[Step] = set()

    def add_schema(self, file: str | Path, locations: Locations | None = None) -> None:
        """What the documents of a schema have; raises what `open_schema` raises."""
        schema = open_schema(file, locations)
        names = [declaration.name for declaration in schema.declarations]
        self._roots |= {Step.element(names[root]) for root in schema.roots}
        for declaration in schema.declarations:
            below = self._below[declaration.name]
            for content in declaration.contents():
                below |= {Step.attribute(attribute.name) for attribute in content.attributes}
                below |= {Step.element(names[k]) for model in content.models for k in elements(model)}
                if content.text is not TextKind.NONE or content.mixed:
                    below.add(Step.text())

    def add_log(self, file: str | Path) -> None:
        """What has changed in the documents of a log; raises what `read_log` raises."""
        items = islice(read_log(file, on_bad=lambda _: None), MOST_RECORDS)
        self.add_paths({item.path for item in items if isinstance(item, PrimitiveEvent)})

    def add_paths(self, paths: Iterable[PathType]) -> None:
        """What is in these absolute paths."""
        for path in paths:
            self._roots.add(path.steps[0])
            for above, below in zip(path.steps, path.steps[1:], strict=False):
                self._below[above.test].add(below)

    def behind(self, written: str, namespaces: Mapping[str, str]) -> list[Step]:
        """The steps that can come next where a path begins so, ``order/`` or ``/``; of an empty one any can."""
        *before, _ = written.split("/")
        if not before:
            return sorted(
                {*self._roots, *(step for below in self._below.values() for step in below)}, key=str
            )
        name = before[-1].strip()
        if not name:
            return sorted(self._roots, key=str)
        try:
            above = PathType.parse(name, namespaces).steps[-1].test
        except ValueError:
            return []
        return sorted(self._below.get(above, ()), key=str)
