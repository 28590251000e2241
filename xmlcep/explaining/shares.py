"""How much there is of an operator in its groups: of what nothing is needed, what waits, what is begun (rule Y1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contexts.grouping import Key

from ..algebra import Share
from ..engine.operators import Account, OperatorState
from ..engine.tree import TreeState
from ..rules.trees import LeafNode

NONE, NOTHING_NEEDED = Share(0, 1), Share(0, 0)


class Shares:
    """The shares of a tree's operators as they are now. ``inner`` has, by operator and group, the groups of inner
    operators that would raise into it, each with its operand."""

    def __init__(self, tree: TreeState, inner: Sequence[Mapping[Key, Sequence[tuple[int, Key]]]]) -> None:
        self.tree = tree
        self._inner = inner
        # By operator, how many of each operand are stored, and of which no event is needed.
        self._shares: list[dict[tuple[tuple[int, ...], tuple[bool, ...]], Share]] = [{} for _ in tree.states]
        self._empty: dict[int, Share] = {}

    def of(
        self, state: OperatorState, key: Key, account: Account | None = None, *, has_raised: bool = False
    ) -> Share:
        """How much there is in a group; ``has_raised``: a composite of it is stored above."""
        index = state.node.index
        account = self.tree.account(state, key) if account is None else account
        if state.node.definition.creates_empty and (has_raised or _has_nothing(state, account)):
            return NOTHING_NEEDED
        counts = tuple([len(entries) for entries in account.stored])
        inner = self._inner[index].get(key)
        there = tuple([count > 0 or self.is_of_nothing(state, key, k) for k, count in enumerate(counts)])
        if inner is None:
            share = self._shares[index].get((counts, there))
            if share is None:
                zero = [self.of_nothing(state, k, is_there) for k, is_there in enumerate(there)]
                share = self._shares[index][counts, there] = state.node.definition.share(zero, counts)
        else:
            best = [self.of_nothing(state, k, is_there) for k, is_there in enumerate(there)]
            for operand, child_key in inner:
                child = state.children[operand]
                assert child is not None
                if there[operand] and child.node.definition.creates_empty:
                    continue
                begun = self.of(child, child_key)
                if begun.fraction > best[operand].fraction:
                    best[operand] = begun
            share = state.node.definition.share(best, counts)
        if account.raised and share.is_full and share.needed:
            return Share(share.needed - 1, share.needed)  # one more event raises another
        return share

    def is_of_nothing(self, state: OperatorState, key: Key, operand: int) -> bool:
        """Whether no event is needed for an operand's composite of nothing (M4), which is not stored: it waits, or what
        is asked of it is false."""
        child = state.children[operand]
        if child is None or not child.node.definition.creates_empty or child.node.path != state.node.path:
            return False
        if denies_nothing(child) or child.values.guard is not None:
            return True
        return not (child.by_value or state.by_value) and _waits(self.tree.account(child, key))

    def of_nothing(self, state: OperatorState, operand: int, is_there: bool = False) -> Share:
        """The share of an operand of which nothing is stored in a group, or (``is_there``) no event is needed."""
        child = state.children[operand]
        if isinstance(state.node.children[operand], LeafNode) or child is None:
            return NONE
        if is_there and child.node.definition.creates_empty:
            return NOTHING_NEEDED
        index = child.node.index
        if index not in self._empty:
            same = child.node.path == state.node.path
            zero = [self.of_nothing(child, k, not same) for k in range(len(child.node.children))]
            self._empty[index] = child.node.definition.share(zero, [0] * len(zero))
        return self._empty[index]

    def anywhere(self, state: OperatorState) -> Share:
        """The share of an operator in no group: what is raised of nothing comes with a node that is yet to come."""
        if state.node.definition.creates_empty:
            return NOTHING_NEEDED
        zero = [NONE if child is None else self.anywhere(child) for child in state.children]
        return state.node.definition.share(zero, [0] * len(zero))


def denies_nothing(state: OperatorState) -> bool:
    """Whether ``having`` is false of the composite of nothing, so that there is none (M4, Z9)."""
    asks = state.node.definition.creates_empty and state.values.having is not None
    return asks and not state.values.admits(())


def _has_nothing(state: OperatorState, account: Account) -> bool:
    """Whether the composite of nothing has been raised (of the root, which is stored nowhere), or waits to be (M4)."""
    return _waits(account) or (account.raised and state.parent is None)


def _waits(account: Account) -> bool:
    """Whether something waits although nothing is stored."""
    return account.objection is not None and not any(account.stored)
