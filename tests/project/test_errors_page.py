"""docs/errors.md has all errors, no others, and where to import them from; errors.md shows what each looks like."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from tests.project.source import PACKAGES, ROOT, modules
from xmlcep.errors import XmlCepError

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
EXAMPLES = Path(__file__).with_name("errors.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| `(\w+)` \| \S", PAGE, re.MULTILINE)


def error_classes() -> dict[str, type[XmlCepError]]:
    """`XmlCepError` and all below it that the packages define, by name."""
    for module in modules():
        importlib.import_module(module)
    found = {}
    waiting: list[type[XmlCepError]] = [XmlCepError]
    while waiting:
        error = waiting.pop()
        if error.__module__.partition(".")[0] in PACKAGES:
            found[error.__name__] = error
        waiting.extend(error.__subclasses__())
    return found


def test_the_page_has_all_errors() -> None:
    assert sorted(path.rpartition(".")[2] for path, _ in ROWS) == sorted(error_classes())


def test_every_error_has_an_example_of_its_text() -> None:
    shown = re.findall(r"^## (\w+)\n\n```(?:python|text)$", EXAMPLES, re.MULTILINE)
    assert sorted(shown) == sorted(error_classes())


@pytest.mark.parametrize(("path", "builtin"), ROWS)
def test_a_row_says_where_the_error_is_and_what_it_is(path: str, builtin: str) -> None:
    error = error_classes()[path.rpartition(".")[2]]
    assert pkgutil.resolve_name(path) is error
    assert builtin == next(kind.__name__ for kind in error.__mro__ if kind.__module__ == "builtins")


@pytest.mark.parametrize("text", [PAGE, EXAMPLES], ids=["page", "examples"])
def test_the_examples(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, "errors.md", "errors.md", 0)
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(session)
