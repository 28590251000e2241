"""Path types: a kind (absolute, relative) and a non-empty sequence of steps (rule P2).

Path types are immutable and interned: two equal path types are the same object, so comparing and
hashing them costs what it costs for any Python object, and a dictionary keyed by path types is as
fast as a dictionary can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn
from weakref import WeakValueDictionary

from .errors import PathError
from .parsing import parse_steps
from .steps import Step

_Key = tuple[bool, tuple[Step, ...]]


class PathType:
    """A path type such as ``/order/item/price``, ``item/@partnum`` or ``price/text()``.

    Make one with `PathType.of` (from steps) or `PathType.parse` (from text); never by calling the class.

    >>> path = PathType.parse("/order/item/price")
    >>> path is PathType.parse("/order/item/price"), path.absolute, len(path)
    (True, True, 3)
    """

    __slots__ = ("__weakref__", "_children", "_text", "absolute", "steps")

    absolute: bool
    steps: tuple[Step, ...]
    _text: str
    _children: dict[Step, PathType]

    def __new__(cls, *_: object) -> PathType:
        raise TypeError("use PathType.of(absolute, steps) or PathType.parse(text)")

    @classmethod
    def of(cls, absolute: bool, steps: Iterable[Step]) -> PathType:
        """The path type of this kind with these steps.

        Raises `PathError` when there are no steps, or when an attribute or ``text()`` step is followed
        by another (P1, P2).
        """
        key = (absolute, tuple(steps))
        known = _interned.get(key)
        return known if known is not None else _intern(key)

    @classmethod
    def parse(cls, text: str, namespaces: Mapping[str, str] | None = None) -> PathType:
        """Reads a path type from text.

        ``namespaces`` maps prefixes to namespace URIs; the prefix ``""`` is the namespace of element
        names without a prefix. Names in Clark notation need no prefix. Raises `PathSyntaxError`, which
        points at the character.
        """
        return cls.of(*parse_steps(text, namespaces))

    def child(self, step: Step) -> PathType:
        """This path type with one more step."""
        known = self._children.get(step)
        if known is None:
            known = self._children[step] = PathType.of(self.absolute, (*self.steps, step))
        return known

    @property
    def parent(self) -> PathType | None:
        """This path type without its last step; None when that would leave no steps."""
        return PathType.of(self.absolute, self.steps[:-1]) if len(self.steps) > 1 else None

    @property
    def relative(self) -> PathType:
        """The relative path type with the same steps."""
        return PathType.of(False, self.steps)

    @property
    def endings(self) -> tuple[PathType, ...]:
        """This path type and those that end it (P4): all that an event with this path can be looked up by (E2)."""
        return (self, *(PathType.of(False, self.steps[start:]) for start in range(len(self))))

    @property
    def last(self) -> Step:
        """The last step, which says what kind of node the path leads to."""
        return self.steps[-1]

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"PathType.parse({self._text!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a path type is immutable: {name} cannot be set")

    def __deepcopy__(self, memo: object) -> PathType:
        return self

    def __reduce__(self) -> tuple[object, tuple[bool, tuple[Step, ...]]]:
        return (PathType.of, (self.absolute, self.steps))


# Weak, so that path types of documents long gone do not pile up.
_interned: WeakValueDictionary[_Key, PathType] = WeakValueDictionary()


def _intern(key: _Key) -> PathType:
    absolute, steps = key
    if not steps:
        raise PathError("a path type needs at least one step")
    for step in steps[:-1]:
        if not step.is_element:
            raise PathError(f"{step} can only be the last step of a path type")
    path = object.__new__(PathType)
    text = ("/" if absolute else "") + "/".join(map(str, steps))
    for name, value in (("absolute", absolute), ("steps", steps), ("_text", text), ("_children", {})):
        object.__setattr__(path, name, value)
    return _interned.setdefault(key, path)
