"""How examples are drawn: each anew.

Left to itself hypothesis draws one of six and makes the other five of it, writing one part of it over another: of 120
rule sets with their histories 20 are new. It does so only where it draws by its own name; under another it draws by the
same means, but every example from the beginning, and shrinks what fails as ever.

Nor are values taken from the sources that happen to be imported: hypothesis would parse all of them, some 1,500 files,
in each process, and what it draws would depend on what other tests import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.internal.constants_ast import Constants

Drawn = TypeVar("Drawn")

ANEW = "anew"
"""For `settings(backend=…)`."""
BY_MUTATION = "hypothesis"
"""The same, for what is drawn as hypothesis does by itself."""


class _Anew(HypothesisProvider):
    """Draws as hypothesis does, without constants of sources."""

    _local_constants = Constants()


AVAILABLE_PROVIDERS[ANEW] = _Anew


def draw_anew(
    drawn: st.SearchStrategy[Drawn], first: int, cases: int, look: Callable[[Drawn], object]
) -> None:
    """Looks at so many examples, drawn from the seed ``first``."""

    @seed(first)
    @settings(
        max_examples=cases, deadline=None, backend=ANEW, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(drawn)
    def see(each: Drawn) -> None:
        look(each)

    see()
