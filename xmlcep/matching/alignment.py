"""Aligning the child lists of two matched elements: what stays, what is moved, what goes and comes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .chains import Pair, differing, heaviest_chain
from .keys import Field, Key, KeyValue, is_called, key_among, key_value
from .outline import Outline
from .similarity import Feature, Similarity

ALIKE = 0.4
"""From this similarity on two elements are taken for one that was edited."""
LONE_ALIKE = 0.1
"""The same for the only element of its name between two neighbours that stayed, on both sides."""
SMALL = 3
"""A lone element of at most so many nodes is taken for the other's next state, however different they are."""
RENAMED_ALIKE = 0.6
"""The same for elements whose keys, found by custom or uniqueness, differ."""
MOST_REPEATS = 16
"""Up to so many pairs of equal siblings all are looked at; beyond it the first with the first, and so on."""
MOST_PAIRS = 2_500
"""Up to so many pairs between two neighbours that stayed all are compared; beyond it rare features decide."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of children: those that stay in their order, and those known by their keys that are elsewhere."""

    kept: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]


class Aligner:
    """Aligns the children of elements of two outlines."""

    def __init__(self, old: Outline, new: Outline, keys: Sequence[Key]) -> None:
        self._old = old
        self._new = new
        self._keys = keys
        self._similarity = Similarity()

    def align(
        self, i: int, j: int, moved_old: Container[int] = (), moved_new: Container[int] = ()
    ) -> Alignment:
        """The alignment of the children of the old element i with those of the new element j.

        Those that are known to have moved, from there or to there, are matched already.
        """
        olds = [child for child in self._old.children(i) if child not in moved_old]
        news = [child for child in self._new.children(j) if child not in moved_new]
        before, after = self._old.content, self._new.content
        first, last_old, last_new = differing([before[node] for node in olds], [after[node] for node in news])
        kept = list(zip(olds[:first], news[:first], strict=True))
        moved: list[tuple[int, int]] = []
        if first < last_old and first < last_new:
            identity = Identity(self._old, olds, self._new, news, self._keys)
            middle = _Middle(
                self._old, olds[first:last_old], self._new, news[first:last_new], identity, self._similarity
            )
            kept += middle.kept()
            moved += middle.moved
        kept += zip(olds[last_old:], news[last_new:], strict=True)
        return Alignment(tuple(kept), tuple(moved))


class Identity:
    """What the elements of two child lists are known by.

    ``pairs`` are those known by the same key; ``values`` are the keys of all that have one, by node, old and new.
    """

    def __init__(
        self, old: Outline, olds: Sequence[int], new: Outline, news: Sequence[int], keys: Sequence[Key]
    ) -> None:
        self.pairs: dict[int, int] = {}
        self.values: tuple[dict[int, KeyValue], dict[int, KeyValue]] = ({}, {})
        self.given: set[str] = set()
        before, after = _by_tag(old, olds), _by_tag(new, news)
        for tag, group in before.items():
            others = after.get(tag)
            if others is None:
                continue
            fields: tuple[Field, ...] | None
            given = [key.fields for key in keys if is_called(tag, key.element)]
            if given:
                self.given.add(tag)
                fields = max(given, key=lambda fields: _number_with(fields, old, group, new, others))
            else:
                fields = key_among(old, group, new, others)
            if fields is None:
                if len(group) == len(others) == 1:
                    self.pairs[group[0]] = others[0]  # the only one of its name: known by that
                continue
            known, there = (
                [key_value(fields, tree, node) for node in nodes]
                for tree, nodes in ((old, group), (new, others))
            )
            self.values[0].update(_having(group, known))
            self.values[1].update(_having(others, there))
            unique = _unique(others, there)
            self.pairs.update(
                (node, unique[value]) for value, node in _unique(group, known).items() if value in unique
            )

    def least_similarity(self, tag: str, i: int, j: int) -> float:
        """How alike an old and a new element called ``tag`` must be to be the same; above 1: they are not."""
        one, other = self.values[0].get(i), self.values[1].get(j)
        if one is None or other is None or one == other:
            return ALIKE
        return 2.0 if tag in self.given else RENAMED_ALIKE


