"""Rules files: one, or several that are checked as one set of rules."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ..algebra import ActiveRule, EventDefinition, Leaf, Position, Reference, operators_of, walk
from ..errors import ArgumentError, RuleError, RuleProblem, XmlCepError
from ..language import ParsedRules, read_definitions
from ..language.parser import defined_twice
from ..language.xml_form.markup import xml_encoding
from ..languages import Language, Languages
from .references import ReferenceSources, Source
from .ruleset import Rules, check_additions, checked_rules

_INSTALLED = Languages()


def load_rules(
    path: str | Path,
    *more: str | Path,
    references: Mapping[str, Source] | None = None,
    languages: Mapping[str, Language] | None = None,
    allow: Iterable[str] = (),
) -> Rules:
    """The rules in a file, or in several: they can use each other's events, and are checked as one set.

    A file is in the event language (UTF-8) or in XML. A namespace declaration holds for its own file.
    ``references`` are reference documents by name (V8), files, bytes of XML or trees; those that are not given lie
    beside the rules file that names them. ``languages`` are engines for opaque leaves by name, beside those that are
    installed; ``allow`` names the ones that can do anything, such as ``python`` (O2). Raises one `RuleError` with all
    that is wrong in all files, or `XmlCepError` when a file cannot be read.
    """
    check_additions("load_rules()", references, languages, allow)
    usable = Languages(languages or {}, tuple(allow))
    return rules_of(read_rules_texts((path, *more)), references=references, languages=usable)


def rules_of(
    texts: Mapping[str, str],
    *,
    references: Mapping[str, Source] | None = None,
    languages: Languages = _INSTALLED,
) -> Rules:
    """The rules that one or several texts, by name, say together; raises `RuleError`. Reference documents that are not
    given lie beside the files that the texts are called after."""
    names = tuple(texts)
    sources = ReferenceSources(references or {}, beside=names[0])
    problems: list[RuleProblem] = []
    if len(names) == 1:
        text = texts[names[0]]
        alone = read_definitions(text, problems)
        rules = checked_rules(alone, problems, text, names[0], sources=sources, languages=languages)
        return replace(rules, files=names)
    parsed = parse_files(texts, problems)
    try:
        rules = checked_rules(parsed, problems, None, ", ".join(names), sources=sources, languages=languages)
    except RuleError as error:
        raise rule_error(error.problems, texts) from None
    return replace(rules, files=names)


def rule_error(problems: Iterable[RuleProblem], texts: Mapping[str, str]) -> RuleError:
    """Problems of one or several texts, by name, as an error that shows them in their text."""
    text = next(iter(texts.values())) if len(texts) == 1 else None
    return RuleError(tuple(problems), source_name=", ".join(texts), text=text, texts=texts)


def read_rules_texts(paths: Iterable[str | Path]) -> dict[str, str]:
    """The texts of rules files by name; raises `XmlCepError` when one cannot be read or is given twice."""
    texts: dict[str, str] = {}
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentError(
                f"{path!r} is no rules file: give its path, or several: load_rules('a.xcep', 'b.xcep')"
            )
        name = str(path)
        if name in texts:
            raise XmlCepError(f"{name}: the rules file is given twice")
        texts[name] = read_rules_text(name)
    return texts


def parse_files(texts: Mapping[str, str], problems: list[RuleProblem]) -> ParsedRules:
    """What several rules texts, by name, say together; positions in it say which text they are in.

    What is wrong is appended to ``problems`` and left out of the result.
    """
    parsed = {name: read_definitions(text, problems, name) for name, text in texts.items()}
    readable = {definition.name for each in parsed.values() for definition in each.definitions}
    return ParsedRules(
        tuple(_definitions(parsed.values(), problems)),
        _namespaces(parsed, problems),
        tuple(name for each in parsed.values() for name in each.unreadable if name not in readable),
        tuple(_references(parsed.values(), problems)),
        tuple(_active_rules(parsed.values(), problems)),
    )


def read_rules_text(path: str | Path) -> str:
    """The text of a rules file; raises `XmlCepError` when it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        hint = "; for rules as text use parse_rules(text)" if "=" in str(path) else ""
        raise XmlCepError(f"{path}: the rules file cannot be read: {reason}{hint}") from error
    return decode_rules(data, str(path))


def decode_rules(data: bytes, name: str) -> str:
    """The text that a rules file holds; raises `XmlCepError` for what is no text or no rules."""
    if data.startswith((b"PAR1", b"\x28\xb5\x2f\xfd", b"\x1f\x8b")) or data.lstrip().startswith(b'{"'):
        raise XmlCepError(
            f"{name}: this looks like a change log, not like rules: rules are text such as"
            "  event NewItem = ins(item)"
        )
    encoding = xml_encoding(data)
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise XmlCepError(f"{name}: there is no encoding {encoding!r}: save the file as UTF-8") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = "UTF-8" if encoding == "utf-8-sig" else encoding
        raise XmlCepError(
            f"{name}:{line}: the rules file is not {shown}: byte {data[error.start]:#04x} cannot be read; "
            "save the file as UTF-8"
        ) from error


def _definitions(parsed: Iterable[ParsedRules], problems: list[RuleProblem]) -> Iterator[EventDefinition]:
    """The definitions of all files, each name once."""
    first: dict[str, EventDefinition] = {}
    for definition in (definition for each in parsed for definition in each.definitions):
        known = first.setdefault(definition.name, definition)
        if known is definition:
            yield definition
        else:
            problems.append(defined_twice("event", definition, known))


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
                problems.append(defined_twice("rule", rule, known))
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
