"""Options and output that the commands on versions share."""

from __future__ import annotations

import click

from ..matching import Key
from ..schema.identities import schema_keys
from ..versions.entities import Entities
from ..versions.version import LARGEST
from ._arguments import FilePath, with_options
from ._output import inform

matching_options = with_options(
    click.option(
        "--key", "keys", multiple=True, metavar="ELEMENT=FIELD",
        help="Identify elements by a key: item=@partNum, dependency=groupId,artifactId (repeatable).",
    ),
    click.option(
        "--schema", type=FilePath(), metavar="XSD", help="Also use the keys and IDs of an XML Schema."
    ),
    click.option(
        "--keep-whitespace", is_flag=True,
        help="Also compare white space between elements.",
    ),
    click.option(
        "--largest", type=click.IntRange(1), default=LARGEST, show_default=True, metavar="MB",
        help="Refuse documents of more megabytes.",
    ),
    click.option(
        "--entities", "entities", multiple=True, metavar="FILE|standard",
        help="Replace entities by the texts that a DTD declares (repeatable); standard: those of HTML 5.",
    ),
)  # fmt: skip
"""``--key``, ``--schema``, ``--keep-whitespace``, ``--entities``, ``--largest``."""


def all_keys(keys: tuple[str, ...], schema: str | None) -> list[Key]:
    """The keys that were given, then those of the schema."""
    given = [Key.parse(key) for key in keys]
    if schema is None:
        return given
    return [*given, *schema_keys(schema)]


def all_entities(given: tuple[str, ...]) -> Entities | None:
    """What entities stand for, as the files and tables say that were given."""
    return Entities.read(given) if given else None


def say(sentence: str) -> None:
    """Tells the user something, on standard error."""
    inform(f"xmlcep: {sentence}")
