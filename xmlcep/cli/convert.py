"""``xmlcep convert``: rules from the event language to XML and back."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import RuleProblem, XmlCepError
from ..language import is_xml, print_definitions, print_xml_definitions, read_definitions
from ..language.formatting import format_rules
from ..language.forms import comments_in
from ..language.xml_form import schema_text
from ..rules.files import rule_error
from ..schematron import convert, is_schematron
from ._arguments import FilePath
from ._commands import command as command_of
from ._output import inform, put
from ._rules_input import STANDARD_INPUT, read_texts
from ._targets import Target, Written, force_option, guard, out_option, standard_output, write_out

_ENDINGS = {".xml": True, ".xcep": False}
"""Whether files that end so are in XML."""


@command_of(name="convert")
@click.argument("source", metavar="SOURCE", required=False, type=FilePath(allow_dash=True))
@click.argument(
    "target", metavar="[TARGET]", type=FilePath(allow_dash=True), required=False, callback=standard_output
)
@click.option("--schema", is_flag=True, help="Print the schema of rules in XML (XSD) instead.")
@click.option(
    "--phase", metavar="NAME", help="Convert only this phase of a Schematron file; #ALL: all phases."
)
@out_option("The same as TARGET.")
@force_option
def command(
    source: str | None, target: str | None, schema: bool, phase: str | None, out: str | None, force: bool
) -> None:
    """Convert rules from text to XML, or from XML to text; or a Schematron file to rules.

    Without TARGET, the result goes to standard output; - is standard input. Comments are lost, except those
    above events. It does not validate: run 'xmlcep check', which reads both forms.
    """
    if schema:
        if source is not None:
            raise click.UsageError("--schema takes no files")
        put(schema_text(), nl=False)
        return
    if source is None:
        raise click.UsageError("Missing argument 'SOURCE'.")
    if target is not None and out is not None:
        raise click.UsageError("TARGET and --out are the same: give one of them")
    target = target or out
    if target is not None:
        guard(
            [Target(Path(target), Written.RULES)], [source] if source != STANDARD_INPUT else [], force=force
        )
    [(name, text)] = read_texts([source]).items()
    if is_xml(text) and is_schematron(text):
        written = _from_schematron(text, name, phase, in_xml=target is not None and target.endswith(".xml"))
    elif phase is not None:
        raise click.UsageError(f"--phase is for Schematron, and {name} is none")
    else:
        written = _other_form(text, name, target)
    write_out(written, target)


def _from_schematron(text: str, name: str, phase: str | None, *, in_xml: bool) -> str:
    """Rules that are raised where assertions fail."""
    converted = convert(text, name, phase)
    for remark in converted.remarks:
        inform(f"xmlcep: {name}: {remark}")
    if in_xml:
        return print_xml_definitions(converted.definitions, converted.namespaces)
    return format_rules(print_definitions(converted.definitions, converted.namespaces), name)


def _other_form(text: str, name: str, target: str | None) -> str:
    """The rules in the other form; what is lost is said."""
    if target is not None and _ENDINGS.get(Path(target).suffix) is is_xml(text):
        form = "in XML" if is_xml(text) else "in the event language"
        raise XmlCepError(f"{target}: {name} is {form} already, and would be written in the other form")
    written, described = _converted(text, name)
    left = comments_in(text) - described
    if left:
        inform(f"xmlcep: {name}: {left} comment{'s are' if left > 1 else ' is'} left out")
    return written


def _converted(text: str, name: str) -> tuple[str, int]:
    """The rules in the other form, and how many comments are kept, as descriptions; raises `RuleError` for what cannot
    be read."""
    problems: list[RuleProblem] = []
    read = read_definitions(text, problems)
    if problems:
        raise rule_error(problems, {name: text})
    if is_xml(text):
        text_form = print_definitions(*read.printed)
        return format_rules(text_form, name), 0
    described = sum(len(each.description.splitlines()) for each in read.definitions)
    try:
        return print_xml_definitions(*read.printed), described
    except XmlCepError as error:
        raise XmlCepError(f"{name}: {error}") from None
