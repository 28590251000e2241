"""What is to be said of rules files: mistakes, what can never match, what is easily taken for something else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..actions.idle import idle
from ..checking.checks import check_rules
from ..checking.misread import misread
from ..checking.slips import slips
from ..errors import RuleError, RuleProblem
from ..rules import Rules
from ..rules.additions import Additions
from ..rules.files import rules_of
from ..rules.references import empty_lookups
from ..rules.ruleset import all_expressions
from ..schema.loading import Locations
from ..schema.with_rules import require_matching, rules_with_schema

_NONE = Additions()


class Checked(NamedTuple):
    """The rules, and what to warn of."""

    rules: Rules
    warnings: list[RuleProblem]


def check_texts(
    texts: Mapping[str, str], additions: Additions = _NONE, *, schema: str | None = None,
    locations: Locations | None = None,
) -> Checked:  # fmt: skip
    """The rules that texts, by name, say together, which can use the events of a schema; raises `RuleError` for all
    that is wrong in them, and with a schema for what none of its documents can match."""
    if schema is None:
        rules = rules_of(texts, additions)
        never, of_values = check_rules(rules)
        warnings = [*never, *slips(rules), *of_values]
    else:
        rules = rules_with_schema(texts, schema, locations=locations, additions=additions)
        warnings = require_matching(rules, texts, schema, locations=locations)
    warnings += misread(rules)
    warnings += [] if rules.triggers is None else idle(rules.triggers)
    warnings += empty_lookups(rules.references, rules.documents, all_expressions(rules.graph, rules.triggers))
    return Checked(rules, warnings)


def problems_of(
    texts: Mapping[str, str], additions: Additions = _NONE, *, schema: str | None = None,
    locations: Locations | None = None,
) -> tuple[Rules | None, tuple[RuleProblem, ...], list[RuleProblem]]:  # fmt: skip
    """The rules, None if they cannot be used; their mistakes; what to warn of."""
    try:
        checked = check_texts(texts, additions, schema=schema, locations=locations)
    except RuleError as error:
        return None, tuple(error.problems), []
    return checked.rules, (), checked.warnings
