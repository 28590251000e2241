"""Whose state it is: the rules, and the reference documents in which they look things up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from ...errors import RuleProblem
from ...language import parse_definitions, print_definitions
from ...language.parser import Printed
from ...rules import Rules
from ...rules.parameters import with_windows
from ...suggestions import listed
from ..errors import StateError

_MOST_NAMES = 5  # of each kind that a message lists


def rules_stamp(rules: Rules) -> dict[str, Any]:
    """The rules' text, without what they say to people, and, if there are any, the digests of their reference documents
    by name (V8)."""
    digests = {name: document.digest for name, document in sorted(rules.documents.items())}
    return {
        "rules": print_definitions(*_without_words(rules.printed)),
        **({"references": digests} if digests else {}),
    }


def check_rules(stamp: Mapping[str, Any], rules: Rules) -> None:
    """Raises `StateError` if it is not the stamp of these rules."""
    different = difference(stamp, rules)
    if different is not None:
        raise StateError(f"the state was written with {different}: give the same, or begin without the state")


def difference(stamp: Mapping[str, Any], rules: Rules) -> str | None:
    """How the rules of a stamp differ from these, by the names of the events; None if they are the same.

    "other rules (changed: Complete; removed: Old; added: New)"
    """
    if not isinstance(rules, Rules):
        return f"rules, and what is given is {rules!r}"
    text = str(stamp.get("rules"))
    if text != rules_stamp(rules)["rules"]:
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
    here = _named(_without_words(rules.printed))
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


def _without_words(printed: Printed) -> Printed:
    """The same without severities, messages and descriptions: other words make no other state."""
    definitions, *others = printed
    silent = tuple(replace(each, severity=None, message=None, description="") for each in definitions)
    return cast("Printed", (silent, *others))


def _named(printed: Printed) -> dict[str, object]:
    """All that is in rules, by name; events and rules have none in common with what expressions see as ``$name``."""
    definitions, _, references, rules, parameters = printed
    found: dict[str, object] = {each.name: each for each in definitions}
    found |= {each.name: each for each in rules}
    found |= {f"${each.name}": each for each in references}
    return found | {f"${each.name}": each for each in parameters}
