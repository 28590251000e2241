"""Rules files as the commands take them: several are one set, ``-`` is standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from ..errors import XmlCepError
from ..rules.files import decode_rules, read_rules_text

STANDARD_INPUT = "-"
_SHOWN = "<stdin>"

rules_argument = click.argument(
    "rules", nargs=-1, required=True, metavar="RULES...", type=click.Path(allow_dash=True)
)


def read_texts(paths: Sequence[str]) -> dict[str, str]:
    """The texts of rules files by the names that messages call them; raises `XmlCepError`."""
    texts: dict[str, str] = {}
    for path in paths:
        name = _SHOWN if path == STANDARD_INPUT else path
        if name in texts:
            raise XmlCepError(f"{name}: the rules file is given twice")
        texts[name] = (
            decode_rules(sys.stdin.buffer.read(), name) if path == STANDARD_INPUT else read_rules_text(path)
        )
    return texts
