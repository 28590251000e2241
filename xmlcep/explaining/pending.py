"""What is pending: every group of every event that has something (rule Y1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from heapq import nsmallest

from contexts.grouping import Key

from ..algebra import Share
from ..engine.tree import TreeState
from .groups import TreeGroups
from .nodes import Nodes
from .proposals import Completion
from .releases import Releases, waits_within
from .values import Pending

MOST = 1000
"""How many groups are shown in full, unless asked for more."""


def pending(
    trees: Iterable[TreeState],
    nodes: Nodes,
    *,
    doc: str = "",
    event: str | None = None,
    limit: int | None = MOST,
    completion: Callable[[TreeGroups, Key], Completion] | None = None,
    releases: Releases | None = None,
    ended: Callable[[str, int], bool] | None = None,
) -> Pending:
    """The groups that have something, the most complete first; with ``event`` those of this event only.

    ``completion`` says what would complete a group, if that is asked, too (Y4); ``releases`` what releases would do,
    ``ended`` whether nothing can be raised at a node any more (Y11).

    The first ``limit`` (None: all) are reported in full; how many there are in all is ``total``. Changes nothing (Y5).
    """
    found: list[tuple[float, int, int, Key, Share]] = []
    groups: list[TreeGroups] = []
    for tree in trees:
        if event is not None and tree.tree.name != event:
            continue
        number = len(groups)
        groups.append(of_tree := TreeGroups(tree, nodes))
        root, account_of = tree.root, tree.account
        for turn, key in enumerate(of_tree.root_keys()):
            account = account_of(root, key)
            share = of_tree.shares.of(root, key, account)
            if share.satisfied or not share.needed or any(account.stored):
                behind = 1 if account.raised else 0
                found.append((behind - share.satisfied / (share.needed or 1), number, turn, key, share))
    total = len(found)
    first = sorted(found, key=_rank) if limit is None else nsmallest(limit, found, key=_rank)
    told = []
    for _, number, _, key, share in first:
        group = groups[number].group(key, doc, share)
        if releases is not None and waits_within(group, groups[number].tree):
            against = releases.against_flush(group.event, key, nodes)
            if against is not None:
                group = replace(group, part=replace(group.part, causes=(*group.part.causes, against)))
        if ended is not None:
            group = replace(group, ended=ended(group.event, groups[number].tree.root.grouping.place_of(key)))
        told.append(
            group if completion is None else replace(group, completion=completion(groups[number], key))
        )
    return Pending(told, total)


def _rank(one: tuple[float, int, int, Key, Share]) -> tuple[float, int, int]:
    return one[0], one[1], one[2]
