"""docs/service.md is true: what a new user types in its first lines is run against a service."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

for module in ("starlette", "sse_starlette", "uvicorn", "httpx", "opentelemetry.metrics"):
    pytest.importorskip(module)

from tests.pages.page import blocks_of  # noqa: E402
from tests.project.source import ROOT  # noqa: E402
from tests.serving.service_process import serving  # noqa: E402


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_first_steps(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "service.md").read_text("utf-8")
    blocks = [block.text for block in blocks_of(text) if block.kind == "sh"]
    assert blocks[0].startswith("xmlcep serve orders")
    with serving(tmp_path / "orders") as served:
        script = blocks[1].replace(":8765/", f":{served.port}/").replace("curl ", "curl -sS ")
        said = subprocess.run(
            ["sh", "-ec", script], capture_output=True, text=True, timeout=60, check=True
        ).stdout
        assert '"events":["Complete"]' in said and '"id":"order-1:4:Complete:1,2"' in said
        assert "<order><item><price>12</price><quantity>2</quantity></item></order>" in said
        routes = served.client.get("/openapi.json").json()["paths"]
    text = text.replace("SET", "NAME")
    assert [path for path in routes if path.replace("{name}", "NAME").replace("{id}", "ID") not in text] == []
