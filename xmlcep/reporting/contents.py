"""What is in a report: counts, findings with their events, rules, bad records (rule Y7)."""

from __future__ import annotations

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lxml import etree

from ..auditing import audit
from ..auditing.explanations import why_not_in
from ..auditing.explanations_across import why_not_across
from ..auditing.findings import rows
from ..auditing.inputs import LogPath, find_files
from ..auditing.pasts import Past, Pasts, read_pasts
from ..events import PrimitiveEvent
from ..explaining.values import Explanation
from ..language import print_definitions
from ..own_packages import installed_version
from ..provenance import said_of
from ..rules import Rules
from ..rules.svg import draw_svg
from ..rules.trees import EventTree
from ..timestamps import TimeError, microseconds, timestamp
from .escapes import visible

BINS = 300
"""Of the timeline of changes."""
LEAST_TIME = 60
"""Seconds that a history has to last, or its time points say more."""
MOST_BAD = 200
MOST_SNIPPETS = 5_000
"""Of so many findings the element is shown as it was before and after."""
SNIPPET = 240
LONGEST_VALUE = 300
LONGEST_IN_ROW = 80
MOST_EVENTS = 40
"""Events of one finding that are listed."""
MOST_PLAIN = 200
"""Findings that a browser without scripts shows."""
MOST_ANSWERS = 30
"""Rules without findings of which it is said why."""


