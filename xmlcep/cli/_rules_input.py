"""Rules files as the commands take them: several are one set, ``-`` is standard input."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from ..errors import XmlCepError
from ..files import all_of, refuse_device
from ..rules import IgnoredRulesWarning, Rules
from ..rules.additions import Additions
from ..rules.files import RULES_FILE, decode_rules, read_rules_text, rules_of
from ._output import inform
from ._paths import FilePath

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
    """Says which rules that act an audit ignores, as a command says things, and not as Python warns."""
    if said := rules.ignored():
        inform(f"xmlcep: {said}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredRulesWarning)
        yield
