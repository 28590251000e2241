"""docs/errors.md: all errors there are, no others; where they can be imported from; and what they look like."""

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
SECTIONS = dict(re.findall(r"^### (\w+)\n\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
HEAD = re.compile(r"`([\w.]+)`(?:, an? `(\w+)`)?\. \S")


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
    assert sorted(SECTIONS) == sorted(error_classes())


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_says_where_the_error_is_and_what_it_is(name: str) -> None:
    head = HEAD.match(SECTIONS[name])
    assert head, "it begins with `where.it.Is`, a `BuiltinError`. Then when it is raised"
    path, builtin = head.groups()
    error = error_classes()[name]
    assert pkgutil.resolve_name(path) is error
    kinds = [kind.__name__ for kind in error.__mro__ if kind.__module__ == "builtins"]
    assert (builtin or "Exception") == kinds[0]
    assert re.search(r"^```(python|text)$", SECTIONS[name], re.MULTILINE), "an example of its text"


def test_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(PAGE, {"__name__": "__main__"}, "errors.md", "errors.md", 0)
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(session)
