"""Findings sent to others: each at least once, in order, signed as in Standard Webhooks; none is lost.

The signature is ``v1,`` and the Base64 of HMAC-SHA256, by the secret, of ``ID.TIMESTAMP.BODY``, which are the headers
``webhook-id`` and ``webhook-timestamp``, and the body.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from base64 import b64encode
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..log.json_codec import FASTEST
from ..log.writing import write_new_file
from ..proofs.errors import ProofError
from ..proofs.posting import is_address, post
from .errors import RequestError
from .journal import Entry, Journal

_SLOWEST = 300.0  # seconds between tries


@dataclass
class Webhook:
    """Where findings are sent, and how far that is."""

    url: str
    secret: str
    cursor: int
    failed: str | None = None

    def shown(self) -> dict[str, Any]:
        """What may be said of it."""
        return {name: value for name, value in asdict(self).items() if name != "secret"}


def signature(secret: str, id_: str, at: int, body: bytes) -> str:
    """What the header ``webhook-signature`` has."""
    mac = hmac.digest(secret.encode(), f"{id_}.{at}.".encode() + body, "sha256")
    return f"v1,{b64encode(mac).decode()}"


class Webhooks:
    """The webhooks of a service, a task for each; what they are and how far is in ``webhooks.json``."""

    def __init__(self, file: Path, journal: Journal) -> None:
        self._file = file
        self._journal = journal
        known = json.loads(file.read_bytes()) if file.exists() else {}
        self.known = {name: Webhook(**each) for name, each in known.items()}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._more = asyncio.Event()

    def start(self) -> None:
        """Begins to send; in the event loop."""
        for name in self.known:
            self._begin(name)

    def ring(self) -> None:
        """There are more findings."""
        self._more.set()
        self._more = asyncio.Event()

    def put(self, name: str, given: Any) -> None:
        """A new webhook, or another address for one; raises `RequestError`."""
        url, secret = (given.get("url"), given.get("secret")) if isinstance(given, dict) else (None, None)
        after = given.get("after", len(self._journal)) if isinstance(given, dict) else 0
        if not is_address(url) or not isinstance(secret, str) or len(secret) < 16:
            raise RequestError(400, 'a webhook has "url", http or https, and "secret", 16 characters or more')
        if type(after) is not int or not 0 <= after <= len(self._journal):
            raise RequestError(
                400, f"after is {after!r:.30}: expected a cursor from 0 to {len(self._journal)}"
            )
        self.known[name] = Webhook(str(url), secret, after)
        self._save()
        self._begin(name)

    def delete(self, name: str) -> None:
        """Ends a webhook; raises `RequestError` if there is none."""
        if name not in self.known:
            raise RequestError(404, f"there is no webhook {name!r}")
        del self.known[name]
        self._tasks.pop(name).cancel()
        self._save()

    async def close(self) -> None:
        """Ends all tasks; what was not answered is sent again at the next start."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _begin(self, name: str) -> None:
        if (before := self._tasks.get(name)) is not None:
            before.cancel()
        self._tasks[name] = asyncio.get_running_loop().create_task(self._send_all(self.known[name]))

    async def _send_all(self, webhook: Webhook) -> None:
        pause = 1.0
        while True:
            more = self._more
            for entry in self._journal.after(webhook.cursor, 100):
                webhook.failed = await asyncio.to_thread(_post, webhook, entry)
                if webhook.failed is not None:
                    break
                webhook.cursor, pause = entry.cursor, 1.0
                self._save()
            if webhook.failed is not None:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _SLOWEST)
            elif webhook.cursor == len(self._journal):
                await more.wait()

    def _save(self) -> None:
        known = {name: asdict(each) for name, each in self.known.items()}
        write_new_file(self._file, json.dumps(known, indent=1).encode())
        self._file.chmod(0o600)


def _post(webhook: Webhook, entry: Entry) -> str | None:
    """Sends a finding; returns why that failed."""
    body, at = FASTEST.dumps(entry.to_record()), int(time.time())
    headers = {
        "content-type": "application/json", "webhook-id": entry.id, "webhook-timestamp": str(at),
        "webhook-signature": signature(webhook.secret, entry.id, at, body),
    }  # fmt: skip
    try:
        status = post(webhook.url, body, headers).status
    except ProofError as error:
        return str(error)
    return None if 200 <= status < 300 else f"status {status}"