@dataclass(slots=True)
class Contents:
    """Everything that a page is made of. ``findings`` are rows of numbers and texts by ``texts`` (interned)."""

    title: str
    logs: list[str]
    """The files that were read."""
    sources: list[str] = field(default_factory=list)
    """The files of the rules."""
    made: str = ""
    """When it was written."""
    version: str = ""
    seals: list[dict[str, Any]] = field(default_factory=list)
    records: int = 0
    documents: list[dict[str, Any]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    users: list[tuple[str, int]] = field(default_factory=list)
    days: list[tuple[str, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    findings: list[list[Any]] = field(default_factory=list)
    details: list[list[Any]] = field(default_factory=list)
    changes: dict[str, Any] = field(default_factory=dict)
    bad: list[dict[str, str]] = field(default_factory=list)
    bad_in_all: int = 0

    def plain(self) -> Iterator[tuple[str, ...]]:
        """The first findings as texts, in the order of `COLUMNS`."""
        for number, row in enumerate(self.findings[:MOST_PLAIN], 1):
            event, doc, ts, at, user, node, values, _ = row
            time = self.texts[at] or f"time point {ts}"
            yield str(number), time, self.texts[user], self.texts[event], self.texts[doc], node, values

    def widths(self) -> list[int]:
        """Characters of the longest text of each of `COLUMNS`; 0 for one that is empty, or of the one document."""
        used = {place: {row[place] for row in self.findings} for place in (0, 1, 3, 4)}
        longest = {
            place: max((len(self.texts[number]) for number in used[place]), default=0) for place in used
        }
        times = max(
            (len(f"time point {row[2]}") for row in self.findings if not self.texts[row[3]]), default=0
        )
        return [
            len(f"{len(self.findings):,}"), max(times, min(longest[3], len("2026-01-31 12:00:00"))), longest[4],
            longest[0], longest[1] if len(used[1]) > 1 else 0, max((len(row[5]) for row in self.findings), default=0),
            max((len(row[6]) for row in self.findings), default=0),
        ]  # fmt: skip


COLUMNS = ("#", "when", "who", "event", "document", "node", "values")
"""Of the table of findings; the values are the message, where there is one."""


class _Texts:
    """Texts that occur again and again, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(visible(text), len(self.numbers))


def contents_of(logs: LogPath | Iterable[LogPath], rules: Rules, *, title: str | None = None) -> Contents:
    """The contents of the report of an audit of these logs; raises what `audit` raises."""
    is_one = isinstance(logs, (str, os.PathLike)) or not isinstance(logs, Iterable)
    given: list[Any] = [logs] if is_one else list(logs)  # type: ignore[arg-type]
    files = find_files(given).files  # which says what is wrong with them
    named = Path(given[0]).name if len(given) == 1 else f"{len(given):,} logs"
    found = Contents(
        visible(title or f"Audit of {named}"),
        [visible(file.name) for file in files],
        sources=[visible(str(file)) for file in rules.files],
        made=timestamp(time.time_ns() // 1_000_000_000 * 1_000_000),
        version=installed_version(),
    )
    texts = _Texts()
    with TemporaryDirectory(prefix="xmlcep-report-") as folder:
        target = Path(folder) / "findings.jsonl"
        quarantine = Path(folder) / "quarantine.jsonl"
        result = audit(given, rules, engine="local", out=target, quarantine=quarantine)
        moments = _findings(found, result.records(), texts)
        found.bad, found.bad_in_all = _bad(quarantine)
    found.records = result.summary.records
    found.seals = [
        {name: visible(str(value)) for name, value in each.to_record().items()}
        for each in result.summary.seals
    ]
    pasts = read_pasts(given)
    found.documents = [
        {"name": visible(doc), "records": each.records, "findings": each.findings, "bad": each.quarantined}
        for doc, each in sorted(result.summary.documents.items())
    ]
    found.rules = list(_rules(rules, result.summary.per_rule, result.summary.records_per_rule, pasts))
    _show_elements(found, moments, pasts)
    found.changes = _changes(pasts.values())
    found.texts = list(texts.numbers)
    return found


# ---- rules ------------------------------------------------------------------------------------------------


def _rules(
    rules: Rules, per_rule: Mapping[str, int], taken: Mapping[str, int | None], pasts: Mapping[str, Past]
) -> Iterator[dict[str, Any]]:
    answered = 0
    texts = {d.name: print_definitions([d], rules.namespaces) for d in rules.definitions}
    for tree in rules.graph.trees:
        entry: dict[str, Any] = {
            "name": tree.name,
            "text": visible(texts[tree.name].strip().splitlines()[-1]),
            "comment": "\n".join(map(visible, tree.definition.description.splitlines())),
            "severity": tree.definition.severity.value if tree.definition.severity else "",
            "drawing": visible(draw_svg(tree, rules.graph.programs[tree.index], rules.namespaces)),
            "findings": per_rule.get(tree.name, 0),
            "records": taken.get(tree.name),
            "why_not": "",
        }
        if not entry["findings"] and answered < MOST_ANSWERS:
            answered += 1
            entry["why_not"] = visible(_why_not(pasts, rules, tree))
        yield entry


def _why_not(pasts: Mapping[str, Past], rules: Rules, tree: EventTree) -> str:
    best: tuple[float, str] | None = None
    answers: list[Explanation | None]
    if tree.across:
        answers = [why_not_across(Pasts(dict(pasts), []), rules, tree.name, None, 0)]
    else:
        answers = [why_not_in(past, rules, tree.name) for past in list(pasts.values())[:10]]
    for answer in answers:
        if answer is not None:
            fraction = answer.groups[0].fraction if answer.groups else 0.0
            text = str(answer) + (f" → {answer.cause.fix}" if answer.cause and answer.cause.fix else "")
            if best is None or fraction > best[0]:
                best = fraction, text
    return "" if best is None else best[1]


# ---- findings ---------------------------------------------------------------------------------------------


def _findings(
    found: Contents, records: Iterable[Mapping[str, Any]], texts: _Texts
) -> dict[str, list[_Moment]]:
    """Takes what is shown of findings, one by one: all their events together may be more than fits.

    Returns of the first ones the moments at which their elements are shown, by document.
    """
    moments: dict[str, list[_Moment]] = defaultdict(list)
    users: Counter[str] = Counter()
    days: Counter[str] = Counter()
    for number, record in enumerate(records):
        at = record.get("at") or ""
        user = rows.user(record)
        users[visible(user)] += 1
        days[visible(at[:10])] += 1
        node = _node(record.get("path"), record["ids"])
        values = record.get("message") or ", ".join(
            _short(value, LONGEST_IN_ROW) for value in islice(rows.values(record), 6)
        )
        found.findings.append(
            [
                texts.number(rows.event(record)), texts.number(record.get("doc") or ""), record["ts"], texts.number(at),
                texts.number(user), visible(node), visible(values[:120]), _time(at),
            ]
        )  # fmt: skip
        element = _element_id(record) if number < MOST_SNIPPETS else None
        if element is not None:
            first = record.get("start") or record["ts"]
            moments[record.get("doc") or ""] += [
                _Moment(first - 1, _BEFORE, number, element), _Moment(record["ts"], _AFTER, number, element)
            ]  # fmt: skip
        events = [_event(one, texts) for one in record["constituents"][:MOST_EVENTS]]
        left_out = max(0, len(record["constituents"]) - MOST_EVENTS)
        detail = [events, left_out, "", ""]
        if record.get("bindings"):
            detail.append(visible(json.dumps(record["bindings"], ensure_ascii=False))[:LONGEST_VALUE])
        found.details.append(detail)
    found.users, found.days = users.most_common(30), sorted(days.items())[-400:]
    return moments


def _event(one: Mapping[str, Any], texts: _Texts) -> list[Any]:
    """An event in a finding: a change as ``[op, node, ts, at, who, txn, old, value]``, another as ``[name, events,
    left out]``."""
    if "constituents" in one:
        inner = [_event(each, texts) for each in one["constituents"][:MOST_EVENTS]]
        return [
            texts.number(rows.named(one, one["name"])),
            inner,
            max(0, len(one["constituents"]) - MOST_EVENTS),
        ]
    who = ", ".join(said_of(one.get("meta")))
    old, value = one.get("old"), one.get("value")
    return [
        texts.number(rows.named(one, one["op"])), texts.number(_node(one.get("path"), one["ids"])), one["ts"],
        texts.number(one.get("at") or ""), texts.number(who), one.get("txn"),
        None if old is None else visible(_short(old, LONGEST_VALUE)),
        None if value is None else visible(_short(value, LONGEST_VALUE)),
    ]  # fmt: skip


def _node(path: str | None, ids: Sequence[int]) -> str:
    if path is None:
        return "the document"
    return "/" + "/".join(f"{step}#{node}" for step, node in zip(rows.steps(path), ids, strict=False))


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _time(at: str) -> int:
    """Seconds since 1970; 0 where the time is not known."""
    try:
        return microseconds(at) // 1_000_000 if at else 0
    except TimeError:
        return 0


# ---- the element before and after -------------------------------------------------------------------------


class _Moment(NamedTuple):
    """At which time point the element with this id is shown beside a finding, on which side of it."""

    ts: int
    side: int
    finding: int
    element: int


_BEFORE, _AFTER = 2, 3
"""Where in the details of a finding they are."""


def _element_id(record: Mapping[str, Any]) -> int | None:
    """The id of the element a finding is about; of a text or attribute that of its element."""
    path = record.get("path")
    if path is None:
        return None
    ids = record["ids"]
    last = rows.steps(path)[-1]
    if last.startswith("@") or last == "text()":
        ids = ids[:-1]
    return int(ids[-1]) if ids else None


def _show_elements(found: Contents, moments: Mapping[str, list[_Moment]], pasts: Mapping[str, Past]) -> None:
    """Puts beside each finding the element it is about, before its first event and after its last (or as far as that
    goes)."""
    for doc, wanted in moments.items():
        past = pasts.get(doc)
        if past is None:
            continue
        replica = past.start()
        items = (item for item in past.until(None) if isinstance(item, PrimitiveEvent))
        waiting = next(items, None)
        for ts, side, number, node in sorted(wanted):
            while waiting is not None and waiting.ts <= ts:
                past.apply(replica, waiting)
                waiting = next(items, None)
            element = replica.element(node)
            found.details[number][side] = "" if element is None else visible(snippet(element))


def snippet(element: etree._Element, most: int = SNIPPET) -> str:
    """The beginning of an element as XML text, without namespaces: what it costs is in proportion to that, however
    large the element is.

    >>> snippet(etree.fromstring("<item n='1'><price>3</price></item>"), 20)
    '<item n="1"><price>…'
    """
    text = ""
    for part in _markup(element):
        text += part[: most + 1]
        if len(text) > most:
            return text[: most - 1] + "…"
    return text


def _markup(root: etree._Element) -> Iterator[str]:
    """The text of an element, piece by piece."""
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_empty = not element.text and next(iter(element), None) is None
        name = etree.QName(element).localname
        if event == "start":
            yield f"<{name}"
            for key, value in element.attrib.items():
                yield f' {etree.QName(key).localname}="'
                yield value
                yield '"'
            yield "/>" if is_empty else ">"
            yield element.text or ""
            continue
        if not is_empty:
            yield f"</{name}>"
        if element is not root:
            yield element.tail or ""


# ---- changes, bad records ---------------------------------------------------------------------------------


def _changes(pasts: Iterable[Past]) -> dict[str, Any]:
    """How many changes there were when: by time if it is known, else by time point."""
    moments: list[tuple[int, int]] = []
    for past in pasts:
        moments += [(_time(i.at or ""), i.ts) for i in past.items if isinstance(i, PrimitiveEvent)]
    times = [time for time, _ in moments]
    by_time = bool(times) and min(times) > 0 and max(times) - min(times) >= LEAST_TIME
    values = [time if by_time else ts for time, ts in moments]
    if not values:
        return {"by_time": False, "from": 0, "to": 1, "bins": []}
    low, high = min(values), max(values)
    width = max(1, high - low)
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, (value - low) * BINS // width)] += 1
    return {"by_time": by_time, "from": low, "to": max(high, low + 1), "bins": bins}


def _bad(quarantine: Path) -> tuple[list[dict[str, str]], int]:
    if not quarantine.exists():
        return [], 0
    shown = []
    total = 0
    with quarantine.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            total += 1
            if total <= MOST_BAD:
                record = json.loads(line)
                fields = ("file", "record", "reason", "raw")
                shown.append({name: visible(str(record.get(name, "")))[:LONGEST_VALUE] for name in fields})
    return shown, total
