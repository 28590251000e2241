"""`xmlcep lsp`, driven by a client of the Language Server Protocol as an editor is."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

import xmlcep
from tests.project.source import ROOT

RULES = """# Prices that rise.
event Dearer(item) = upd(item/price/text())[number(.) > $limit]
param limit = 100
event Twice {within="3 days"} = Dearer(item) ; Dearer(item)  # as W3 says
"""


class Editor:
    """An editor that has a folder open."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.said: dict[str, list[lsp.Diagnostic]] = {}
        self._heard: dict[str, asyncio.Event] = defaultdict(asyncio.Event)

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def heard(params: lsp.PublishDiagnosticsParams) -> None:
            self.said[params.uri] = list(params.diagnostics)
            self._heard[params.uri].set()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def hear(self, name: str) -> list[lsp.Diagnostic]:
        """What is said of a file since it was asked last."""
        await asyncio.wait_for(self._heard[self.uri(name)].wait(), 30)
        self._heard[self.uri(name)].clear()
        return self.said[self.uri(name)]

    def _listen(self, name: str) -> asyncio.Event:
        """What is set when something is said of a file again."""
        heard = self._heard[self.uri(name)]
        heard.clear()
        return heard

    async def open(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Opens a file; what is said of it."""
        heard = self._listen(name)
        item = lsp.TextDocumentItem(self.uri(name), "xcep", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        await asyncio.wait_for(heard.wait(), 30)
        return self.said[self.uri(name)]

    async def type(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Replaces its text."""
        heard = self._listen(name)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        which = lsp.VersionedTextDocumentIdentifier(2, self.uri(name))
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(which, [change]))
        await asyncio.wait_for(heard.wait(), 30)
        return self.said[self.uri(name)]

    def at(self, name: str, text: str, before: str) -> tuple[lsp.TextDocumentIdentifier, lsp.Position]:
        """The place behind the first occurrence of ``before``."""
        lines = text[: text.index(before) + len(before)].split("\n")
        place = lsp.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)
        return lsp.TextDocumentIdentifier(self.uri(name)), place

    async def completed(self, name: str, text: str, before: str) -> dict[str, lsp.CompletionItem]:
        await self.type(name, text)
        params = lsp.CompletionParams(*self.at(name, text, before))
        found: Any = await self.client.text_document_completion_async(params)
        return {item.label: item for item in found}


def edited(tmp_path: Path, session: Callable[[Editor], Awaitable[None]]) -> None:
    """Runs a session with a server of its own."""

    async def run() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, tmp_path)
        await client.start_io(sys.executable, "-m", "xmlcep", "lsp")
        capabilities = lsp.ClientCapabilities()
        params = lsp.InitializeParams(capabilities, root_uri=tmp_path.as_uri())
        await client.initialize_async(params)
        client.initialized(lsp.InitializedParams())
        try:
            await session(editor)
        finally:
            await client.shutdown_async(None)
            client.exit(None)
            await client.stop()

    asyncio.run(run())


def test_a_session(tmp_path: Path) -> None:
    doc = xmlcep.fromstring("<order><item><price>3</price></item></order>", name="order")
    with xmlcep.record(doc, tmp_path / "log.jsonl"):
        doc.root[0].set("n", "7")
        doc.root[0][0].text = "4"
    (tmp_path / "xmlcep.toml").write_text('rules = ["*.xcep"]\nlogs = ["log.jsonl"]\nparams = {limit = 3}\n')
    (tmp_path / "a.xcep").write_text(RULES)
    (tmp_path / "b.xcep").write_text("event Other = Twice(item)\n")
    edited(tmp_path, _session)


