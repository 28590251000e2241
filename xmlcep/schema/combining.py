"""Derived events together with a person's rules, which refer to them by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from ..algebra import EventDefinition, Operator, Position, leaves_of, operators_of
from ..arguments import TEXT, check
from ..errors import ArgumentError, RuleError, RuleProblem
from ..events import CompositeType
from ..language import ParsedRules
from ..languages import Language
from ..rules import ReferenceSource, Rules
from ..rules.active_rules import own_events
from ..rules.additions import Additions, ParameterValue
from ..rules.event_graph import operation_hint
from ..rules.files import parse_files, rule_error
from ..rules.ruleset import checked_rules
from ..suggestions import KnownNames

Keep: TypeAlias = Literal["used", "all"]


def combine(
    derived: Rules,
    text: str,
    *,
    source_name: str = "<rules>",
    keep: Keep = "used",
    references: Mapping[str, ReferenceSource] | None = None,
    languages: Mapping[str, Language] | None = None,
    allow: Iterable[str] = (),
    params: Mapping[str, ParameterValue] | None = None,
) -> Rules:
    """The rules in ``text``, which can use the events of ``derived`` by name.

    A definition in the text replaces the derived event of the same name, unless a derived event that is part of the
    result uses that. ``keep`` chooses which derived events are part of the result: those that the rules use, or all.
    Raises `RuleError` for all mistakes in the text, and for names and prefixes that clash with derived ones.
    """
    check("combine()", source_name=(source_name, TEXT))
    additions = Additions.of(
        "combine()", references=references, languages=languages, allow=allow, params=params
    )
    return combine_texts(derived, {source_name: text}, additions, keep=keep)


def combine_texts(
    derived: Rules, texts: Mapping[str, str], additions: Additions, *, keep: Keep = "used"
) -> Rules:
    """The same of one or several texts, by name; messages say which text they are about."""
    require_rules(derived)
    for text in texts.values():
        if not isinstance(text, str):
            raise ArgumentError(f"rules are text, not {text!r}: read a file first, or use load_rules(file)")
    problems: list[RuleProblem] = []
    parsed = parse_files(texts, problems)
    names = ", ".join(texts)
    available = {definition.name: definition for definition in derived.definitions}
    own = own_events(parsed.active_rules)
    redefined = {definition.name for definition in parsed.definitions} & available.keys()
    problems += _unknown(parsed.definitions, available, parsed.unreadable)
    needed = set(available)
    if keep != "all":
        others = {name: available[name] for name in available.keys() - redefined}
        triggers = {rule.trigger.name for rule in parsed.active_rules} & others.keys()
        needed = triggers | used_names(
            (*parsed.definitions, *own, *(others[name] for name in triggers)), others
        )
    chosen = [definition for definition in derived.definitions if definition.name in needed]
    problems += _two_meanings(parsed.definitions, chosen, derived.source_name)
    problems += _clashing_prefixes(chosen, derived.namespaces, parsed.namespaces)
    if problems:
        raise rule_error(problems, texts)
    prefixes = {prefix: uri for prefix, uri in derived.namespaces.items() if prefix}
    together = ParsedRules(
        (*chosen, *parsed.definitions), {**prefixes, **parsed.namespaces}, references=parsed.references,
        active_rules=parsed.active_rules, parameters=parsed.parameters,
    )  # fmt: skip
    try:
        rules = checked_rules(together, [], None, "<rules>", additions)
    except RuleError as error:
        raise rule_error(error.problems, texts) from None
    kept = derived.derived.intersection(definition.name for definition in chosen)
    return replace(rules, source_name=names, files=(*texts, *derived.files), derived=kept)


def require_rules(rules: Rules) -> None:
    """Raises `TypeError` for what is no rules, such as a path."""
    if not isinstance(rules, Rules):
        raise ArgumentError(
            f"rules are needed, not {rules!r}: use derive(schema), load_rules(file) or parse_rules(text)"
        )


def _unknown(
    definitions: Iterable[EventDefinition],
    available: Mapping[str, EventDefinition],
    unreadable: Iterable[str],
) -> Iterator[RuleProblem]:
    """Names of events that are neither defined nor derived, with the nearest that is."""
    known = {*available, *unreadable, *(definition.name for definition in definitions)}
    names = KnownNames(known)
    for definition in definitions:
        for leaf in _composites(definition.expression):
            if leaf.name is not None and leaf.name not in known:
                yield RuleProblem(
                    f"event {definition.name}: there is no event called {leaf.name}, here or derived from the schema",
                    operation_hint(leaf.name)
                    or names.did_you_mean(leaf.name)
                    or "xmlcep derive XSD shows the derived events",
                    leaf.at,
                )


def _two_meanings(
    definitions: Iterable[EventDefinition], chosen: Iterable[EventDefinition], source_name: str
) -> Iterator[RuleProblem]:
    """Events that are defined, and derived as well, where something is made of the derived one."""
    users = {used: each.name for each in chosen for used in (each.name, *references(each.expression))}
    for definition in definitions:
        if definition.name in users:
            user = users[definition.name]
            made = "" if user == definition.name else f", and {user} is made of that"
            yield RuleProblem(
                f"the event {definition.name!r} is derived from the schema too ({source_name}){made}",
                "choose another name, or leave out the definition to use the derived one"
                + (f", or define {user} here, too" if made else ""),
                definition.at,
            )


def used_names(definitions: Iterable[EventDefinition], available: Mapping[str, EventDefinition]) -> set[str]:
    """The available events that the definitions build on, directly or not."""
    needed: set[str] = set()
    waiting = list(definitions)
    while waiting:
        for name in references(waiting.pop().expression):
            if name in available and name not in needed:
                needed.add(name)
                waiting.append(available[name])
    return needed


def references(operator: Operator) -> Iterator[str]:
    """The names of the events that an expression is made of."""
    return (use.name for use in _composites(operator) if use.name is not None)


class _Use(NamedTuple):
    """An event used in an expression; None: any."""

    name: str | None
    at: Position


def _composites(operator: Operator) -> Iterator[_Use]:
    for leaf in leaves_of(operator):
        if isinstance(leaf.type, CompositeType):
            yield _Use(leaf.type.name, leaf.at)


def _clashing_prefixes(
    chosen: Iterable[EventDefinition], derived: Mapping[str, str], given: Mapping[str, str]
) -> list[RuleProblem]:
    """Prefixes with two meanings, where a derived condition is written with them (paths know their namespaces)."""
    conditions = " ".join(condition for each in chosen for condition in _conditions(each.expression))
    if not conditions:
        return []
    problems = [
        RuleProblem(
            f"the prefix {prefix!r} is {given[prefix]} here and {uri} in the derived events",
            "use another prefix",
            Position(),
        )
        for prefix, uri in derived.items()
        if prefix and given.get(prefix, uri) != uri and f"{prefix}:" in conditions
    ]
    if given.get("") and "" not in derived:
        problems.append(
            RuleProblem(
                f"unprefixed names are of {given['']} here, and of no namespace in the derived conditions",
                "declare a prefix for the namespace instead",
                Position(),
            )
        )
    return problems


def _conditions(root: Operator) -> Iterator[str]:
    return (operator.options.when for operator in operators_of(root) if operator.options.when is not None)
