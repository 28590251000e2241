"""The routes of the service: each a request made of the store, and the answer."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..errors import RuleError, RuleProblem, XmlCepError
from ..log.errors import LogError
from ..log.json_codec import FASTEST, STANDARD
from ..timestamps import microseconds, timestamp
from .errors import RequestError
from .group_commit import GroupCommit
from .guard import Authenticate, Guard, body_of
from .metrics import Metrics
from .store import Store, checked_name
from .webhooks import Webhooks

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
_MOST = 1000  # findings of an answer, and edits of a request
_STATIC = {
    "": ("page.html", "text/html"),
    "page.js": ("page.js", "text/javascript"),
    "page.css": ("page.css", "text/css"),
}
_SAFE = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'", "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}  # fmt: skip


class Service:
    """A store over HTTP; ``largest`` are bytes of a request, ``slowest`` seconds in which it has to come."""

    def __init__(
        self, store: Store, folder: Path, *, largest: int = 10_000_000, slowest: float = 30.0
    ) -> None:
        self.store = store
        self.listeners: set[asyncio.Event] = set()
        self.metrics = Metrics(store, self.listeners)
        self._largest, self._slowest = largest, slowest
        self._sooner = asyncio.Event()
        self._due: str | None = None
        self._webhooks = Webhooks(folder / "webhooks.json", store.journal)
        self._commits = GroupCommit(store, self._published, sync=store.syncs)

    @property
    def routes(self) -> list[Route]:
        """The routes; the first line of a handler's docstring says in the OpenAPI page what it does."""
        table: tuple[tuple[str, str, Handler], ...] = (
            ("GET", "/documents", self.list_documents), ("GET", "/documents/{name}", self.get_document),
            ("PUT", "/documents/{name}", self.put_document), ("POST", "/documents/{name}/edits", self.post_edits),
            ("POST", "/documents/{name}/signals", self.post_signal),
            ("GET", "/documents/{name}/pending", self.get_pending),
            ("GET", "/rules", self.list_rules), ("GET", "/rules/{name}", self.get_rules),
            ("PUT", "/rules/{name}", self.put_rules), ("DELETE", "/rules/{name}", self.delete_rules),
            ("GET", "/findings", self.get_findings), ("GET", "/why/{id:path}", self.get_why),
            ("GET", "/webhooks", self.list_webhooks), ("PUT", "/webhooks/{name}", self.put_webhook),
            ("DELETE", "/webhooks/{name}", self.delete_webhook), ("GET", "/metrics", self.get_metrics),
            ("GET", "/openapi.json", self.get_openapi),
        )  # fmt: skip
        pages = [
            Route(f"/{path}", self._page(*page), include_in_schema=False) for path, page in _STATIC.items()
        ]
        return [*(Route(path, handler, methods=[method]) for method, path, handler in table), *pages]

    # ---- documents ------------------------------------------------------------------------------------

    async def list_documents(self, request: Request) -> Response:
        """The documents, with their time points."""
        return _json(
            {
                "documents": [
                    {"name": name, "ts": self.store.document(name).clock} for name in self.store.names
                ]
            }
        )

    async def get_document(self, request: Request) -> Response:
        """A document as XML; ``at``, a time point or time, as it was then."""
        name, at = request.path_params["name"], request.query_params.get("at")
        document = self.store.document(name)
        xml = self.store.at(name, int(at) if at and at.isdecimal() else at)
        tag = {} if at is not None else {"etag": f'"{document.clock}"'}
        return Response(xml, media_type="application/xml", headers=tag)

    async def put_document(self, request: Request) -> Response:
        """Makes a document of XML, or brings it to this state by the least edits; If-Match is heeded."""
        xml, name = await self._body(request), request.path_params["name"]
        is_new = self.store.put(name, xml, request.headers.get("if-match"), _meta(request))
        return await self._changed(name, 201 if is_new else 200)

    async def post_edits(self, request: Request) -> Response:
        """Edits in one transaction: {"edits": [{"set": XPATH, "to": TEXT}, {"insert": XPATH, "xml": XML}, {"delete":
        XPATH}], "meta": {}, "namespaces": {}}; If-Match is heeded."""
        given, name = await self._object(request), request.path_params["name"]
        edits, meta, namespaces = given.get("edits"), given.get("meta", {}), given.get("namespaces", {})
        if not isinstance(edits, list) or not edits or len(edits) > _MOST:
            raise RequestError(400, f'expected {{"edits": [...]}}, 1 to {_MOST} of them')
        _require_texts(meta=meta, namespaces=namespaces)
        self.store.edit(name, edits, request.headers.get("if-match"), _meta(request) | meta, namespaces)
        return await self._changed(name, 200)

    async def post_signal(self, request: Request) -> Response:
        """Raises an external event: {"event": NAME, "node": XPATH, "values": {}}."""
        given, name = await self._object(request), request.path_params["name"]
        event, node, values = given.get("event"), given.get("node"), given.get("values", {})
        _require_texts(values=values)
        if not isinstance(event, str) or not isinstance(node, str | None):
            raise RequestError(400, 'expected {"event": NAME, "node": XPATH, "values": {}}')
        self.store.signal(name, event, node, _meta(request) | values)
        return await self._changed(name, 200)

    async def get_pending(self, request: Request) -> Response:
        """What has begun in a document, and what is missing; ``event``, ``limit``."""
        query = request.query_params
        found = self.store.pending(
            request.path_params["name"], query.get("event"), _number(query, "limit", 100, 1, _MOST)
        )
        groups = [] if found is None else [group.to_record() for group in found]
        return _json({"pending": groups, "total": 0 if found is None else found.total})

    async def _changed(self, name: str, status: int) -> Response:
        document = self.store.document(name)
        ts, due = document.clock, document.next_due()
        if due is not None and (self._due is None or due < self._due):
            self._sooner.set()
        await self._commits.done()
        return _json({"ts": ts, "cursor": len(self.store.journal)}, status, {"etag": f'"{ts}"'})

    # ---- rules ----------------------------------------------------------------------------------------

    async def list_rules(self, request: Request) -> Response:
        """The sets of rules, and their events."""
        rules = self.store.rules
        events = [] if rules is None else [tree.name for tree in rules.graph.trees]
        return _json({"rules": sorted(self.store.texts), "events": events})

    async def get_rules(self, request: Request) -> Response:
        """A set of rules as text."""
        text = self.store.texts.get(checked_name(request.path_params["name"]))
        if text is None:
            raise RequestError(404, f"there are no rules {request.path_params['name']!r}")
        return Response(text, media_type="text/plain; charset=utf-8")

    async def put_rules(self, request: Request) -> Response:
        """Puts a set of rules in its place, if all sets are right together; ``dry-run=1`` only checks it."""
        try:
            text = (await self._body(request)).decode()
        except UnicodeDecodeError:
            raise RequestError(400, "rules are text in UTF-8") from None
        return await self._put_rules(request, text)

    async def delete_rules(self, request: Request) -> Response:
        """Takes a set of rules away, unless others use its events."""
        return await self._put_rules(request, None)

    async def _put_rules(self, request: Request, text: str | None) -> Response:
        self._commits.require()
        dry_run = request.query_params.get("dry-run", "") not in ("", "0", "false")
        rules = self.store.put_rules(request.path_params["name"], text, dry_run=dry_run)
        await self._commits.done()
        events = [] if rules is None else [tree.name for tree in rules.graph.trees]
        return _json({"errors": [], "events": events, "ignored": None if rules is None else rules.ignored()})

    # ---- findings -------------------------------------------------------------------------------------

    async def get_findings(self, request: Request) -> Response:
        """Findings behind the cursor ``after``; as text/event-stream, which heeds Last-Event-ID, those to come, too."""
        query, known = request.query_params, len(self.store.journal)
        if "text/event-stream" in request.headers.get("accept", ""):
            last = request.headers.get("last-event-id")
            after = _number({"after": last} if last else query, "after", known, 0, known)
            from sse_starlette import EventSourceResponse

            more: Any = asyncio.Event()  # there are more findings, or the service ends
            return EventSourceResponse(
                self._stream(after, more),
                ping=15,
                headers=_SAFE,
                shutdown_event=more,
                shutdown_grace_period=1.0,
            )
        after = _number(query, "after", 0, 0, known)
        found = list(self.store.journal.after(after, _number(query, "limit", 100, 1, _MOST)))
        return _json(
            {"findings": [each.to_record() for each in found], "cursor": found[-1].cursor if found else after}
        )

    async def _stream(self, after: int, more: asyncio.Event) -> AsyncIterator[bytes]:
        from sse_starlette import ServerSentEvent

        self.listeners.add(more)
        try:
            while True:
                if after == len(self.store.journal):
                    more.clear()
                    await more.wait()
                found = list(self.store.journal.after(after, 100))
                if not found:  # the service ends
                    return
                after = found[-1].cursor
                data = ((str(each.cursor), FASTEST.dumps(each.to_record()).decode()) for each in found)
                yield b"".join(ServerSentEvent(text, id=cursor).encode() for cursor, text in data)
        finally:
            self.listeners.discard(more)

    def _published(self) -> None:
        for more in self.listeners:
            more.set()
        self._webhooks.ring()

    async def get_why(self, request: Request) -> Response:
        """Why a finding was raised, by its id."""
        found = self.store.why(request.path_params["id"])
        return _json({"text": str(found), **found.to_record()})

    # ---- webhooks, metrics, pages ---------------------------------------------------------------------

    async def list_webhooks(self, request: Request) -> Response:
        """Where findings are sent, and how far that is."""
        return _json({"webhooks": {name: each.shown() for name, each in self._webhooks.known.items()}})

    async def put_webhook(self, request: Request) -> Response:
        """Sends every finding to a URL, at least once, signed: {"url": URL, "secret": TEXT, "after": CURSOR}."""
        given = await self._object(request)
        self._webhooks.put(checked_name(request.path_params["name"]), given)
        return _json({"webhook": request.path_params["name"]}, 201)

    async def delete_webhook(self, request: Request) -> Response:
        """Ends a webhook."""
        self._webhooks.delete(request.path_params["name"])
        return Response(status_code=204)

    async def get_metrics(self, request: Request) -> Response:
        """Counts as Prometheus reads them."""
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

    async def get_openapi(self, request: Request) -> Response:
        """This page."""
        return _json(openapi(self.routes))

    def _page(self, file: str, kind: str) -> Handler:
        text = (files(__package__) / file).read_bytes()

        async def page(request: Request) -> Response:
            return Response(text, media_type=kind, headers=_SAFE)

        return page

    # ---- what goes on beside requests -----------------------------------------------------------------

    @asynccontextmanager
    async def running(self, _: Starlette) -> AsyncIterator[None]:
        """Sends webhooks and lets time pass while the service runs; then closes the store."""
        self._webhooks.start()
        gc.collect()
        gc.freeze()  # what stays need not be looked through again and again
        timers = asyncio.get_running_loop().create_task(self._let_time_pass())
        try:
            yield
        finally:
            timers.cancel()
            with suppress(asyncio.CancelledError):
                await timers
            await self._webhooks.close()
            await self._commits.close()
            self.store.close()

    async def _let_time_pass(self) -> None:
        """Sleeps until something is due, and raises it then (W6)."""
        while True:
            self._sooner.clear()
            self._due = self.store.next_due()
            wait = None if self._due is None else max(0.0, microseconds(self._due) / 1e6 - time.time())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._sooner.wait(), None if wait is None else min(wait, 3600.0))
            now = timestamp(int(time.time() * 1_000_000))
            if self._due is not None and self._due <= now:
                self.store.advance(now)
                with suppress(LogError):  # which is the answer to the next edit, too
                    await self._commits.done()

    # ---- bodies ---------------------------------------------------------------------------------------

    async def _body(self, request: Request) -> bytes:
        self._commits.require()
        return await body_of(request, self._largest, self._slowest)

    async def _object(self, request: Request) -> dict[str, Any]:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise RequestError(415, "expected content-type: application/json")
        body = await self._body(request)
        try:
            given = STANDARD.loads(body)
        except ValueError as error:
            raise RequestError(400, f"no JSON: {error}") from error
        if not isinstance(given, dict):
            raise RequestError(400, "expected a JSON object")
        return given


