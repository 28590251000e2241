"""The reference evaluator borrows values from the code it checks, and no rule."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.project.source import PACKAGES, ROOT

MODULES = sorted((ROOT / "tests" / "reference").glob("*.py"))
# Values: kinds of nodes, path types and instances; what the event language says; events as they are logged.
VALUES = {
    "path_types": {"Axis", "PathInstance", "PathType"},
    "xmlcep.events": {"CompositeType", "PrimitiveEvent", "PrimitiveType"},
}
DEFINITIONS = "xmlcep.definitions"  # nothing but values, all of it
# What the values can do beyond holding their fields answers questions of the rules (E2, P4, K5).
RULES_AS_METHODS = {"accepts", "endings", "relative", "flattened"}


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
        f"{module}.{name}"
        for module, name in names
        if ours(module) and module != DEFINITIONS and name not in VALUES.get(module, ())
    ] == []
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert sorted(used & RULES_AS_METHODS) == []


def ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES
