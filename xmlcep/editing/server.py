"""The language server: rules in editors by the Language Server Protocol (docs/editors.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import ServerTextPosition, ServerTextRange

from path_types.names import is_ncname

from ..errors import RuleProblem, XmlCepError
from ..events import OPERATIONS
from ..language.formatting import format_rules
from ..own_packages import installed_version
from ..rules import Rules
from ..rules.additions import Additions
from ..settings import Settings, find_settings
from .completion import Sort, complete
from .hovers import hover
from .names import Kind, Place, place_at, places
from .paths import Steps
from .problems import problems_of

if TYPE_CHECKING:
    from pygls.workspace import TextDocument

_CODE = re.compile(r"\b[A-Z]\d{1,2}\b(?=[^()]*\))")
_ERROR, _WARNING = lsp.DiagnosticSeverity.Error, lsp.DiagnosticSeverity.Warning
_SORTS = {
    Sort.KEYWORD: lsp.CompletionItemKind.Keyword, Sort.EVENT: lsp.CompletionItemKind.Event,
    Sort.OPERATOR: lsp.CompletionItemKind.Operator, Sort.OPTION: lsp.CompletionItemKind.Property,
    Sort.VALUE: lsp.CompletionItemKind.EnumMember, Sort.STEP: lsp.CompletionItemKind.Field,
    Sort.VARIABLE: lsp.CompletionItemKind.Variable, Sort.CODE: lsp.CompletionItemKind.Reference,
}  # fmt: skip
_SYMBOLS = {
    Kind.EVENT: lsp.SymbolKind.Event,
    Kind.RULE: lsp.SymbolKind.Function,
    Kind.VARIABLE: lsp.SymbolKind.Constant,
}


class RulesServer(LanguageServer):
    """The rules files that an editor has open. Files that the settings of their project name are one set, others each
    by itself."""

    def __init__(self) -> None:
        super().__init__("xmlcep", installed_version() or "0")
        self._rules: dict[str, Rules] = {}
        self._steps: dict[object, Steps] = {}

    # ---- files and sets -------------------------------------------------------------------------------

    def files_with(self, uri: str) -> tuple[Settings, list[str]]:
        """The settings that hold for a file, and the files of its set, itself among them."""
        path = to_fs_path(uri)
        try:
            settings = find_settings(Path(path).parent) if path else Settings()
        except XmlCepError as error:
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, str(error)))
            settings = Settings()
        files = [from_fs_path(str(Path(file).resolve())) or "" for file in settings.rules]
        own = from_fs_path(str(Path(path).resolve())) if path else uri
        return settings, files if own in files else [uri]

    def texts(self, uris: Iterable[str]) -> dict[str, str]:
        """The texts of files by their URIs, as the editor has them."""
        return {uri: self.workspace.get_text_document(uri).source for uri in uris}

    def check(self, uri: str) -> None:
        """Says what is wrong in a file and the others of its set."""
        settings, uris = self.files_with(uri)
        texts = self.texts(uris)
        names = {to_fs_path(each) or each: each for each in texts}
        given = {name: texts[each] for name, each in names.items()}
        try:
            additions = Additions.of("lsp", references=settings.references, params=settings.params)
            rules, errors, warnings = problems_of(
                given, additions, schema=settings.schema, locations=settings.locations
            )
        except XmlCepError as error:
            rules, errors, warnings = None, (RuleProblem(str(error), ""),), []
        for name, each in names.items():
            if rules is not None:
                self._rules[each] = rules
            found = [
                *((problem, _ERROR) for problem in errors),
                *((problem, _WARNING) for problem in warnings),
            ]
            said = [
                self._diagnostic(each, problem, severity)
                for problem, severity in found
                if (problem.at.file or name) == name
            ]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(each, said))

    def _diagnostic(self, uri: str, problem: RuleProblem, severity: lsp.DiagnosticSeverity) -> lsp.Diagnostic:
        line = max(problem.line - 1, 0)
        start = max(problem.column - 1, 0)
        document = self.workspace.get_text_document(uri)
        end = start + (problem.at.width if problem.line else 1)
        span = document.range_to_client_units(
            ServerTextRange(ServerTextPosition(line, start), ServerTextPosition(line, end))
        )
        cited = _CODE.search(f"{problem.message} {problem.hint}")
        text = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
        return lsp.Diagnostic(span, text, severity, cited[0] if cited else None, source="xmlcep")

    def rules_of(self, uri: str) -> Rules | None:
        """The rules in a file and its set, as they were when they were right last."""
        return self._rules.get(uri)

    def steps_of(self, settings: Settings) -> Steps:
        """The steps that the schema and the logs of a project have; read once."""
        key = settings.schema, settings.logs, tuple(settings.locations.items())
        if key not in self._steps:
            steps = self._steps[key] = Steps()
            try:
                if settings.schema is not None:
                    steps.add_schema(settings.schema, settings.locations)
                for log in settings.logs:
                    steps.add_log(log)
            except (XmlCepError, OSError) as error:
                self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, str(error)))
        return self._steps[key]

    def names(self, uri: str, wanted: Place) -> Iterator[tuple[str, Place]]:
        """Where a name is written in a file and its set."""
        for each, text in self.texts(self.files_with(uri)[1]).items():
            yield from (
                (each, place)
                for place in places(text)
                if (place.name, place.kind) == (wanted.name, wanted.kind)
            )

    def document_and_offset(self, params: Any) -> tuple[TextDocument, int]:
        """The document that a request is about, and the offset of its position."""
        document = self.workspace.get_text_document(params.text_document.uri)
        return document, document.offset_at_position(params.position)

    def location(self, uri: str, place: Place) -> lsp.Location:
        """A name as a location."""
        document = self.workspace.get_text_document(uri)
        return lsp.Location(uri, _span(document, place.start, place.end))


def _span(document: TextDocument, start: int, end: int) -> lsp.Range:
    return lsp.Range(document.client_position_at_offset(start), document.client_position_at_offset(end))


def rules_server() -> RulesServer:
    """A server that is not running yet."""
    server = RulesServer()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: RulesServer, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: RulesServer, params: lsp.DidChangeTextDocumentParams) -> None:
        ls.check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(ls: RulesServer, params: lsp.HoverParams) -> lsp.Hover | None:
        document, offset = ls.document_and_offset(params)
        said = hover(document.source, offset, ls.rules_of(document.uri))
        return None if said is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said))

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", "/", "{", "$", "@", "="])
    )
    def completed(ls: RulesServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document, offset = ls.document_and_offset(params)
        settings, _ = ls.files_with(document.uri)
        rules = ls.rules_of(document.uri)
        namespaces: Mapping[str, str] = {} if rules is None else rules.namespaces
        found = complete(document.source, offset, ls.steps_of(settings), namespaces)
        return [
            lsp.CompletionItem(
                each.text, kind=_SORTS[each.sort], detail=each.about or None, filter_text=each.text,
                text_edit=lsp.TextEdit(_span(document, offset - each.width, offset), each.text),
            )
            for each in dict.fromkeys(found)
        ]  # fmt: skip

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(ls: RulesServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
        document, offset = ls.document_and_offset(params)
        wanted = place_at(document.source, offset)
        found = () if wanted is None else ls.names(document.uri, wanted)
        return [ls.location(uri, place) for uri, place in found if place.defines]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def referred(ls: RulesServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
        document, offset = ls.document_and_offset(params)
        wanted = place_at(document.source, offset)
        found = () if wanted is None else ls.names(document.uri, wanted)
        asked = params.context.include_declaration
        return [ls.location(uri, place) for uri, place in found if asked or not place.defines]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def renamed(ls: RulesServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        document, offset = ls.document_and_offset(params)
        wanted, name = place_at(document.source, offset), params.new_name
        if wanted is None:
            return None
        if not is_ncname(name) or (wanted.kind is Kind.EVENT and name in OPERATIONS):
            raise JsonRpcInvalidParams(f"{name!r} cannot be the name of {wanted.kind.value} {wanted.name}")
        found = list(ls.names(document.uri, wanted))
        if not any(place.defines for _, place in found):
            raise JsonRpcInvalidParams(f"{wanted.name} is not defined in these files")
        if any(place.defines for _, place in ls.names(document.uri, wanted._replace(name=name))):
            raise JsonRpcInvalidParams(f"there is a definition of {name} already")
        changes: dict[str, list[lsp.TextEdit]] = {}
        for uri, place in found:
            changes.setdefault(uri, []).append(lsp.TextEdit(ls.location(uri, place).range, name))
        return lsp.WorkspaceEdit(changes)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(ls: RulesServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        document = ls.workspace.get_text_document(params.text_document.uri)
        try:
            text = format_rules(document.source)
        except XmlCepError:  # of what is wrong it is said
            return None
        return [lsp.TextEdit(_span(document, 0, len(document.source)), text)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def listed(ls: RulesServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = ls.workspace.get_text_document(params.text_document.uri)
        return [
            lsp.DocumentSymbol(place.name, _SYMBOLS[place.kind], span, span)
            for place in places(document.source)
            if place.defines
            for span in [_span(document, place.start, place.end)]
        ]

    return server
