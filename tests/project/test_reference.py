"""The reference evaluator borrows values from the code it checks, and no rule."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import xmlcep.algebra
from tests.project.source import PACKAGES, ROOT
from xmlcep.algebra import OPERATORS, Operator

MODULES = sorted((ROOT / "tests" / "reference").rglob("*.py"))
# Values: kinds of nodes, path types and instances; events as they are logged; what a definition says.
VALUES = {
    "path_types": {"Axis", "PathInstance", "PathType"},
    "xmlcep.events": {"CompositeType", "PrimitiveEvent", "PrimitiveType", "Scope"},
    "xmlcep.algebra": {name for name, value in vars(xmlcep.algebra).items() if isinstance(value, type)}
    | {"Expression"},
    **{
        each.__module__: {op.__name__ for op in OPERATORS if op.__module__ == each.__module__}
        for each in OPERATORS
    },
}
# What these values can do beyond holding their fields answers questions of the rules (E2, P4, E4, T2, M4 …).
OF_VALUES = {"accepts", "covers", "endings", "relative", "flattened"}
OF_OPERATORS = {
    name
    for name, value in vars(Operator).items()
    if not name.startswith("_") and (callable(value) or isinstance(value, (property, classmethod)))
}


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.name)
def test_only_values_are_borrowed(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    modules = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names = [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level and node.module
        for alias in node.names
    ]
    assert [name for name in modules if ours(name)] == []
    assert [
        f"{module}.{name}" for module, name in names if ours(module) and name not in VALUES.get(module, ())
    ] == []
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert sorted(used & (OF_VALUES | OF_OPERATORS)) == []


def ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def test_what_operators_answer_is_known() -> None:
    assert {"derived_path", "promise", "problems"} <= OF_OPERATORS
