"""Arguments of operators that several of them have."""

from __future__ import annotations

from ..expressions import Argument, Report
from ..windows import Unit, Window, WindowError, parse_window

_SOME_WINDOW = Window(1_000_000, Unit.TIME)


def window_argument(argument: Argument, report: Report) -> Window:
    """The window that an argument says; what is none is reported and replaced by some other."""
    assert isinstance(argument.value, str)
    try:
        return parse_window(argument.value)
    except WindowError as error:
        report(argument.at, error.problem, error.hint)
        return _SOME_WINDOW
