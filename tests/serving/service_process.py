"""The service in a process of its own, killed at any moment: nothing that was answered is lost, no finding comes twice.

As a command: ``python -m tests.serving.service_process 50`` kills it so often.
"""

from __future__ import annotations

import contextlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from xmlcep import load_rules
from xmlcep.auditing import audit
from xmlcep.auditing.findings.corrections import keyed

RULES = "event Both = ins(item/price) & ins(item/quantity)\nevent Pair = ins(item) ; ins(item/comment)\n"
DOCUMENTS = ("one", "two")


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Served:
    """A service that runs, and a client of it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "xmlcep", "serve", str(folder), "--port", str(self.port), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.url, timeout=30)
        while True:
            with contextlib.suppress(httpx.TransportError):
                self.client.get("/documents")
                return
            if self.process.poll() is not None:
                raise RuntimeError(f"the service ended with {self.process.returncode}")
            time.sleep(0.02)

    def edit(self, document: str, *edits: dict[str, Any]) -> httpx.Response:
        return self.client.post(f"/documents/{document}/edits", json={"edits": list(edits)})

    def stop(self, *, kill: bool = False) -> int:
        self.client.close()
        (self.process.kill if kill else self.process.terminate)()
        return self.process.wait(30)


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Served]:
    """A service for a block."""
    served = Served(folder, *options)
    try:
        yield served
    finally:
        served.stop()


def killed(folder: Path, times: int, seed: int) -> tuple[int, int]:
    """Edits a service that is killed so often; returns how many edits were answered, and how many findings there are.

    Raises AssertionError if one of them is lost, or a finding missing, or there twice.
    """
    chance = random.Random(seed)
    answered = Counter[str]()
    served = Served(folder, "--durability", "os")
    served.client.put("/rules/all", content=RULES)
    for name in DOCUMENTS:
        served.client.put(f"/documents/{name}", content="<order/>")
    for _ in range(times):
        timer = threading.Timer(chance.uniform(0.01, 0.3), served.process.kill)
        timer.start()
        with contextlib.suppress(httpx.TransportError):
            while True:
                name = chance.choice(DOCUMENTS)
                inner = "".join(
                    f"<{each}/>" for each in ("price", "quantity", "comment") if chance.random() < 0.7
                )
                edit = {"insert": "/order", "xml": f"<item>{inner}</item>", "at": 0}
                if served.edit(name, edit).status_code == 200:
                    answered[name] += 1
        timer.join()
        served.process.wait(30)
        served.client.close()
        served = Served(folder, "--durability", "os")
        for name in DOCUMENTS:
            there = served.client.get(f"/documents/{name}").text.count("<item")
            assert there >= answered[name], f"{name}: {answered[name]} edits were answered, {there} are there"
            answered[name] = there  # one may have been made and not answered
    found: list[dict[str, Any]] = []
    while len(found) == len({each["id"] for each in found}):
        page = served.client.get(f"/findings?after={len(found)}&limit=1000").json()["findings"]
        if not page:
            break
        found += page
    served.stop()
    logs = folder / "documents"
    rules = load_rules(folder / "rules" / "all.xcep")
    expected = {
        f"{record['doc']}:{key}" for key, record in keyed(audit(logs, rules, engine="local").records())
    }
    ids = [each["id"] for each in found]
    assert len(ids) == len(set(ids)), "a finding is there twice"
    assert set(ids) == expected, (
        f"missing {sorted(expected - set(ids))[:3]}, too many {sorted(set(ids) - expected)[:3]}"
    )
    return sum(answered.values()), len(ids)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(killed(Path(name), int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
