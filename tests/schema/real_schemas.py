"""The real schemas of the shared folder, with their documents."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from tests.schema.validation import Node, nodes_of
from xmlcep.schema.loading import load_schema

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY.parent / "shared" / "data" / "schemas"


class RealSchema(NamedTuple):
    """A schema file, the files of namespaces that it does not locate itself, and valid documents."""

    name: str
    main: Path
    locations: dict[str, Path]
    documents: tuple[Path, ...]

    def load(self) -> Any:
        """The schema as the library reads it."""
        return load_schema(self.main, locations=self.locations)[0]


def real_schemas() -> Iterator[RealSchema]:
    """All of them, by name; none where the shared folder is absent."""
    for file in sorted(FOLDER.glob("*/schema.json")):
        said = json.loads(file.read_text(encoding="utf-8"))
        folder = file.parent
        yield RealSchema(
            folder.name,
            folder / said["main"],
            {uri: folder / path for uri, path in said["locations"].items()},
            tuple(folder / "instances" / name for name in dict.fromkeys(said["valid"])),
        )


def nodes_in(document: Path, schema: Any) -> list[Node]:
    """The nodes of a document."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    with document.open("rb") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nodes_of(etree.parse(stream, parser).getroot(), schema)
