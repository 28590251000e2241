"""Whose state it is: the rules, and the reference documents in which they look things up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import RuleError
from ...rules import Rules, parse_rules
from ..errors import StateError


def rules_stamp(rules: Rules) -> dict[str, Any]:
    """The rules' text and, if there are any, the digests of their reference documents by name (V8)."""
    digests = {name: document.digest for name, document in sorted(rules.documents.items())}
    return {"rules": str(rules), **({"references": digests} if digests else {})}


def check_rules(stamp: Mapping[str, Any], rules: Rules) -> None:
    """Raises `StateError` if it is not the stamp of these rules."""
    text = stamp["rules"]
    if text != str(rules) and not _equal(text, rules):
        raise StateError(
            "the state is of other rules than those given: what waits in it means nothing to others. Give the same, or "
            "begin anew without it"
        )
    if stamp.get("references", {}) != rules_stamp(rules).get("references", {}):
        raise StateError(
            "the state is of the same rules with other reference documents, or with other versions of them: give the "
            "same, or begin anew without it"
        )


def _equal(text: str, rules: Rules) -> bool:
    try:
        return parse_rules(text) == rules
    except RuleError:
        return False
