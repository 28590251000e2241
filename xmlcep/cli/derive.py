"""``xmlcep derive``: schema-derived event types, in the event language."""

from __future__ import annotations

from pathlib import Path

import click

from ..schema import SchemaError, derive
from ..schema.deriving import DEFAULT_DEPTH
from ..schema.enough import XsiType
from ._arguments import FilePath, location_option
from ._commands import command as command_of
from ._targets import Target, Written, force_option, guard, out_option, write_out


@command_of(name="derive")
@click.argument("schema", metavar="XSD", type=FilePath())
@click.option("--root", metavar="NAME", help="Only what can occur in documents with this root element.")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Only this element's events and those that they use (repeatable).",
)
@click.option(
    "--end", type=click.Choice(["earliest", "non-local", "custom"]),
    help="Raise complete elements at once, at the next change elsewhere, or at the end of a transaction.",
)  # fmt: skip
@click.option(
    "--changes", is_flag=True, help="Also events for elements whose required parts have all been updated."
)
@click.option("--violations", is_flag=True, help="Also events for more children than the schema allows.")
@click.option(
    "--absences", is_flag=True,
    help="Also events for elements that are incomplete at the end of their transaction.",
)  # fmt: skip
@click.option(
    "--deletions/--no-deletions", default=True, show_default=True,
    help="Do not count parts that were deleted again: adds conditions.",
)  # fmt: skip
@location_option
@click.option(
    "--depth", type=click.IntRange(min=0), default=DEFAULT_DEPTH, show_default=True,
    help="How deep conditions look into recursive elements.",
)  # fmt: skip
@click.option(
    "--xsi-type", type=click.Choice([member.value for member in XsiType]), default=XsiType.COMPLEX.value,
    show_default=True,
    help="Heed xsi:type on elements of complex types, of all types, or not at all.",
)  # fmt: skip
@out_option("Write the rules to this file instead of standard output.", metavar="FILE")
@force_option
def command(
    schema: str, root: str | None, only: tuple[str, ...], end: str | None, changes: bool, violations: bool,
    absences: bool, deletions: bool, locations: dict[str, str], depth: int, xsi_type: str,
    out: str | None, force: bool,
) -> None:  # fmt: skip
    """Derive event definitions from an XML Schema.

    Prints a rules file, to be read, edited and kept: for every element with content, an event that is raised
    when such an element has been inserted completely.
    """
    rules = derive(
        schema, root=root, only=only, end=end, changes=changes, violations=violations, absences=absences,
        deletions=deletions, locations=locations, depth=depth, xsi_type=xsi_type,
    )  # fmt: skip
    text = rules.text
    if text is None:
        raise SchemaError(f"{schema}: nothing was derived")
    targets = [] if out is None else [Target(Path(out), Written.RULES)]
    guard(targets, [schema, *rules.files, *locations.values()], force=force)
    write_out(text, out)
