"""The pages that name modules and public things name ones that exist."""

from __future__ import annotations

import importlib
import pkgutil
import re

from tests.project.source import ROOT, modules
from tests.project.test_layering import LAYERS

NAME = re.compile(r"`((?:path_types|contexts|xmlcep)(?:\.\w+)+)`")


def exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_glossary_names_what_exists() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    names = set(NAME.findall(text))
    assert len(names) > 20
    assert sorted(name for name in names if not exists(name)) == []


def test_the_architecture_lists_the_layers_in_their_order() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = [
        tuple(re.findall(r"`([\w.]+)`", row)) for row in re.findall(r"^\| (`[^|]+)\|", text, re.MULTILINE)
    ]
    assert listed == [layer for layer in LAYERS if layer != ("xmlcep.__main__",)]


def test_every_page_is_in_the_index() -> None:
    folder = ROOT / "docs"
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in folder.glob("*.md")} - {"README.md"}
    assert sorted(page for page in pages if f"]({page})" not in index) == []


def test_every_module_can_be_imported() -> None:
    for module in modules():
        importlib.import_module(module)
