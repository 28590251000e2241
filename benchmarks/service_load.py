"""How many edits a second a service takes, and how soon their findings come: 100 documents, ten rules.

``python -m benchmarks.service_load [SECONDS] [EDITS A SECOND] [transaction|os] [EDITS OF A TRANSACTION]``. An edit is
an element with two in it, and raises a finding; each transaction is a request of its own. The client is a process on
this machine, so it shares the cores; it speaks HTTP by itself, for a library would take more time than the service.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.serving.service_process import Served, serving

DOCUMENTS, CONNECTIONS = 100, 16
EVENTS = ("price", "quantity", "comment", "note", "weight")
RULES = "".join(
    f"event {a.title()}{b.title()} = ins(item/{a}) & ins(item/{b})\n"
    for number, a in enumerate(EVENTS)
    for b in EVENTS[number + 1 :]
)


async def load(served: Served, seconds: float, rate: float, batch: int) -> None:
    """Sends edits, each of which raises a finding, at this rate for so long; prints what came of it."""
    sent: dict[str, float] = {}
    answers: list[float] = []
    findings: list[float] = []
    total = int(seconds * rate) // batch * batch
    started = time.perf_counter()
    numbers = iter(range(total // batch))

    async def edit() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        for number in numbers:
            await asyncio.sleep(max(0.0, started + number * batch / rate - time.perf_counter()))
            user = f"u{number}"
            edits = [{"insert": "/order", "xml": "<item><price/><quantity/></item>", "at": 0}] * batch
            body = json.dumps({"edits": edits, "meta": {"user": user}}).encode()
            sent[user] = begun = time.perf_counter()
            writer.write(
                b"POST /documents/d%d/edits HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%b" % (number % DOCUMENTS, len(body), body)
            )
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.split(b":")[1]))
            answers.append(time.perf_counter() - begun)
        writer.close()

    async def listen() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port, limit=1 << 24)
        writer.write(
            b"GET /findings?after=0 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        )
        while len(findings) < total:
            line = await reader.readline()
            if line.startswith(b"data:"):
                user = json.loads(line[5:])["finding"]["meta"]["user"]
                findings.append(time.perf_counter() - sent[user])
        writer.close()

    await asyncio.gather(listen(), *(edit() for _ in range(CONNECTIONS)))
    took = time.perf_counter() - started
    print(
        f"{total:,} edits in {total // batch:,} transactions in {took:.1f} s: {total / took:,.0f} edits a second,"
        f" {len(findings):,} findings"
    )
    for name, times in (("answer", answers), ("finding", findings)):
        times.sort()
        at = {share: 1000 * times[int(share / 100 * (len(times) - 1))] for share in (50, 99, 100)}
        print(f"{name}: median {at[50]:.1f} ms, p99 {at[99]:.1f} ms, longest {at[100]:.1f} ms")


def cpu_seconds(process: int) -> float:
    """CPU time that a process has used."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main(seconds: str = "10", rate: str = "1000", durability: str = "transaction", batch: str = "1") -> None:
    """Starts a service and loads it."""
    edits = int(float(seconds) * float(rate))
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "--durability", durability) as served:
        served.client.put("/rules/all", content=RULES)
        for number in range(DOCUMENTS):
            served.client.put(f"/documents/d{number}", content="<order/>")
        begun, own = cpu_seconds(served.process.pid), time.process_time()
        asyncio.run(load(served, float(seconds), float(rate), int(batch)))
        used, own = cpu_seconds(served.process.pid) - begun, time.process_time() - own
    print(f"CPU an edit: the service {1e6 * used / edits:,.0f} µs, the client {1e6 * own / edits:,.0f} µs")


if __name__ == "__main__":
    main(*sys.argv[1:5])
