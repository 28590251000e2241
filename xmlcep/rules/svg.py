"""A rule as a drawing: its tree as SVG, for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import NamedTuple

from .drawing import leaf_text, operator_traits
from .trees import EventTree, LeafNode, OperatorNode

_CHARACTER, _LINE, _GAP, _LEVEL, _PADDING = 7, 16, 14, 92, 8
_LONGEST = 46


class _Box(NamedTuple):
    """A node of the drawing: its lines, its width with all below it, and what hangs below."""

    lines: tuple[str, ...]
    is_leaf: bool
    is_negated: bool
    width: float
    below: tuple[_Box, ...]

    @property
    def own_width(self) -> float:
        return max(len(line) for line in self.lines) * _CHARACTER + 2 * _PADDING


def draw_svg(tree: EventTree, namespaces: Mapping[str, str]) -> str:
    """The tree of a rule as SVG text; colours are those of the page that it stands in."""
    top = _box(tree.root, tree, namespaces, negated=False)
    parts = list(_drawn(top, 0.0, 0))
    depth = _depth(top)
    width, height = top.width + 2, (depth - 1) * _LEVEL + 5 * _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width:.0f} {height:.0f}" width="{width:.0f}"'
        f' height="{height:.0f}" role="img" font-family="ui-monospace, monospace" font-size="11"'
        f' fill="none" stroke="currentColor"><title>{escape(tree.name)}</title>{"".join(parts)}</svg>'
    )


def _box(
    node: OperatorNode | LeafNode, tree: EventTree, namespaces: Mapping[str, str], *, negated: bool
) -> _Box:
    if isinstance(node, LeafNode):
        lines = [_short(leaf_text(node, namespaces))]
        below: tuple[_Box, ...] = ()
    else:
        traits = operator_traits(node, flat=tree.flat, namespaces=namespaces)
        lines = [node.definition.drawn, *(_short(trait) for trait in traits if not trait.startswith("name "))]
        below = tuple(
            _box(child, tree, namespaces, negated=child.child_index in node.definition.negated)
            for child in node.children
        )
    if negated:
        lines[0] = f"not {lines[0]}"
    own = max(len(line) for line in lines) * _CHARACTER + 2 * _PADDING
    inner = sum(box.width for box in below) + _GAP * max(0, len(below) - 1)
    return _Box(tuple(lines), isinstance(node, LeafNode), negated, max(own, inner), below)


def _depth(box: _Box) -> int:
    return 1 + max((_depth(inner) for inner in box.below), default=0)


def _drawn(box: _Box, left: float, level: int) -> Iterator[str]:
    middle, top = left + box.width / 2, level * _LEVEL
    height = len(box.lines) * 13 + 6
    at = left + (box.width - sum(b.width for b in box.below) - _GAP * max(0, len(box.below) - 1)) / 2
    for inner in box.below:
        x, y = at + inner.width / 2, (level + 1) * _LEVEL
        yield f'<path d="M{middle:.0f} {top + height:.0f} L{x:.0f} {y:.0f}" opacity="0.5"/>'
        yield from _drawn(inner, at, level + 1)
        at += inner.width + _GAP
    dashes = ' stroke-dasharray="4 3"' if box.is_negated else ""
    yield (
        f'<rect x="{middle - box.own_width / 2:.0f}" y="{top}" width="{box.own_width:.0f}" height="{height}"'
        f' rx="{3 if box.is_leaf else 9}"{dashes}/>'
    )
    for number, line in enumerate(box.lines):
        opacity = "" if number == 0 else ' opacity="0.7"'
        yield (
            f'<text x="{middle:.0f}" y="{top + 13 + 13 * number}" text-anchor="middle" stroke="none"'
            f' fill="currentColor"{opacity}>{escape(line)}</text>'
        )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
