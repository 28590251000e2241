"""SIGTERM and SIGHUP end a command as Ctrl-C does: what was begun is cleared away, and one word is said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
