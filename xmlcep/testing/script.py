"""The language of examples: edits and the time between them, each followed by what is expected of the rules.

One step a line, or several with ``;`` between them; ``=> …`` behind a step says what has been raised since the last
``=>``. docs/testing.md is about users' side of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from .errors import ExampleError


class Action(Enum):
    """What a step does."""

    ONLY = "only"
    START = "start"
    INS = "ins"
    UPD = "upd"
    DEL = "del"
    BEGIN = "begin"
    COMMIT = "commit"
    WAIT = "+"
    AT = "at"
    END = "end"
    NOTHING = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """An expected finding: the event's name, where (a path; "" anywhere)."""

    name: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.name} at {self.path}" if self.path else self.name


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``argument`` is its path, XML, time or pairs, ``value`` what is written.

    ``expected`` are the findings behind ``=>`` (None: nothing is asked here), ``conditions`` the expressions that must
    be true of the document then; ``line`` counts from 1.
    """

    action: Action
    argument: str
    value: str | None
    expected: tuple[Finding, ...] | None
    conditions: tuple[str, ...]
    line: int
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The events of ``only``."""
        return tuple(self.argument.replace(",", " ").split()) if self.action is Action.ONLY else ()


_QUOTED = r"\"[^\"]*\"|'[^']*'"
_PIECE = re.compile(rf"{_QUOTED}|=>|;|\n|[^\"';=\n]+|.")
_WRITTEN = re.compile(rf"(?s)(?P<path>(?:{_QUOTED}|\[[^\]]*\]|[^=\"'\[])+?)\s*(?:=\s*(?P<value>.*))?")
_FINDING = re.compile(r"(?:(?P<count>[1-9][0-9]{0,3})\s+)?(?P<name>[^\W\d][\w.\-]*)(?:\s+at\s+(?P<path>.+))?")
_STEPS = "ins, upd, del, begin, commit, +3 days, at TIME, end; first of all only EVENT, start <xml/>"


def steps_of(text: str, first_line: int = 1) -> Iterator[Step]:
    """The steps of a script; raises `ExampleError` with the line of what is none."""
    line = first_line
    for step, expectation, ended in _statements(text):
        if step.strip() or expectation is not None:
            yield _step(step.strip(), expectation, line)
        line += ended


def _statements(text: str) -> Iterator[tuple[str, str | None, int]]:
    """The parts between ``;`` and line ends that are in no quotes: what is before and behind ``=>``, how many lines it
    ends."""
    parts: list[str] = [""]
    for piece in (*_PIECE.findall(text), ""):
        if piece == "=>" and len(parts) == 1:
            parts.append("")
        elif piece in (";", "\n", ""):
            yield parts[0], parts[1] if len(parts) > 1 else None, piece == "\n"
            parts = [""]
        else:
            parts[-1] += piece


def _step(text: str, expectation: str | None, line: int) -> Step:
    expected, conditions = (None, ()) if expectation is None else _expected(expectation.strip(), line)
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    if not text:
        return Step(Action.NOTHING, "", None, expected, conditions, line, text)
    if text.startswith("+"):
        return Step(Action.WAIT, text[1:].strip(), None, expected, conditions, line, text)
    try:
        action = Action(word)
    except ValueError:
        raise ExampleError(f"line {line}: {word!r} is not a step\n  hint: the steps are {_STEPS}") from None
    value = None
    if action in (Action.INS, Action.UPD):
        match = _WRITTEN.fullmatch(rest)
        if match is None:
            raise ExampleError(f"line {line}: {text!r} has no path")
        rest, value = match["path"].strip(), match["value"]
        value = None if value is None else _unquoted(value.strip())
    if action is Action.UPD and value is None:
        raise ExampleError(f"line {line}: {text!r} writes nothing\n  hint: upd {rest or 'PATH'} = VALUE")
    if not rest and action in (Action.INS, Action.UPD, Action.DEL, Action.START, Action.AT):
        raise ExampleError(f"line {line}: {word} is incomplete\n  hint: the steps are {_STEPS}")
    return Step(action, rest, value, expected, conditions, line, text)


def _expected(text: str, line: int) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    findings: list[Finding] = []
    conditions = []
    for part in re.findall(rf"(?:{_QUOTED}|\[[^\]]*\]|[^,])+", text):
        said = part.strip()
        if re.fullmatch(_QUOTED, said):
            conditions.append(said[1:-1])
        elif said != "nothing":
            match = _FINDING.fullmatch(said)
            if match is None:
                hint = 'write event names with commas between them, "nothing", or a condition in quotes'
                raise ExampleError(f"line {line}: {said!r} is nothing to expect\n  hint: {hint}")
            findings += [Finding(match["name"], match["path"] or "")] * int(match["count"] or 1)
    return tuple(findings), tuple(conditions)


def _unquoted(text: str) -> str:
    return text[1:-1] if re.fullmatch(_QUOTED, text) else text
