"""Ctrl-C while commands are imported, in the first second: nothing has begun, so the process ends at once.

An interrupt that came out of an import would be a traceback, at whatever line, and some packages turn it into something
else. Imports nothing that takes time.
"""

from __future__ import annotations

import os
from _signal import SIG_IGN, SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]

INTERRUPTED = 130
"""The exit status: 128 + SIGINT, as shells report it."""


def _end(*_: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)


def end_at_interrupts() -> None:
    """From here on until `hear_interrupts`. Whoever ignores them (``nohup``) or hears them goes on doing so."""
    _replace(default_int_handler, _end)


def hear_interrupts() -> None:
    """Something begins that has to be cleared away: from here on they are `KeyboardInterrupt`."""
    _replace(_end, default_int_handler)


def ignore_interrupts() -> None:
    """All is done and said, and the process is ending."""
    _replace(default_int_handler, SIG_IGN)


def _replace(known: object, handler: object) -> None:
    if getsignal(SIGINT) is known:
        try:
            signal(SIGINT, handler)
        except ValueError:  # in another thread than the main one
            return
