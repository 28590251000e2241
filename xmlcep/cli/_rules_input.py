"""Rules as the commands take them: several files are one set, ``-`` is standard input; and what is taken beside them:
``--reference NAME=FILE`` (V8), ``--param NAME=VALUE`` (V9), ``--allow LANGUAGE`` (O2)."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click

from ..errors import XmlCepError
from ..files import all_of, refuse_device
from ..rules import IgnoredRulesWarning, Rules
from ..rules.additions import Additions
from ..rules.files import RULES_FILE, decode_rules, read_rules_text, rules_of
from ._arguments import FilePath, with_options
from ._output import inform

STANDARD_INPUT = "-"
_SHOWN = "<stdin>"

rules_argument = click.argument(
    "rules", nargs=-1, required=True, metavar="RULES...", type=FilePath(allow_dash=True)
)


def load(paths: Sequence[str], additions: Additions) -> Rules:
    """The rules in these files as one set; raises what `load_rules` raises."""
    return rules_of(read_texts(paths), additions)


def read_texts(paths: Sequence[str]) -> dict[str, str]:
    """The texts of rules files by the names that messages call them; raises `XmlCepError`."""
    texts: dict[str, str] = {}
    for path in paths:
        name = _SHOWN if path == STANDARD_INPUT else path
        if name in texts:
            raise XmlCepError(f"{name}: the rules file is given twice")
        if path == STANDARD_INPUT:
            claim_standard_input(click.get_current_context(), "the rules")
            refuse_device(sys.stdin.buffer, name)
            texts[name] = decode_rules(all_of(sys.stdin.buffer, name, RULES_FILE), name)
        else:
            texts[name] = read_rules_text(path)
    return texts


def claim_standard_input(context: click.Context, what: str) -> None:
    """Notes that standard input is read as this; raises `click.UsageError` if it is something else already."""
    before = context.meta.setdefault(__name__, what)
    if before != what:
        raise click.UsageError(f"standard input is {before}, it cannot be {what} as well")


@contextmanager
def saying_ignored(rules: Rules) -> Iterator[None]:
    """Says which action rules an audit ignores, as a command says things, and not as Python warns."""
    if said := rules.ignored():
        inform(f"xmlcep: {said}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredRulesWarning)
        yield


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
    help="Use FILE as the reference document NAME of the rules (repeatable).",
)  # fmt: skip
_OPTIONS = (
    reference_option,
    click.option(
        "--param", "params", metavar="NAME=VALUE", multiple=True, callback=_pairs,
        help="Set a parameter of the rules (repeatable).",
    ),
    click.option(
        "--allow", metavar="LANGUAGE", multiple=True,
        help="Allow rules to use an unsafe language, such as python (repeatable).",
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

    return with_options(*_OPTIONS)(called)


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
    help="A rules file (*.xcep; repeatable: the files are read together).",
)