async def _session(editor: Editor) -> None:
    assert await editor.open("a.xcep", RULES) == await editor.hear("b.xcep") == []
    # mistakes, with the place in characters as the protocol counts them
    mistaken = RULES.replace("event Twice", "event Twi𐐀ce").replace("Dearer(item)  #", "Deerer(item)  #")
    (wrong,) = await editor.type("a.xcep", mistaken)
    assert "there is no event called Deerer" in wrong.message and "did you mean Dearer?" in wrong.message
    before = mistaken.splitlines()[3].partition("Deerer")[0]
    assert wrong.range.start == lsp.Position(3, len(before.encode("utf-16-le")) // 2)
    assert wrong.range.start.character == len(before) + 1
    assert (wrong.severity, wrong.source) == (lsp.DiagnosticSeverity.Error, "xmlcep")
    # in another file of the set
    other = await editor.hear("b.xcep")
    assert ["there is no event called Twice" in each.message for each in other] == [True]
    warned, *_ = await editor.type("a.xcep", RULES.replace("number(.) > $limit", "$op = 'insert'"))
    assert warned.severity is lsp.DiagnosticSeverity.Warning
    assert await editor.type("a.xcep", RULES) == []
    await _asks(editor)
    await _completes(editor)


async def _asks(editor: Editor) -> None:
    client = editor.client

    async def hovered(before: str) -> str:
        found = await client.text_document_hover_async(lsp.HoverParams(*editor.at("a.xcep", RULES, before)))
        assert found is not None and isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    assert "W3. Windows" in await hovered("with") and "W3. Windows" in await hovered("as W")
    tree = await hovered("= Dea")
    assert "Prices that rise." in tree and "upd(item/price/text())[number(.) > $limit]" in tree
    assert "3.0" in await hovered("$lim")
    here = editor.at("a.xcep", RULES, "= Dea")
    defined: Any = await client.text_document_definition_async(lsp.DefinitionParams(*here))
    assert [each.range.start.line for each in defined] == [1]
    used: Any = await client.text_document_references_async(
        lsp.ReferenceParams(lsp.ReferenceContext(include_declaration=False), *here)
    )
    assert [each.range.start.line for each in used] == [3, 3]
    twice = editor.at("a.xcep", RULES, "event Twi")
    edit = await client.text_document_rename_async(lsp.RenameParams(*twice, "Again"))
    assert edit is not None and edit.changes is not None
    assert {uri.rpartition("/")[2]: len(edits) for uri, edits in edit.changes.items()} == {
        "a.xcep": 1,
        "b.xcep": 1,
    }
    with pytest.raises(Exception, match="there is a definition of Dearer already"):
        await client.text_document_rename_async(lsp.RenameParams(*twice, "Dearer"))
    options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    (new,) = await client.text_document_formatting_async(lsp.DocumentFormattingParams(here[0], options)) or ()
    assert new.new_text == RULES
    symbols: Any = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(here[0]))
    assert [each.name for each in symbols] == ["Dearer", "limit", "Twice"]


async def _completes(editor: Editor) -> None:
    async def completed(text: str, before: str) -> dict[str, lsp.CompletionItem]:
        return await editor.completed("a.xcep", RULES + text, before)

    assert {"order", "item", "price", "@n", "text()"} <= set(await completed("event A = ins(", "A = ins("))
    assert set(await completed("event A = ins(order/item/", "order/item/")) == {"price", "@n"}
    assert set(await completed("event A = ins(/", "ins(/")) == {"order"}
    assert set(await completed("event A = ins(item/@", "item/@")) == {"n"}
    assert {"Dearer(", "Twice(", "any["} <= set(await completed("event A = ", "event A = "))
    assert {"Dearer("} == set(await completed("event A = ins(item) ; Dea", "; Dea"))
    options = await completed("event A {", "A {")
    assert {"within", "context", "severity"} <= set(options)
    assert set(await completed("event A {context=re", "context=re")) == {"recent"}
    assert set(await completed("event A = ins(a/text())[. > $li", "$li")) == {"limit"}
    codes = await completed("# see W3", "see W")
    assert codes["W3"].detail == "Windows" and set(codes) >= {"W1", "W10"}
    assert "event" in await completed("ev", "\nev")


def test_paths_of_a_schema(tmp_path: Path) -> None:
    schema = ROOT / "samples" / "purchase_order" / "purchase-order.xsd"
    (tmp_path / "xmlcep.toml").write_text(f"rules = ['a.xcep']\nschema = '{schema}'\n")
    (tmp_path / "a.xcep").write_text("")

    async def session(editor: Editor) -> None:
        await editor.open("a.xcep", "")
        found = await editor.completed("a.xcep", "event A = ins(purchaseOrder/", "purchaseOrder/")
        assert {"billTo", "shipTo", "item"} <= set(found) and "price" not in found
        assert {"@partNum", "price"} <= set(await editor.completed("a.xcep", "event A = ins(item/", "item/"))

    edited(tmp_path, session)
