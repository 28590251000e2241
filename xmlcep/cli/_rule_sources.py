"""What commands that read rules take beside them: ``--reference NAME=FILE`` (V8), ``--param NAME=VALUE`` (V9) and
``--allow LANGUAGE`` (O2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ..rules.additions import Additions
from ._paths import FilePath


def _pairs(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """What is given for every name."""
    found: dict[str, str] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name or (not value and option.name == "references"):
            raise click.BadParameter(f"{pair!r}: expected {option.metavar}", param=option)
        if name in found:
            raise click.BadParameter(f"{name!r} is given twice", param=option)
        found[name] = value
    return found


reference_option = click.option(
    "--reference", "references", metavar="NAME=FILE", multiple=True, callback=_pairs,
    help="The reference document that the rules call NAME (repeatable), in place of the file beside the rules.",
)  # fmt: skip
_OPTIONS = (
    reference_option,
    click.option(
        "--param", "params", metavar="NAME=VALUE", multiple=True, callback=_pairs,
        help="The value of a parameter of the rules (repeatable), in place of the one that they declare.",
    ),
    click.option(
        "--allow", metavar="LANGUAGE", multiple=True,
        help="Let rules use a language whose texts can do anything, such as python (repeatable).",
    ),
)  # fmt: skip
NAMES_OF_ADDITIONS = ("references", "params", "allow")
"""The parameters of a command that has these options, as click knows them."""


def with_additions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command these options, and calls it with all of them together as ``additions``."""

    @wraps(function)
    def called(
        *args: Any, references: dict[str, str], params: dict[str, str], allow: tuple[str, ...], **others: Any
    ) -> Any:
        additions = Additions.of("xmlcep", references=references, params=params, allow=allow)
        return function(*args, additions=additions, **others)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


def files_of(additions: Additions) -> list[str]:
    """The reference documents that are given: what is read is never written to."""
    return [str(file) for file in additions.sources.given.values()]


rules_option = click.option(
    "--rules",
    "rules_files",
    metavar="FILE",
    type=FilePath(),
    multiple=True,
    required=True,
    help="The rules (*.xcep); may be repeated: the files are read together.",
)
