"""What can go wrong with wrapped documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import XmlCepError
from ..events import PrimitiveEvent


class DocumentError(XmlCepError, ValueError):
    """XML that is refused (a document type with entities, too deep, not well-formed); says where and why."""


class WrapError(XmlCepError, TypeError):
    """Something that cannot be wrapped or attached; says what was given and what to pass instead."""


class RefusedError(XmlCepError, ValueError):
    """An edit that cannot be tracked or that lxml would do wrongly; says what to call instead.

    The tree is as it was before the call.
    """


class UnseenEditError(XmlCepError, RuntimeError):
    """A call came upon a node that C code has put into the tree outside ``observe()``; says where.

    The call may have had its effect, and nothing was delivered.
    """


TOLD = "a callback was interrupted: the edit remains, and all events were delivered"
"""The note on an exception that is no error of a callback (a KeyboardInterrupt, say), when all has been reported."""


def cuts_short(error: BaseException) -> bool:
    """Whether an error has come between two steps of an edit: it is none of ours, and none of a callback."""
    return not isinstance(error, XmlCepError) and TOLD not in getattr(error, "__notes__", ())


class EndlessTriggerError(XmlCepError, RuntimeError):
    """Callbacks whose edits trigger callbacks, deeper than the stated limit.

    The edits made so far remain and are in the log; subscribers are not called any more for the ones beyond the limit.
    """


class CallbackError(XmlCepError, RuntimeError):
    """A callback raised; names the event, the rule (if any) and the callback's file and line.

    The edit that caused the event is complete, and all other callbacks were called. ``errors`` has all
    failures of one delivery, the first one being this one's ``__cause__``; in another process there is their text only.
    """

    def __init__(self, failures: Sequence[CallbackFailure]) -> None:
        self.errors = tuple(failures)
        super().__init__("\n".join(map(str, failures)))

    def __reduce__(self) -> tuple[Any, ...]:
        again, (kind, args, attributes) = super().__reduce__()
        return again, (kind, args, {**attributes, "errors": ()})  # functions and nodes stay in their process

    def add(self, failures: Sequence[CallbackFailure]) -> None:
        """Adds failures that the same edit led to."""
        self.errors = (*self.errors, *failures)
        self.args = ("\n".join(map(str, self.errors)),)


class CallbackFailure:
    """One failed call: ``callback``, ``event`` (primitive or composite), ``rule`` and the ``error`` raised."""

    __slots__ = ("callback", "error", "event", "rule")

    def __init__(self, callback: Callable[..., Any], event: object, error: Exception) -> None:
        self.callback = callback
        self.event = event
        self.error = error
        self.rule: str | None = None if isinstance(event, PrimitiveEvent) else getattr(event, "name", None)

    def __str__(self) -> str:
        rule = f" of rule {self.rule}" if self.rule else ""
        return (
            f"the callback {where(self.callback)} raised {type(self.error).__name__}: {self.error}"
            f" (at the event {self.event}{rule})"
        )


def where(callback: Callable[..., Any]) -> str:
    """A callback's name, file and line, for messages."""
    function = getattr(callback, "__func__", callback)
    function = getattr(function, "func", function)  # functools.partial
    name = getattr(function, "__qualname__", None) or type(callback).__qualname__
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(type(callback).__call__, "__code__", None)
    return name if code is None else f"{name} ({code.co_filename}:{code.co_firstlineno})"
