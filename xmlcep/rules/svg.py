"""A rule as a drawing: its tree as SVG, for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, zip_longest
from typing import NamedTuple

from .drawing import leaf_text, operator_traits
from .programs import OperatorProgram
from .trees import EventTree, LeafNode, OperatorNode

_CHARACTER, _LINE, _GAP, _BETWEEN, _PADDING = 7, 13, 14, 34, 8
_LONGEST = 46


class _Box(NamedTuple):
    """A node of the drawing: its lines, its width with all below it, and what hangs below."""

    lines: tuple[str, ...]
    is_leaf: bool
    is_aside: bool
    width: float
    below: tuple[_Box, ...]

    @property
    def own_width(self) -> float:
        return max(len(line) for line in self.lines) * _CHARACTER + 2 * _PADDING

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + 6


def draw_svg(tree: EventTree, programs: Sequence[OperatorProgram], namespaces: Mapping[str, str]) -> str:
    """The tree of a rule as SVG text, with its operators' programs; colours are those of the page it is in."""
    top = _box(tree.root, tree, programs, namespaces, word="")
    heights = _heights(top)
    tops = list(accumulate((height + _BETWEEN for height in heights), initial=0.0))
    parts = list(_drawn(top, 0.0, tops, 0))
    width, height = top.width + 2, tops[-1] - _BETWEEN + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width:.0f} {height:.0f}" width="{width:.0f}"'
        f' height="{height:.0f}" role="img" font-family="ui-monospace, monospace" font-size="11"'
        f' fill="none" stroke="currentColor"><title>{escape(tree.name)}</title>{"".join(parts)}</svg>'
    )


def _box(
    node: OperatorNode | LeafNode, tree: EventTree, programs: Sequence[OperatorProgram],
    namespaces: Mapping[str, str], *, word: str,
) -> _Box:  # fmt: skip
    if isinstance(node, LeafNode):
        lines = [_short(leaf_text(node, namespaces))]
        below: tuple[_Box, ...] = ()
    else:
        traits = operator_traits(node, programs[node.index], flat=tree.flat, namespaces=namespaces)
        lines = [node.definition.drawn, *(_short(trait) for trait in traits if not trait.startswith("name "))]
        below = tuple(
            _box(child, tree, programs, namespaces, word=node.definition.word_before(child.child_index))
            for child in node.children
        )
    lines[0] = f"{word}{lines[0]}"
    own = max(len(line) for line in lines) * _CHARACTER + 2 * _PADDING
    inner = sum(box.width for box in below) + _GAP * max(0, len(below) - 1)
    return _Box(tuple(lines), isinstance(node, LeafNode), bool(word), max(own, inner), below)


def _heights(box: _Box) -> list[float]:
    """The height of each level: that of its highest box."""
    below = zip_longest(*map(_heights, box.below), fillvalue=0.0)
    return [box.height, *map(max, below)]


def _drawn(box: _Box, left: float, tops: Sequence[float], level: int) -> Iterator[str]:
    middle, top, height = left + box.width / 2, tops[level], box.height
    at = left + (box.width - sum(b.width for b in box.below) - _GAP * max(0, len(box.below) - 1)) / 2
    for inner in box.below:
        x, y = at + inner.width / 2, tops[level + 1]
        yield f'<path d="M{middle:.0f} {top + height:.0f} L{x:.0f} {y:.0f}" opacity="0.5"/>'
        yield from _drawn(inner, at, tops, level + 1)
        at += inner.width + _GAP
    dashes = ' stroke-dasharray="4 3"' if box.is_aside else ""
    yield (
        f'<rect x="{middle - box.own_width / 2:.0f}" y="{top:.0f}" width="{box.own_width:.0f}" height="{height:.0f}"'
        f' rx="{3 if box.is_leaf else 9}"{dashes}/>'
    )
    for number, line in enumerate(box.lines):
        opacity = "" if number == 0 else ' opacity="0.7"'
        yield (
            f'<text x="{middle:.0f}" y="{top + _LINE * (number + 1):.0f}" text-anchor="middle" stroke="none"'
            f' fill="currentColor"{opacity}>{escape(line)}</text>'
        )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
