"""A detector's state in pieces, one for each node that has groups: what records do not concern is not read (G6).

A record concerns the groups of its node and of those above. Beside them something can happen where a timer is due
(W5), where something elsewhere is a release (D2), at the end of a transaction where a flush is (D3), and at the end of
an edit with what that has held back (U1): the rest of the state, which is always read, says where. So a piece is read
before the records come that need it, with those of the nodes above, to which what it raises goes. The document, if
rules read it (U2), is not divided.

Two things are at place 0, which is always read, too: groups without a hierarchical context, and trees in which an
operator tells one below it, whose groups are of other nodes, that what that has raised is used up (H7, Q4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contexts.grouping import FLAT_KEY, Key
from path_types import PathType
from path_types.relations import offsets

from ...algebra import Termination, Unit
from .layouts import Interpreter, Scribe
from .pool import Json, Known
from .table import DETECTOR, TABLE

Piece = dict[str, Json]


class Division:
    """How the state of a detector is divided, known from its rules."""

    def __init__(self, detector: Any) -> None:
        trees: Mapping[int, Any] = detector.trees
        self.whole = {index for index, tree in trees.items() if _is_whole(tree)}
        self._nodes = {
            state.node.path
            for index, tree in trees.items()
            if index not in self.whole
            for state in tree.states
        }
        self._positions: dict[str, tuple[int, ...]] = {}

    def place(self, tree: int, key: Key) -> int:
        """In which piece a group of a tree is."""
        if tree in self.whole:
            return FLAT_KEY
        place: int = key[0] if isinstance(key, tuple) else key
        return place

    def places(self, path: str, ids: Sequence[int]) -> list[int]:
        """The nodes at or above that of a record which can have groups, those above first."""
        positions = self._positions.get(path)
        if positions is None:
            type_ = PathType.parse(path)
            found = {start + len(node) - 1 for node in self._nodes for start in offsets(node, type_)}
            positions = self._positions[path] = tuple(sorted(found))
        return [ids[position] for position in positions if position < len(ids)]


def _is_whole(tree: Any) -> bool:
    tells = any(state.node.takes_back for state in tree.states)
    return tree.flat or (
        tells and not all(state.same_groups for state in tree.states if state.parent is not None)
    )


@dataclass(slots=True)
class Pieces:
    """The pieces of one detector, of which some have been read; ``get`` reads one, None if there is none."""

    division: Division
    get: Callable[[int], Piece | None]
    known: Known = field(default_factory=Known)
    count: int = 0
    """How many there are."""
    read: dict[int, Piece | None] = field(default_factory=dict)
    """Those that have been read, as they were."""
    above: dict[int, list[int]] = field(default_factory=dict)
    """The nodes with groups above one."""
    left: list[int] = field(default_factory=list)
    """Those where something elsewhere is a release, or of a node that is gone."""
    flushed: list[int] = field(default_factory=list)
    """Those where only a flush is."""
    due: dict[int, list[int | None]] = field(default_factory=dict)
    """When something of each is due first, by each measure, and when a deadline that somebody waits for is."""

    def reader(self, rest: Mapping[str, Json]) -> Interpreter:
        """What reads the rest of the state, or a state that is whole."""
        self.known = Known(rest["texts"], rest.get("known", len(rest["objects"])))
        self.count, self.left, self.flushed = rest.get("pieces", (0, [], []))
        self.due = {place: due for place, *due in rest.get("due", ())}
        return Interpreter(rest, TABLE, known=self.known)

    def load(
        self, detector: Any, nodes: Sequence[Sequence[int]], ts: int, time: int | None, *, flushes: bool
    ) -> None:
        """Reads what records of these nodes (`Division.places`) concern, up to this time point and, if it goes on,
        this time, with what is due until then; ``flushes``: a transaction or the document may end."""
        clock = detector.setting.clock
        until = {Unit.CHANGES: ts, Unit.TRANSACTIONS: clock.transaction + len(nodes) + 1, Unit.TIME: time}
        limits = [*(until[unit] for unit in Unit), None]
        needed = {FLAT_KEY, *self.left, *(self.flushed if flushes else ())}
        for line in (*nodes, *self._held(detector)):
            needed.update(line)
            for place, node in enumerate(line):
                self.above.setdefault(node, list(line[:place]))
        for node, due in self.due.items():
            if any(
                at is not None and limit is not None and at <= limit
                for at, limit in zip(due, limits, strict=True)
            ):
                needed.add(node)
        items: list[Json] = []
        while needed := needed.difference(self.read) if self.count else set():
            for node in sorted(needed):
                piece = self.read[node] = self.get(node)
                if piece is not None:
                    items += self._items(node, piece)
            needed = {node for read in needed for node in self.above.get(read, ())}
        Interpreter(_NO_OBJECTS, TABLE, known=self.known).detector(items, detector, DETECTOR)
        for tree in detector.trees.values():
            tree.note(detector.setting.waiting)

    def _held(self, detector: Any) -> Iterator[list[int]]:
        """The nodes of what an open edit has held back, which is taken when it ends (U1)."""
        for each in detector._edit.held:
            if hasattr(each, "event"):
                yield self.division.places(str(each.event.path), each.event.ids)
            else:
                yield from (
                    [self.division.place(due.tree, due.key)] for all_ in each.due.values() for due in all_
                )

    def _items(self, node: int, piece: Piece) -> list[Json]:
        self.above[node] = piece["above"]
        Interpreter(piece, TABLE, known=self.known)
        items: list[Json] = piece["items"]
        return items

    @property
    def unread(self) -> int:
        """How many there are that have not been read."""
        return self.count - sum(piece is not None for piece in self.read.values())

    def changed(self, scribe: PieceScribe) -> Iterator[tuple[int, Piece | None]]:
        """What is to be written of them: a piece, or that there is none any more."""
        for node, before in self.read.items():
            if before is not None and node not in scribe.pieces:
                yield node, None
        for node, piece in scribe.pieces.items():
            if piece != self.read.get(node):
                yield node, piece


_NO_OBJECTS: dict[str, Json] = {"objects": ()}


class PieceScribe(Scribe):
    """Writes the rest of the state, and the ``pieces`` of which something has been read or is new."""

    def __init__(self, pieces: Pieces, detector: Any) -> None:
        super().__init__(TABLE, pieces.known)
        self.pieces: dict[int, Piece] = {}
        self.writes_a_part = pieces.unread > 0
        self._pieces = pieces
        self._detector = detector
        self._rest = self.items, self.objects
        self._objects: dict[int, dict[int, Json]] = {}

    def turn_to(self, tree: int, key: Key) -> None:
        node = self._pieces.division.place(tree, key)
        piece = self.pieces.get(node)
        if piece is None:
            piece = self.pieces[node] = {"above": self._pieces.above.get(node, []), "items": []}
            self._objects[node] = {}
        self.items, self.objects = piece["items"], self._objects[node]

    def turn_back(self) -> None:
        self.items, self.objects = self._rest

    def state(self) -> dict[str, Json]:
        pieces = self._pieces
        for node, piece in self.pieces.items():
            piece |= _written(self._objects[node])
        due = {node: at for node, at in pieces.due.items() if node not in pieces.read} | self._due()
        return {
            "texts": self._known.texts, "known": self._known.count, **_written(self.objects),
            "pieces": [pieces.unread + len(self.pieces), *self._waiting()],
            "due": [[node, *at] for node, at in due.items()],
        }  # fmt: skip

    def _waiting(self) -> tuple[list[int], list[int]]:
        """See `Pieces.left` and `Pieces.flushed`."""
        place, evaluation = self._pieces.division.place, self._detector._evaluation
        departed = evaluation.departed
        left = {place(tree.tree.index, ids[-1]) for tree, _, ids in (*departed.awaited, *departed.late)}
        flushed = set(self._pieces.flushed).difference(self._pieces.read)
        for index, tree in evaluation.trees.items():
            for deferral in tree.deferrals:
                found = left if deferral.mode is Termination.NON_LOCAL else flushed
                found.update(place(index, key) for key in deferral.pending)
        return sorted(left), sorted(flushed)

    def _due(self) -> dict[int, list[int | None]]:
        found: dict[int, list[int | None]] = {}
        setting, place = self._detector.setting, self._pieces.division.place
        for number, unit in enumerate(Unit):
            for due in (*setting.timers.pending(unit), *setting.expiries.pending(unit)):
                _note(found.setdefault(place(due.tree, due.key), [None] * (len(Unit) + 1)), number, due.at)
        for due in self._detector._timers.by_time():
            _note(found[place(due.tree, due.key)], len(Unit), due.at)
        return found


def _note(first: list[int | None], number: int, at: int) -> None:
    before = first[number]
    first[number] = at if before is None else min(before, at)


def _written(objects: Mapping[int, Json]) -> dict[str, Json]:
    return {"numbers": list(objects), "objects": list(objects.values())}
