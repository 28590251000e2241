"""``xmlcep completion``: the script by which a shell completes command lines, and the names that it completes."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from ..algebra import Severity
from ..errors import XmlCepError
from ..rules.files import load_rules
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


def events(context: click.Context, _: click.Parameter, begin: str) -> list[CompletionItem]:
    """The events that begin so, of the rules on the command line."""
    files = context.params.get("rules_files") or ()
    try:
        names = [tree.name for tree in load_rules(*files).graph.trees] if files else []
    except XmlCepError:  # it is said when the command runs
        return []
    return [CompletionItem(name) for name in names if name.startswith(begin)]


def events_and_files(context: click.Context, param: click.Parameter, begin: str) -> list[CompletionItem]:
    """The same where a file can be, too."""
    return [*events(context, param, begin), CompletionItem(begin, type="file")]


def conditions(context: click.Context, param: click.Parameter, begin: str) -> list[CompletionItem]:
    """``event=NAME`` for each of the events, and the names of the other conditions."""
    name, equals, value = begin.partition("=")
    if equals:
        found = [each.value for each in events(context, param, value)] if name == "event" else []
        found += [each.value for each in Severity if name == "severity" and each.value.startswith(value)]
        return [CompletionItem(f"{name}={each}") for each in found]
    names = ("event", "document", "user", "severity", "after", "before", "text")
    return [CompletionItem(f"{each}=") for each in names if each.startswith(name)]
