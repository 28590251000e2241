"""Laws as tests that the suite runs with a few cases, and the long run with as many as there is time for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

UNHURRIED = (HealthCheck.too_slow, HealthCheck.data_too_large)


class Law(NamedTuple):
    """What is drawn, and what has to hold of it: an AssertionError says what breaks it."""

    drawn: tuple[st.SearchStrategy[Any], ...]
    holds: Callable[..., None]


LAWS: dict[str, Law] = {}
"""The laws of this folder by the names of their tests, once these are imported."""


def law(*drawn: st.SearchStrategy[Any], examples: int) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Makes a test of what has to hold of what is drawn, with so many examples of it."""

    def make(holds: Callable[..., None]) -> Callable[[], None]:
        LAWS[holds.__name__] = Law(drawn, holds)
        few = settings(max_examples=examples, deadline=None, suppress_health_check=UNHURRIED)
        test: Callable[[], None] = few(given(*drawn)(holds))
        return test

    return make
