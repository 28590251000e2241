"""The actions by their kind: a new one is a module with a function ``run`` and a line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..algebra import Action, Call, Delete, Insert, Move, Raise, Replace, SetValue
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment
from . import call, delete, insert, move, raising, replace, set_value
from .host import Host

Run: TypeAlias = Callable[[ActionProgram, Environment, Host], int]
"""Does what an action says; returns how many nodes it was done to."""

RUNS: dict[type[Action], Run] = {
    Insert: insert.run, Delete: delete.run, SetValue: set_value.run, Replace: replace.run, Move: move.run,
    Call: call.run, Raise: raising.run,
}  # fmt: skip
_ONE_EDIT = frozenset({Insert, Delete, Replace, Move})
"""The actions that may take several calls, which are one edit (U1); ``set`` sees to that itself."""


def perform(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Does what an action says, as one edit; returns how many nodes it was done to."""
    kind = type(program.action)
    if kind not in _ONE_EDIT:
        return RUNS[kind](program, environment, host)
    host.begin_edit()
    try:
        return RUNS[kind](program, environment, host)
    finally:
        host.end_edit()
