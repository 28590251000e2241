"""The project as its own subject: its tracked files, its modules and what they import."""

from __future__ import annotations

import ast
import gc
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("path_types", "contexts", "xmlcep")


@cache
def syntax(file: Path) -> ast.Module:
    """The syntax tree of a module; nobody changes it."""
    text = file.read_text(encoding="utf-8")
    gc.disable()  # of so many nodes it would take longer than the parser
    try:
        return ast.parse(text)
    finally:
        gc.enable()


@cache
def nodes(file: Path) -> dict[type, list[Any]]:
    """All nodes of a module by their type."""
    found: dict[type, list[Any]] = {}
    for node in ast.walk(syntax(file)):
        found.setdefault(type(node), []).append(node)
    return found


@cache
def modules() -> dict[str, Path]:
    """The modules of the three packages by dotted name; a package stands for its ``__init__``."""
    found = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def imports(module: str, file: Path) -> tuple[str, ...]:
    """The dotted names a module imports, anywhere in it; relative ones resolved.

    ``from a import b`` gives ``a.b`` where that is a module of ours, else ``a``.
    """
    return tuple(_imports(module, file))


def _imports(module: str, file: Path) -> Iterator[str]:
    known = modules()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes(file).get(ast.Import, ()):
        yield from (alias.name for alias in node.names)
    for node in nodes(file).get(ast.ImportFrom, ()):
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *([base] if base else [])])
        for alias in node.names:
            name = f"{base}.{alias.name}"
            yield name if name in known else base


def tracked_files() -> list[Path]:
    """The files of the project: those git tracks, or all but hidden and built ones where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout.split("\0")
        return [ROOT / name for name in listed if name and (ROOT / name).is_file()]
    except (OSError, subprocess.CalledProcessError):
        return [file for file in ROOT.rglob("*") if file.is_file() and _is_source(file.relative_to(ROOT))]


def _is_source(path: Path) -> bool:
    built = ("build", "dist", "__pycache__")
    return not any(part in built or part.startswith(".") for part in path.parts if part != ".ci")
