"""What commands that read rules take beside them: ``--reference NAME=FILE`` (V8) and ``--allow LANGUAGE`` (O2)."""

from __future__ import annotations

import click

from ._paths import FilePath


def _pairs(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The file of every name."""
    found: dict[str, str] = {}
    for pair in given:
        name, equals, file = pair.partition("=")
        if not equals or not name or not file:
            raise click.BadParameter(f"{pair!r}: expected NAME=FILE", param=option)
        if name in found:
            raise click.BadParameter(f"{name!r} is given twice", param=option)
        found[name] = file
    return found


reference_option = click.option(
    "--reference",
    "references",
    metavar="NAME=FILE",
    multiple=True,
    callback=_pairs,
    help="The reference document that the rules call NAME (repeatable), in place of the file beside the rules.",
)

allow_option = click.option(
    "--allow",
    metavar="LANGUAGE",
    multiple=True,
    help="Let rules use a language whose texts can do anything, such as python (repeatable).",
)

rules_option = click.option(
    "--rules",
    "rules_files",
    metavar="FILE",
    type=FilePath(),
    multiple=True,
    required=True,
    help="The rules (*.xcep); may be repeated: the files are read together.",
)