def application(
    folder: Path, store: Store, *, hosts: Sequence[str] = ("127.0.0.1", "localhost", "[::1]"),
    authenticate: Authenticate | None = None, largest: int = 10_000_000, slowest: float = 30.0,
) -> Starlette:  # fmt: skip
    """The service as an ASGI application. ``hosts`` are the names that it answers to, so that no page of another site
    reaches it by a name of its own; ``authenticate`` says who may ask."""
    service = Service(store, folder, largest=largest, slowest=slowest)
    return Starlette(
        routes=service.routes,
        lifespan=service.running,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
            Middleware(Guard, authenticate=authenticate),
        ],
        exception_handlers={XmlCepError: _refused, etree.XMLSyntaxError: _refused},
    )


async def _refused(request: Request, error: Exception) -> Response:
    """What is wrong, for people, and which status that is."""
    if isinstance(error, RuleError):
        return _json({"errors": [_problem(each) for each in error.problems], "events": []}, 422)
    if isinstance(error, RequestError):
        return _json({"error": str(error), **error.more}, error.status)
    return _json(
        {"error": str(error)}, 503 if isinstance(error, LogError) and request.method != "GET" else 400
    )


def _problem(problem: RuleProblem) -> dict[str, Any]:
    """As `xmlcep check --format json` says it."""
    return {
        "file": problem.at.file or None, "line": problem.line or None, "column": problem.column or None,
        "width": problem.at.width if problem.line else None, "message": problem.message, "hint": problem.hint or None,
    }  # fmt: skip


