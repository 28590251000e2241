"""What stands in braces: which options there are, where they may stand, which values they take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import NamedTuple, TypeVar

from path_types import PathType

from ..algebra import NO_OPTIONS, ContextName, Options, Order, Position, Termination
from ..suggestions import did_you_mean
from .source import Source

_CHOICES: dict[str, type[ContextName] | type[Termination] | type[Order]] = {
    "context": ContextName,
    "end": Termination,
    "order": Order,
}
_EVENT_OPTIONS = ("context", "flat", "order", "end", "when")
_OPERATOR_OPTIONS = ("context", "end", "path", "when", "name")
_VALUES = {
    **{name: ", ".join(member.value for member in choices) for name, choices in _CHOICES.items()},
    "path": "a path such as order/item",
    "when": 'a string with an XPath expression, such as "price > 0"',
    "name": "a name for the operator",
}
_E = TypeVar("_E", bound=Enum)


class GivenOption(NamedTuple):
    """One option as it stands in the text: its value is text, with offsets to mark it.

    ``is_string`` tells ``when="…"`` from a word or path; ``path`` is the value read as a path (None if it
    is none, in which case that has been reported if the option is a path). ``value`` None: no value given;
    ``broken``: its value cannot be read, which has been reported.
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


class EventOptions(NamedTuple):
    """The options behind an event's name: the event's own, and those of its root operator."""

    context: ContextName = ContextName.CHRONICLE
    flat: bool = False
    order: Order = Order.INTERVAL
    root: Options = NO_OPTIONS


def event_options(given: Iterable[GivenOption], source: Source) -> EventOptions:
    """The options of an event; reports what is wrong with them and leaves that out."""
    found = EventOptions()
    for option in _known_once(given, _EVENT_OPTIONS, source):
        if option.name == "context":
            found = found._replace(context=_choice(option, ContextName, source) or found.context)
        elif option.name == "order":
            found = found._replace(order=_choice(option, Order, source) or found.order)
        elif option.name == "flat":
            found = found._replace(flat=_flag(option, source))
        else:
            found = found._replace(root=_with(found.root, option, source))
    return found


def operator_options(given: Iterable[GivenOption], source: Source) -> Options:
    """The options of an operator; reports what is wrong with them and leaves that out."""
    found = NO_OPTIONS
    for option in _known_once(given, _OPERATOR_OPTIONS, source):
        found = _with(found, option, source)
    return found


def merged(first: Options, second: Options) -> tuple[Options, list[str]]:
    """Both together; what stands in both is taken from first, and listed (N6)."""
    twice: list[str] = []
    together = first
    for name in _OPERATOR_OPTIONS:
        added = getattr(second, name)
        if added is None:
            continue
        if getattr(first, name) is not None:
            twice.append(name)
            continue
        together = replace(together, **{name: added})
        if name in second.places:
            together = replace(together, places={**together.places, name: second.places[name]})
    return together, twice


def _known_once(
    given: Iterable[GivenOption], allowed: tuple[str, ...], source: Source
) -> Iterable[GivenOption]:
    """The options that may stand here, each once; reports the others."""
    seen: set[str] = set()
    for option in given:
        if option.name not in allowed:
            source.report(option.start, option.end, *_misplaced(option.name, allowed))
        elif option.name in seen:
            source.report(
                option.start, option.end, f"the option {option.name!r} is given twice", "leave one out"
            )
        else:
            seen.add(option.name)
            if not option.broken:
                yield option


def _misplaced(name: str, allowed: tuple[str, ...]) -> tuple[str, str]:
    if name in _EVENT_OPTIONS:
        return (
            f"{name!r} is an option of an event, not of an operator",
            f"write it behind the event's name: event NAME {{{name}{'' if name == 'flat' else '=…'}}} = …",
        )
    if name == "path":
        return (
            "'path' is an option of an operator, not of an event",
            "write the path in parentheses behind the event's name: event NAME(order/item) = …",
        )
    if name == "name":
        return (
            "'name' is an option of an operator, not of an event",
            "write it behind an operator: (… & …) {name=…}; in traces the root goes by the event's name",
        )
    return (
        f"there is no option {name!r}",
        f"{did_you_mean(name, allowed)} options here: {', '.join(allowed)}".strip(),
    )


def _with(options: Options, option: GivenOption, source: Source) -> Options:
    """The options with one more."""
    at = source.position(option.value_start, option.value_end)
    match option.name:
        case "context":
            return replace(options, context=_choice(option, ContextName, source))
        case "end":
            return replace(options, end=_choice(option, Termination, source))
        case "path":
            return _with_path(options, option, at, source)
        case "when":
            return _with_condition(options, option, at, source)
        case _:
            return replace(options, name=_name(option, source))


def _with_path(options: Options, option: GivenOption, at: Position, source: Source) -> Options:
    if option.value is None or option.is_string:
        _report_value(option, source)
    return replace(options, path=option.path, places={**options.places, "path": at})


def _with_condition(options: Options, option: GivenOption, at: Position, source: Source) -> Options:
    if option.value is None or not option.is_string:
        _report_value(option, source)
        return options
    return replace(options, when=option.value, places={**options.places, "when": at})


def _name(option: GivenOption, source: Source) -> str | None:
    path = option.path
    if path is None or len(path) > 1 or not path.last.is_element or set(option.value or "") & set("/{:"):
        _report_value(option, source)
        return None
    return option.value


def _choice(option: GivenOption, choices: type[_E], source: Source) -> _E | None:
    for member in choices:
        if member.value == option.value and not option.is_string:
            return member
    _report_value(option, source)
    return None


def _flag(option: GivenOption, source: Source) -> bool:
    if option.value is not None:
        source.report(
            option.start, option.value_end, "'flat' takes no value", "write flat alone, or leave it out"
        )
    return True


def _report_value(option: GivenOption, source: Source) -> None:
    expected = _VALUES[option.name]
    if option.value is None:
        source.report(
            option.start,
            option.end,
            f"the option {option.name!r} needs a value",
            f"write {option.name}=…: {expected}",
        )
        return
    members = [member.value for member in _CHOICES.get(option.name, ())]
    source.report(
        option.value_start,
        option.value_end,
        f"{option.value!r} is no value of the option {option.name!r}",
        f"{did_you_mean(option.value, members)} expected {expected}".strip(),
    )
