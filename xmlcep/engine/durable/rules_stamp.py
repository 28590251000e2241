"""Whose state it is: the rules, and the reference documents in which they look things up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import RuleError, RuleProblem
from ...language import parse_definitions
from ...language.parser import Printed
from ...rules import ReferenceDocument, Rules, parse_rules
from ...rules.comparison import compare, tree_digests
from ...rules.parameters import with_windows
from ...suggestions import listed
from ..errors import StateError

_MOST_NAMES = 5  # of each kind that a message lists


def rules_stamp(rules: Rules) -> dict[str, Any]:
    """The rules' text and, if there are any, the digests of their reference documents by name (V8)."""
    digests = {name: document.digest for name, document in sorted(rules.documents.items())}
    return {"rules": str(rules), **({"references": digests} if digests else {})}


def check_rules(stamp: Mapping[str, Any], rules: Rules) -> None:
    """Raises `StateError` if it is not the stamp of these rules."""
    different = difference(stamp, rules)
    if different is not None:
        raise StateError(f"the state was written with {different}: use the same, or start without the state")


def rules_of(stamp: Mapping[str, Any], given: Rules, *, are_run: bool = True) -> Rules:
    """The rules of a stamp: the ``given`` ones if they are the same, else others with the same reference documents.

    Of languages that can do anything none is allowed in these: what a state or a log says is data. Raises `StateError`
    for rules that cannot be read, or not be run with these documents (unless nobody runs them).
    """
    if not isinstance(given, Rules) or difference(stamp, given) is None:
        return given
    digests: Mapping[str, str] = stamp.get("references", {})
    there = {name: each for name, each in given.documents.items() if digests.get(name) == each.digest}
    missing = sorted(digests.keys() - there)
    if missing and are_run:
        raise StateError(f"they use other reference documents: {listed(missing, _MOST_NAMES)}")
    try:
        rules = parse_rules(str(stamp.get("rules")), references=there, languages=given.languages.given)
        absent = {name: ReferenceDocument.absent(name, digests[name]) for name in missing}
        return replace(rules, documents={**rules.documents, **absent})
    except RuleError as error:
        raise StateError(f"they cannot be read: {error}") from error


def earlier_rules(
    stamp: Mapping[str, Any], given: Rules, on_removed: str | None, instead: str
) -> Rules | None:
    """The rules of a stamp which the ``given`` rules replace (G7); None if they are the same.

    Raises `StateError` if they have an event that these lack, or have another one in its place, unless ``on_removed``
    says what becomes of it; it ends in what can be done ``instead``.
    """
    different = difference(stamp, given)
    if different is None:
        return None
    try:
        before = rules_of(stamp, given, are_run=on_removed != "drop")
        ended = compare(tree_digests(before), tree_digests(given)).ended
    except StateError as error:
        raise StateError(f"the state was written with {different}, and {error}; {instead}") from error
    if ended and on_removed is None:
        raise StateError(
            f"the state was written with {different}: use the same, say what happens to partial matches of "
            f"changed or removed definitions (`on_removed`, 'flush' or 'drop'), or {instead}"
        )
    return before


def difference(stamp: Mapping[str, Any], rules: Rules) -> str | None:
    """How the rules of a stamp differ from these, by the names of the events; None if they are the same.

    "other rules (changed: Complete; removed: Old; added: New)"
    """
    if not isinstance(rules, Rules):
        return f"rules, and what is given is {rules!r}"
    text = str(stamp.get("rules"))
    if text != str(rules):
        changed = _changes(text, rules)
        if changed is not None:
            return f"other rules ({changed})"
    before, now = stamp.get("references", {}), rules_stamp(rules).get("references", {})
    other = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    return f"other versions of the reference documents {listed(other, _MOST_NAMES)}" if other else None


def _changes(text: str, rules: Rules) -> str | None:
    problems: list[RuleProblem] = []
    parsed = parse_definitions(text, problems)
    if problems:
        return "which cannot be read"
    there = _named(with_windows(parsed, parsed.parameters, problems).printed)
    here = _named(rules.printed)
    kinds = {
        "changed": [name for name in there if name in here and there[name] != here[name]],
        "removed": [name for name in there if name not in here],
        "added": [name for name in here if name not in there],
    }
    found = [f"{kind}: {listed(names, _MOST_NAMES)}" for kind, names in kinds.items() if names]
    if found:
        return "; ".join(found)
    if list(there) != list(here):
        return "the same in another order"
    names_matter = rules.graph.has_conditions or bool(rules.active_rules)
    return "other namespaces" if names_matter and parsed.namespaces != rules.namespaces else None


def _named(printed: Printed) -> dict[str, object]:
    """All that is in rules, by name, but for what it says to people: other words make no other state (Y10)."""
    definitions, _, references, rules, parameters = printed
    found: dict[str, object] = {each.name: replace(each, severity=None, message=None) for each in definitions}
    found |= {each.name: each for each in rules}
    found |= {f"${each.name}": each for each in references}
    return found | {f"${each.name}": each for each in parameters}
