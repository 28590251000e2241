"""The service in a process of its own: findings as they come, time that passes, slow clients, killed; the page."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx")
for module in ("starlette", "sse_starlette", "uvicorn", "opentelemetry.metrics"):
    pytest.importorskip(module)

from tests.serving.service_process import RULES, Served, free_port, killed, serving  # noqa: E402

DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("service"), "--slowest", "0.5", "--durability", "os") as served:
        late = 'event Late = (ins(item) ; not ins(item/comment)) {within="1 sec"}'
        assert served.client.put("/rules/all", content=RULES + late).status_code == 200
        assert served.client.put("/documents/one", content="<order/>").status_code == 201
        yield served


@contextmanager
def browser(driver: str) -> Iterator[Callable[..., Any]]:
    """A browser without a window; called with a command of WebDriver and its arguments."""
    port = free_port()
    process = subprocess.Popen(
        [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
            capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "timeouts": {"script": 30_000}}}
            while True:
                with suppress(httpx.TransportError):
                    client.get("/status")
                    break
            made = client.post("/session", json={"capabilities": capabilities}).json()["value"]

            def ask(command: str, **given: Any) -> Any:
                value = client.post(f"/session/{made['sessionId']}/{command}", json=given).json()["value"]
                assert not (isinstance(value, dict) and "error" in value), value
                return value

            yield ask
            client.delete(f"/session/{made['sessionId']}")
    finally:
        process.terminate()
        process.wait(30)


def stream(served: Served, count: int, **headers: str) -> list[dict[str, Any]]:
    """The next findings as they come."""
    found: list[dict[str, Any]] = []
    asked = {"accept": "text/event-stream", **headers}
    with served.client.stream("GET", "/findings?after=0", headers=asked) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                found.append(json.loads(line[5:]))
                if len(found) == count:
                    break
    return found


def test_findings_as_they_come(served: Served) -> None:
    """Those there are, then those to come, of time, too; from the last one known on."""
    served.edit("one", {"insert": "/order", "xml": "<item><price/><quantity/></item>"})
    names = [each["finding"]["name"] for each in stream(served, 2)]
    assert names == ["Both", "Late"]
    assert [each["cursor"] for each in stream(served, 1, **{"last-event-id": "1"})] == [2]


def test_a_client_that_sends_slowly(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as slow:
        slow.sendall(b"PUT /documents/two HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n<a")
        assert b"408" in slow.recv(1000)
    assert served.client.get("/documents/two").status_code == 404


def test_killed_at_any_moment(tmp_path: Path) -> None:
    """See `service_process`, which does it more often."""
    edits, _ = killed(tmp_path, 1, 1)
    assert edits


@pytest.mark.skipif(DRIVER is None, reason="there is no Chromium with its driver")
def test_the_page_in_a_browser(served: Served) -> None:
    """It shows documents, findings as they come with their tree, and what is pending."""
    with browser(str(DRIVER)) as page:
        page("url", url=f"{served.url}/")
        served.edit("one", {"insert": "/order", "xml": "<item><price/></item>"})
        served.edit("one", {"insert": "/order", "xml": "<item><price/><quantity/></item>"})
        wanted = ("live", "one (", "Both /order/item in one", "Pair", "ins(item/quantity)", "why")
        script = """
            const [wanted, done] = arguments;
            const look = () => {
                const found = document.querySelector('#findings summary');
                if (found && !found.parentNode.open) found.click();
                const text = document.body.innerText + (document.querySelector('#findings pre') ? 'why' : '');
                if (wanted.every((each) => text.includes(each))) done(text); else setTimeout(look, 50);
            };
            look();
        """
        assert page("execute/async", script=script, args=[wanted])
