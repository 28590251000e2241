"""``xmlcep rule``: what the rules say that messages and pages cite by their codes."""

from __future__ import annotations

import click

from ._output import put
from ._statements import Statement, read_statements


@click.command(name="rule")
@click.argument("codes", nargs=-1, metavar="[CODE]...")
def command(codes: tuple[str, ...]) -> None:
    """Print what the rules of the semantics say whose CODEs messages cite, such as T2; without one, list them.

    The statements are those of docs/rules.md and docs/semantics.md, with an example each where they have one.
    """
    statements = read_statements()
    chosen = [_find(code, statements) for code in codes]
    if chosen:
        put("\n\n".join(statement.text for statement in chosen))
    else:
        put("\n".join(f"{code:4}{statement.title}" for code, statement in statements.items()))


def _find(code: str, statements: dict[str, Statement]) -> Statement:
    found = statements.get(code.strip("().").upper())
    if found is None:
        letters = "".join(dict.fromkeys(known[0] for known in statements))
        raise click.BadParameter(
            f"{code!r} is not the code of a rule: expected one of the letters {letters} and a number, such as T2; "
            "'xmlcep rule' lists them all"
        )
    return found
