"""The service: documents, rules, findings, webhooks over HTTP; killed and started again; hostile clients."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

pytest.importorskip("starlette")
pytest.importorskip("sse_starlette")
httpx = pytest.importorskip("httpx")

from starlette.testclient import TestClient  # noqa: E402

from xmlcep.log.errors import LogLockedError  # noqa: E402
from xmlcep.recording.recorder import Recording  # noqa: E402
from xmlcep.serving.application import application  # noqa: E402
from xmlcep.serving.guard import by_token  # noqa: E402
from xmlcep.serving.journal import Journal  # noqa: E402
from xmlcep.serving.store import Store  # noqa: E402
from xmlcep.serving.webhooks import signature  # noqa: E402

RULES = """
event Both = ins(item/price) & ins(item/quantity)
event Late = (ins(item) ; not ins(item/quantity)) {within="1 hour"}
event Approved(item) = external
"""
ITEM = "<item><price>1</price><quantity>2</quantity></item>"


def client_of(folder: Path, **options: Any) -> TestClient:
    app = application(folder, Store(folder, durability="os"), hosts=["testserver"], **options)
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with client_of(tmp_path) as client:
        assert client.put("/rules/orders", content=RULES).json()["events"] == ["Both", "Late", "Approved"]
        assert client.put("/documents/one", content="<order/>").status_code == 201
        yield client


def insert(client: TestClient, xml: str = ITEM, document: str = "one", **headers: str) -> Any:
    return client.post(
        f"/documents/{document}/edits", json={"edits": [{"insert": "/order", "xml": xml}]}, headers=headers
    )


def test_documents(client: TestClient) -> None:
    made = insert(client, **{"X-User": "ann"})
    assert made.json() == {"ts": 5, "cursor": 1} and made.headers["etag"] == '"5"'
    got = client.get("/documents/one")
    assert ITEM in got.text and got.headers["etag"] == '"5"'
    assert "<item/>" in client.get("/documents/one?at=1").text
    assert insert(client, **{"If-Match": '"4"'}).status_code == 412
    assert insert(client, **{"If-Match": '"5"'}).status_code == 200
    edits = [
        {"set": "item[1]/price", "to": "9"}, {"set": "item[1]/@id", "to": "a"}, {"delete": "item[2]"},
        {"set": "item[1]/quantity/text()", "to": "3"},
    ]  # fmt: skip
    assert client.post("/documents/one/edits", json={"edits": edits}).status_code == 200
    assert (
        '<order><item id="a"><price>9</price><quantity>3</quantity></item></order>'
        in client.get("/documents/one").text
    )
    assert client.put("/documents/one", content="<order><item/></order>").status_code == 200
    assert client.get("/documents").json()["documents"][0]["name"] == "one"
    finding = client.get("/findings").json()["findings"][0]
    assert finding["id"] == "one:4:Both:1,2" and finding["finding"]["meta"] == {"user": "ann"}
    assert "transaction 1 was the last of 2 events" in client.get(f"/why/{finding['id']}").json()["text"]


def test_a_request_is_made_as_a_whole_or_not_at_all(client: TestClient) -> None:
    edits = [{"insert": "/order", "xml": ITEM}, {"set": "nowhere", "to": "1"}]
    refused = client.post("/documents/one/edits", json={"edits": edits})
    assert refused.status_code == 409 and "leads to no node" in refused.json()["error"]
    assert "<order/>" in client.get("/documents/one").text
    assert client.get("/findings").json() == {"findings": [], "cursor": 0}


def test_rules(client: TestClient) -> None:
    wrong = client.put("/rules/more", content="event Both = ins(item) &\n")
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["line"] == 1
    twice = client.put("/rules/more", content="event Both = ins(item) ; upd(item)")
    assert twice.status_code == 422 and "Both" in twice.json()["errors"][0]["message"]
    dry = client.put("/rules/more?dry-run=1", content="event Uses = Both(item) ; ins(item/price)")
    assert dry.status_code == 200 and client.get("/rules/more").status_code == 404
    assert client.put("/rules/more", content="event Uses = Both(item) ; ins(item/price)").status_code == 200
    assert client.get("/rules").json() == {
        "rules": ["more", "orders"],
        "events": ["Both", "Uses", "Late", "Approved"],
    }
    assert client.delete("/rules/orders").status_code == 422  # the other needs its events
    assert client.delete("/rules/more").status_code == 200
    assert client.get("/rules/orders").text == RULES
    read = client.put("/rules/file", content='reference x = "/etc/passwd"\nevent A = ins(item) ; upd(item)')
    assert read.status_code == 422 and "is not given" in read.json()["errors"][0]["message"]


def test_rules_that_change_keep_what_has_begun(client: TestClient) -> None:
    """Also when they were changed while the service was stopped."""
    insert(client, "<item><price>1</price></item>")
    client.put("/rules/orders", content=RULES.replace("1 hour", "2 hours"))
    client.post("/documents/one/edits", json={"edits": [{"insert": "/order/item", "xml": "<quantity/>"}]})
    assert [each["finding"]["name"] for each in client.get("/findings").json()["findings"]] == ["Both"]


def test_what_is_pending_and_signals(client: TestClient) -> None:
    insert(client, "<item><price>1</price></item>")
    pending = client.get("/documents/one/pending?event=Both").json()
    assert pending["total"] == 1 and pending["pending"][0]["missing"] == ["ins(item/quantity)"]
    assert (
        client.post("/documents/one/signals", json={"event": "Approved", "node": "item[1]"}).status_code
        == 200
    )
    assert [each["finding"]["name"] for each in client.get("/findings").json()["findings"]] == ["Approved"]
    assert client.post("/documents/one/signals", json={"event": "No"}).status_code == 400


def test_started_again(tmp_path: Path) -> None:
    """What has begun goes on; no finding comes twice, none is missing."""
    with client_of(tmp_path) as client:
        client.put("/rules/orders", content=RULES)
        client.put("/documents/one", content="<order/>")
        insert(client)
        insert(client, "<item><price>1</price></item>")
        with pytest.raises(LogLockedError):
            Store(tmp_path)
    with client_of(tmp_path) as client:
        client.post(
            "/documents/one/edits", json={"edits": [{"insert": "/order/item[2]", "xml": "<quantity/>"}]}
        )
        found = client.get("/findings?after=1").json()
        assert [each["id"] for each in found["findings"]] == ["one:9:Both:1,7"] and found["cursor"] == 2
    (tmp_path / "rules" / "orders.xcep").write_text("event Other = ins(item) ; ins(item/price)")
    with client_of(tmp_path) as client:  # rules that were changed meanwhile
        insert(client)
        assert [each["finding"]["name"] for each in client.get("/findings?after=2").json()["findings"]] == [
            "Other"
        ]


def test_findings_are_told_when_the_logs_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a finding could be told of an edit that is lost with the power. If the disk fails, nothing more is taken."""
    steps: list[str] = []

    def noting(step: str, call: Callable[..., None]) -> Callable[..., None]:
        def noted(*given: Any, **named: Any) -> None:
            steps.append(step)
            call(*given, **named)

        return noted

    monkeypatch.setattr(Recording, "sync", noting("log", Recording.sync))
    monkeypatch.setattr(Journal, "write", noting("findings", Journal.write))
    app = application(tmp_path, Store(tmp_path), hosts=["testserver"])
    with TestClient(app, raise_server_exceptions=False) as client:
        client.put("/rules/orders", content=RULES)
        client.put("/documents/one", content="<order/>")
        steps.clear()
        assert insert(client).json()["cursor"] == 1 and steps == ["log", "findings"]
        monkeypatch.setattr(os, "fsync", disk_error)
        assert "start the service again" not in insert(client).json()["error"]
        refused = insert(client)
        assert refused.status_code == 503 and "start the service again" in refused.json()["error"]
        assert client.delete("/rules/orders").status_code == 503
        assert client.get("/findings").json()["cursor"] == 1
        monkeypatch.undo()
    with client_of(tmp_path) as client:
        assert [each["id"] for each in client.get("/findings").json()["findings"]] == [
            "one:4:Both:1,2", "one:9:Both:1,7",
        ]  # fmt: skip


