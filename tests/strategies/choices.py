"""What whoever draws a definition step by step asks all the time: one of these; yes, once in so many."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from hypothesis import strategies as st

# An example draws a hundred times, and hypothesis looks at every strategy that is new to it: each is made once.
_one_of = cache(lambda values: st.sampled_from(values))
_up_to = cache(lambda most: st.integers(1, most))


class Choices:
    """What is drawn with ``draw``."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def _one(self, values: Iterable[Any]) -> Any:
        return self.draw(_one_of(tuple(values)))

    def _some(self, share: tuple[int, int]) -> bool:
        """True so many times in so many draws."""
        many, draws = share
        return bool(self.draw(_up_to(draws)) > draws - many)

    def _chance(self, one_in: int) -> bool:
        """True once in so many draws; False is what hypothesis shrinks to."""
        return bool(self.draw(_up_to(one_in)) == one_in)
