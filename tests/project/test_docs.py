"""The pages that name modules and public things name ones that exist."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

from tests.project.source import ROOT, modules
from tests.project.test_layering import LAYERS
from tests.project.traces import BLOCK, PAGE, TRACES, traced

NAME = re.compile(r"`((?:path_types|contexts|xmlcep)(?:\.\w+)+)`")


def exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("page", ["docs/glossary.md", "docs/architecture.md"])
def test_the_pages_name_what_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    names = set(NAME.findall(text))
    assert len(names) > 20
    assert sorted(name for name in names if not exists(name)) == []


@pytest.mark.parametrize("package", [name for name, file in modules().items() if file.name == "__init__.py"])
def test_packages_name_modules_that_exist(package: str) -> None:
    """Their docstrings say in which order to read."""
    said = importlib.import_module(package).__doc__ or ""
    folder = modules()[package].parent
    missing = [
        name
        for name in re.findall(r"(?<!`)`([a-z_][\w.]*)`(?!`)", said)
        if not exists(f"{package}.{name}") and not exists(name) and not (folder / name).exists()
    ]
    assert missing == []


def test_the_architecture_lists_the_layers_in_their_order() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = [
        tuple(re.findall(r"`([\w.]+)`", row))
        for row in re.findall(r"^\| (`[^|]+)\|", text.partition("\n## ")[0], re.MULTILINE)
    ]
    assert listed == [layer for layer in LAYERS if layer != ("xmlcep.__main__",)]


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"])
def test_the_pages_name_files_that_exist(page: str) -> None:
    text = re.sub(
        r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    named = [name for name in re.findall(r"`([\w./]+)`", text) if re.fullmatch(r"[\w.]+(/[\w.]*)+", name)]
    ours = [name for name in named if (ROOT / name.partition("/")[0]).is_dir()]
    assert ours
    assert [name for name in ours if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("name", TRACES)
def test_the_architecture_shows_what_really_happens(name: str) -> None:
    shown = {found[2]: found[3] for found in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))}
    assert set(shown) == set(TRACES)
    assert shown[name] == traced(name), "functions have moved: run  python -m tests.project.traces"


def test_every_page_is_in_the_index() -> None:
    folder = ROOT / "docs"
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in folder.glob("*.md")} - {"README.md"}
    assert sorted(page for page in pages if f"]({page})" not in index) == []


def test_every_module_can_be_imported() -> None:
    for module in modules():
        importlib.import_module(module)