def openapi(routes: Sequence[Route]) -> dict[str, Any]:
    """The routes as an OpenAPI 3.1 description."""
    paths: dict[str, Any] = {}
    for route in routes:
        if not route.include_in_schema:
            continue
        path = route.path.replace(":path}", "}")
        parameters = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in route.param_convertors
        ]
        for method in sorted((route.methods or set()) - {"HEAD"}):
            summary = " ".join((route.endpoint.__doc__ or "").split())
            paths.setdefault(path, {})[method.lower()] = {
                "summary": summary, "operationId": route.endpoint.__name__, "parameters": parameters,
                "responses": {"default": {"description": "what was asked for, or {error}"}},
            }  # fmt: skip
    return {"openapi": "3.1.0", "info": {"title": "xmlcep", "version": "1"}, "paths": paths}


def _json(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(FASTEST.dumps(content), status, headers, media_type="application/json")


def _meta(request: Request) -> dict[str, str]:
    """Who and why, as the records say it: the headers ``x-user`` and ``x-reason``."""
    given = ((name, request.headers.get(f"x-{name}")) for name in ("user", "reason"))
    return {name: value for name, value in given if value}


def _require_texts(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
            raise RequestError(400, f"{name}: expected an object of texts")


def _number(given: Any, name: str, otherwise: int, least: int, most: int) -> int:
    text = given.get(name)
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
        raise RequestError(400, f"{name} is {text!r:.40}: expected a whole number from {least} to {most}")
    return int(text)
