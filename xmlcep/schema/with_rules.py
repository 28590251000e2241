"""Rules files and a schema, as the commands take them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import RuleProblem
from ..rules import Rules
from ..rules.additions import Additions
from ..rules.files import rule_error, rules_of
from .checking import check_names_and_values
from .combining import combine_texts
from .deriving import derive
from .errors import NothingToDeriveError
from .loading import Locations


def rules_with_schema(
    texts: Mapping[str, str],
    schema: str | Path,
    *,
    locations: Locations | None = None,
    additions: Additions,
) -> Rules:
    """The rules in texts, by their names, which can use the events derived from the schema by name.

    They can use events of completion, changes and violations; those that they use become part of the rules. Raises what
    `derive` and `combine` raise.
    """
    try:
        derived = derive(schema, changes=True, violations=True, locations=locations)
    except NothingToDeriveError:  # the rules can be about its documents all the same
        return rules_of(texts, additions)
    return combine_texts(derived, texts, additions.beside(next(iter(texts))))


def require_matching(
    rules: Rules, texts: Mapping[str, str], schema: str | Path, *, locations: Locations | None = None
) -> list[RuleProblem]:
    """Comparisons with values that no document of the schema has, which are worth a warning; raises `RuleError` with
    everything in rules texts that no document of the schema can ever match."""
    problems, warnings = check_names_and_values(rules, schema, locations=locations)
    if problems:
        raise rule_error(problems, texts)
    return warnings
