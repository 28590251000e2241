"""``xmlcep lsp``: rules in editors, by the Language Server Protocol."""

from __future__ import annotations

from ..errors import MissingExtraError
from ._commands import command as command_of


@command_of(name="lsp")
def command() -> None:
    """Serve an editor over standard input and output: mistakes as you type, hovers, completion, definitions,
    renaming, formatting of rules files.

    The settings of the project (xmlcep.toml) say which files are one set, and which logs or schema have the paths.
    """
    try:
        from ..editing.server import rules_server
    except ImportError as error:
        raise MissingExtraError("xmlcep lsp", error.name or "pygls", "lsp") from error
    rules_server().start_io()
