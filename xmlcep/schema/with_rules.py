"""A rules file and a schema, as the commands take them."""

from __future__ import annotations

from pathlib import Path

from ..errors import RuleError, RuleProblem
from ..rules import Rules, read_rules_text
from ..rules.files import read_together
from .checking import check_rules
from .combining import combine, combine_parsed
from .deriving import derive
from .loading import Locations


def load_with_schema(
    path: str | Path | None, *more: str | Path, schema: str | Path, locations: Locations | None = None
) -> Rules:
    """The rules in a file, or in several, which can use the events derived from the schema by name.

    A file can use events of completion, changes and violations; those that it uses become part of the rules.
    Without a file the rules are the completion events. Raises what `derive` and `combine` raise.
    """
    if path is None:
        return derive(schema, locations=locations)
    derived = derive(schema, changes=True, violations=True, locations=locations)
    if not more:
        return combine(derived, read_rules_text(path), source_name=str(path))
    problems: list[RuleProblem] = []
    texts, parsed = read_together([str(each) for each in (path, *more)], problems)
    try:
        return combine_parsed(derived, parsed, problems)
    except RuleError as error:
        raise RuleError(error.problems, source_name=error.source_name, texts=texts) from None


def require_matching(
    rules: Rules, path: str | Path, schema: str | Path, *, locations: Locations | None = None
) -> None:
    """Raises `RuleError` with everything in the rules file that no document of the schema can ever match."""
    problems = check_rules(rules, schema, locations=locations)
    if problems:
        raise RuleError(problems, source_name=str(path), text=read_rules_text(path))
