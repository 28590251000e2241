"""What pytest finds: with ``--xcep`` the examples in the comments of rules files are tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..errors import XmlCepError
from ..rules import Rules, load_rules
from .examples import Example, examples_of


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option."""
    parser.getgroup("xmlcep").addoption(
        "--xcep", action="store_true", help="run the examples in comments (#>) of .xcep files"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """A rules file, if these are asked for."""
    if file_path.suffix != ".xcep" or not parent.config.getoption("--xcep"):
        return None
    return RulesFile.from_parent(parent, path=file_path)


class RulesFile(pytest.File):
    """A rules file with examples."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its examples, each with its line as a name."""
        rules = load_rules(self.path)
        for example in examples_of(self.path.read_text(encoding="utf-8")):
            yield ExampleItem.from_parent(self, name=f"line {example.line}", example=example, rules=rules)


class ExampleItem(pytest.Item):
    """An example."""

    def __init__(self, *, example: Example, rules: Rules, **given: Any) -> None:
        super().__init__(**given)
        self.example = example
        self.rules = rules

    def runtest(self) -> None:
        """Runs it."""
        failures = self.example.failures(self.rules)
        if failures:
            raise AssertionError("\n".join(failures))

    def repr_failure(self, excinfo: Any, style: Any = None) -> str:
        """What differs, without a traceback."""
        if isinstance(excinfo.value, (AssertionError, XmlCepError)):
            return f"{self.path.name}: {excinfo.value}"
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is."""
        return self.path, self.example.line - 1, f"{self.path.name}, {self.name}"
