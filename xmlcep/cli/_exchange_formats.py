"""Findings and problems in the formats of others: CloudEvents, SARIF 2.1.0, JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO
from urllib.parse import quote

from lxml import etree

from ..algebra import EventDefinition, Severity
from ..auditing.findings.rows import COLUMNS, row_of, severity
from ..errors import RuleProblem
from ..log.json_codec import FASTEST
from ..rules import Rules
from ..timestamps import TimeError, microseconds, timestamp
from ..xml_parser import NOT_XML

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_FAILURES = 100
"""Findings of one event that JUnit XML lists; of all it says how many there are."""


# ---- CloudEvents ------------------------------------------------------------------------------------------


def cloud_event(key: str, record: dict[str, Any]) -> dict[str, Any]:
    """A finding as a CloudEvent 1.0 in JSON; ``source`` and ``id`` together name it."""
    found: dict[str, Any] = {
        "specversion": "1.0", "id": key, "source": _uri(record.get("doc")), "type": f"xmlcep.{record['name']}",
        "datacontenttype": "application/json", "data": record,
    }  # fmt: skip
    if record.get("path") is not None:
        found["subject"] = _node(record)
    if time := _time(record.get("at")):
        found["time"] = time
    if "severity" in record:
        found["severity"] = record["severity"]
    return found


def write_cloud_events(stream: BinaryIO, records: Iterable[tuple[str, dict[str, Any]]], _: Rules) -> None:
    """One a line."""
    for key, record in records:
        stream.write(FASTEST.dumps(cloud_event(key, record)) + b"\n")


def _uri(name: str | None) -> str:
    """A name of a document as a reference, which must not be empty."""
    return quote(name or "document", safe="/")


def _time(at: str | None) -> str | None:
    try:
        return None if at is None else timestamp(microseconds(at))
    except TimeError:
        return None


def _node(record: Mapping[str, Any]) -> str:
    """The whole path, with the id of the last node: what is in a namespace is in Clark notation."""
    return f"{record['path']}#{record['ids'][-1]}"


# ---- SARIF ------------------------------------------------------------------------------------------------


def write_sarif(stream: BinaryIO, records: Iterable[tuple[str, dict[str, Any]]], rules: Rules) -> None:
    """A run of all findings: each is a result at its document, as severe as its event."""
    known = {definition.name: definition for definition in rules.definitions}
    described = [_described(known[name]) for name in sorted(known)]
    _write_run(stream, described, (_result_of_finding(key, record) for key, record in records))


_LEVELS = {Severity.INFO: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def _described(definition: EventDefinition) -> dict[str, Any]:
    """An event as a rule of SARIF."""
    found: dict[str, Any] = {"id": definition.name}
    if definition.description:
        found["fullDescription"] = {"text": definition.description}
    if definition.severity is not None:
        found["defaultConfiguration"] = {"level": _LEVELS[definition.severity]}
    return found


def sarif_of_problems(
    errors: Sequence[RuleProblem], warnings: Sequence[RuleProblem], files: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """What is wrong with rules, as results; `write_sarif_of` writes them."""
    for level, problems in (("error", errors), ("warning", warnings)):
        for each in problems:
            text = each.message if not each.hint else f"{each.message}: {each.hint}"
            place: dict[str, Any] = {"artifactLocation": {"uri": _uri(each.at.file or ", ".join(files))}}
            if each.line:
                place["region"] = {
                    "startLine": each.line, "startColumn": each.column, "endColumn": each.column + each.at.width
                }  # fmt: skip
            yield {
                "ruleId": level, "level": level, "message": {"text": text},
                "locations": [{"physicalLocation": place}],
            }  # fmt: skip


def write_sarif_of(stream: BinaryIO, results: Iterable[dict[str, Any]]) -> None:
    """A run with these results of `check`."""
    _write_run(stream, [{"id": "error"}, {"id": "warning"}], results)


def _result_of_finding(key: str, record: dict[str, Any]) -> dict[str, Any]:
    row = dict(zip(COLUMNS, row_of(record), strict=True))
    said = [
        row["message"] or f"{row['event']} at {row['node']}",
        *(f"({row[name]})" for name in ("values", "user", "time") if row[name] and not row["message"]),
    ]
    return {
        "ruleId": record["name"], "level": _LEVELS[severity(record)], "message": {"text": " ".join(said)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(record.get("doc"))}, "region": {"startLine": 1}
                },
                "logicalLocations": [{"fullyQualifiedName": record.get("path") or "/", "kind": "element"}],
            }
        ],
        "partialFingerprints": {"finding/v1": f"{_uri(record.get('doc'))}:{key}"},
    }  # fmt: skip


def _write_run(stream: BinaryIO, rules: Sequence[dict[str, Any]], results: Iterable[dict[str, Any]]) -> None:
    """A log of one run, result by result: there may be more than fits into memory."""
    driver = {"name": "xmlcep", "rules": rules}
    head = {"$schema": _SARIF, "version": "2.1.0"}
    stream.write(json.dumps(head)[:-1].encode() + b', "runs": [{"tool": {"driver": ' + FASTEST.dumps(driver))
    stream.write(b'}, "columnKind": "unicodeCodePoints", "results": [')
    for number, result in enumerate(results):
        stream.write((b",\n" if number else b"\n") + FASTEST.dumps(result))
    stream.write(b"\n]}]}\n")


# ---- JUnit ------------------------------------------------------------------------------------------------


def write_junit(stream: BinaryIO, records: Iterable[tuple[str, dict[str, Any]]], rules: Rules) -> None:
    """A test case for each event, which fails if it was raised, unless that is no more than information."""
    known = {definition.name: definition for definition in rules.definitions}
    counts: dict[str, int] = {tree.name: 0 for tree in rules.graph.trees}
    lines: dict[str, list[str]] = {name: [] for name in counts}
    for _, record in records:
        name = record["name"]
        counts[name] += 1
        if counts[name] <= _MOST_FAILURES:
            lines[name].append("  ".join(filter(None, row_of(record))))
    harmless = {name for name, each in known.items() if each.severity is Severity.INFO}
    failures = sum(bool(count) and name not in harmless for name, count in counts.items())
    totals = {"tests": str(len(counts)), "failures": str(failures), "errors": "0"}
    suites = etree.Element("testsuites", totals)
    suite = etree.SubElement(suites, "testsuite", name="xmlcep", skipped="0", time="0")
    suite.attrib.update(totals)
    for name, count in counts.items():
        case = etree.SubElement(suite, "testcase", {"classname": "xmlcep", "name": _xml(name), "time": "0"})
        if known[name].description:
            properties = etree.SubElement(case, "properties")
            value = _xml(known[name].description)
            etree.SubElement(properties, "property", name="description", value=value)
        if count:
            said = "1 finding" if count == 1 else f"{count:,} findings"
            more = [f"and {count - _MOST_FAILURES:,} more"] if count > _MOST_FAILURES else []
            listed = _xml("\n".join([*lines[name], *more]))
            if name in harmless:
                etree.SubElement(case, "system-out").text = f"{said}\n{listed}"
            else:
                kind = known[name].severity
                failure = etree.SubElement(
                    case, "failure", {"message": said, "type": "finding" if kind is None else kind.value}
                )
                failure.text = listed
    stream.write(etree.tostring(suites, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _xml(text: str) -> str:
    """A text without the characters that XML has none for."""
    return NOT_XML.sub("�", text)
