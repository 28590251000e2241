"""A rules file and a schema, as the commands take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import RuleError
from ..languages import Languages
from ..rules import ReferenceSource, Rules, read_rules_text
from ..rules.references import ReferenceSources
from .checking import check_rules
from .combining import combine_from
from .deriving import derive
from .loading import Locations


def load_with_schema(
    path: str | Path | None,
    schema: str | Path,
    *,
    locations: Locations | None = None,
    references: Mapping[str, ReferenceSource] | None = None,
    allow: Iterable[str] = (),
) -> Rules:
    """The rules in a file, which can use the events derived from the schema by name; without a file those events.

    A file can use events of completion, changes and violations; those that it uses become part of the rules.
    Without a file the rules are the completion events. ``references`` and ``allow`` are as for `load_rules`.
    Raises what `derive` and `combine` raise.
    """
    if path is None:
        return derive(schema, locations=locations)
    derived = derive(schema, changes=True, violations=True, locations=locations)
    sources = ReferenceSources(references or {}, beside=str(path))
    languages = Languages(allow=tuple(allow))
    return combine_from(derived, read_rules_text(path), sources, languages, source_name=str(path))


def require_matching(
    rules: Rules, path: str | Path, schema: str | Path, *, locations: Locations | None = None
) -> None:
    """Raises `RuleError` with everything in the rules file that no document of the schema can ever match."""
    problems = check_rules(rules, schema, locations=locations)
    if problems:
        raise RuleError(problems, source_name=str(path), text=read_rules_text(path))
