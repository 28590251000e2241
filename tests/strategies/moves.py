"""Random histories in which whole subtrees are moved, and the root goes and comes back.

A move is the deletion of a subtree and its insertion elsewhere with fresh ids in one edit (E6): what was there is gone
for whoever looks at ids, and there again for whoever asks the document.
"""

from __future__ import annotations

from hypothesis import strategies as st

from .histories import History, Node
from .meetings import CHOSEN, MeetingPlayer
from .timed import played

_MOVE, _ROOT = 100, 200
_PLACES = (*CHOSEN, *(_MOVE + slot for slot in (0, 0, 0, 1, 1, 5, 5, 2, 3, 14)), _ROOT)
_ACTIONS = tuple(
    st.lists(st.tuples(st.sampled_from(_PLACES), st.integers(0, 3)), min_size=1, max_size=most) for most in (1, 3)
)  # fmt: skip


@st.composite
def moving_histories(draw: st.DrawFn, *, max_edits: int = 24, doc: str = "doc") -> History:
    """A random history of a few places between which subtrees move."""
    player = _MovingPlayer(doc, draw(st.sampled_from((1, 37))), edits=draw(st.booleans()))
    actions = draw(st.sampled_from(_ACTIONS))
    return played(draw, player, actions, max_edits=max_edits, min_edits=6, advances=True)


class _MovingPlayer(MeetingPlayer):
    """Plays on the same slots; a slot's node may lie elsewhere."""

    def act(self, slot: int, value: int) -> None:
        if self.root is None:
            self._insert_root()
        if slot == _ROOT:
            assert self.root is not None
            self.remove(self.root)
        elif slot < _MOVE:
            super().act(slot, value)
        elif slot - _MOVE in self.slots:
            self._move(self.slots[slot - _MOVE], value)

    def _move(self, node: Node, value: int) -> None:
        """To the root, or into one of the elements that do not lie in it."""
        assert self.root is not None
        inside = set(map(id, node.subtree()))
        targets = [each for each in self.root.subtree() if each.step.is_element and id(each) not in inside]
        parent = targets[value * 7 % len(targets)]
        contents = {id(each): (list(each.attributes), list(each.children)) for each in node.subtree()}
        slot_of = {id(each): slot for slot, each in self.slots.items()}
        self.delete(node)

        def insert_again(old: Node, above: Node, at: int) -> None:
            fresh = self.insert_child(above, old.step, at, old.value)
            attributes, children = contents[id(old)]
            moved = [
                (old, fresh),
                *((each, self.insert_attribute(fresh, each.value or "")) for each in attributes),
            ]
            for before, after in moved:
                if id(before) in slot_of:
                    self.slots[slot_of[id(before)]] = after
            for number, child in enumerate(children):
                insert_again(child, fresh, number)

        insert_again(node, parent, value % (len(parent.children) + 1))
