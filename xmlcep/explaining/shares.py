"""How much there is of an operator in its groups: which need nothing, which wait, which have begun (rule Y1)."""

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
        # By operator, and by how many of each operand are stored.
        self._shares: list[dict[tuple[int, ...], Share]] = [{} for _ in tree.states]
        self._empty: dict[int, Share] = {}

    def of(self, state: OperatorState, key: Key, account: Account | None = None) -> Share:
        """How much there is in a group."""
        index = state.node.index
        account = self.tree.account(state, key) if account is None else account
        if state.parent is None and state.node.definition.creates_empty and _has_nothing(account):
            return NOTHING_NEEDED
        counts = tuple([len(entries) for entries in account.stored])
        if not state.children:
            return _whole(state, (), counts)
        inner = self._inner[index].get(key)
        if inner is None:
            share = self._shares[index].get(counts)
            if share is None:
                zero = [self.of_nothing(state, k) for k in range(len(counts))]
                share = self._shares[index][counts] = _whole(state, zero, counts)
        else:
            best = [self.of_nothing(state, k) for k in range(len(counts))]
            for operand, child_key in inner:
                child = state.children[operand]
                assert child is not None
                if operand in state.node.optional:
                    continue
                begun = self.of(child, child_key)
                if begun.fraction > best[operand].fraction:
                    best[operand] = begun
            share = _whole(state, best, counts)
        if account.raised and share.is_full and share.needed:
            return Share(share.needed - 1, share.needed)  # one more event raises another
        return share

    def of_nothing(self, state: OperatorState, operand: int) -> Share:
        """The share of an operand of which nothing is stored in a group: nothing is needed of what may be left out."""
        child = state.children[operand]
        if operand in state.node.optional:
            return NOTHING_NEEDED
        if isinstance(state.node.children[operand], LeafNode) or child is None:
            return NONE
        index = child.node.index
        if index not in self._empty:
            zero = [self.of_nothing(child, k) for k in range(len(child.node.children))]
            self._empty[index] = _whole(child, zero, [0] * len(zero))
        return self._empty[index]

    def anywhere(self, state: OperatorState) -> Share:
        """The share of an operator in no group: what is raised of nothing comes with a node that is yet to come."""
        if state.parent is None and state.node.definition.creates_empty:
            return NOTHING_NEEDED
        zero = [
            NOTHING_NEEDED if k in state.node.optional else NONE if child is None else self.anywhere(child)
            for k, child in enumerate(state.children)
        ]
        return _whole(state, zero, [0] * len(zero))


def _whole(state: OperatorState, operands: Sequence[Share], counts: Sequence[int]) -> Share:
    """The share of an operator; where all operands may be left out, one of them is needed (M5)."""
    share = state.node.definition.share(operands, counts)
    return share if share.needed or any(counts) else NONE


def _has_nothing(account: Account) -> bool:
    """Whether the composite of nothing has been raised, or waits to be (M4)."""
    return account.raised or (account.objection is not None and not any(account.stored))
