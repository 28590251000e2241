"""Rules files: one, or several that are checked as one set of rules."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..algebra import (
    EventDefinition,
    Leaf,
    Position,
    operators_of,
    walk,
)
from ..errors import ArgumentError, RuleError, RuleProblem, XmlCepError
from ..files import bytes_of
from ..language import ParsedRules, read_definitions
from ..language.parser import Collected
from ..language.xml_form.markup import xml_encoding
from ..languages import Language
from .additions import Additions, ParameterValue
from .namespaces import Names, of_the_set
from .references import Source
from .ruleset import Rules, checked_rules

RULES_FILE = "rules file"
"""What is read, of which so much is (`xmlcep.files.LARGEST`)."""
_NOTHING = Additions()


def load_rules(
    path: str | Path,
    *more: str | Path,
    references: Mapping[str, Source] | None = None,
    languages: Mapping[str, Language] | None = None,
    allow: Iterable[str] = (),
    params: Mapping[str, ParameterValue] | None = None,
) -> Rules:
    """The rules in a file, or in several: they can use each other's events, and are checked as one set.

    A file is in the event language (UTF-8) or in XML. A namespace declaration applies to its own file. ``references``
    are reference documents by name (V8): files, bytes of XML or trees; others are read from beside the rules file that
    names them. ``languages`` are additional engines for opaque leaves by name; ``allow`` names unsafe languages, such
    as ``python`` (O2). ``params`` are values of parameters by name, in place of those in the rules (V9). Raises one
    `RuleError` with all mistakes in all files, or `XmlCepError` if a file cannot be read.
    """
    additions = Additions.of(
        "load_rules()", references=references, languages=languages, allow=allow, params=params
    )
    return rules_of(read_rules_texts((path, *more)), additions)


def rules_of(texts: Mapping[str, str], additions: Additions = _NOTHING) -> Rules:
    """The rules that one or several texts, by name, say together; raises `RuleError`. Reference documents that are not
    given lie beside the files that the texts are called after."""
    names = tuple(texts)
    additions = additions.beside(names[0])
    problems: list[RuleProblem] = []
    if len(names) == 1:
        text = texts[names[0]]
        alone = read_definitions(text, problems)
        rules = checked_rules(alone, problems, text, names[0], additions)
        return replace(rules, files=names)
    parsed = parse_files(texts, problems)
    try:
        rules = checked_rules(parsed, problems, None, ", ".join(names), additions)
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
                f"{path!r} is not a rules file: give its path, or several: load_rules('a.xcep', 'b.xcep')"
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
    parsed = _with_own_names(
        {name: read_definitions(text, problems, name) for name, text in texts.items()}, problems
    )
    collected = Collected(problems)
    for each in parsed.values():
        for definition in each.definitions:
            collected.add_event(definition.name, definition)
        for name in each.unreadable:
            collected.add_event(name, None)
        for reference in each.references:
            collected.add_reference(reference)
        for rule in each.active_rules:
            collected.add_rule(rule)
    for parameter in (parameter for each in parsed.values() for parameter in each.parameters):
        collected.add_parameter(parameter)
    return collected.parsed(of_the_set(_by_say(parsed)), of_several=True)


def read_rules_text(path: str | Path) -> str:
    """The text of a rules file; raises `XmlCepError` when it cannot be read."""
    try:
        data = bytes_of(path, RULES_FILE)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        hint = "; for rules as text use parse_rules(text)" if "=" in str(path) else ""
        raise XmlCepError(f"{path}: the rules file cannot be read: {reason}{hint}") from error
    return decode_rules(data, str(path))


def decode_rules(data: bytes, name: str) -> str:
    """The text that a rules file holds; raises `XmlCepError` for what is neither text nor rules."""
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


def _by_say(parsed: Mapping[str, ParsedRules]) -> list[dict[str, str]]:
    """The declarations of all files: first those of action rules, then of other expressions, then of paths only."""
    acting, asking, others = list[dict[str, str]](), list[dict[str, str]](), list[dict[str, str]]()
    for each in parsed.values():
        own = {"": "", **each.namespaces}
        if each.active_rules:
            acting.append(own)
        elif any(map(_has_xpath, each.definitions)):
            asking.append(own)
        else:
            others.append(dict(each.namespaces))
    return acting + asking + others


def _with_own_names(
    parsed: Mapping[str, ParsedRules], problems: list[RuleProblem]
) -> Mapping[str, ParsedRules]:
    """The files, each with its expressions read by its own declarations.

    What action rules insert has names of the set: two files with such rules have to agree.
    """
    together = of_the_set(_by_say(parsed))
    found = {}
    for name, each in parsed.items():
        names = Names(each.namespaces, together)
        if each.active_rules and not names.stay:
            problems.append(
                RuleProblem(
                    "the namespaces here are not those of another file; both have action rules",
                    "give all files with action rules the same declarations",
                    replace(_first(each), width=1),
                )
            )
        found[name] = each._replace(definitions=tuple(map(names.definition, each.definitions)))
    return found


def _first(parsed: ParsedRules) -> Position:
    """Where the first event or rule is."""
    return parsed.definitions[0].at if parsed.definitions else parsed.active_rules[0].at


def _has_xpath(definition: EventDefinition) -> bool:
    """Whether anything in the definition is an XPath expression."""
    options = [operator.options for operator in operators_of(definition.expression)]
    leaves = [part for part in walk(definition.expression) if isinstance(part, Leaf)]
    return (
        bool(definition.message)
        or any(each.when or each.guard or each.having or each.let for each in options)
        or any(leaf.filter or any(binding.expression for binding in leaf.bindings) for leaf in leaves)
    )
