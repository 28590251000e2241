"""``xmlcep completion``: the script by which a shell completes xmlcep's command lines."""

from __future__ import annotations

import click

from ._commands import command as command_of


@command_of(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the script that completes commands, options and file names in a SHELL.

    For every shell: eval "$(xmlcep completion bash)" in ~/.bashrc, the same with zsh in ~/.zshrc;
    xmlcep completion fish > ~/.config/fish/completions/xmlcep.fish.
    """
    from .main import complete  # which imports the commands

    return complete(f"{shell}_source")
