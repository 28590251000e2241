"""The pages that name modules and public things name ones that exist."""

from __future__ import annotations

import importlib
import pkgutil
import re
from importlib.util import find_spec

import click
import pytest

import xmlcep
from benchmarks.__main__ import NAMES, main
from tests.project.source import ROOT, modules
from tests.project.test_layering import LAYERS
from tests.project.traces import BLOCK, PAGE, TRACES, traced
from xmlcep.cli.main import group

NAME = re.compile(r"`(?!xmlcep\.(?:toml|command)`)((?:path_types|contexts|xmlcep)(?:\.\w+)+)`")


def exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


PAGES = sorted(
    file.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "samples/*/*.md")
    for file in ROOT.glob(pattern)
)
IMPORT = re.compile(
    r"^[>. ]*from ((?:path_types|contexts|xmlcep)[\w.]*) import ([\w, ]+?)(?: as \w+)?(?: *#.*)?$",
    re.MULTILINE,
)
COMMAND = re.compile(r"(?:`|^\$ |^|&& )xmlcep (?!is )([a-z][a-z-]+)((?: [^`\n#|>]*)?)", re.MULTILINE)
PROGRAM = re.compile(r"python -m ((?:benchmarks|tests)[\w.]*)((?: [a-z]\w*)*)([^`\n]*)")
OPTIONS = {name for param in main.params for name in param.opts}
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_name_what_exists(page: str) -> None:
    """Names in the text, and what examples import, those that no test runs, too."""
    text = text_of(page)
    imported = {
        f"{module}.{name.strip()}" for module, names in IMPORT.findall(text) for name in names.split(",")
    }
    names = set(NAME.findall(text)) | imported
    assert len(names) > 15 or page not in ("docs/glossary.md", "docs/architecture.md")
    assert sorted(name for name in names if not exists(name)) == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_options_exist(page: str) -> None:
    context = click.Context(group)
    wrong = []
    for name, arguments in COMMAND.findall(text_of(page)):
        command = group.get_command(context, name)
        options = {
            name for param in getattr(command, "params", ()) for name in (*param.opts, *param.secondary_opts)
        }
        given = re.findall(r"(?<![\w'\"-])(?:--[a-z][a-z-]*|-[a-zA-Z]\b)", arguments)
        if command is None:
            wrong.append(name)
        wrong += [f"{name} {option}" for option in given if option not in options | {"--help", "-h"}]
    # the page of mistakes has some
    assert wrong == (["chek"] if page == "docs/mistakes.md" else [])


@pytest.mark.parametrize("page", PAGES)
def test_programs_and_benchmarks_exist(page: str) -> None:
    """What `python -m` is given: modules of benchmarks and tests, and which of the benchmarks."""
    wrong = []
    for module, names, rest in PROGRAM.findall(text_of(page)):
        if find_spec(module) is None:
            wrong.append(module)
        elif module == "benchmarks":
            wrong += {*names.split()}.difference(NAMES) | {*re.findall(r"--\w+", rest)}.difference(OPTIONS)
    assert wrong == []


def test_every_public_name_is_on_a_page() -> None:
    words = set(re.findall(r"\w+", "".join(map(text_of, PAGES))))
    assert sorted(set(xmlcep.__all__) - words) == []


def slug(heading: str) -> str:
    """What a heading is called in links."""
    words = re.sub(r"<[^>]*>|[`*]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading))
    return re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text_of(page)))
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = link.partition("#")
        target = (ROOT / page).parent / file if file else ROOT / page
        if file.startswith(("http:", "https:", "mailto:")):
            continue
        if not target.exists():
            dead.append(link)
        elif anchor:
            there = target.read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", there), re.MULTILINE)
            if anchor not in {*map(slug, headings), *re.findall(r'id="([^"]+)"', there)}:
                dead.append(link)
    assert dead == []


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