def disk_error(_: int) -> None:
    raise OSError(5, "Input/output error")


HOSTILE: dict[str, tuple[str, str, Any, int]] = {
    "path traversal": ("GET", "/documents/..%2f..%2fetc%2fpasswd", None, 404),
    "a dotted name": ("PUT", "/documents/one.0002", b"<a/>", 404),
    "a long name": ("PUT", f"/documents/{'a' * 101}", b"<a/>", 404),
    "XXE": ("PUT", "/documents/x", b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', 400),
    "laughs": ("PUT", "/documents/x", b'<!DOCTYPE a [<!ENTITY e "eeee"><!ENTITY f "&e;&e;">]><a>&f;</a>', 400),
    "no XML": ("PUT", "/documents/x", b"<a>", 400),
    "no document": ("PUT", "/documents/x", b"", 400),
    "oversized": ("PUT", "/documents/x", b"<a>" + b" " * 20_000 + b"</a>", 413),
    "deep": ("POST", "/documents/one/edits", b"[" * 9_000, 400),
    "no object": ("POST", "/documents/one/edits", b"[]", 400),
    "no edit": ("POST", "/documents/one/edits", b'{"edits": [{"run": "x"}]}', 400),
    "no XPath": ("POST", "/documents/one/edits", b'{"edits": [{"delete": "///"}]}', 400),
    "XXE in an edit": (
        "POST", "/documents/one/edits",
        b'{"edits": [{"insert": "/order", "xml": "<!DOCTYPE a [<!ENTITY e SYSTEM \'file:///etc/passwd\'>]><a>&e;</a>"}]}',
        400,
    ),
    "an option in meta": (
        "POST", "/documents/one/edits",
        b'{"edits": [{"set": "/order/@a", "to": "1"}], "meta": {"immediate": "1"}}', 400,
    ),
    "the root": ("POST", "/documents/one/edits", b'{"edits": [{"delete": "/order"}]}', 409),
    "a name that is none": ("POST", "/documents/one/edits", b'{"edits": [{"insert": "/order", "xml": "x"}]}', 400),
    "a character that XML has not": (
        "POST", "/documents/one/edits", b'{"edits": [{"set": "/order", "to": "\\u0000"}]}', 400,
    ),
    "forged cursor": ("GET", "/findings?after=99999999999999999999", None, 400),
    "negative cursor": ("GET", "/findings?after=-1", None, 400),
    "a cursor to come": ("GET", "/findings?after=1", None, 400),
    "a finding that is none": ("GET", "/why/one:9:No:1", None, 404),
    "no finding": ("GET", "/why/..%2f..%2fetc", None, 404),
    "a time that is none": ("GET", "/documents/one?at=x", None, 400),
    "a file as webhook": ("PUT", "/webhooks/a", b'{"url": "file:///etc/passwd", "secret": "0123456789abcdef"}', 400),
    "no method": ("PATCH", "/documents/one", b"", 405),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests(tmp_path: Path, name: str) -> None:
    """Each is refused with a sentence, and nothing has changed."""
    method, path, body, status = HOSTILE[name]
    with client_of(tmp_path, largest=10_000) as client:
        client.put("/documents/one", content="<order/>")
        answer = client.request(method, path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == status, answer.text
        assert "Traceback" not in answer.text and "root:" not in answer.text
        assert client.get("/documents").json() == {"documents": [{"name": "one", "ts": 0}]}


def test_who_is_let_in(tmp_path: Path) -> None:
    with client_of(tmp_path, authenticate=by_token("s3cret")) as client:
        assert client.get("/documents").status_code == 401
        assert client.get("/documents", headers={"authorization": "Bearer s3cre"}).status_code == 401
        assert client.get("/documents", headers={"authorization": "Basic !"}).status_code == 401
        assert client.get("/documents", auth=("any", "s3cret")).status_code == 200
        good = {"authorization": "Bearer s3cret"}
        assert client.get("/documents", headers=good).status_code == 200
        evil = {"origin": "http://evil.example"}
        assert client.put("/documents/a", content="<a/>", headers=good | evil).status_code == 403
        assert client.get("/documents", headers=good | {"host": "evil.example"}).status_code == 400


def test_the_description_has_every_route(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/documents/{name}/edits", "/findings", "/why/{id}", "/rules/{name}"} <= paths.keys()
    assert all(method["summary"] for path in paths.values() for method in path.values())
    assert "xmlcep_documents 1\n" in client.get("/metrics").text
    assert "default-src 'self'" in client.get("/").headers["content-security-policy"]


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks; fails at first."""

    got: ClassVar[list[tuple[dict[str, str], bytes]]] = []
    failures = 1
    done = threading.Event()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if type(self).failures:
            type(self).failures -= 1
            self.send_response(500)
        else:
            self.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            if len(self.got) == 2:
                self.done.set()
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def test_webhooks(client: TestClient) -> None:
    """Each finding at least once, in order, signed; what has failed is sent again."""
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        insert(client)
        insert(client)
        hook = {"url": f"http://127.0.0.1:{server.server_port}/x", "secret": "0123456789abcdef", "after": 0}
        assert client.put("/webhooks/a", json=hook).status_code == 201
        assert Receiver.done.wait(20)
        for number, (headers, body) in enumerate(Receiver.got[:2], 1):
            assert json.loads(body)["cursor"] == number
            at = int(headers["webhook-timestamp"])
            assert headers["webhook-signature"] == signature(hook["secret"], headers["webhook-id"], at, body)  # type: ignore[arg-type]
        assert "secret" not in client.get("/webhooks").text
        assert client.delete("/webhooks/a").status_code == 204
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
