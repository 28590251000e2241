"""From lark's parse tree of a ``rule`` statement to the rule that it says (L1 to L7)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod
from typing import TypeAlias, cast

from lark import Token, Tree, v_args
from lark.tree import Meta

from ..algebra import (
    Action,
    ActiveRule,
    Call,
    Delete,
    EventDefinition,
    EventTrigger,
    Insert,
    Move,
    Position,
    Raise,
    Replace,
    SetValue,
    Where,
    parts_of_action,
)
from ..events import OPERATIONS
from .building import Definitions, Unit, too_deep
from .declarations import unquoted
from .options import GivenOption, rule_options
from .paths import WrittenPath, end_of, start_of
from .source import Source


def active_rule(tree: Tree[Token], namespaces: dict[str, str], source: Source) -> ActiveRule | None:
    """The rule that the tree of a ``rule`` statement says; None if it cannot be known."""
    if too_deep(tree, source):
        return None
    return cast("ActiveRule | None", _ActiveRules(namespaces, source).transform(tree))


class _OwnTrigger:
    """An expression that is as the trigger of a rule."""

    def __init__(self, expression: Unit) -> None:
        self.expression = expression


_Word: TypeAlias = Token | None


class _ActiveRules(Definitions):
    """Reads action rules. The methods are called like the rules of the grammar."""

    @v_args(meta=True)
    def named_trigger(self, meta: Meta, parts: list[Token | WrittenPath | None]) -> EventTrigger:
        name, path = parts
        if isinstance(path, WrittenPath):
            self.report_path(path, scoped=False)
        at = self.source.position(meta.start_pos, meta.end_pos)
        if name in OPERATIONS:
            hint = "write an expression in parentheses: on (ins(item)) (L1)"
            self.source.report_at(at, f"{str(name)!r} is an operation, not an event", hint)
        return EventTrigger(str(name), path.path if isinstance(path, WrittenPath) else None, at)

    def own_trigger(self, parts: list[Unit]) -> _OwnTrigger:
        return _OwnTrigger(parts[0])

    def rule(self, parts: list[object]) -> ActiveRule | None:
        tokens = [part for part in parts if isinstance(part, Token)]
        name = tokens[1]
        condition = next((token for token in tokens if token.type == "STRING"), None)
        groups = [part for part in parts if type(part) is tuple]
        given = [cast("GivenOption", option) for group in groups for option in group]
        trigger = next(part for part in parts if isinstance(part, (EventTrigger, _OwnTrigger)))
        named = isinstance(trigger, EventTrigger)
        options, others = rule_options(given, self.source, named_trigger=named)
        event: EventTrigger | EventDefinition | None
        if isinstance(trigger, EventTrigger):
            event = trigger
        else:
            event = self.defined(name, None, others, trigger.expression, with_path=True)
        actions = tuple(part for part in parts if isinstance(part, Action))
        text = None if condition is None else unquoted(condition, self.source)
        wanted = sum(isinstance(part, Action | _BrokenAction) for part in parts)
        if event is None or (condition is not None and text is None) or len(actions) < wanted:
            return None
        at = self.source.position(start_of(name), end_of(name))
        places = {} if condition is None else {"if": self._place(condition)}
        return ActiveRule(
            str(name), event, actions, text, options.priority, options.mode, options.coupling, at, places
        )

    # ---- actions ----------------------------------------------------------------------------------------

    def _action(self, kind: Callable[..., Action], parts: list[_Word]) -> Action | _BrokenAction:
        """The action that consists of these, in the order of its parts; a string that cannot be read is reported."""
        words = [part for part in parts[1:] if part is None or part.type != "WITH"]
        given = zip(parts_of_action(cast("type[Action]", kind)), words, strict=True)
        said = {name: token for name, token in given if token is not None}
        read = {name: self._read(token) for name, token in said.items()}
        if None in read.values():
            return _BrokenAction()
        return kind(**read, places={name: self._place(t) for name, t in said.items() if t.type != "WHERE"})

    insert_action = partialmethod(_action, Insert)
    delete_action = partialmethod(_action, Delete)
    set_action = partialmethod(_action, SetValue)
    replace_action = partialmethod(_action, Replace)
    move_action = partialmethod(_action, Move)
    call_action = partialmethod(_action, Call)
    raise_action = partialmethod(_action, Raise)

    def _read(self, token: Token) -> str | Where | None:
        """What a part of an action says; None of a string that cannot be read."""
        if token.type == "WHERE":
            return _where(token)
        return unquoted(token, self.source) if token.type == "STRING" else str(token)

    def _place(self, token: Token) -> Position:
        return self.source.position(start_of(token), end_of(token))


class _BrokenAction:
    """Stands for an action in which something is wrong, which has been reported."""


def _where(word: Token) -> Where:
    words = [line.partition("#")[0] for line in word.split("\n")]  # without the comments between them
    return Where(" ".join(" ".join(words).split()))
