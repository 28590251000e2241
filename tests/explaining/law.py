"""Laws as tests that the suite runs with a few cases, and the long run with as many as there is time for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import signature
from traceback import walk_tb
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.explaining.shrinking import Case, smaller

UNHURRIED = (HealthCheck.too_slow, HealthCheck.data_too_large)


class Law(NamedTuple):
    """What is drawn (rules, a history, and what more there is to choose), and what has to hold of it: an AssertionError
    says what breaks it."""

    drawn: tuple[st.SearchStrategy[Any], ...]
    holds: Callable[..., None]

    def breach(self, definitions: Any, history: Any, *chosen: Any) -> AssertionError | None:
        """What breaks it in this case, if anything does."""
        try:
            self.holds(definitions, history, *chosen)
        except AssertionError as error:
            return error
        return None

    def smaller(self, definitions: Any, history: Any, *chosen: Any) -> AssertionError:
        """What breaks it in a smaller case, at the same place as in this one."""
        breach = self.breach(definitions, history, *chosen)
        assert breach is not None
        places = tuple(_places(breach))

        def is_broken(case: Case) -> bool:
            try:
                found = self.breach(*case, *chosen)
            except Exception:  # it is no case any more
                return False
            return found is not None and tuple(_places(found)) == places

        return self.breach(*smaller((definitions, history), is_broken), *chosen) or breach


def _places(error: AssertionError) -> Iterator[int]:
    """Where in the law it was raised."""
    for frame, line in walk_tb(error.__traceback__):
        if frame.f_code.co_name.startswith("test_"):
            yield line


LAWS: dict[str, Law] = {}
"""The laws of this folder by the names of their tests, once these are imported."""


def law(*drawn: st.SearchStrategy[Any], examples: int) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Makes a test of what has to hold of what is drawn, with so many examples of it. What breaks it is made smaller in
    seconds here, for which hypothesis takes minutes."""

    def make(holds: Callable[..., None]) -> Callable[[], None]:
        here = LAWS[holds.__name__] = Law(drawn, holds)
        few = settings(
            max_examples=examples, deadline=None, suppress_health_check=UNHURRIED,
            phases=[Phase.explicit, Phase.generate],
        )  # fmt: skip

        @wraps(holds)
        def test(**by_name: Any) -> None:
            case = signature(holds).bind(**by_name).args
            if here.breach(*case) is not None:
                raise here.smaller(*case)

        made: Callable[[], None] = few(given(*drawn)(test))
        return made

    return make
