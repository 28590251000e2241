"""Rules of the house that a script can check."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.project.source import ROOT, modules, syntax, tracked_files

# Cut where ideas part, not at a number: a longer module says why it is one idea.
LONG = 400
REASON = re.compile(r"^One module because .{20,}", re.MULTILINE)
# Folders of one machine, hosts of package registries (people's own settings say where packages come from).
LOCAL = re.compile(
    r"/(?:home|Users|root|opt|work|mnt)/[a-z]|[A-Z]:\\\\Users|\bpypi\.org|pythonhosted|[?]token=|\blocalhost:\d"
)
VAGUE = re.compile(r"(Manager|Helper|Utils?)$")


@pytest.mark.parametrize("module", modules())
def test_long_modules_say_why_they_are_one(module: str) -> None:
    text = modules()[module].read_text(encoding="utf-8")
    if len(text.splitlines()) > LONG:
        assert REASON.search(ast.get_docstring(syntax(modules()[module])) or ""), (
            f"{module} has more than {LONG} lines: part it where its ideas part, or let its docstring say "
            "'One module because …'"
        )


@pytest.mark.parametrize("module", modules())
def test_modules_and_what_is_public_in_them_are_documented(module: str) -> None:
    tree = syntax(modules()[module])
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    assert ast.get_docstring(tree) is not None
    assert [node.name for node in public if ast.get_docstring(node) is None] == []


@pytest.mark.parametrize("module", modules())
def test_names_say_what_things_are(module: str) -> None:
    tree = syntax(modules()[module])
    classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert [name for name in [*classes, module] if VAGUE.search(name)] == []


@pytest.mark.parametrize("module", modules())
def test_nothing_is_evaluated_or_unpickled(module: str) -> None:
    tree = syntax(modules()[module])
    calls = [
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert {"eval", "exec", "compile"} & set(calls) == set()
    assert {"pickle", "marshal", "cloudpickle"} & imported == set()


# What is said once: how it is called, and the module that says it.
ONCE = {
    "XMLParser": "xmlcep.xml_parser",
    "get_close_matches": "xmlcep.suggestions",
    "\\u2c00": "path_types.names",
    "expected an absolute path": "xmlcep.events",
}
PARSING = {"parse", "iterparse", "fromstring", "fromstringlist", "XML", "HTML", "XMLPullParser", "HTMLParser"}


@pytest.mark.parametrize(("what", "home"), ONCE.items())
def test_what_is_said_once(what: str, home: str) -> None:
    saying = [name for name, file in modules().items() if what in file.read_text(encoding="utf-8")]
    assert saying == [home]


@pytest.mark.parametrize("module", modules())
def test_xml_is_parsed_with_the_one_parser(module: str) -> None:
    tree = syntax(modules()[module])
    calls = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if ast.unparse(node.func.value) == "etree" and node.func.attr in PARSING
    ]
    assert [call for call in calls if not re.fullmatch(r"etree\.fromstring\(.*parser.*\)", call)] == []


@pytest.mark.parametrize("file", tracked_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_of_one_machine_is_in_the_files(file: Path) -> None:
    if file == Path(__file__).resolve():
        pytest.skip("the pattern itself")
    text = file.read_bytes().decode("utf-8", errors="replace")
    assert LOCAL.findall(text) == []
