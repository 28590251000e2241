"""Progress of an audit at a terminal: stage, records, rate, time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from ..auditing.progress import Advance
from ._output import make_console


@contextmanager
def audit_progress(*, shown: bool) -> Iterator[Callable[[Advance], None] | None]:
    """What `audit` is to tell how far it is: a bar on standard error; None if not ``shown``."""
    if not shown:
        yield None
        return
    with AuditBar(make_console(stderr=True, fits=True)).shown() as advance:
        yield advance


class AuditBar:
    """A bar that begins anew with each step of an audit, and is gone at the end.

    ``clock`` gives seconds: what rate and time left are computed with.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
            TextColumn("{task.fields[figures]}", markup=False), console=console, transient=True, get_time=clock,
        )  # fmt: skip
        self._task = self._bar.add_task("starting", total=None, figures="")
        self._step = 0
        self._first = 0  # records read when the step began

    @contextmanager
    def shown(self) -> Iterator[Callable[[Advance], None]]:
        """Shows the bar while the block runs; yields `advance`."""
        with self._bar:
            yield self.advance

    def __rich__(self) -> RenderableType:
        """The bar as it stands."""
        return self._bar.get_renderable()

    def advance(self, to: Advance) -> None:
        """Shows how far the audit is."""
        title = f"{to.stage} {to.step}/{to.steps}"
        if to.step != self._step:
            self._step, self._first = to.step, to.records
            self._bar.reset(self._task, total=1.0, description=title, figures="")
        elapsed = self._bar.tasks[self._task].elapsed or 0.0
        figures = (*_records(to, to.records - self._first, elapsed), *_left(to.done, elapsed))
        self._bar.update(self._task, completed=to.done, description=title, figures=", ".join(figures))


def _records(to: Advance, read: int, elapsed: float) -> Iterator[str]:
    """How many records were read, of how many if that is known, and how many per second in this step."""
    if to.records:
        of = "" if to.total in (None, to.records) else f" of {to.total:,}"
        yield f"{to.records:,}{of} records"
    if read and elapsed:
        yield f"{read / elapsed:,.0f}/s"


def _left(done: float, elapsed: float) -> Iterator[str]:
    """How long the step still takes if it goes on as it went."""
    if 0 < done < 1:
        minutes, seconds = divmod(round(elapsed * (1 - done) / done), 60)
        hours, minutes = divmod(minutes, 60)
        yield f"{hours}:{minutes:02}:{seconds:02} left" if hours else f"{minutes}:{seconds:02} left"
