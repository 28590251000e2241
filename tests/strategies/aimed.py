"""Random histories that are drawn for rules: most of what happens is what a leaf of these waits for.

Of rules of many parts few raise anything where what happens is drawn without a look at them: of 80 rule sets by lot
with histories of `dense` and others 21 had a finding of a whole rule. Here an action is a leaf, which gets what it
takes (E2) at one of a few nodes; one in six is something else that such histories have, so that there is what must not
occur or is in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hypothesis import strategies as st

from path_types import PathType, Step
from xmlcep.algebra import EventDefinition, leaves_of
from xmlcep.events import ANY, PrimitiveType

from .histories import VALUES, History, Node
from .timed import TimedPlayer, played

# What stands above a path that begins with another name.
_ABOVE = {"item": ("order",), "billTo": ("order",), "order": ()}
_WHICH = (0, 0, 0, 0, 0, 1, 1, 2)


@st.composite
def aimed_histories(
    draw: st.DrawFn, definitions: Sequence[EventDefinition], *, max_edits: int = 24, doc: str = "doc"
) -> History:
    """A random history that has much for these definitions."""
    types = [leaf.type for each in definitions for leaf in leaves_of(each.expression)]
    aims = list(dict.fromkeys(type_ for type_ in types if isinstance(type_, PrimitiveType)))
    player = _AimingPlayer(doc, draw(st.sampled_from((1, 37))), edits=draw(st.booleans()))
    player.aims = [(type_.operation, _steps(type_.path)) for type_ in aims]
    return played(draw, player, _actions(len(aims)), max_edits=max_edits, min_edits=8, advances=True)


def _steps(path: PathType) -> tuple[Step, ...]:
    """The steps from the root to a node of a path type."""
    above = () if path.absolute else _ABOVE.get(path.steps[0].test, ("order", "item"))
    return (*map(Step.element, above), *path.steps)


@cache
def _actions(aims: int) -> st.SearchStrategy[list[tuple[int, int, int]]]:
    """What is aimed at (something else beyond the last), at which of its nodes, and with which value."""
    aim = st.sampled_from((*range(aims), *range(aims), *range(aims, aims + 2)))
    return st.lists(
        st.tuples(aim, st.sampled_from(_WHICH), st.integers(0, len(VALUES) - 1)), min_size=1, max_size=2
    )


class _AimingPlayer(TimedPlayer):
    """Plays at a few nodes of each name, which come when something is to happen at or below them."""

    aims: list[tuple[str, tuple[Step, ...]]]

    def start(self) -> None:
        self.begin(unseen=False)

    def act(self, aim: int, which: int, value: int) -> None:  # type: ignore[override]
        if self.root is None:
            self._insert_root()
        if aim < len(self.aims):
            self._hit(*self.aims[aim], which, value)
        elif aim == len(self.aims):
            self._play(0, which, value, value, flushes=False)
        else:
            self._play(7, which * 5 + value, 0, value, flushes=False)

    def _hit(self, operation: str, steps: tuple[Step, ...], which: int, value: int) -> None:
        """Does what an event of this operation at such a path is, or the next best."""
        parent = self.root
        assert parent is not None
        if len(steps) == 1:
            return  # the root is there
        for step in steps[1:-1]:
            parent = self._child(parent, step, which)
        there = self._all(parent, steps[-1])
        if operation == ANY:
            operation = ("ins", "upd", "del", "ins")[value]
        if operation == "del" and there:
            self.delete(there[which % len(there)])
        elif operation == "upd" and there and there[0].value is not None:
            self._update(there, 0, value)
        elif steps[-1].is_element:
            self.insert_child(parent, steps[-1], value % (len(parent.children) + 1), None)
        elif not there:
            self._insert_value(parent, steps[-1], value)
        elif len(steps) > 2:  # one text, and one attribute, of an element: another element
            above = parent.parent
            assert above is not None
            self._insert_value(self.insert_child(above, steps[-2], 0, None), steps[-1], value)

    def _insert_value(self, parent: Node, step: Step, value: int) -> None:
        if step == Step.text():
            self.insert_child(parent, step, 0, VALUES[value])
        else:
            self.insert_attribute(parent, VALUES[value])

    def _child(self, parent: Node, step: Step, which: int) -> Node:
        """The child of this name whose turn it is, of which there are two at most."""
        there = self._all(parent, step)
        if len(there) > min(which, 1):
            return there[min(which, 1)]
        return self.insert_child(parent, step, len(parent.children), None)

    def _all(self, parent: Node, step: Step) -> list[Node]:
        return [node for node in (*parent.attributes, *parent.children) if node.step == step]
