"""``xmlcep derive``: schema-derived event types, in the event language."""

from __future__ import annotations

from pathlib import Path

import click

from ..auditing.findings.atomic_files import AtomicFile
from ..schema import SchemaError, derive
from ..schema.deriving import DEFAULT_DEPTH
from ..schema.enough import XsiType
from ._arguments import FilePath, location_option
from ._commands import command as command_of
from ._output import put
from ._targets import Target, Written, force_option, guard, standard_output


@command_of(name="derive")
@click.argument("schema", metavar="XSD", type=FilePath())
@click.option("--root", metavar="NAME", help="Only what can stand in documents with this root element.")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Only this element's events and what they build on (repeatable).",
)
@click.option(
    "--end", type=click.Choice(["earliest", "non-local", "custom"]),
    help="When complete elements are told: at once, when the work moves on, or at the end of a transaction.",
)  # fmt: skip
@click.option("--changes", is_flag=True, help="Events for elements that were changed as a whole, too.")
@click.option("--violations", is_flag=True, help="Events for more children than the schema allows, too.")
@click.option(
    "--absences", is_flag=True,
    help="Events for elements that lack something at the end of their transaction, or when the work moves on, too.",
)  # fmt: skip
@click.option(
    "--deletions/--no-deletions", default=True, show_default=True,
    help="What was deleted again before the rest came does not count: complete elements have conditions.",
)  # fmt: skip
@location_option
@click.option(
    "--depth", type=click.IntRange(min=0), default=DEFAULT_DEPTH, show_default=True,
    help="How deep conditions look into elements that may stand in themselves.",
)  # fmt: skip
@click.option(
    "--xsi-type", type=click.Choice([member.value for member in XsiType]), default=XsiType.COMPLEX.value,
    show_default=True,
    help="Whose xsi:type is asked for: of elements of complex types, of all (each simple type that is extended, too), "
    "or of none.",
)  # fmt: skip
@click.option(
    "-o",
    "--out",
    "output",
    metavar="FILE",
    type=FilePath(),
    callback=standard_output,
    help="Write the rules to this file instead of standard output.",
)
@force_option
def command(
    schema: str, root: str | None, only: tuple[str, ...], end: str | None, changes: bool, violations: bool,
    absences: bool, deletions: bool, locations: dict[str, str], depth: int, xsi_type: str,
    output: str | None, force: bool,
) -> None:  # fmt: skip
    """Derive event types from an XML Schema.

    Prints rules in the event language: for every element with content an event that is raised when an element
    of it has been inserted completely. They are meant to be read, edited and kept.
    """
    rules = derive(
        schema, root=root, only=only, end=end, changes=changes, violations=violations, absences=absences,
        deletions=deletions, locations=locations, depth=depth, xsi_type=xsi_type,
    )  # fmt: skip
    text = rules.text
    if text is None:
        raise SchemaError(f"{schema}: nothing was derived")
    if output is None:
        put(text, nl=False)
        return
    target = Path(output)
    guard([Target(target, Written.RULES)], [schema, *rules.files, *locations.values()], force=force)
    with AtomicFile(target) as file:
        assert file.stream is not None
        file.stream.write(text.encode("utf-8"))
