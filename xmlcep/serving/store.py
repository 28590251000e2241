"""Documents and rules in a folder: logs under ``documents``, rules under ``rules``, findings in ``findings.jsonl``.

All sets of rules are one (they can use each other's events), and every document is watched with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lxml import etree

from ..auditing.explanations import why
from ..closing import Closing
from ..errors import RuleError, RuleProblem
from ..events import CompositeEvent
from ..explaining.values import Explanation, Pending
from ..language import parse_definitions
from ..log.lock import WriterLock
from ..log.segments import first_of
from ..log.writing import write_new_file
from ..recording.rebuilding import rebuild
from ..recording.recorder import Recording, record
from ..recording.recovery import recover
from ..rules import Rules
from ..rules.additions import Additions
from ..rules.files import rules_of
from ..wrapping import Document, fromstring
from ..xml_parser import read_xml
from .editing import edit, selected
from .errors import RequestError
from .journal import Journal

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
"""A name of a document, a set of rules or a webhook: it is that of a file."""
Durability: TypeAlias = Literal["transaction", "os"]


def checked_name(name: str) -> str:
    """A name; raises `RequestError` for what is none."""
    if not NAME.fullmatch(name):
        raise RequestError(404, f"{name!r:.60} is not a name: expected letters, digits, _ and -, at most 100")
    return name


_OPTIONS = ("immediate", "keys", "ignore_whitespace")


def _pairs(meta: Mapping[str, str]) -> dict[str, Any]:
    """What records say besides; raises `RequestError` for names that mean something else to a transaction."""
    for name in _OPTIONS:
        if name in meta:
            raise RequestError(400, f"meta: {name!r} is not a name for a pair of a record")
    return dict(meta)


@dataclass
class _Held:
    """A document in memory, its log, and where the watch on it was opened."""

    document: Document
    recording: Recording
    watch: Any = None


class Store(Closing):
    """What the service holds.

    What it does is on the disk when the recordings of `take_changed` are synchronized and then the findings that the
    journal has taken are written (`GroupCommit`).
    """

    def __init__(
        self,
        folder: Path,
        *,
        references: Mapping[str, str] | None = None,
        durability: Durability = "transaction",
    ) -> None:
        self._documents_folder, self._rules_folder = folder / "documents", folder / "rules"
        for each in (self._documents_folder, self._rules_folder):
            each.mkdir(parents=True, exist_ok=True)
        self._references = dict(references or {})
        self.syncs = durability != "os"
        self._lock = WriterLock(folder / "findings.jsonl")  # one process serves a folder
        self.journal = Journal(folder / "findings.jsonl")
        self.texts = {
            file.stem: file.read_text("utf-8") for file in sorted(self._rules_folder.glob("*.xcep"))
        }
        self.rules = self._checked(self.texts)
        self._held: dict[str, _Held] = {}
        self._changed: set[str] = set()
        for log in sorted(self._documents_folder.glob("*.jsonl")):
            if first_of(log)[1] == 1:
                self._held[log.name.removesuffix(".jsonl")] = self._recovered(log)
        self.edits = 0
        self._commit()

    def take_changed(self) -> list[Recording]:
        """The recordings of what was changed since the last call."""
        names, self._changed = self._changed, set()
        return [self._held[name].recording for name in names]

    def _commit(self) -> None:
        """What `GroupCommit` does, at once."""
        if self.syncs:
            for recording in self.take_changed():
                recording.sync()
        lines = self.journal.take()
        self.journal.write(lines, sync=self.syncs)
        self.journal.publish(lines)

    # ---- documents ------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The names of the documents."""
        return sorted(self._held)

    def document(self, name: str) -> Document:
        """A document; raises `RequestError` if there is none."""
        return self._of(name).document

    def _of(self, name: str) -> _Held:
        found = self._held.get(checked_name(name))
        if found is None:
            raise RequestError(404, f"there is no document {name!r}")
        return found

    def _log(self, name: str) -> Path:
        return self._documents_folder / f"{checked_name(name)}.jsonl"

    def at(self, name: str, at: int | str | None) -> bytes:
        """The document as XML, now or as it was."""
        held = self._of(name)
        root = held.document.root if at is None else rebuild(self._log(name), at)
        return etree.tostring(root, encoding="utf-8", xml_declaration=True)

    def put(self, name: str, xml: bytes, matches: str | None, meta: Mapping[str, str]) -> bool:
        """Makes a document, or brings the one there is to this state by the least edits; returns whether it is new."""
        held = self._held.get(checked_name(name))
        if held is None:
            if matches is not None:
                raise RequestError(412, f"there is no document {name!r}, so If-Match does not hold")
            document = fromstring(xml, name=name)
            self._held[name] = held = _Held(document, record(document, self._log(name), durability="os"))
            self._watch(name, held)
            return True
        self._require(held, matches)
        self._changed.add(name)
        held.document.update_to(read_xml(xml)[0], **_pairs(meta))
        self.edits += 1
        return False

    def edit(self, name: str, edits: Sequence[Any], matches: str | None, meta: Mapping[str, str],
             namespaces: Mapping[str, str]) -> Document:  # fmt: skip
        """Makes edits in one transaction: all of them or, if one cannot be made, none."""
        held = self._of(name)
        self._require(held, matches)
        self._changed.add(name)
        with held.document.transaction(**_pairs(meta)):
            for each in edits:
                edit(held.document, each, namespaces)
        self.edits += len(edits)
        return held.document

    def signal(self, name: str, event: str, node: str | None, values: Mapping[str, str]) -> None:
        """Raises an external event at a node, by its XPath."""
        document = self.document(name)
        self._changed.add(name)
        document.signal(event, None if node is None else selected(document, node, {}), **values)

    @staticmethod
    def _require(held: _Held, matches: str | None) -> None:
        """If-Match: raises `RequestError` if the document has been changed since."""
        if matches is not None and matches.strip() not in ("*", f'"{held.document.clock}"'):
            raise RequestError(
                412, f'the document is at "{held.document.clock}", not at {matches:.40}: read it again'
            )

    def next_due(self) -> str | None:
        """When time will raise something in a document."""
        return min(
            (due for held in self._held.values() if (due := held.document.next_due()) is not None),
            default=None,
        )

    def advance(self, to: str) -> None:
        """It is this time: what is due by then is raised."""
        for name, held in list(self._held.items()):
            due = held.document.next_due()
            if due is not None and due <= to:
                self._changed.add(name)
                held.document.advance(to)

    def pending(self, name: str, event: str | None, limit: int) -> Pending | None:
        """What has begun in a document, with what is missing."""
        held = self._of(name)
        return None if held.watch is None else held.watch.pending(event=event, limit=limit, complete=True)

    def why(self, id_: str) -> Explanation:
        """Why a finding was raised, by its id."""
        name, colon, key = id_.partition(":")
        self._of(name)
        if not colon or self.rules is None:
            raise RequestError(404, f"there is no finding {id_!r:.100}")
        return why(self._log(name), self.rules, key, doc=name)

    # ---- rules ----------------------------------------------------------------------------------------

    def _checked(self, texts: Mapping[str, str]) -> Rules | None:
        """All sets as one; raises `RuleError`."""
        if not any(text.strip() for text in texts.values()):
            return None
        problems: list[RuleProblem] = []
        for text in texts.values():
            for reference in parse_definitions(text, []).references:
                if reference.name not in self._references:
                    message = f"the reference document {reference.name!r} is not given"
                    problems.append(
                        RuleProblem(message, "start the service with --reference NAME=FILE", reference.at)
                    )
        if problems:
            raise RuleError(tuple(problems), source_name=", ".join(texts))
        additions = Additions.of("Store()", references=self._references)
        return rules_of({name: text for name, text in texts.items() if text.strip()}, additions)

    def put_rules(self, name: str, text: str | None, *, dry_run: bool) -> Rules | None:
        """Puts a set of rules in its place, None takes it away; every document is watched with all sets then.

        Raises `RuleError` if all sets together are not right, and nothing is changed.
        """
        texts = {each: given for each, given in self.texts.items() if each != checked_name(name)}
        if text is None and len(texts) == len(self.texts):
            raise RequestError(404, f"there are no rules {name!r}")
        if text is not None:
            texts[name] = text
        rules = self._checked(dict(sorted(texts.items())))
        if dry_run:
            return rules
        file = self._rules_folder / f"{name}.xcep"
        if text is None:
            file.unlink()
        else:
            write_new_file(file, text.encode())
        self.texts, self.rules = texts, rules
        for doc, held in self._held.items():
            self._watch(doc, held)
        return rules

    def _watch(self, name: str, held: _Held) -> None:
        """Watches a document with the rules there are now: events that are the same keep what they have seen (G7)."""
        self._changed.add(name)
        if held.watch is None:
            if self.rules is not None:
                held.watch = held.recording.watch(self.rules, on_event=self._keeper(name, lambda: ""))
        elif self.rules is not None:
            held.watch.replace(self.rules)
        else:
            held.watch.close()
            held.watch = None

    def _keeper(self, name: str, before: Callable[[], str]) -> Callable[[CompositeEvent], None]:
        """What keeps the findings of a document; ``before`` says where its watch was opened until it is held."""

        def keep(composite: CompositeEvent) -> None:
            held = self._held.get(name)
            opened = before() if held is None else held.recording.opened
            self._changed.add(name)
            self.journal.add(name, opened, composite.to_record())

        return keep

    def _recovered(self, log: Path) -> _Held:
        """A document as its log ends, whatever was cut short: the findings that the journal has not are delivered."""
        name, opened = log.name.removesuffix(".jsonl"), ""

        def delivered(where: str) -> int:
            nonlocal opened
            opened = where
            return self.journal.count(name, where)

        found = recover(
            log, self.rules, on_event=self._keeper(name, lambda: opened), delivered=delivered, on_removed="flush",
            durability="os",
        )  # fmt: skip
        return _Held(found.document, found.recording, found.watch)

    def close(self) -> None:
        """Closes logs and journal; what has begun goes on when the service is started again, and findings that were not
        written are raised again."""
        for held in self._held.values():
            held.recording.close()
            held.document.close()
        self.journal.close()
        self._lock.release()
