"""Rules replaced between two runs of an audit that goes on (rule G7): every document goes on with the later ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Literal

from ...engine import OnRemoved, StateError
from ...engine.across import Across
from ...engine.replacement import said_of
from ...errors import ArgumentError
from ...log.records import LARGEST, Row
from ...rules import Rules
from ...rules.comparison import compare, tree_digests
from ..findings.collector import Collector
from ..findings.spool import Spool
from ..inputs import LogFile
from ..quarantine import OnBadRecord
from ..result import Summary
from ..since import AuditState, Since
from ..since.past_files import parts_between
from ..since.state_file import document_line
from .documents import Documents
from .engine import LocalAudit


def replaced(
    state: AuditState, files: Sequence[LogFile], rules: Rules, collector: Collector, *, operators: bool,
    keep: Callable[[Row], bool] | None, on_removed: OnRemoved | None, new_since: Literal["now", "begin"],
) -> list[str]:  # fmt: skip
    """Has the documents of a state go on with these rules, if earlier runs had others; notes what became of the event
    trees. ``files`` are all of the log, from which new trees are told what has happened ``new_since`` its beginning."""
    before = state.before
    if before is None:
        return []
    with ExitStack() as stack:
        past = across = None
        if new_since == "begin":
            past, across = stack.enter_context(
                over_the_past(state, files, rules, operators=operators, keep=keep)
            )
        said = replace_rules(
            state, before, rules, collector, operators=operators, on_removed=on_removed or "flush", past=past,
            across=across,
        )  # fmt: skip
    return [f"rules replaced: {line}" for line in said.splitlines()]


def replace_rules(
    state: AuditState, before: Rules, rules: Rules, collector: Collector, *, operators: bool, on_removed: OnRemoved,
    past: Documents | None, across: dict[str, Any] | None = None,
) -> str:  # fmt: skip
    """Has all documents of a state go on with other rules; what is raised then goes to the collector. Says what became
    of the event trees. ``past`` are the documents as the later rules alone would have left them, ``across`` is their
    state of events over documents."""
    trees = compare(tree_digests(before), tree_digests(rules))
    if past is None:
        _refuse_without_document(state, rules, trees.begun)
    documents = Documents(before, collector, operators=operators, until=None, since=Since(state, []))
    lost: Counter[str] = Counter()
    for doc in list(state.documents):
        replay = documents.revived(doc)
        assert replay is not None
        seen = None if past is None else past.detector_of(doc)
        if replay.is_asleep:
            if seen is None:
                continue  # nothing is stored in it
            documents.wake(replay)
        try:
            line, replacement = replay.replace(
                rules, on_removed, seen, None if seen is None else seen.document
            )
        except ArgumentError as error:  # they have not seen the same records: some have come too late
            raise StateError(f"{state.path}: document {doc!r}: {error}: start without the state") from error
        state.documents[doc] = document_line(line)
        lost.update(replacement.lost)
    lost.update(_replace_across(state, before, rules, on_removed, across, operators=operators))
    return said_of(trees, lost)


def _replace_across(
    state: AuditState, before: Rules, rules: Rules, on_removed: OnRemoved, past: dict[str, Any] | None, *,
    operators: bool,
) -> Mapping[str, int]:  # fmt: skip
    """The same for events over documents (V11); says what is lost."""
    left = state.across
    if left is None:
        state.across = past
        return {}
    seen = None
    if past is not None:
        seen = Across(rules, operators=operators)
        seen.go_on(past)
    over = Across(before, operators=operators)
    over.go_on(left)
    now, replacement = over.replaced(rules, on_removed, seen)
    state.across = None if now is None else left | now.state()
    return replacement.lost


def _refuse_without_document(state: AuditState, rules: Rules, begun: Collection[str]) -> None:
    """A state has of documents what the rules before asked, if they asked anything (U2)."""
    asking = [
        tree.name for tree in rules.graph.trees if tree.name in begun and rules.graph.asks_document(tree)
    ]
    if asking:
        raise StateError(
            f"{state.path}: {', '.join(asking)} would ask the documents (U2), which the state does not have: with "
            "`new_since='begin'` the log is read again"
        )


@contextmanager
def over_the_past(
    state: AuditState, files: Sequence[LogFile], rules: Rules, *, operators: bool,
    keep: Callable[[Row], bool] | None,
) -> Iterator[tuple[Documents, dict[str, Any] | None]]:  # fmt: skip
    """The documents as an audit under these rules alone would have left them, and what its events over documents have
    seen; what it finds goes nowhere.

    Raises `StateError` if a file that was read is not there any more.
    """
    parts = parts_between(files, {}, state.files)
    alone = AuditState(state.path, {})
    with Spool() as spool:
        collector = Collector(spool, Summary("local", files=len(parts)), OnBadRecord.SKIP)
        limits: dict[str, int] = {}
        for each in state.held:  # which no run has replayed
            limits[each.doc] = min(limits.get(each.doc, LARGEST), each.ts - 1)
        frontier = (lambda doc: limits.get(doc, LARGEST)) if limits else None
        since = Since(alone, parts, frontier)
        audit = LocalAudit(rules, collector, operators=operators, keep=keep, since=since)
        audit.run([part.file for part in parts])
        for _ in audit.found_across(()):
            pass
        yield Documents(rules, collector, operators=operators, until=None, since=since), alone.across
