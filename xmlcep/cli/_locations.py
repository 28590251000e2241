"""The option ``--location NS=FILE`` of the commands that read schemas."""

from __future__ import annotations

import click


def _pairs(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The file of every namespace; a namespace may have a ``=`` in it, the file begins behind the last."""
    found: dict[str, str] = {}
    for pair in given:
        uri, equals, file = pair.rpartition("=")
        if not equals or not uri or not file:
            raise click.BadParameter(f"{pair!r}: expected NAMESPACE=FILE", param=option)
        found[uri] = file
    return found


location_option = click.option(
    "--location",
    "locations",
    metavar="NS=FILE",
    multiple=True,
    callback=_pairs,
    help="The local file of a namespace that the schema imports (repeatable); nothing is fetched.",
)
