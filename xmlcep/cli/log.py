"""``xmlcep log``: what happened to a document, or to some nodes of it, readable."""

from __future__ import annotations

import click

from ..log.json_codec import FASTEST
from ..recording.moment import Moment
from ..versions.blame import blame, select
from ..versions.stamps import Stamp
from ..versions.telling import tell
from ._arguments import at_option, format_option, say_beyond
from ._bad_records import LeftOut
from ._commands import command as command_of
from ._log_arguments import LogPath, logs_argument
from ._output import inform, put


@command_of(name="log")
@logs_argument("log", "LOG…")
@click.option(
    "--xpath", metavar="EXPR", help="Only what happened at and below these nodes: //item[@id='1']/price."
)
@click.option(
    "--node",
    "nodes",
    type=int,
    multiple=True,
    metavar="ID",
    help="The same by node id; also finds deleted nodes.",
)
@at_option
@click.option("--doc", metavar="NAME", help="The document, in a log of several.")
@format_option("json: an object a line for each transaction.")
def command(
    log: tuple[LogPath, ...], xpath: str | None, nodes: tuple[int, ...], at: int | str | None,
    doc: str | None, form: str,
) -> int:  # fmt: skip
    """Show the change LOG, transaction by transaction: when, who, why, and each change.

    With --xpath or --node, only changes of those nodes and of nodes below them; --xpath is evaluated at --at.
    + inserted, - deleted, ~ another value.
    """
    left_out = LeftOut(only_torn=True)
    source = log[0] if len(log) == 1 else log
    wanted = set(nodes)
    if xpath is not None:
        found = blame(source, at=at, doc=doc, on_bad=LeftOut(only_torn=True))
        wanted |= {found.id_of(node) for node in select(found.root, xpath)}
    empty = True
    moment = Moment(at)
    for told in tell(source, wanted or None, at=moment, doc=doc, on_bad=left_out):
        if form == "json":
            put(FASTEST.dumps({**told.stamp.to_record(), "changes": told.lines}).decode())
            empty = False
            continue
        if not empty:
            inform("", err=False)
        inform(_heading(told.stamp), err=False, bold=True)
        for line in told.lines:
            inform(f"  {line}", err=False)
        empty = False
    if moment.is_beyond:
        say_beyond(at, moment.ts, moment.time)
    if empty:
        what, when = "these nodes" if wanted else "the document", "" if at is None else f" up to {at}"
        inform(f"xmlcep: the log has no change of {what}{when}")
    return left_out.status()


def _heading(stamp: Stamp) -> str:
    parts = (stamp.when, stamp.version, stamp.who, stamp.why, f"(time point {stamp.ts} on)")
    return "  ".join(part for part in parts if part)
