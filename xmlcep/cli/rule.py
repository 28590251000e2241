"""``xmlcep rule``: what the rules say that messages and pages cite by their codes."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from ..clauses import Clause, read_clauses
from ..log.json_codec import FASTEST
from ._commands import command as command_of
from ._output import put


@command_of(name="rule")
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=lambda _, __, begin: _codes(begin))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="json: an object a line: code, title, text.",
)  # fmt: skip
def command(codes: tuple[str, ...], form: str) -> None:
    """Print the clauses of the semantics with these CODEs, such as T2; without a code, list all.

    They are those of docs/rules.md and docs/semantics.md, with examples.
    """
    statements = read_clauses()
    chosen = [_find(code, statements) for code in codes]
    if form == "json":
        wanted = [(code, each) for code, each in statements.items() if not chosen or each in chosen]
        for code, each in wanted:
            put(FASTEST.dumps({"code": code, "title": each.title, "text": each.text}).decode())
    elif chosen:
        put("\n\n".join(statement.text for statement in chosen))
    else:
        put("\n".join(f"{code:4}{statement.title}" for code, statement in statements.items()))


def _codes(begin: str) -> list[CompletionItem]:
    """The codes that begin so, with their titles, for a shell."""
    return [
        CompletionItem(code, help=each.title)
        for code, each in read_clauses().items()
        if code.startswith(begin.upper())
    ]


def _find(code: str, statements: dict[str, Clause]) -> Clause:
    found = statements.get(code.strip("().").upper())
    if found is None:
        letters = "".join(dict.fromkeys(known[0] for known in statements))
        raise click.BadParameter(
            f"{code!r} is not the code of a rule: expected one of the letters {letters} and a number, such as T2; "
            "'xmlcep rule' lists them all"
        )
    return found
