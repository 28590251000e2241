"""``xmlcep explain``: the clauses that messages and pages cite by their codes."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from ..clauses import Clause, read_clauses
from ..log.json_codec import FASTEST
from ._arguments import format_option
from ._commands import command as command_of
from ._output import put


@command_of(name="explain")
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=lambda _, __, begin: _codes(begin))
@format_option("json: an object a line: code, title, text.")
def command(codes: tuple[str, ...], form: str) -> None:
    """Print the clauses of the semantics with these CODEs, such as T2; without a code, list all.

    Most are in docs/semantics.md; docs/actions.md has those of action rules, docs/explain.md those of explanations.
    """
    clauses = read_clauses()
    chosen = [_find(code, clauses) for code in codes]
    if form == "json":
        wanted = [(code, each) for code, each in clauses.items() if not chosen or each in chosen]
        for code, each in wanted:
            put(FASTEST.dumps({"code": code, "title": each.title, "text": each.text}).decode())
    elif chosen:
        put("\n\n".join(clause.text for clause in chosen))
    else:
        put("\n".join(f"{code:4}{clause.title}" for code, clause in clauses.items()))


def _codes(begin: str) -> list[CompletionItem]:
    """The codes that begin so, with their titles, for a shell."""
    return [
        CompletionItem(code, help=each.title)
        for code, each in read_clauses().items()
        if code.startswith(begin.upper())
    ]


def _find(code: str, clauses: dict[str, Clause]) -> Clause:
    found = clauses.get(code.strip("().").upper())
    if found is None:
        letters = "".join(dict.fromkeys(known[0] for known in clauses))
        raise click.BadParameter(
            f"{code!r} is not the code of a clause: expected one of the letters {letters} and a number, such as T2; "
            "'xmlcep explain' lists them all"
        )
    return found
