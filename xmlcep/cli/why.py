"""``xmlcep why``: the events in a finding, and why these."""

from __future__ import annotations

import click

from ..auditing.explanations import why
from ..rules.additions import Additions
from ._arguments import until_option
from ._bad_records import LeftOut, say_unjudged
from ._commands import command as command_of
from ._explanations import common_options, show
from ._log_arguments import LogPath, logs_argument
from ._rules_input import load


@command_of(name="why")
@logs_argument("logs", "LOG… FINDING")
@common_options
@until_option
def command(
    logs: tuple[LogPath, ...],
    rules_files: tuple[str, ...],
    additions: Additions,
    doc: str | None,
    form: str,
    until: str | None,
) -> int:
    """Show why a FINDING was raised: its events, with time, user and values, and why others are not part of it.

    FINDING is its number in an audit of LOG, from 1, or TS:EVENT:IDS, such as 7:Complete:1,6, with :n for the
    n-th of several alike. Give the --until of the audit, too.
    """
    if len(logs) < 2:
        raise click.UsageError("say which finding: xmlcep why LOG --rules FILE FINDING")
    left_out, rules = LeftOut(), load(rules_files, additions)
    found = why(logs[:-1], rules, str(logs[-1]), doc=doc, until=until, on_bad=left_out)
    show(found, form)
    return left_out.status() or say_unjudged(logs[:-1], rules)