def _having(nodes: Sequence[int], values: Sequence[KeyValue | None]) -> dict[int, KeyValue]:
    """The values by node, of the nodes that have one."""
    return {node: value for node, value in zip(nodes, values, strict=True) if value is not None}


def _unique(nodes: Sequence[int], values: Sequence[KeyValue | None]) -> dict[KeyValue, int]:
    """The nodes whose value no other one has, by value."""
    counts = Counter(values)
    return {
        value: node
        for node, value in zip(nodes, values, strict=True)
        if value is not None and counts[value] == 1
    }


def _number_with(
    fields: tuple[Field, ...], old: Outline, olds: Sequence[int], new: Outline, news: Sequence[int]
) -> int:
    """How many elements have a value for a key; of several keys the first that most have is theirs."""
    sides = ((old, olds), (new, news))
    return sum(key_value(fields, tree, node) is not None for tree, nodes in sides for node in nodes)


class _Middle:
    """Two child lists without the equal children at their beginnings and ends."""

    def __init__(
        self, old: Outline, olds: Sequence[int], new: Outline, news: Sequence[int], identity: Identity,
        similarity: Similarity,
    ) -> None:  # fmt: skip
        self._old = old
        self._olds = olds
        self._new = new
        self._news = news
        self._identity = identity
        self._similarity = similarity
        self.moved: list[tuple[int, int]] = []

    def kept(self) -> Iterator[tuple[int, int]]:
        """The pairs that stay in their order, in that order."""
        known = self._known()
        chain = heaviest_chain([*known, *self._equal(known)])
        standing = {pair.old for pair in chain}
        elsewhere = [pair for pair in known if pair.old not in standing]
        self.moved = [(self._olds[pair.old], self._news[pair.new]) for pair in elsewhere]
        gone, come = {pair.old for pair in elsewhere}, {pair.new for pair in elsewhere}
        for olds, news, pair in _gaps(chain, len(self._olds), len(self._news)):
            yield from self._alike(
                [self._olds[place] for place in olds if place not in gone],
                [self._news[place] for place in news if place not in come],
            )
            if pair is not None:
                yield self._olds[pair.old], self._news[pair.new]

    def _known(self) -> list[Pair]:
        """The pairs of elements known by the same key."""
        places = {node: place for place, node in enumerate(self._news)}
        pairs = self._identity.pairs
        found = []
        for place, node in enumerate(self._olds):
            there = places.get(pairs.get(node, -1))
            if there is not None:
                weight = min(self._old.weight[node], self._new.weight[self._news[there]])
                found.append(Pair(place, there, weight))
        return found

    def _equal(self, known: Sequence[Pair]) -> Iterator[Pair]:
        """Pairs of equal children, those known by a key left out."""
        olds, news = {pair.old for pair in known}, {pair.new for pair in known}
        there = defaultdict(list)
        for place, node in enumerate(self._news):
            if place not in news:
                there[self._new.content[node]].append(place)
        here = defaultdict(list)
        for place, node in enumerate(self._olds):
            if place not in olds and self._old.content[node] in there:
                here[self._old.content[node]].append(place)
        for content, places in here.items():
            others = there[content]
            weight = self._old.weight[self._olds[places[0]]] or 0.5  # comments weigh nothing
            if len(places) * len(others) <= MOST_REPEATS:
                yield from (Pair(one, other, weight) for one in places for other in others)
            else:
                few = min(len(places), len(others))
                yield from (Pair(places[k], others[k], weight) for k in range(few))
                if len(places) != len(others):
                    yield from (Pair(places[-k], others[-k], weight) for k in range(1, few + 1))

    # --- what was edited

    def _alike(self, olds: Sequence[int], news: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Of what is between two neighbours that stay, the pairs that are alike, in their order."""
        if not olds or not news:
            return
        chain = heaviest_chain(list(self._candidates(olds, news)))
        for some, others, pair in _gaps(chain, len(olds), len(news)):
            yield from self._lone([olds[place] for place in some], [news[place] for place in others])
            if pair is not None:
                yield olds[pair.old], news[pair.new]

    def _candidates(self, olds: Sequence[int], news: Sequence[int]) -> Iterator[Pair]:
        before, after = self._old.tag, self._new.tag
        places = defaultdict(list)
        for place, node in enumerate(news):
            places[after[node]].append(place)
        count = sum(len(places[before[node]]) for node in olds if before[node] in places)
        if count > MOST_PAIRS:
            yield from self._by_rare_features(olds, news)
            return
        for place, node in enumerate(olds):
            tag = before[node]
            if tag is None:
                continue
            for other in places.get(tag, ()):
                yield from self._pair(olds, place, news, other, tag)

    def _pair(
        self, olds: Sequence[int], place: int, news: Sequence[int], other: int, tag: str
    ) -> Iterator[Pair]:
        i, j = olds[place], news[other]
        alike = self._similarity.between(self._old, i, self._new, j)
        if alike >= self._identity.least_similarity(tag, i, j):
            yield Pair(place, other, alike * (self._old.weight[i] + self._new.weight[j]))

    def _by_rare_features(self, olds: Sequence[int], news: Sequence[int]) -> Iterator[Pair]:
        """Pairs that share something which one element only on either side has: bounded by what the lists hold."""
        here, there = (
            _owners(self._similarity, tree, nodes) for tree, nodes in ((self._old, olds), (self._new, news))
        )
        votes: dict[tuple[int, int], int] = defaultdict(int)
        for feature, place in here.items():
            other = there.get(feature, -1)
            if place >= 0 and other >= 0:
                votes[place, other] += 1
        for place, other in votes:
            tag = self._old.tag[olds[place]]
            if tag is not None and tag == self._new.tag[news[other]]:
                yield from self._pair(olds, place, news, other, tag)

    def _lone(self, olds: Sequence[int], news: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Elements that are the only ones of their name between two neighbours, on both sides."""
        if not olds or not news:
            return
        before, after = _by_tag(self._old, olds), _by_tag(self._new, news)
        places, others = {n: k for k, n in enumerate(olds)}, {n: k for k, n in enumerate(news)}
        pairs = []
        for tag, nodes in before.items():
            if len(nodes) == 1 == len(after.get(tag, ())):
                i, j = nodes[0], after[tag][0]
                if self._is_next_state(tag, i, j):
                    pairs.append(Pair(places[i], others[j], min(self._old.weight[i], self._new.weight[j])))
        yield from ((olds[pair.old], news[pair.new]) for pair in heaviest_chain(pairs))

    def _is_next_state(self, tag: str, i: int, j: int) -> bool:
        least = self._identity.least_similarity(tag, i, j)
        if least != ALIKE:
            return least <= 1 and self._similarity.between(self._old, i, self._new, j) >= ALIKE
        if max(self._old.weight[i], self._new.weight[j]) <= SMALL:
            return True
        return self._similarity.between(self._old, i, self._new, j) >= LONE_ALIKE


def _by_tag(tree: Outline, nodes: Iterable[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for node in nodes:
        tag = tree.tag[node]
        if tag is not None:
            groups.setdefault(tag, []).append(node)
    return groups


def _owners(similarity: Similarity, tree: Outline, nodes: Sequence[int]) -> dict[Feature, int]:
    """The place of the only node that has a feature; -1 where several have it."""
    owners: dict[Feature, int] = {}
    for place, node in enumerate(nodes):
        if tree.tag[node] is not None:
            for feature in similarity.features(tree, node).counts:
                owners[feature] = -1 if feature in owners else place
    return owners


def _gaps(chain: Sequence[Pair], olds: int, news: int) -> Iterator[tuple[range, range, Pair | None]]:
    """What is before each pair of a chain on either side, with the pair; at last what is behind all."""
    old = new = 0
    for pair in chain:
        yield range(old, pair.old), range(new, pair.new), pair
        old, new = pair.old + 1, pair.new + 1
    yield range(old, olds), range(new, news), None
