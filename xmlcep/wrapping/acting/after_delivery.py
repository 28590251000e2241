"""What is done when everything has been reported: functions of the application, errors of rules (rules L7, L12)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ...actions.errors import ActionError
from ...actions.firing import FiringRecord
from ...errors import XmlCepError
from ..errors import CallbackError, CallbackFailure
from .rule_set import RuleSet


class _Job(NamedTuple):
    """A function of the application to be called: for which firing, at which depth."""

    function: Callable[[Any], Any]
    given: object
    depth: int
    called: str
    """The action ``call`` that asks for it; empty: ``on_fire`` or ``on_error``."""
    owner: RuleSet


class Afterwards:
    """Calls that wait, and errors to be raised behind them.

    ``depth`` is that of the firing whose function is being called: what it edits counts in it (L8).
    """

    def __init__(self) -> None:
        self.depth = 0
        self._jobs: deque[_Job] = deque()
        self._errors: list[XmlCepError] = []
        self._under_way = False

    @property
    def noted(self) -> tuple[int, int]:
        """How many calls wait, and how many errors: what `forget` goes back to."""
        return len(self._jobs), len(self._errors)

    def fired(self, rules: RuleSet, record: FiringRecord) -> None:
        """``on_fire`` is to be called."""
        if rules.on_fire is not None:
            self._jobs.append(_Job(rules.on_fire, record, record.depth, "", rules))

    def call(self, rules: RuleSet, function: str, record: FiringRecord) -> None:
        """A function that a rule calls is to be called."""
        self._jobs.append(_Job(rules.functions[function], record, record.depth, f'call "{function}"', rules))

    def failed(self, rules: RuleSet, error: XmlCepError) -> None:
        """``on_error`` is to be called, or the error to be raised."""
        if rules.on_error is None:
            self._errors.append(error)
        else:
            self._jobs.append(_Job(rules.on_error, error, 0, "", rules))

    def forget(self, noted: tuple[int, int]) -> None:
        """Takes back what has been added since then: what it is about is undone."""
        jobs, errors = noted
        while len(self._jobs) > jobs:
            self._jobs.pop()
        del self._errors[errors:]

    def drop(self, rules: RuleSet) -> None:
        """Takes away what a rule set that is closed has asked for."""
        self._jobs = deque(job for job in self._jobs if job.owner is not rules)

    def run(self) -> None:
        """Makes all calls, also those that come meanwhile, then raises what went wrong."""
        if self._under_way:
            return
        self._under_way = True
        try:
            while self._jobs:
                job = self._jobs.popleft()
                self.depth = job.depth
                try:
                    job.function(job.given)
                except Exception as error:
                    self._call_failed(job, error)
        finally:
            self._under_way = False
            self.depth = 0
        errors, self._errors = self._errors, []
        if errors:
            for other in errors[1:]:
                errors[0].add_note(str(other))
            raise errors[0]

    def _call_failed(self, job: _Job, error: Exception) -> None:
        if job.called:
            record = job.given
            assert isinstance(record, FiringRecord)
            said = f"the function raised {type(error).__name__}: {error}"
            failure = ActionError(record.rule, job.called, record.ts, said, undone=False)
            failure.__cause__ = error
            self.failed(job.owner, failure)
        else:
            failed = CallbackError([CallbackFailure(job.function, job.given, error)])
            failed.__cause__ = error
            self._errors.append(failed)
