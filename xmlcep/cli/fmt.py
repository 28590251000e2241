"""``xmlcep fmt``: rules files in one style."""

from __future__ import annotations

from pathlib import Path

import click

from ..auditing.findings.atomic_files import AtomicFile
from ..language.formatting import format_rules
from ._commands import command as command_of
from ._output import inform, put
from ._rules_input import STANDARD_INPUT, read_texts, rules_argument

DIFFERENCES = 1


@command_of(name="fmt")
@rules_argument
@click.option("-w", "--write", is_flag=True, help="Rewrite the files in this style instead of printing them.")
@click.option(
    "--check", is_flag=True, help="Name the files that are in another style; exit status 1 if there are any."
)
def command(rules: tuple[str, ...], write: bool, check: bool) -> int:
    """Print rules files in one style, long events in several lines.

    Comments stay where they are; a statement with comments inside is not changed. - is standard input.
    """
    if write and check:
        raise click.UsageError("--write and --check exclude each other")
    if write and STANDARD_INPUT in rules:
        raise click.UsageError("--write needs files: standard input cannot be rewritten")
    if len(rules) > 1 and not write and not check:
        raise click.UsageError("several files can be rewritten (--write) or compared (--check), not printed")
    texts = read_texts(rules)
    formatted = {name: format_rules(text, name) for name, text in texts.items()}
    changed = [name for name, text in texts.items() if formatted[name] != text]
    if check:
        put("".join(f"{name}\n" for name in changed), nl=False)
        return DIFFERENCES if changed else 0
    if not write:
        put("".join(formatted.values()), nl=False)
        return 0
    for name in changed:
        mode = Path(name).stat().st_mode
        with AtomicFile(Path(name)) as file:
            file.stream.write(formatted[name].encode("utf-8"))
        Path(name).chmod(mode)
        inform(f"{name}: rewritten")
    return 0
