"""Rules of the house that a script can check."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.project.source import ROOT, modules, nodes, syntax, tracked_files

# Cut where ideas part, not at a number: a longer module says why it is one idea.
LONG = 400
REASON = re.compile(r"^One module because .{20,}", re.MULTILINE)
# Folders of one machine, hosts of package registries (people's own settings say where packages come from).
LOCAL = re.compile(
    r"/(?:home|Users|root|opt|work|mnt)/[a-z]|[A-Z]:\\\\Users|\bpypi\.org|pythonhosted|[?]token=|\blocalhost:\d"
)
VAGUE = re.compile(r"(Manager|Helper|Utils?)$")


def broken(rule: Callable[[str, ast.Module], object]) -> dict[str, object]:
    """What a rule says of each module, where it says something."""
    said = {module: rule(module, syntax(file)) for module, file in modules().items()}
    return {module: what for module, what in said.items() if what}


def test_long_modules_say_why_they_are_one() -> None:
    """Part it where its ideas part, or let its docstring say 'One module because …'."""

    def lines(module: str, tree: ast.Module) -> int:
        length = len(modules()[module].read_text(encoding="utf-8").splitlines())
        return 0 if length <= LONG or REASON.search(ast.get_docstring(tree) or "") else length

    assert broken(lines) == {}


def test_modules_and_what_is_public_in_them_are_documented() -> None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

    def undocumented(module: str, tree: ast.Module) -> list[str]:
        public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
        nameless = [] if ast.get_docstring(tree) else [module]
        return nameless + [node.name for node in public if ast.get_docstring(node) is None]

    assert broken(undocumented) == {}


def test_names_say_what_things_are() -> None:
    def vague(module: str, tree: ast.Module) -> list[str]:
        classes = [node.name for node in nodes(modules()[module]).get(ast.ClassDef, ())]
        return [name for name in [*classes, module] if VAGUE.search(name)]

    assert broken(vague) == {}


def test_nothing_is_evaluated_or_unpickled() -> None:
    def dangerous(module: str, tree: ast.Module) -> set[str]:
        found = nodes(modules()[module])
        calls = {node.func.id for node in found.get(ast.Call, ()) if isinstance(node.func, ast.Name)}
        importing = [*found.get(ast.Import, ()), *found.get(ast.ImportFrom, ())]
        imported = {alias.name for node in importing for alias in node.names}
        return {"eval", "exec", "compile"} & calls | {"pickle", "marshal", "cloudpickle"} & imported

    assert broken(dangerous) == {}


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


def test_xml_is_parsed_with_the_one_parser() -> None:
    def others(module: str, tree: ast.Module) -> list[str]:
        calls = [
            ast.unparse(node)
            for node in nodes(modules()[module]).get(ast.Call, ())
            if isinstance(node.func, ast.Attribute) and node.func.attr in PARSING
            if ast.unparse(node.func.value) == "etree"
            if (module, node.func.attr) != ("xmlcep.xml_parser", "HTMLParser")  # which only makes elements
        ]
        return [call for call in calls if not re.fullmatch(r"etree\.fromstring\(.*parser.*\)", call)]

    assert broken(others) == {}


def test_nothing_of_one_machine_is_in_the_files() -> None:
    texts = {
        str(file.relative_to(ROOT)): file.read_bytes().decode("utf-8", errors="replace")
        for file in tracked_files()
        if file != Path(__file__).resolve()  # the pattern itself
    }
    local = {name: found for name, text in texts.items() if (found := LOCAL.findall(text))}
    assert local == {}
    assert len(texts) > len(modules())
