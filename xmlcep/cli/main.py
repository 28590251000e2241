"""The ``xmlcep`` command: finds the subcommand, and turns errors into messages and exit statuses."""

from __future__ import annotations

import errno
import importlib
import io
import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click
from click.shell_completion import shell_complete

from .. import cli as commands
from ..clauses import where_explained
from ..errors import XmlCepError
from ..own_packages import installed_version
from ..starting import INTERRUPTED, hear_interrupts
from ..suggestions import did_you_mean_or_list
from ._output import all_written, inform, plain, put

WRONG_INPUT = 2
COMPLETION = "_XMLCEP_COMPLETE"
"""The environment variable by which a shell asks for completions."""
PIPE_CLOSED = 141  # 128 + SIGPIPE


class _Commands(click.Group):
    """The commands are the modules of `xmlcep.cli`; one is imported when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        modules = (module.name for module in pkgutil.iter_modules(commands.__path__))
        return [name.replace("_", "-") for name in modules if name != "main" and not name.startswith("_")]

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        known = name.startswith("-") or self.get_command(context, name) is not None
        if not known and not context.resilient_parsing:
            names = self.list_commands(context)
            context.fail(f"No such command {name!r}: {did_you_mean_or_list(name, names, len(names))}")
        return super().resolve_command(context, arguments)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        found = importlib.import_module(f"{commands.__name__}.{name.replace('-', '_')}").command
        assert isinstance(found, click.Command)
        hear_interrupts()
        return found


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        installed = installed_version()
        put(
            f"xmlcep {installed}"
            if installed
            else "xmlcep, run from its source folder without being installed"
        )
        context.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.option(
    "-V", "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Show the version and exit.",
)  # fmt: skip
def group() -> None:
    """Composite events for XML: rules over the changes of a document.

    Exit status: 0 done; 1 findings or differences, where asked for; 2 the input is wrong; 3 some records
    were quarantined; 4 a log to verify is not sealed. Messages cite codes such as (T2):
    `xmlcep explain T2` prints the clause.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status; what a user can get wrong is one message on stderr.

    ``arguments`` are those behind the program's name, None for the process's own.
    """
    with ending_as_interrupts() as signals, all_written():
        try:
            return _run(arguments)
        except (KeyboardInterrupt, click.Abort):
            _end_output()
            inform(f"stopped by {signals[0].name}" if signals else "stopped")
            return 128 + signals[0] if signals else INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        instruction = os.environ.get(COMPLETION) if arguments is None else None
        status = _invoke(given) if instruction is None else complete(instruction)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _give_up_stdout()  # whoever read our output has seen enough
        return PIPE_CLOSED
    except (click.ClickException, XmlCepError, OSError) as error:
        _end_output()
        _say(error)
        return WRONG_INPUT


def _say(error: click.ClickException | XmlCepError | OSError) -> None:
    """Says what is wrong; raises what is not the user's to mend."""
    if isinstance(error, click.ClickException):
        shown = io.StringIO()
        error.show(file=shown)
        inform(shown.getvalue(), nl=False)
    elif isinstance(error, XmlCepError):
        message = plain(str(error))
        inform(f"xmlcep: {message}")
        if explained := where_explained(message):
            inform(explained)
    elif error.filename is not None:
        inform(f"xmlcep: {error.filename}: {error.strerror}")
    elif error.errno == errno.EIO:  # of a file that is read, or of standard output
        inform(f"xmlcep: a file cannot be read, or the output written: {error.strerror}")
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF):
        # Standard output: what we open ourselves has a name.
        inform(f"xmlcep: the output cannot be written: {error.strerror}")
    elif error.errno == errno.ENOENT:  # tempfile has found no folder that it can write to
        inform(f"xmlcep: {error.strerror}: set TMPDIR to a folder with room")
    else:
        raise error


def complete(instruction: str) -> int:
    """Answers a shell that completes a command line, or writes the script that makes it ask (``bash_source``)."""
    return shell_complete(group, {}, "xmlcep", COMPLETION, instruction)


def _end_output() -> None:
    """Standard output behind which nothing comes: what is in its buffer is written, or goes nowhere.

    Why the command ends is something else, and is what is said.
    """
    try:
        sys.stdout.flush()
    except OSError:
        _give_up_stdout()


def _give_up_stdout() -> None:
    """What is still in its buffer goes nowhere, or Python would fail at it again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _invoke(arguments: list[str]) -> int:
    """Not click's own ``main``: that exits with 1, here "findings", when the output is closed early."""
    try:
        with group.make_context("xmlcep", arguments) as context:
            result = group.invoke(context)
    except click.exceptions.Exit as request:
        return request.exit_code
    return result if isinstance(result, int) else 0


_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def ending_as_interrupts() -> Iterator[list[signal.Signals]]:
    """Makes `KeyboardInterrupt` of these signals; yields the list of those that came.

    A signal that somebody handles or ignores already (``nohup``) is left alone; so are all outside the main thread.
    """
    came: list[signal.Signals] = []

    def interrupt(number: int, _: object) -> None:
        came.append(signal.Signals(number))
        # Whoever handles Ctrl-C, as a Spark session does, handles this.
        if callable(signal.getsignal(signal.SIGINT)):
            signal.raise_signal(signal.SIGINT)
        else:
            raise KeyboardInterrupt

    changed = []
    if threading.current_thread() is threading.main_thread():
        changed = [each for each in _SIGNALS if signal.getsignal(each) is signal.SIG_DFL]
    for each in changed:
        signal.signal(each, interrupt)
    try:
        yield came
    finally:
        for each in changed:
            signal.signal(each, signal.SIG_DFL)
