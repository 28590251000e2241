"""What an operator has to do that can wait for its termination (D2 to D4)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from contexts.grouping import Key
from path_types import PathType

from ...events import Cause, PrimitiveEvent
from .state import Arrivals, OperatorState


class DeferrableState(OperatorState):
    """An operator that can wait for its termination (D2 to D4); `xmlcep.engine.release` says how."""

    @abstractmethod
    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        """Stores arrivals of a time point without evaluating them (D2)."""

    def hold_all(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> bool:
        """`hold`; says whether the group is possible then."""
        self.hold(key, arrivals, cause)
        return self.is_possible(key)

    def keeper(self, child: int) -> Callable[[Key, PrimitiveEvent], bool] | None:
        """What stores the events of a leaf, operand ``child``, and says whether they make a combination.

        None if that is no shorter than `hold` and `is_possible`.
        """
        return None

    @abstractmethod
    def is_possible(self, key: Key) -> bool:
        """Whether the group has a combination that has not been raised (D2)."""

    @abstractmethod
    def release(self, key: Key, cause: Cause) -> None:
        """Raises what is possible in a group (D5)."""

    def hold_creation(self, key: Key, path: PathType, ids: tuple[int, ...]) -> None:
        """M4: an empty composite is due."""
