"""What to write where a path type cannot be derived (T2): an element that all operands name and are at or below.

``a/item/price`` and ``b/item/quantity`` name an item both, and never the same: an element has one parent.
"""

from __future__ import annotations

from collections.abc import Sequence

from path_types import PathType

from ..algebra import Leaf, Operator


def path_to_give(operator: Operator, paths: Sequence[PathType]) -> str:
    """The hint for an operator with operands of these path types; an external event has none."""
    if not paths:
        return "give it explicitly, for example {path=item}"
    found = _common(paths) if len(paths) > 1 or not isinstance(operator.operands[0], Leaf) else None
    if found is not None:
        return f"give it explicitly, for example {{path={found}}}"
    what = "all of this is" if len(paths) > 1 else f"{paths[0]} is"
    return f"give it explicitly: {{path=…}} with the name of an element that {what} in"


def _common(paths: Sequence[PathType]) -> PathType | None:
    """The innermost element that all paths name and that can be the same one."""
    first = paths[0]
    for length in range(len(first.steps), 0, -1):
        if first.steps[length - 1].is_element and all(_names(path, first, length) for path in paths[1:]):
            return PathType.parse(str(first.steps[length - 1]))
    return None


def _names(path: PathType, other: PathType, length: int) -> bool:
    """Whether a path leads through what may be the element at the end of the first ``length`` steps of another one."""
    above = other.steps[:length]
    for end in range(1, len(path.steps) + 1):
        known = min(end, length)
        if path.steps[end - known : end] != above[length - known :]:
            continue
        # A path from the root says how deep the element is.
        if (length <= end or not path.absolute) and (end <= length or not other.absolute):
            return True
    return False
