"""``xmlcep why-not``: why an event was not raised."""

from __future__ import annotations

import click

from ..auditing.explanations import why_not
from ..rules.additions import Additions
from ._arguments import AT, MOMENT, at_option
from ._bad_records import LeftOut, say_unjudged
from ._commands import command as command_of
from ._explanations import common_options, show
from ._log_arguments import LogPath, logs_argument
from ._rules_input import load
from .completion import events_and_files


@command_of(name="why-not")
@logs_argument("logs", "LOG… EVENT", shell_complete=events_and_files)
@common_options
@click.option(
    "--node", metavar="XPATH|ID",
    help="The node, by an XPath or its id. Default: the most likely. Prefixes are those of the rules and of the"
    " document; d is its default namespace.",
)  # fmt: skip
@at_option
@click.option("--between", nargs=2, type=MOMENT, metavar=f"{AT} {AT}", help="Between these two moments.")
def command(
    logs: tuple[LogPath, ...], rules_files: tuple[str, ...], additions: Additions,
    doc: str | None, form: str, node: str | None, at: int | str | None,
    between: tuple[int | str, int | str] | None,
) -> int:  # fmt: skip
    """Show why EVENT was not raised in LOG: first the reason, then what is there and what is missing, the most
    promising group first.
    """
    if len(logs) < 2:
        raise click.UsageError("say which event: xmlcep why-not LOG --rules FILE EVENT")
    if at is not None and between is not None:
        raise click.UsageError("--at and --between: give one of them")
    left_out, rules = LeftOut(), load(rules_files, additions)
    found = why_not(
        logs[:-1],
        rules,
        str(logs[-1]),
        node=node,
        at=at,
        between=between,
        doc=doc,
        on_bad=left_out,
    )
    show(found, form)
    return left_out.status() or say_unjudged(logs[:-1], rules)
