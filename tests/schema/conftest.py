"""Schemas of the repository are loaded once: the library checks each, which takes longer than most of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.project.source import ROOT
from xmlcep.schema import deriving
from xmlcep.schema.loading import load_schema

_loaded_once = cache(load_schema)


def _load_schema(source: str | Path, *, locations: Any = None) -> Any:
    """As the product does; a schema that a test writes is loaded whenever it is asked for."""
    if locations is None and ROOT in Path(source).parents:
        return _loaded_once(Path(source))
    return load_schema(source, locations=locations)


@pytest.fixture(scope="session", autouse=True)
def _schemas_are_loaded_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deriving, "load_schema", _load_schema)
        yield
