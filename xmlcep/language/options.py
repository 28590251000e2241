"""What is in braces: which options there are, where they may be, which values they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

from path_types import PathType
from path_types.names import is_ncname

from ..algebra import (
    NO_OPTIONS,
    OPERATORS,
    ContextName,
    Coupling,
    EventDefinition,
    Let,
    Mode,
    Operator,
    Options,
    Order,
    Severity,
    Termination,
    Window,
    WindowError,
    parse_window,
)
from ..position import NOWHERE, Position
from ..suggestions import did_you_mean
from .source import Source


class GivenOption(NamedTuple):
    """One option as it stands in the text: its value is text, with offsets to mark it.

    ``is_string`` tells ``when="…"`` from a word or path; ``path`` is the value read as a path (None if it
    is none, in which case that has been reported if the option is a path). ``value`` None: no value given;
    ``broken``: its value cannot be read, which has been reported. ``variable`` is the name behind ``let``.
    """

    name: str
    start: int
    end: int
    value: str | None = None
    value_start: int = 0
    value_end: int = 0
    is_string: bool = False
    path: PathType | None = None
    broken: bool = False
    variable: str = ""

    @property
    def key(self) -> str:
        """What distinguishes it from others."""
        return f"{self.name} {self.variable}" if self.variable else self.name


class EventOptions(NamedTuple):
    """The options behind an event's name: the event's own, and those of its root operator."""

    context: ContextName = ContextName.CHRONICLE
    flat: bool = False
    order: Order = Order.INTERVAL
    severity: Severity | None = None
    message: str | None = None
    message_at: Position = NOWHERE
    across: bool = False
    root: Options = NO_OPTIONS

    def event(self, name: str, root: Operator, at: Position, description: str = "") -> EventDefinition:
        """The event with this root, which has its own options already."""
        return EventDefinition(
            name, root, self.context, self.flat, self.order, at, self.severity, self.message, description,
            self.message_at, self.across,
        )  # fmt: skip


class RuleOptions(NamedTuple):
    """The options of an action rule (L3 to L5)."""

    priority: int = 0
    mode: Mode | None = None
    coupling: Coupling = Coupling.IMMEDIATE


class _Kind(NamedTuple):
    """A kind of value: what a person would call it, how it is read (None: it is no such value), and the words that it
    can be, if it is one of some."""

    expected: str
    read: Callable[[GivenOption], Any]
    words: tuple[str, ...] = ()


def _one_of(choices: type[Enum]) -> _Kind:
    by_value = {member.value: member for member in choices}
    words = tuple(by_value)
    return _Kind(
        ", ".join(words), lambda option: None if option.is_string else by_value.get(option.value), words
    )


def _read_path(option: GivenOption) -> PathType | None:
    return None if option.is_string else option.path


def _read_int(option: GivenOption) -> int | None:
    text = option.value or ""
    is_number = not option.is_string and re.fullmatch(r"-?[0-9]{1,9}", text) is not None
    return int(text) if is_number else None


def _read_name(option: GivenOption) -> str | None:
    return option.value if not option.is_string and is_ncname(option.value or "") else None


def _read_string(option: GivenOption) -> str | None:
    return option.value if option.is_string else None


def _read_names(option: GivenOption) -> tuple[str, ...] | None:
    names = tuple(name.strip().removeprefix("$") for name in (_read_string(option) or "").split(","))
    return names if all(map(is_ncname, names)) and len(set(names)) == len(names) else None


def _read_window(option: GivenOption) -> Window | WindowError | None:
    if not option.is_string or option.value is None:
        return None
    try:
        return parse_window(option.value)
    except WindowError as error:
        return error


_XPATH = _Kind('a string with an XPath expression, such as "price > 0"', _read_string)
_WINDOW = _Kind('a string such as "3 days", "100 changes" or "1 transaction"', _read_window)
_FLAG = _Kind("", lambda option: True)
_KINDS: dict[str, _Kind] = {
    "context": _one_of(ContextName),
    "end": _one_of(Termination),
    "order": _one_of(Order),
    "flat": _FLAG,
    "across": _FLAG,
    "path": _Kind("a path such as order/item", _read_path),
    "when": _XPATH,
    "if": _XPATH,
    "within": _WINDOW,
    "gap": _WINDOW,
    "having": _Kind(
        'a string with an XPath expression of variables, such as "count($price) > 3"', _read_string
    ),
    "let": _Kind('a string with an XPath expression of variables, such as "sum($price)"', _read_string),
    "by": _Kind('a string with names of variables, such as "user, part"', _read_names),
    "strict": _FLAG,
    "slide": _FLAG,
    "name": _Kind("a name for the operator", _read_name),
    "severity": _one_of(Severity),
    "message": _Kind('a string such as "price of {@partNum} rose to {$new}"', _read_string),
}
"""Every option by its name."""

STRINGS = frozenset(
    name for name, kind in _KINDS.items() if kind.read in (_read_string, _read_window, _read_names)
)
"""Options whose values are strings in the event language."""
FLAGS = frozenset(name for name, kind in _KINDS.items() if kind is _FLAG)
"""Options without a value."""
_RULE_KINDS: dict[str, _Kind] = {
    "priority": _Kind("a whole number such as 5; higher goes first", _read_int),
    "mode": _one_of(Mode),
    "coupling": _one_of(Coupling),
}
"""The options of action rules."""

_FIELDS = {"if": "guard"}  # where a field of Options cannot be called as the option is
EVENT_ONLY = ("flat", "across", "order", "severity", "message")
"""Options of an event that no operator has."""


def options_and_values() -> dict[str, tuple[str, ...]]:
    """The names of all options of events, operators and rules, each with its values if these are words."""
    known = {**_KINDS, **_RULE_KINDS}
    return {name: kind.words for name, kind in known.items()}


def event_options(
    given: Iterable[GivenOption],
    source: Source,
    root: type[Operator],
    *,
    single_leaf: bool,
    with_path: bool = False,
) -> EventOptions:
    """The options of an event whose root operator is of this kind; reports what is wrong and leaves that out.

    ``with_path``: the event has no name behind which its path could be.
    """
    found = EventOptions()
    allowed = (
        "context",
        *EVENT_ONLY,
        *(("path",) if with_path else ()),
        *(name for name in _KINDS if name in root.takes - {"path", "name", "context"}),
    )
    for option, value in _read(
        given, allowed, source, _Misplaced(root, in_event=True, single_leaf=single_leaf)
    ):
        if option.name in ("context", *EVENT_ONLY):
            found = found._replace(**{option.name: value})
            if option.name == "message":
                at = source.position(option.value_start, option.value_end)
                found = found._replace(message_at=at)
        else:
            found = found._replace(root=_with(found.root, option, value, source))
    return found._replace(flat=found.flat or found.across)


def rule_options(
    given: Iterable[GivenOption], source: Source, *, named_trigger: bool
) -> tuple[RuleOptions, list[GivenOption]]:
    """The options of an action rule, and the others, which are those of its event; reports what is wrong.

    ``named_trigger``: its event is defined elsewhere, where its options are.
    """
    found = RuleOptions()
    others: list[GivenOption] = []
    seen: set[str] = set()
    for option in given:
        kind = _RULE_KINDS.get(option.name)
        if kind is None:
            if named_trigger:
                known = option.name in _KINDS or option.name in EVENT_ONLY
                hint = "the event of this rule is defined elsewhere: write options of the event there"
                near = did_you_mean(option.name, _RULE_KINDS)
                listed = f"options of a rule: {', '.join(_RULE_KINDS)}"
                source.report(
                    option.start, option.end, f"a rule has no option {option.name!r}",
                    hint if known else f"{near} {listed}".strip(),
                )  # fmt: skip
            else:
                others.append(option)
        elif option.name in seen:
            message = f"the option {option.name!r} is given twice"
            source.report(option.start, option.end, message, "leave one out")
        elif not option.broken:
            seen.add(option.name)
            value = None if option.value is None else kind.read(option)
            if value is None:
                _report_value(option, source, kind)
            else:
                found = found._replace(**{option.name: value})
    return found, others


def operator_options(given: Iterable[GivenOption], source: Source, operator: type[Operator]) -> Options:
    """The options of an operator of this kind; reports what is wrong with them and leaves that out."""
    found = NO_OPTIONS
    allowed = tuple(name for name in _KINDS if name in operator.takes)
    for option, value in _read(given, allowed, source, _Misplaced(operator)):
        found = _with(found, option, value, source)
    return found


def merged(first: Options, second: Options) -> tuple[Options, list[str]]:
    """Both together; what is in both and says different things is taken from first, and listed (T1)."""
    twice: list[str] = []
    together = replace(first, places={**second.places, **first.places})
    for name in _KINDS:
        field = _FIELDS.get(name, name)
        added = getattr(second, field, None)
        if added is None or added is False or added == ():
            continue
        present = getattr(first, field)
        if name == "let":
            names = {let.name for let in present}
            twice += [f"let {let.name}" for let in added if let.name in names]
            together = replace(together, let=present + tuple(let for let in added if let.name not in names))
        elif present is not None and present is not False and present != ():
            twice += [name] if present != added else []
        else:
            together = replace(together, **{field: added})
    return together, twice


def _with(options: Options, option: GivenOption, value: Any, source: Source) -> Options:
    """The options with one more."""
    places = {**options.places, option.key: source.position(option.value_start, option.value_end)}
    if option.name == "let":
        return replace(options, let=(*options.let, Let(option.variable, value)), places=places)
    field = _FIELDS.get(option.name, option.name)
    return replace(options, places=places, **{field: value})


class _Misplaced(NamedTuple):
    """What to say of options that cannot stand where they do."""

    operator: type[Operator]
    in_event: bool = False
    single_leaf: bool = False

    def say(self, option: GivenOption, allowed: tuple[str, ...]) -> tuple[str, str]:
        name = option.name
        if name not in _KINDS:
            near = did_you_mean(name, allowed)
            listed = f"options here: {', '.join(allowed)}"
            return f"there is no option {name!r}", f"{near} {listed}" if near else listed
        if self.in_event:
            if name == "path":
                return (
                    "'path' is an option of an operator, not of an event",
                    "write the path in parentheses after the event's name: event NAME(order/item) = …",
                )
            if name == "name":
                return (
                    "'name' is an option of an operator, not of an event",
                    "write it after an operator: (… & …) {name=…}; in traces the root goes by the event's name",
                )
        elif name in EVENT_ONLY:
            return (
                f"{name!r} is an option of an event, not of an operator",
                f"write it after the event's name: event NAME {{{name}{'' if _KINDS[name] is _FLAG else '=…'}}} = …",
            )
        able = [operator.kind for operator in OPERATORS if name in operator.takes]
        what = (
            "an event that is a single leaf"
            if self.single_leaf
            else f"a {getattr(self.operator, 'kind', 'leaf')}"
        )
        instead = 'a guard asks each of its composites: if="…"; ' if name == "having" else ""
        return f"{what} has no option {name!r}", f"{instead}operators that have it: {', '.join(able)}"


def _read(
    given: Iterable[GivenOption], allowed: tuple[str, ...], source: Source, misplaced: _Misplaced
) -> Iterable[tuple[GivenOption, Any]]:
    """The options that may be here with their values, each once; reports the others."""
    seen: set[str] = set()
    for option in given:
        if option.name not in allowed:
            source.report(option.start, option.end, *misplaced.say(option, allowed))
        elif option.key in seen:
            source.report(
                option.start, option.end, f"the option {option.key!r} is given twice", "leave one out"
            )
        else:
            seen.add(option.key)
            if option.broken:
                continue
            value = _KINDS[option.name].read(option)
            if isinstance(value, WindowError):
                source.report(option.value_start, option.value_end, value.problem, f"{value.hint} (W2)")
            elif (
                option.name == "path" and value is None and option.value is not None and not option.is_string
            ):
                continue  # what is wrong with it has been said
            elif value is None or (_KINDS[option.name] is not _FLAG and option.value is None):
                _report_value(option, source)
            else:
                if _KINDS[option.name] is _FLAG and option.value is not None:
                    source.report(
                        option.start, option.value_end, f"{option.name!r} takes no value",
                        f"write {option.name} alone, or leave it out",
                    )  # fmt: skip
                yield option, value


def _report_value(option: GivenOption, source: Source, kind: _Kind | None = None) -> None:
    expected = (kind or _KINDS[option.name]).expected
    if option.value is None:
        source.report(
            option.start,
            option.end,
            f"the option {option.name!r} needs a value",
            f"write {option.name}=…: {expected}",
        )
        return
    near = ""
    words = (kind or _KINDS[option.name]).words
    if words:
        near = "write it without quotes:" if option.value in words else did_you_mean(option.value, words)
    source.report(
        option.value_start,
        option.value_end,
        f"{option.value!r} is not a value of the option {option.name!r}",
        f"{near} expected {expected}" if near else f"expected {expected}",
    )
