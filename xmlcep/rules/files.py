"""Rules files: one, or several that are checked as one set of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ..algebra import ActiveRule, EventDefinition, Leaf, Position, Reference, operators_of, walk
from ..errors import RuleError, RuleProblem, XmlCepError
from ..language import ParsedRules, parse_definitions
from .ruleset import Rules, checked_rules, parse_rules


def load_rules(path: str | Path, *more: str | Path) -> Rules:
    """The rules in a file (UTF-8), or in several: they can use each other's events, and are checked as one set.

    A namespace declaration holds for its own file. Raises one `RuleError` with all that is wrong in all files, or
    `XmlCepError` when a file cannot be read.
    """
    names = [str(each) for each in (path, *more)]
    texts = {name: read_rules_text(name) for name in names}
    if len(texts) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise XmlCepError(f"{twice}: the rules file is given twice")
    if not more:
        return replace(parse_rules(texts[names[0]], names[0]), files=(names[0],))
    problems: list[RuleProblem] = []
    parsed = {name: parse_definitions(text, problems, name) for name, text in texts.items()}
    readable = {definition.name for each in parsed.values() for definition in each.definitions}
    merged = ParsedRules(
        tuple(_definitions(parsed.values(), problems)),
        _namespaces(parsed, problems),
        tuple(name for each in parsed.values() for name in each.unreadable if name not in readable),
        tuple(_references(parsed.values(), problems)),
        tuple(_active_rules(parsed.values(), problems)),
    )
    try:
        rules = checked_rules(merged, problems, None, ", ".join(names))
    except RuleError as error:
        raise RuleError(error.problems, source_name=error.source_name, texts=texts) from None
    return replace(rules, files=tuple(names))


def read_rules_text(path: str | Path) -> str:
    """The text of a rules file (UTF-8); raises `XmlCepError` when it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise XmlCepError(f"{path}: the rules file cannot be read: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise XmlCepError(
            f"{path}:{line}: the rules file is not UTF-8: byte {data[error.start]:#04x} cannot be read; "
            "save the file as UTF-8"
        ) from error


def _definitions(parsed: Iterable[ParsedRules], problems: list[RuleProblem]) -> Iterator[EventDefinition]:
    """The definitions of all files, each name once."""
    first: dict[str, EventDefinition] = {}
    for definition in (definition for each in parsed for definition in each.definitions):
        known = first.setdefault(definition.name, definition)
        if known is definition:
            yield definition
            continue
        problems.append(
            RuleProblem(
                f"the event {definition.name!r} is defined twice",
                f"its first definition is in {known.at.file}, line {known.at.line}: choose another name",
                definition.at,
            )
        )


def _references(parsed: Iterable[ParsedRules], problems: list[RuleProblem]) -> Iterator[Reference]:
    """The reference documents of all files; what two files say alike stands once (V8)."""
    first: dict[str, Reference] = {}
    for reference in (reference for each in parsed for reference in each.references):
        known = first.setdefault(reference.name, reference)
        if known is reference:
            yield reference
        elif known != reference:
            message = f"the reference document {reference.name!r} is another one in {known.at.file}"
            problems.append(RuleProblem(message, "use two names (V8)", reference.at))


def _namespaces(parsed: Mapping[str, ParsedRules], problems: list[RuleProblem]) -> dict[str, str]:
    """The namespaces of all files together.

    Paths know theirs from reading; XPath is read with those of the whole set, so that a prefix in it has to mean the
    same in all files.
    """
    # Those with XPath first: they have the say.
    with_xpath = {
        name: bool(each.active_rules) or any(map(_has_xpath, each.definitions))
        for name, each in parsed.items()
    }
    files = sorted(parsed, key=lambda name: not with_xpath[name])
    together: dict[str, tuple[str, str]] = {}
    for name in files:
        has_xpath = with_xpath[name]
        own = {"": "", **parsed[name].namespaces} if has_xpath else parsed[name].namespaces
        for prefix, uri in own.items():
            other, known = together.setdefault(prefix, (name, uri))
            if has_xpath and known != uri:
                what = f"the prefix {prefix!r} stands" if prefix else "unprefixed names stand"
                problems.append(
                    RuleProblem(
                        f"{what} for {_shown(uri)} here, and for {_shown(known)} in {other}; both files have XPath",
                        "give all files with conditions the same declarations, or write {uri}name in them",
                        replace(_first(parsed[name]), width=1),
                    )
                )
    return {prefix: uri for prefix, (_, uri) in together.items() if prefix or uri}


def _first(parsed: ParsedRules) -> Position:
    """Where the first event or rule stands."""
    return parsed.definitions[0].at if parsed.definitions else parsed.active_rules[0].at


def _active_rules(parsed: Iterable[ParsedRules], problems: list[RuleProblem]) -> Iterator[ActiveRule]:
    """The rules that act of all files, each name once, and none that is that of an event (L1)."""
    files = list(parsed)
    events = {definition.name: definition.at for each in files for definition in each.definitions}
    first: dict[str, ActiveRule] = {}
    for each in files:
        own = {definition.name for definition in each.definitions}
        for rule in each.active_rules:
            known = first.setdefault(rule.name, rule)
            if known is not rule:
                hint = (
                    f"its first definition is in {known.at.file}, line {known.at.line}: choose another name"
                )
                problems.append(RuleProblem(f"the rule {rule.name!r} is defined twice", hint, rule.at))
                continue
            if rule.name in events and rule.name not in own:
                at = events[rule.name]
                message = f"there is an event that is called {rule.name!r}, as this rule is (L1)"
                hint = f"it is in {at.file}, line {at.line}: choose another name for one of them"
                problems.append(RuleProblem(message, hint, rule.at))
            yield rule


def _shown(uri: str) -> str:
    return uri or "no namespace"


def _has_xpath(definition: EventDefinition) -> bool:
    """Whether anything in the definition is an XPath expression."""
    options = [operator.options for operator in operators_of(definition.expression)]
    leaves = [part for part in walk(definition.expression) if isinstance(part, Leaf)]
    return any(each.when or each.guard or each.having or each.let for each in options) or any(
        leaf.filter or any(binding.expression for binding in leaf.bindings) for leaf in leaves
    )
