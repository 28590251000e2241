"""Options that would do nothing beside others are refused: whoever gives one thinks that it does something."""

from __future__ import annotations

from collections.abc import Collection

import click
from click.core import ParameterSource


def refuse_others(kept: Collection[str], why: str) -> None:
    """Refuses the options of this call that are not among ``kept``, parameters by name.

    Raises `click.UsageError`, which says ``why`` and names the first.
    """
    _refuse(why, [param for param in _given() if param.name not in kept])


def refuse(names: Collection[str], why: str) -> None:
    """Refuses these parameters, if they are given; the same."""
    _refuse(why, [param for param in _given() if param.name in names])


def _given() -> list[click.Parameter]:
    context = click.get_current_context()
    return [
        param
        for param in context.command.params
        if context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
    ]


def _refuse(why: str, given: list[click.Parameter]) -> None:
    if given:
        raise click.UsageError(f"{why}: leave out {given[0].opts[-1]}")
