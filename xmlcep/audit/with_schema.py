"""Rules that use event types derived from a schema, without writing them down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..definitions import EventDefinition, Leaf, Operator
from ..errors import RuleError, RuleProblem
from ..events import CompositeType
from ..language import parse_definitions
from ..rules import Rules, load_rules


def load_rules_with_schema(path: str | Path, schema: str | Path) -> Rules:
    """The rules in a file; events that it uses and does not define are those derived from the schema.

    Only derived events that are used, directly or not, become part of the rules. Raises `RuleError` and what
    `xmlcep.schema.derive` raises.
    """
    try:
        return load_rules(path)
    except RuleError as error:
        incomplete = error
    text = Path(path).read_text(encoding="utf-8-sig")
    problems: list[RuleProblem] = []
    parsed = parse_definitions(text, problems)
    if problems:
        raise incomplete
    from ..schema import derive  # needs the extra schema

    needed = _needed(parsed.definitions, derive(schema, changes=True, violations=True))
    try:
        return Rules.from_definitions((*parsed.definitions, *needed), parsed.namespaces)
    except RuleError as error:
        raise RuleError(error.problems, source_name=str(path), text=text) from None


def _needed(definitions: tuple[EventDefinition, ...], derived: Rules) -> list[EventDefinition]:
    """The derived events that the definitions build on, in the order of derivation."""
    available = {definition.name: definition for definition in derived.definitions}
    defined = {definition.name for definition in definitions}
    needed: set[str] = set()
    waiting = list(definitions)
    while waiting:
        for name in _names(waiting.pop().expression):
            if name in available and name not in defined | needed:
                needed.add(name)
                waiting.append(available[name])
    return [definition for definition in derived.definitions if definition.name in needed]


def _names(operator: Operator) -> Iterator[str]:
    for operand in operator.operands:
        if not isinstance(operand, Leaf):
            yield from _names(operand)
        elif isinstance(operand.type, CompositeType) and operand.type.name is not None:
            yield operand.type.name
