"""What can be written at a place of a rules text: statements, events, options with their values, paths, variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from path_types import Step
from path_types.names import NCNAME, name_parts

from ..algebra import OPERATORS
from ..clauses import read_clauses
from ..language.options import options_and_values
from ..language.statements import KEYWORDS
from ..rules.variables import BUILT_IN
from .names import Kind, places
from .paths import Steps


class Sort(Enum):
    """What something that can be written is."""

    KEYWORD = "keyword"
    EVENT = "event"
    OPERATOR = "operator"
    OPTION = "option"
    VALUE = "value"
    STEP = "step"
    VARIABLE = "variable"
    CODE = "code"


class Proposal(NamedTuple):
    """Something that can be written in place of the last ``width`` characters; ``about`` says what it is."""

    text: str
    sort: Sort
    width: int
    about: str = ""


_BEGUN = re.compile(r"[\w.\-]*$")
_IN_PATH = re.compile(
    rf"(?:\b(?:ins|upd|del|{NCNAME})|[*?\]])\s*\(\s*([^()\s;&|]*)$|\bpath\s*=\s*([^,}}\s]*)$"
)
_IN_BRACES = re.compile(r"\{([^{}]*)$")
_VALUE = re.compile(r"([\w-]+)\s*=\s*[\w-]*$")
_VARIABLE = re.compile(rf"\$((?:{NCNAME})?)$")
_BOUND = re.compile(rf"\bas\s+\$({NCNAME})|\blet\s+({NCNAME})")


def complete(text: str, offset: int, steps: Steps, namespaces: Mapping[str, str]) -> list[Proposal]:
    """What can be written at an offset of a text that need not be right; ``steps`` are those there are, ``namespaces``
    the prefixes of the rules."""
    begun = _BEGUN.search(text, max(0, offset - 200), offset)
    width = 0 if begun is None else len(begun.group())
    found = _all(text, offset, width, steps, namespaces)
    typed = text[offset - width : offset].lower()
    return [proposal for proposal in found if proposal.text.lower().lstrip("@$").startswith(typed)]


def _all(
    text: str, offset: int, width: int, steps: Steps, namespaces: Mapping[str, str]
) -> Iterator[Proposal]:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    if "#" in line and line.count('"') % 2 == 0 and line.count("{") == line.count("}"):
        yield from (Proposal(code, Sort.CODE, width, each.title) for code, each in read_clauses().items())
        return
    before = text[max(0, offset - 4000) : offset]
    if variable := _VARIABLE.search(before):
        yield from _variables(text, offset, len(variable[1]))
        return
    if path := _IN_PATH.search(before):
        yield from _steps(path[1] or path[2] or "", steps, namespaces)
        return
    if braces := _IN_BRACES.search(before):
        yield from _options(braces[1], width)
        return
    if not line[: len(line) - width].strip():
        yield from (Proposal(word, Sort.KEYWORD, width) for word in KEYWORDS)
    yield from (
        Proposal(f"{place.name}(", Sort.EVENT, width)
        for place in places(text)
        if place.defines and place.kind is Kind.EVENT
    )
    yield from (Proposal(f"{word}(", Sort.OPERATOR, width, "changes (E1)") for word in ("ins", "upd", "del"))
    yield from (
        Proposal(f"{operator.symbol}[", Sort.OPERATOR, width, (operator.__doc__ or "").splitlines()[0])
        for operator in OPERATORS
        if operator.syntax
    )


def _options(given: str, width: int) -> Iterator[Proposal]:
    if value := _VALUE.search(given):
        yield from (Proposal(word, Sort.VALUE, width) for word in options_and_values().get(value[1], ()))
        return
    for name, words in options_and_values().items():
        about = " or ".join(words)
        yield Proposal(name, Sort.OPTION, width, about)


def _steps(written: str, steps: Steps, namespaces: Mapping[str, str]) -> Iterator[Proposal]:
    last = written.rpartition("/")[2]
    width = len(last.removeprefix("@"))
    attributes = last.startswith("@")
    for step in steps.behind(written, namespaces):
        text = _with_prefix(step, namespaces)
        if attributes:
            if not text.startswith("@"):
                continue
            text = text[1:]
        yield Proposal(text, Sort.STEP, len(last.rpartition(":")[2]) if ":" in last else width)


def _with_prefix(step: Step, namespaces: Mapping[str, str]) -> str:
    """A step as it is written with these prefixes."""
    uri, local = name_parts(step.test)
    if not uri or (step.is_element and namespaces.get("") == uri):
        return str(step).replace(step.test, local)
    prefix = next((prefix for prefix, known in namespaces.items() if prefix and known == uri), None)
    return str(step).replace(step.test, f"{prefix}:{local}") if prefix else str(step)


def _variables(text: str, offset: int, width: int) -> Iterator[Proposal]:
    declared = {place.name for place in places(text) if place.defines and place.kind is Kind.VARIABLE}
    start = max(text.rfind("\nevent ", 0, offset), text.rfind("\nrule ", 0, offset), 0)
    end = min(
        filter(lambda at: at >= 0, (text.find("\nevent ", offset), text.find("\nrule ", offset), len(text)))
    )
    bound = {name for match in _BOUND.findall(text[start:end]) for name in match if name}
    for name in sorted(declared | bound):
        yield Proposal(name, Sort.VARIABLE, width)
    for name in BUILT_IN:
        yield Proposal(name, Sort.VARIABLE, width, "of the change (F2)")
    yield Proposal("meta:user", Sort.VARIABLE, width, "what the application said of the change (F2)")
