"""lxml's own tests on wrapped trees, against the same tests on plain ones: a generator of edits that we did not write.

    python -m tests.wrapping.lxml_suite FOLDER [MODE…]

``FOLDER`` is a copy of lxml's sources, of about the version that is installed. Says which tests come out otherwise
than on plain trees, and where a document's events are not what has become of its tree (see `judge`). Of the
1,597 tests that pass on plain trees of lxml 6.1.1, 1,592 pass on wrapped ones: two of the others want
``etree.Element`` to be a class, three move a root away. Modes: ``wrapped`` (trees that are parsed are wrapped),
``held`` (and their roots are held, as foreign proxies), ``made`` (the first element that a test makes is wrapped, too).
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

import xmlcep.wrapping
from tests.wrapping.event_oracle import Judge
from xmlcep import XmlCepError, wrap

SUITES = (
    "annotations", "builder", "css", "dtd", "elementpath", "elementtree", "etree", "htmlparser", "io", "nsclasses",
    "objectify", "relaxng", "sax", "unicode", "xmlschema", "xpathevaluator", "xslt",
)  # fmt: skip
MODES = ("wrapped", "held", "made")
PACKAGE = "lxml_tests"
TRACKED = ("indent", "strip_tags", "strip_elements", "strip_attributes", "cleanup_namespaces")


class Wrapping:
    """A pytest plugin: gives lxml's tests an ``etree`` whose trees are wrapped, and judges what their tests do."""

    def __init__(self, mode: str, report: Path) -> None:
        self._mode, self._report = mode, report
        self._judges: list[Judge] = []
        self._made = False
        self.outcomes: dict[str, str] = {}
        self.judgements: list[str] = []

    def pytest_configure(self) -> None:
        if self._mode != "plain":
            vars(importlib.import_module(f"{PACKAGE}.common_imports")).update(etree=self._module())

    def _module(self) -> ModuleType:
        module = ModuleType(etree.__name__)
        vars(module).update(vars(etree))
        vars(module).update({name: getattr(xmlcep.wrapping, name) for name in TRACKED})
        vars(module).update(
            {name: self._parsing(getattr(etree, name)) for name in ("XML", "fromstring", "HTML")}
        )
        vars(module).update(parse=self._parsing(etree.parse), Element=self._making)
        return module

    def _parsing(self, parse: Any) -> Any:
        def parse_and_wrap(*args: Any, **options: Any) -> Any:
            return self._wrapped([parse(*args, **options)])

        return parse_and_wrap

    def _making(self, *args: Any, **options: Any) -> Any:
        element = [etree.Element(*args, **options)]
        if self._mode == "made" and not self._made:
            self._made = True
            return self._wrapped(element)
        return element.pop()

    def _wrapped(self, box: list[Any]) -> Any:
        """What is in the box; the root is not held by others than the caller, except where the mode says so."""
        given = box.pop()
        if not hasattr(given, "getroottree") and not hasattr(given, "getroot"):
            return given
        tree = given if hasattr(given, "getroot") else given.getroottree()
        if tree.getroot() is None:
            return given
        is_root = given is not tree
        held = tree.getroot() if self._mode == "held" else None
        del given
        with suppress(XmlCepError):  # of what cannot be wrapped, as entity references and objectify's trees
            self._judges.append(Judge(wrap(tree)))
        return (held if held is not None else tree.getroot()) if is_root else tree

    @pytest.fixture(autouse=True)
    def judged(self, request: pytest.FixtureRequest) -> Iterator[None]:
        """Judges the documents of a test at its end."""
        self._judges, self._made = [], False
        yield
        for judge in self._judges:
            try:
                judge.document.catch_up()
                judge.check(several=True, moves=True)
                judge.document._check()
                judge.check_ids()
                judge.document.close()
            except (AssertionError, XmlCepError) as error:
                self.judgements.append(f"{request.node.nodeid}: {type(error).__name__} {error}"[:300])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        self._report.write_text(json.dumps([self.outcomes, self.judgements]), encoding="utf-8")


def run(mode: str, folder: Path) -> tuple[dict[str, str], list[str]]:
    """Outcomes of lxml's tests by name, and what was judged wrong, of a run in a process of its own."""
    report = folder / f"{mode}.json"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path.cwd())])}
    command = [sys.executable, "-m", "tests.wrapping.lxml_suite", "--run", mode, str(folder), str(report)]
    subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, check=False)
    outcomes, judgements = json.loads(report.read_text(encoding="utf-8"))
    return outcomes, judgements


def main(source: Path, modes: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copytree(source / "src" / "lxml" / "tests", folder / PACKAGE)
        plain, _ = run("plain", folder)
        print(f"plain: {list(plain.values()).count('passed')} of {len(plain)} tests pass")
        for mode in modes:
            outcomes, judgements = run(mode, folder)
            passed = [name for name in plain if plain[name] == "passed"]
            differ = [name for name in passed if outcomes.get(name) != "passed"]
            print(
                f"{mode}: {len(passed) - len(differ)} of these pass, {len(judgements)} documents judged wrong"
            )
            for line in (*differ, *judgements):
                print(f"  {line}")


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        mode, folder, report = sys.argv[2:]
        tests = [f"{folder}/{PACKAGE}/test_{name}.py" for name in SUITES]
        arguments = ["-q", "-c", os.devnull, "--rootdir", folder, "-p", "no:cacheprovider", *tests]
        sys.exit(pytest.main(arguments, plugins=[Wrapping(mode, Path(report))]))
    main(Path(sys.argv[1]), tuple(sys.argv[2:]) or MODES)
