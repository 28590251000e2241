"""How much two elements have in common: the words of their texts and the values of their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from .outline import Outline

Feature: TypeAlias = str | tuple[str, str]


class Features(NamedTuple):
    """What an element's subtree says, and how often; ``total`` is the sum of the counts."""

    counts: Mapping[Feature, int]
    total: int


class Similarity:
    """The features of subtrees, found once per content."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, Features] = {}

    def features(self, tree: Outline, node: int) -> Features:
        """The features of a subtree."""
        content = tree.content[node]
        known = self._known.get(content)
        if known is None:
            known = self._known[content] = _features(tree, node)
        return known

    def between(self, old: Outline, i: int, new: Outline, j: int) -> float:
        """From 0 (nothing in common) to 1 (the same words and values, perhaps elsewhere)."""
        one, other = self.features(old, i), self.features(new, j)
        if one.total == 0 or other.total == 0:
            return 1.0 if one.total == other.total else 0.0
        small, large = (one, other) if len(one.counts) <= len(other.counts) else (other, one)
        counts = large.counts
        common = 0
        for feature, count in small.counts.items():
            there = counts.get(feature)
            if there is not None:
                common += count if count < there else there
        return 2 * common / (one.total + other.total)


def _features(tree: Outline, node: int) -> Features:
    counts: dict[Feature, int] = {}
    total = 0
    for place in range(node, tree.end[node]):
        for pair in tree.attributes[place]:
            counts[pair] = counts.get(pair, 0) + 1
            total += 1
        texts = (tree.text[place], None if place == node else tree.tail[place])
        for text in texts:
            if text is not None:
                words = text.split()
                total += len(words)
                for word in words:
                    counts[word] = counts.get(word, 0) + 1
    return Features(counts, total)
