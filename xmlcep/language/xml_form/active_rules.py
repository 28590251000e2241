"""What is in a ``rule`` of the XML form: an action rule (L1 to L7)."""

from __future__ import annotations

from typing import Any

from ...algebra import (
    ACTIONS,
    Action,
    ActiveRule,
    EventDefinition,
    EventTrigger,
    Position,
    Where,
    parts_of_action,
)
from ...events import OPERATIONS
from ...suggestions import did_you_mean
from ..options import rule_options
from .elements import Element
from .events import Events, check_empty, name_in
from .names import ON, may_lack

_OPTIONS = ("priority", "mode", "coupling")


def active_rule(element: Element, events: Events) -> ActiveRule | None:
    """The rule that a ``rule`` says; None if it cannot be known."""
    element.check_attributes(("name", "if", *_OPTIONS))
    element.check_text()
    name = name_in(element, "name", "a rule")
    children = list(element.known_children((ON, *ACTIONS)))
    triggers = [child for child in children if child.name == ON]
    if len(triggers) != 1:
        element.report(
            f"<rule> has {len(triggers)} triggers", "write one <on> in it, and the actions after it (L1)"
        )
    actions = [_action(child) for child in children if child.name != ON]
    if not actions and len(children) == len(element.children):
        element.report("<rule> does nothing", f"write what it does, such as {', '.join(ACTIONS)}")
    trigger = _trigger(triggers[0], events, name or "") if len(triggers) == 1 else None
    given = [element.given(option, is_string=False) for option in _OPTIONS if option in element]
    options, _ = rule_options(given, element.source, named_trigger=True)
    known = [action for action in actions if action is not None]
    if name is None or trigger is None or not actions or len(known) < len(element.children) - 1:
        return None
    places = {"if": element.value_at("if")} if "if" in element else {}
    return ActiveRule(
        name, trigger, tuple(known), element.node.get("if"), options.priority, options.mode, options.coupling,
        element.value_at("name"), places,
    )  # fmt: skip


def _trigger(element: Element, events: Events, rule: str) -> EventTrigger | EventDefinition | None:
    """What the rule is triggered by: an event that is defined, or one of its own."""
    element.check_text()
    if "event" not in element:
        return events.own_event(element, rule)
    check_empty(element, ("event", "path"))
    path = events.path(element) if "path" in element else None
    name = name_in(element, "event", "an event")
    if name in OPERATIONS:
        element.report_value(
            "event", f"{name!r} is an operation, not an event", "write the event into <on> as an element (L1)"
        )
    return None if name is None else EventTrigger(name, path, element.at)


def _action(element: Element) -> Action | None:
    declared: Any = ACTIONS[element.name]
    names = parts_of_action(declared)
    check_empty(element, names)
    given: dict[str, Any] = {}
    places: dict[str, Position] = {}
    for name in names:
        if name not in element and may_lack(declared, name):
            continue
        text = element.text(name)
        if text is None:
            return None
        given[name], places[name] = text, element.value_at(name)
    if "where" in given:
        where = " ".join(given["where"].split())
        words = [each.value for each in Where]
        if where not in words:
            near = did_you_mean(where, words)
            element.report_value(
                "where", f"{where!r} is not a place", f"{near} expected {', '.join(words)}".strip()
            )
            return None
        given["where"] = Where(where)
        del places["where"]
    if "event" in given and name_in(element, "event", "an event") is None:
        return None
    return declared(**given, places=places)  # type: ignore[no-any-return]
