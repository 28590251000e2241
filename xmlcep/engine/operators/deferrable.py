"""What an operator has to do that can wait for its termination (D2 to D4)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from contexts import Entry
from contexts.grouping import Key
from path_types import PathType

from ...events import Cause, PrimitiveEvent
from .state import OperatorState


class DeferrableState(OperatorState):
    """An operator that can wait for its termination (D2 to D4); `xmlcep.engine.release` says how."""

    @abstractmethod
    def hold(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Stores arrivals without evaluating them (X1)."""

    def hold_all(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> bool:
        """`hold`; says whether the group is possible then."""
        self.hold(child, key, arrivals, cause)
        return self.is_possible(key)

    def keep(self, child: int, key: Key, entry: Entry, cause: Cause) -> bool:
        """`hold_all` of one composite that an operator, operand ``child``, has raised."""
        return self.hold_all(child, key, (entry,), cause)

    def keeper(self, child: int) -> Callable[[Key, PrimitiveEvent], bool] | None:
        """What stores the events of a leaf, operand ``child``, and says whether they make a combination.

        None if that is no shorter than `hold` and `is_possible`.
        """
        return None

    @abstractmethod
    def evaluate_held(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Evaluates arrivals that were held because of a condition, which turned out to hold (X4)."""

    def evaluate_newest(self, key: Key, cause: Cause) -> None:
        """The same of the one arrival that a `keeper` has just stored."""
        raise NotImplementedError("it has no keeper")

    @abstractmethod
    def is_possible(self, key: Key) -> bool:
        """Whether the group has a combination that has not been raised (D2)."""

    @abstractmethod
    def release(self, key: Key, cause: Cause) -> None:
        """Raises what a deferred group has to raise (D5)."""

    def release_alone(self, key: Key, cause: Cause) -> None:
        """`release` of the only group there is, if it is possible: what that raises may go to the parent at once."""
        if self.is_possible(key):
            self.release(key, cause)

    def give_up(self, key: Key) -> None:
        """Frees what can be in no combination, since the group waits for nothing (V6)."""

    def hold_creation(self, key: Key, path: PathType, ids: tuple[int, ...]) -> None:
        """M4: an empty composite is due."""

    @property
    def one_by_one(self) -> bool:
        """Whether several arrivals of one time point are evaluated one after the other (H3)."""
        return False
