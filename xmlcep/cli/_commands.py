"""What all commands have in common: help in groups of options, and the settings of a project."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from ..errors import XmlCepError
from ..settings import Settings, find_settings

_HEADINGS = {
    "Rules": ("--rules", "--schema", "--location", "--reference", "--param", "--allow", "--not-editing"),
    "Input": (
        "--doc", "--at", "--between", "--node", "--xpath", "--event", "--until", "--ignore-whitespace",
        "--operators", "--state", "--final", "--on-bad-record", "--log", "--initial", "--branch", "--since", "--base",
        "--all-parents", "--tracked", "--by-time", "--key", "--keep-whitespace", "--largest",
    ),
    "Output": (
        "--out", "--format", "--where", "--sort", "--limit", "--full", "--title", "--partition-by-rule",
        "--quarantine", "--summary", "--fail-on", "--fail-on-findings", "--fail-on-differences", "--force", "--quiet",
        "--dry-run", "--explain", "--actions", "--plan", "--mermaid", "--annotate",
    ),
    "Engine": ("--engine", "--master", "--partitions"),
}  # fmt: skip
"""The groups of options of long helps, in their order; all others are just options."""
_GROUPED = 8
"""Commands of fewer options list them as they are."""

_OF_RULES = ("references", "params")
_FROM_SETTINGS = {
    "audit": ("rules_files", "logs", "schema", "locations", "fail_on", *_OF_RULES),
    "check": ("rules", "schema", "locations", *_OF_RULES),
    "fmt": ("rules",), "test": ("rules", *_OF_RULES),
    "report": ("rules_files", "logs", *_OF_RULES), "pending": ("rules_files", "logs", *_OF_RULES),
    "why": ("rules_files", *_OF_RULES), "why-not": ("rules_files", *_OF_RULES),
    "history": ("keys",), "diff": ("keys",),
}  # fmt: skip
"""The parameters of each command that the settings of a project may say, as click knows them."""


def _defaults(settings: Settings, names: Sequence[str]) -> dict[str, Any]:
    """What settings say of these parameters, as a command line would."""
    said: dict[str, Any] = {
        "rules_files": settings.rules, "rules": settings.rules, "logs": settings.logs, "schema": settings.schema,
        "fail_on": settings.fail_on, "keys": settings.keys, "locations": _pairs(settings.locations),
        "references": _pairs(settings.references), "params": _pairs(settings.params),
    }  # fmt: skip
    return {name: said[name] for name in names if said[name]}


_PARAMETER = re.compile(r"`(\w+)(?:='([^']*)')?`")


def _as_option(options: Mapping[str, str], found: re.Match[str]) -> str:
    option = options.get(found[1])
    return found[0] if option is None else f"{option} {found[2]}" if found[2] else option


def _pairs(named: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in named.items())


class Command(click.Command):
    """A command of xmlcep."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click; what is not given comes from the project's settings."""
        taken = _FROM_SETTINGS.get(self.name or "", ())
        if taken and not ctx.resilient_parsing and not {"-h", "--help"}.intersection(args):
            ctx.default_map = _defaults(find_settings(), taken)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """As click; where an error names a parameter of a function, as `since`, it names the option instead."""
        try:
            return super().invoke(ctx)
        except XmlCepError as error:
            if error.args == (str(error),):
                options = {str(param.name): param.opts[-1] for param in self.params}
                error.args = (_PARAMETER.sub(partial(_as_option, options), error.args[0]),)
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options under the headings of their groups."""
        shown = [(param, param.get_help_record(ctx)) for param in self.get_params(ctx)]
        options = [(param, record) for param, record in shown if record is not None and record[1]]
        left = dict(options)
        if len(options) > _GROUPED:
            for heading, names in _HEADINGS.items():
                chosen = [param for param, _ in options if not set(names).isdisjoint(param.opts)]
                records = [left.pop(param) for param in chosen]
                if records:
                    with formatter.section(heading):
                        formatter.write_dl(records)
        with formatter.section("Options"):
            formatter.write_dl(list(left.values()))


command = partial(click.command, cls=Command)
"""Makes a command of a function, as `click.command` does."""


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
