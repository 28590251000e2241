"""Every page with examples has a test that runs them, and that test knows the page."""

from __future__ import annotations

import re

import pytest

from tests.project.source import ROOT

RUN_BY = {
    "README.md": "project/test_readme.py",
    "docs/actions.md": "actions/test_documentation.py",
    "docs/architecture.md": "project/test_docs.py",
    "docs/audit.md": "auditing/test_documentation.py",
    "docs/contexts.md": "pages/test_pages.py",
    "docs/replay.md": "pages/test_pages.py",
    "docs/errors.md": "project/test_errors_page.py",
    "docs/explain.md": "explaining/test_page.py",
    "docs/expressions.md": "xpath/test_documentation.py",
    "docs/findings.md": "auditing/test_findings_page.py",
    "docs/language.md": "language/test_documentation.py",
    "docs/log.md": "log/test_documentation.py",
    "docs/mistakes.md": "cli/test_mistakes_page.py",
    "docs/semantics.md": "spec/test_clauses_page.py",
    "docs/schema.md": "schema/test_documentation.py",
    "docs/service.md": "serving/test_documentation.py",
    "docs/proofs.md": "proofs/test_documentation.py",
    "docs/teams.md": "editing/test_settings.py",
    "docs/testing.md": "testing/test_page.py",
    "docs/versions.md": "versions/test_documentation.py",
    "docs/operation.md": "wrapping/test_operation_page.py",
    "docs/wrapping.md": "wrapping/test_documentation.py",
}
NOT_RUN = {
    "CONTRIBUTING.md": "the suite itself",
    "docs/editors.md": "what editors are told; tests/editing drives the server as an editor does",
    "docs/performance.md": "a table of one run",
    "samples/histories/README.md": "needs the histories, which are not part of the project",
}


def pages_with_blocks() -> list[str]:
    files = (file for pattern in ("*.md", "docs/*.md", "samples/*/*.md") for file in ROOT.glob(pattern))
    found = (
        file.relative_to(ROOT).as_posix()
        for file in files
        if re.search("^```", file.read_text("utf-8"), re.M)
    )
    return sorted(found)


def test_every_page_with_examples_is_run() -> None:
    assert pages_with_blocks() == sorted({**RUN_BY, **NOT_RUN})


@pytest.mark.parametrize("page", RUN_BY)
def test_the_test_knows_the_page(page: str) -> None:
    text = (ROOT / "tests" / RUN_BY[page]).read_text(encoding="utf-8")
    assert page.rpartition("/")[2] in text
