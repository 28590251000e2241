"""Rules files and a schema, as the commands take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from ..languages import Languages
from ..rules import ReferenceSource, Rules
from ..rules.files import read_rules_texts, rule_error
from ..rules.references import ReferenceSources
from .checking import check_rules
from .combining import combine_texts
from .deriving import derive
from .loading import Locations

RulesPath: TypeAlias = str | Path | Sequence[str | Path]
"""A rules file, or several that are checked as one set."""


def load_with_schema(
    path: RulesPath | None,
    schema: str | Path,
    *,
    locations: Locations | None = None,
    references: Mapping[str, ReferenceSource] | None = None,
    allow: Iterable[str] = (),
) -> Rules:
    """The rules in a file, or several, which can use the events derived from the schema by name.

    A file can use events of completion, changes and violations; those that it uses become part of the rules.
    Without a file the rules are the completion events. Raises what `derive` and `combine` raise.
    """
    if path is None:
        return derive(schema, locations=locations)
    paths = [path] if isinstance(path, str | Path) else path
    texts = read_rules_texts(paths)
    return rules_with_schema(texts, schema, locations=locations, references=references, allow=allow)


def rules_with_schema(
    texts: Mapping[str, str],
    schema: str | Path,
    *,
    locations: Locations | None = None,
    references: Mapping[str, ReferenceSource] | None = None,
    allow: Iterable[str] = (),
) -> Rules:
    """The same of rules texts by name."""
    derived = derive(schema, changes=True, violations=True, locations=locations)
    sources = ReferenceSources(references or {}, beside=next(iter(texts)))
    return combine_texts(derived, texts, sources=sources, languages=Languages(allow=tuple(allow)))


def require_matching(
    rules: Rules, texts: Mapping[str, str], schema: str | Path, *, locations: Locations | None = None
) -> None:
    """Raises `RuleError` with everything in rules texts that no document of the schema can ever match."""
    problems = check_rules(rules, schema, locations=locations)
    if problems:
        raise rule_error(problems, texts)
