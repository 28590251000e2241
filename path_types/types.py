"""Path types: a kind (absolute, relative) and a non-empty sequence of steps (rule P2).

Path types are immutable and interned: two equal path types are the same object, so comparing and
hashing them costs what it costs for any Python object, and a dictionary keyed by path types is as
fast as a dictionary can be. Each is known by the one without its last step and that step, so that a
path type costs the same however deep it is; its steps and its text are made when first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from threading import RLock
from typing import NoReturn
from weakref import WeakValueDictionary

from .errors import PathError
from .parsing import parse_steps
from .steps import Step

_Key = tuple["PathType | bool", Step]
"""What is before the last step (the kind, if that is the only one), and the last step."""


class PathType:
    """A path type such as ``/order/item/price``, ``item/@partnum`` or ``price/text()``.

    Make one with `PathType.of` (from steps) or `PathType.parse` (from text); never by calling the class.

    >>> path = PathType.parse("/order/item/price")
    >>> path is PathType.parse("/order/item/price"), path.absolute, len(path)
    (True, True, 3)
    """

    __slots__ = ("__weakref__", "_children", "_length", "_steps", "_text", "absolute", "last", "parent")

    absolute: bool
    last: Step
    """The last step, which says what kind of node the path leads to."""
    parent: PathType | None
    """This path type without its last step; None when that would leave no steps."""
    _length: int
    _steps: tuple[Step, ...] | None
    _text: str | None
    _children: dict[Step, PathType]

    def __new__(cls, *_: object) -> PathType:
        raise TypeError("use PathType.of(absolute, steps) or PathType.parse(text)")

    @classmethod
    def of(cls, absolute: bool, steps: Iterable[Step]) -> PathType:
        """The path type of this kind with these steps.

        Raises `PathError` when there are no steps, or when an attribute or ``text()`` step is followed
        by another (P1, P2).
        """
        path: PathType | None = None
        for step in steps:
            known = _interned.get((absolute if path is None else path, step))
            path = _intern(absolute, path, step) if known is None else known
        if path is None:
            raise PathError("a path type needs at least one step")
        return path

    @classmethod
    def parse(cls, text: str, namespaces: Mapping[str, str] | None = None) -> PathType:
        """Reads a path type from text.

        ``namespaces`` maps prefixes to namespace URIs; the prefix ``""`` is the namespace of element
        names without a prefix. Names in Clark notation need no prefix. Raises `PathSyntaxError`, which
        points at the character, and `PathError` for what is not text.
        """
        if not isinstance(text, str):
            raise PathError(f"a path type is read from text, not from {text!r}")
        if not (namespaces is None or isinstance(namespaces, Mapping)):
            raise PathError(f"namespaces are {namespaces!r}: expected a dictionary of prefixes")
        return cls.of(*parse_steps(text, namespaces))

    def child(self, step: Step) -> PathType:
        """This path type with one more step; raises `PathError` for what is not a step, or if this is complete (P1)."""
        known = self._children.get(step)
        if known is None:
            known = _interned.get((self, step))
            known = self._children[step] = _intern(self.absolute, self, step) if known is None else known
        return known

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, from the first to the last."""
        steps = self._steps
        if steps is None:
            above = [path.last for path in self.upwards()]
            steps = tuple(reversed(above))
            object.__setattr__(self, "_steps", steps)
        return steps

    def upwards(self) -> Iterator[PathType]:
        """This path type and those of the nodes above (its leading steps), from the longest to the shortest."""
        path: PathType | None = self
        while path is not None:
            yield path
            path = path.parent

    @property
    def relative(self) -> PathType:
        """The relative path type with the same steps."""
        return PathType.of(False, self.steps)

    @property
    def endings(self) -> tuple[PathType, ...]:
        """This path type and those that end it (P4)."""
        return (self, *(PathType.of(False, self.steps[start:]) for start in range(self._length)))

    def __len__(self) -> int:
        return self._length

    def __str__(self) -> str:
        text = self._text
        if text is None:
            text = ("/" if self.absolute else "") + "/".join(map(str, self.steps))
            object.__setattr__(self, "_text", text)
        return text

    def __repr__(self) -> str:
        return f"PathType.parse({str(self)!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a path type is immutable: {name} cannot be set")

    def __deepcopy__(self, memo: object) -> PathType:
        return self

    def __reduce__(self) -> str | tuple[object, tuple[bool, tuple[Step, ...]]]:
        return "DOCUMENT" if self is DOCUMENT else (PathType.of, (self.absolute, self.steps))


# Weak, so that path types of documents long gone do not pile up.
_interned: WeakValueDictionary[_Key, PathType] = WeakValueDictionary()
_interning = RLock()
"""Who makes a path type that there is not yet: of two threads at once each would have one of its own."""


def _intern(absolute: bool, parent: PathType | None, step: Step) -> PathType:
    """A path type that there is not yet."""
    if not isinstance(step, Step):
        raise PathError(
            f"{step!r} is not a step of a path type: write Step.element(name), or PathType.parse(text)"
        )
    if parent is not None and not parent.last.is_element:
        raise PathError(f"{parent.last} can only be the last step of a path type")
    path = _new(absolute, parent, 1 if parent is None else parent._length + 1, last=step)
    with _interning:
        return _interned.setdefault((absolute if parent is None else parent, step), path)


def _new(absolute: bool, parent: PathType | None, length: int, **rest: object) -> PathType:
    path = object.__new__(PathType)
    made: dict[str, object] = {
        "absolute": absolute,
        "parent": parent,
        "_length": length,
        "_steps": None,
        "_text": None,
        "_children": {},
    }
    for name, value in (made | rest).items():
        object.__setattr__(path, name, value)
    return path


DOCUMENT = _new(True, None, 0, _steps=(), _text="/")
"""What flat events are about whose operands have nothing in common (T2): absolute, without steps, so without a last
one. It is neither read from text nor made by `PathType.of`."""
