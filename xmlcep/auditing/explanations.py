"""Questions about logs: what is pending, why a finding, why not (rules Y1 to Y3).

A log is read as an audit reads it, and the documents concerned are replayed up to the time point asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from contexts import FLAT_KEY
from path_types.relations import offsets

from ..arguments import TEXT, Kind, check, optional, whole_number
from ..documents import Replica
from ..engine import Detector
from ..events import CompositeEvent, EventType, PrimitiveEvent, PrimitiveType
from ..explaining.history import History
from ..explaining.reasons import Reason
from ..explaining.values import Explanation, Pending, PendingGroup
from ..explaining.why import why as why_raised
from ..explaining.why_not import why_not as why_not_raised
from ..language import print_expression
from ..log.quarantine import BadRecordPolicy
from ..recording.moment import Moment, When
from ..rules import Rules
from ..rules.trees import LeafNode
from ..suggestions import did_you_mean_or_list
from ..timestamps import time_or_day
from ..xpath import ExpressionError
from ..xpath.selection import select
from .explanations_across import found_across, pending_across, why_across, why_not_across
from .findings.order import Ranking
from .inputs import LogPath
from .pasts import Past, Pasts, give, read_some
from .pasts import QuestionError as QuestionError

# ---- what is pending (Y1) ---------------------------------------------------------------------------------


def pending(
    logs: LogPath | Iterable[LogPath], rules: Rules, *, at: When = None, doc: str | None = None,
    event: str | None = None, limit: int | None = 1000, complete: bool = False,
    on_bad: BadRecordPolicy | None = None,
) -> Pending:  # fmt: skip
    """The partial matches in the documents of a log, the most complete first.

    ``at`` is a time point or a time such as 2026-01-31T12:00:00Z (None: the ends of the documents). With ``complete``,
    each group has what would complete it (Y4). The end of a log releases nothing. ``on_bad`` is called with each bad
    record; bad records are left out. Raises `LogError` as an audit does, also for a time if records have none, and
    `QuestionError` for a document or event that does not exist.
    """
    check("pending()", rules=(rules, _RULES), event=(event, optional(TEXT)), doc=(doc, optional(TEXT)))
    check("pending()", limit=(limit, optional(whole_number(0))))
    _check_event(rules, event)
    Moment(at)  # which says what is wrong with it, before anything is read
    found: list[PendingGroup] = []
    total = 0
    log = read_some(logs, doc, on_bad)
    for past in () if _is_over(rules, event) else log.documents.values():
        point = past.point(at)
        detector = Detector(rules, document=past.start())
        items = list(past.until(point))
        if point is None:
            items.pop()  # the flush at the end would release what is asked about
        for item in items:
            give(item, detector)
        detector.end_edit()
        answer = detector.pending(event=event, limit=limit, complete=complete, document=past.document(point))
        found += answer
        total += answer.total
    if doc is None and (rules.graph.across if event is None else _is_over(rules, event)):
        over = pending_across(log, rules, at, event, limit=limit, complete=complete)
        found += over
        total += over.total
    found.sort(key=lambda group: (group.raised, -group.fraction))
    return Pending(found if limit is None else found[:limit], total, log.notes_at(at))


_RULES = Kind(lambda value: isinstance(value, Rules), "rules, as of load_rules(file) or parse_rules(text)")
_NODE = Kind(lambda value: isinstance(value, int | str) and value != "", "a node id or an XPath")
_TWO = Kind(lambda value: isinstance(value, tuple | list) and len(value) == 2, "two time points, or times")
_FINDING = Kind(lambda value: isinstance(value, int | str), "its number, or text such as 7:Complete:1,6")


def _check_event(rules: Rules, event: str | None) -> None:
    names = [tree.name for tree in rules.graph.trees]
    if event is not None and event not in names:
        raise QuestionError(f"{event!r} is not an event of these rules: {did_you_mean_or_list(event, names)}")


def _is_over(rules: Rules, event: str | None) -> bool:
    """Whether an event is over documents (V11)."""
    return any(tree.name == event for tree in rules.graph.across)


# ---- why not (Y3) -----------------------------------------------------------------------------------------


def why_not(
    logs: LogPath | Iterable[LogPath], rules: Rules, event: str, *, node: str | int | None = None,
    at: When = None, between: tuple[int | str, int | str] | None = None, doc: str | None = None,
    on_bad: BadRecordPolicy | None = None,
) -> Explanation:  # fmt: skip
    """Why an event was not raised in a log, up to a time point or a time such as 2026-01-31T12:00:00Z (None: the end),
    or between two of them.

    ``node`` is a node id, or an XPath that is evaluated in the document as it was then: the answer is about the group
    of that node, or of nodes below it. ``on_bad`` is called with each bad record; bad records are left out. Raises
    `LogError` as an audit does, `QuestionError` if event, document or node do not exist.
    """
    check("why_not()", rules=(rules, _RULES), event=(event, TEXT), doc=(doc, optional(TEXT)))
    check("why_not()", node=(node, optional(_NODE)), between=(between, optional(_TWO)))
    _check_event(rules, event)
    since, at = (0, at) if between is None else between
    for moment in (since, at):
        Moment(moment)  # which says what is wrong with it, before anything is read
    if between is not None and _is_after(*between):
        raise QuestionError(f"between: {between[0]} comes after {between[1]}: the earlier one comes first")
    if _is_over(rules, event):
        if node is not None or doc is not None or isinstance(at, int) or (isinstance(since, int) and since):
            raise QuestionError(
                f"event {event} is about several documents (V11): leave node and doc out, and give times, such as "
                "2026-01-31T12:00:00Z, where you gave time points"
            )
        log = read_some(logs, None, on_bad)
        answer = why_not_across(log, rules, event, at, time_or_day(since) if isinstance(since, str) else 0)
        return replace(answer, notes=(*answer.notes, *log.notes_at(at)))
    log = read_some(logs, doc, on_bad)
    answers: list[Explanation] = []
    for past in log.documents.values():
        of_document = why_not_in(past, rules, event, node, past.point(at), past.point(since) or 0)
        if of_document is not None:
            answers.append(of_document)
    if not answers and node is None:
        raise QuestionError("nothing is recorded of any document")
    if not answers:
        raise QuestionError(f"no document has the node {node!r}{'' if at is None else f' at {at}'}")
    best = max(answers, key=_nearness)
    notes = (*best.notes, *log.notes_at(at))
    if len(answers) > 1:
        others = "is 1 other" if len(answers) == 2 else f"are {len(answers) - 1:,} others"
        notes = (
            *notes,
            *_in_other_documents(
                best,
                [answer for answer in answers if answer is not best],
                {
                    print_expression(leaf.leaf, rules.namespaces): leaf.type
                    for leaf in _leaves_of(rules, event)
                },
                {past.doc: past.until(past.point(at)) for past in log.documents.values()},
            ),
            f"This is about the document {best.doc!r}; there {others} (doc).",
        )
    return replace(best, notes=notes)


def _nearness(answer: Explanation) -> tuple[bool, bool, bool, float]:
    """How near a document has come: partial matches, then what was raised, then what was consumed or excluded."""
    fraction, cause = answer.groups[0].fraction if answer.groups else 0.0, answer.cause
    happened = cause is not None and cause.reason is not Reason.NEVER_OCCURRED
    return (fraction > 0 and cause is not None, cause is None, happened, fraction)


def _leaves_of(rules: Rules, event: str) -> Iterator[LeafNode]:
    return (leaf for tree in rules.graph.trees if tree.name == event for leaf in tree.leaves())


def _in_other_documents(
    best: Explanation, others: Iterable[Explanation], leaves: Mapping[str, EventType],
    items: Mapping[str, Iterable[object]],
) -> Iterator[str]:  # fmt: skip
    """Of what is missing in a document what there is in others: events of several are never combined. ``leaves`` are
    those of the event, as they are written, ``items`` what happened in each document."""
    missing = dict.fromkeys(best.groups[0].missing) if best.groups else {}
    for answer in others if missing else ():
        has = {text for group in answer.groups for text in group.part.occurred()}
        changes = [each for each in items[answer.doc] if isinstance(each, PrimitiveEvent)]
        for text, type_ in leaves.items():
            if isinstance(type_, PrimitiveType) and any(
                type_.accepts(each.op, each.path) for each in changes
            ):
                has.add(text)
        for text in [each for each in missing if each in has]:
            del missing[text]
            said = f"{text} has occurred in another document, {answer.doc!r}"
            yield f"{said}: events are combined within a document only; {{across}} combines several (V11)."


def _is_after(first: int | str, last: int | str) -> bool:
    """Whether two bounds are in the wrong order; a time point and a time are not compared."""
    if isinstance(first, int) and isinstance(last, int):
        return first > last
    both = isinstance(first, str) and isinstance(last, str)
    return both and time_or_day(str(first)) > time_or_day(str(last))


def why_not_in(
    past: Past,
    rules: Rules,
    event: str,
    node: str | int | None = None,
    at: int | None = None,
    since: int = 0,
) -> Explanation | None:
    """`why_not` for one document; None if it has no such node."""
    document = past.document(at)
    nodes = None if node is None else _node_ids(document, node, {**past.prefixes(), **rules.namespaces})
    if nodes is not None and not nodes:
        return None
    history = History(rules, event, doc=past.doc, initial=past.start(), document=past.start())
    items = list(past.until(at))
    if nodes is not None and not _is_path(node) and not past.knows(next(iter(nodes)), items):
        return None
    places = None if nodes is None else _places(history, items, nodes)
    # Where a group needs no more than what happens at its node, the others' records need not be replayed.
    concerned = nodes | places if nodes is not None and places is not None and history.is_local else None
    before = 0
    for item in items:
        if item is None:
            before = len(history.raised)
        if isinstance(item, PrimitiveEvent):
            history.feed(item, unseen=concerned is not None and concerned.isdisjoint(item.ids))
        else:
            give(item, history)
    history.end_edit()
    history.name_nodes(document)
    answer = why_not_raised(history.evidence, doc=past.doc, places=places, since=since)
    at_the_end = history.raised[before:] if items and items[-1] is None else []
    if any(not group.ids or raised.ids == group.ids for group in answer.groups[:1] for raised in at_the_end):
        answer = replace(answer, notes=(*answer.notes, _AT_THE_END))
    return answer


_AT_THE_END = (
    "It was raised at the end of the log, which counts as the end of a transaction (D3), as in an audit; a watch that "
    "continues still waits for it; `pending` shows what a log lacks."
)


def _places(history: History, items: Iterable[object], nodes: set[int]) -> set[int]:
    """The groups of these nodes; if they have none those below them, or the one that they lie in."""
    root = history.evidence.tree.root
    happened = [item for item in items if isinstance(item, PrimitiveEvent) and not nodes.isdisjoint(item.ids)]
    if root.flat:
        return {FLAT_KEY} if happened else set(nodes)
    below: set[int] = set()
    above: set[int] = set()
    for item in happened:
        first = next(index for index, node in enumerate(item.ids) if node in nodes)
        ends = [start + len(root.node.path) - 1 for start in offsets(root.node.path, item.path)]
        below.update(item.ids[end] for end in ends if end >= first)
        above.update([item.ids[end] for end in ends if end < first][-1:])
    return (below & nodes) or below or above or set(nodes)


def _is_path(node: str | int | None) -> bool:
    return isinstance(node, str) and not node.isdecimal()


def _node_ids(document: Replica, node: str | int, namespaces: Mapping[str, str]) -> set[int]:
    """The ids of the nodes that a node id or an XPath means."""
    if isinstance(node, int) or not _is_path(node):
        return {int(node)}
    root = None if document.root_id is None else document.element(document.root_id)
    if root is None:
        return set()
    try:
        return set(document.ids_of(select(node, root, namespaces=namespaces)))
    except ExpressionError as error:
        raise QuestionError(f"node is {node!r}: expected a node id or an XPath: {error}") from None


# ---- why (Y2) ---------------------------------------------------------------------------------------------


class FindingName(NamedTuple):
    """``ts:event:ids[:n]``: which finding is meant; ``ids`` are those of its node, or the last of them."""

    ts: int
    event: str
    ids: tuple[int, ...]
    number: int

    @classmethod
    def parse(cls, text: str) -> FindingName:
        """Reads one; raises `QuestionError`."""
        parts = text.split(":")
        try:
            ts, event, ids = int(parts[0]), parts[1], parts[2]
            number = int(parts[3]) if len(parts) > 3 else 1
            return cls(ts, event, tuple(int(one) for one in ids.split(",") if one), number)
        except (IndexError, ValueError):
            raise QuestionError(
                f"{text!r} names no finding: expected its number among the findings, or TS:EVENT:IDS such as "
                "7:CompleteItem:1,6 (:2 after it for the second of several)"
            ) from None

    def means(self, finding: CompositeEvent) -> bool:
        """Whether a finding has this time point, event and node."""
        same = finding.ts == self.ts and finding.name == self.event and finding.operator is None
        return same and finding.ids[-len(self.ids) :] == self.ids if self.ids else same


def why(
    logs: LogPath | Iterable[LogPath], rules: Rules, finding: str | int, *, doc: str | None = None,
    until: str | datetime | None = None, on_bad: BadRecordPolicy | None = None,
) -> Explanation:  # fmt: skip
    """Why a finding was raised; ``finding`` is its number among the findings of an audit (from 1) or ``ts:event:ids``.

    ``until`` is that of the audit. ``on_bad`` is called with each bad record; bad records are left out. Raises
    `LogError` as an audit does, `QuestionError` if there is no such finding.
    """
    check("why()", rules=(rules, _RULES), finding=(finding, _FINDING), doc=(doc, optional(TEXT)))
    if isinstance(finding, int) or finding.isdecimal():
        log = read_some(logs, doc, on_bad).advanced(until)
        answer = _why_numbered(log, rules, int(finding))
    else:
        name = FindingName.parse(finding)
        _check_event(rules, name.event)
        over = _is_over(rules, name.event)
        log = read_some(logs, None if over else doc, on_bad).advanced(until)
        if over:
            answer = why_across(
                log,
                rules,
                name.event,
                lambda one: name.means(one) and doc in (None, one.cause.doc),
                name.number,
            )
        else:
            answer = _why_named(log.documents.values(), rules, name)
    if answer is None:
        raise QuestionError(f"there is no finding {finding}: an audit lists them")
    return replace(answer, notes=(*answer.notes, *log.notes))


def _why_named(pasts: Iterable[Past], rules: Rules, name: FindingName) -> Explanation | None:
    """Why the finding of this name was raised, in the first of these documents that has it."""
    for past in pasts:
        history = History(rules, name.event, doc=past.doc, initial=past.start(), document=past.start())
        found: list[CompositeEvent] = []
        within_edit = False
        for item in past.until(None):
            if isinstance(item, PrimitiveEvent):
                if item.ts > name.ts and not within_edit:
                    break
                within_edit = item.more  # what asks the document is raised when the edit is over (U1)
            before = len(history.raised)
            give(item, history)
            found += [event for event in history.raised[before:] if name.means(event)]
            if len(found) >= name.number:
                break
        if len(found) >= name.number:
            history.name_nodes(past.document(name.ts))
            return why_raised(history.evidence, found[name.number - 1], doc=past.doc)
    return None


def _why_numbered(log: Pasts, rules: Rules, number: int) -> Explanation | None:
    """Why the finding with this number was raised, in the order of an audit: by document, time point, rank."""
    if number < 1:
        raise QuestionError(f"there is no finding {number}: they are numbered from 1")
    left = number
    ranking = Ranking(rules)
    for doc in sorted(log.documents):
        past = log.documents[doc]
        detector = Detector(rules, document=past.start())
        raised: list[CompositeEvent] = []
        for item in past.until(None):
            raised += give(item, detector)
        raised.sort(key=lambda event: (event.ts, ranking.place(event)))
        if left <= len(raised):
            finding = raised[left - 1]
            same = [event for event in raised[: left - 1] if _alike(event, finding)]
            name = FindingName(finding.ts, finding.name, finding.ids, len(same) + 1)
            return _why_named([past], rules, name)
        left -= len(raised)
    if rules.graph.across:
        over = found_across(log, rules)
        if left <= len(over):
            record = over[left - 1].to_record()
            return why_across(log, rules, over[left - 1].name, lambda one: one.to_record() == record)
        left -= len(over)
    left_out = "".join(f"; {note.removesuffix('.')}" for note in log.notes)
    raise QuestionError(f"there is no finding {number}: there are {number - left:,}{left_out}")


def _alike(a: CompositeEvent, b: CompositeEvent) -> bool:
    return (a.ts, a.name, a.ids) == (b.ts, b.name, b.ids)
