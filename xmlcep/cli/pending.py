"""``xmlcep pending``: what is missing in every group that has something."""

from __future__ import annotations

import click

from ..auditing.explanations import pending
from ..rules.additions import Additions
from ._arguments import at_option
from ._bad_records import LeftOut, say_unjudged
from ._commands import command as command_of
from ._explanations import common_options, show_record
from ._log_arguments import LogPath, logs_argument
from ._output import inform
from ._rules_input import load
from .completion import events


@command_of(name="pending")
@logs_argument("logs", "LOG…")
@common_options
@at_option
@click.option("--event", metavar="NAME", shell_complete=events, help="Groups of this event only.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N")
@click.option("--full", is_flag=True, help="Show the whole tree of each group, and what would complete it.")
def command(
    logs: tuple[LogPath, ...], rules_files: tuple[str, ...], additions: Additions,
    doc: str | None, form: str, at: int | str | None, event: str | None,
    limit: int, full: bool,
) -> int:  # fmt: skip
    """Show partial matches in the documents of LOG, the most complete first, with what is missing or holds
    them back.
    """
    left_out, rules = LeftOut(), load(rules_files, additions)
    found = pending(
        logs,
        rules,
        at=at,
        doc=doc,
        on_bad=left_out,
        event=event,
        limit=limit,
        complete=full,
    )
    if form == "json":
        for group in found:
            show_record(group.to_record())
        for note in found.notes:  # a line of JSON is a group
            inform(note)
    elif full:
        texts = [*(group.text() for group in found), *found.notes]
        inform("\n\n".join(texts) if found else str(found), err=False)
    else:
        inform(str(found), err=False)
    return left_out.status() or say_unjudged(logs, rules)
