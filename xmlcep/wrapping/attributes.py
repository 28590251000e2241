"""The attribute mapping of tracked elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from .edits import ready, settle
from .records import Node

_Element: Any = etree._Element
_raw = _Element.attrib.__get__
_set = _Element.set


def set_attribute(node: Node, key: Any, value: Any) -> None:
    """``node.set(key, value)`` on any element, told if it is tracked."""
    record = ready(node)
    if record is None:
        _set(node, key, value)
        return
    tracker = record.tracker
    if tracker.journal is not None:
        tracker.journal.attributes(node)
    _set(node, key, value)
    tracker.attributes_changed(node, record)
    tracker.delivery.settle()


class TrackedAttributes(dict[str, str]):
    """The attributes of an element; behaves like lxml's ``attrib`` and tells of every change.

    A dict by type, because C code of lxml looks for one; its own storage stays empty.
    """

    __slots__ = ("_node", "_raw")

    def __init__(self, node: Node) -> None:
        self._node = node
        self._raw = _raw(node)

    # --- changes

    def __setitem__(self, key: Any, value: Any) -> None:
        self._node.set(key, value)

    def __delitem__(self, key: Any) -> None:
        self._change(self._raw.__delitem__, key)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets several attributes, from a mapping or pairs."""
        if len(args) > 1:
            raise TypeError(f"update expected at most 1 argument, got {len(args)}")
        if args:
            given = args[0].items() if hasattr(args[0], "items") else args[0]
            self._change(self._raw.update, list(given))
        if kwargs:
            self._change(self._raw.update, kwargs)

    def pop(self, key: Any, *default: Any) -> Any:
        """Removes an attribute and returns its value."""
        return self._change(self._raw.pop, key, *default)

    def clear(self) -> None:
        """Removes all attributes."""
        self._change(self._raw.clear)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of an attribute, which is set if it is not there."""
        if key not in self._raw:
            self[key] = default
        return self._raw[key]

    def popitem(self) -> tuple[str, str]:
        """Removes the last attribute and returns it."""
        key = self._raw.keys()[-1] if self._raw else None
        if key is None:
            raise KeyError("popitem(): the element has no attributes")
        return key, self.pop(key)

    def _change(self, function: Any, *args: Any) -> Any:
        record = ready(self._node)
        if record is None:
            return function(*args)
        tracker = record.tracker
        if tracker.journal is not None:
            tracker.journal.keep(record)
            tracker.journal.attributes(self._node)
        try:
            return function(*args)
        finally:
            tracker.attributes_changed(self._node, record)
            settle(tracker)

    # --- reading

    def __getitem__(self, key: Any) -> str:
        return self._raw[key]  # type: ignore[no-any-return]

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of an attribute, or ``default``."""
        return self._raw.get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._raw.keys())  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._raw)

    def __bool__(self) -> bool:
        return bool(self._raw)

    def keys(self) -> Any:
        """The names, as a list (as in lxml)."""
        return self._raw.keys()

    def values(self) -> Any:
        """The values, as a list (as in lxml)."""
        return self._raw.values()

    def items(self) -> Any:
        """Names and values, as a list (as in lxml)."""
        return self._raw.items()

    def iterkeys(self) -> Iterator[str]:
        """An iterator of the names."""
        return self._raw.iterkeys()  # type: ignore[no-any-return]

    def itervalues(self) -> Iterator[str]:
        """An iterator of the values."""
        return self._raw.itervalues()  # type: ignore[no-any-return]

    def iteritems(self) -> Iterator[tuple[str, str]]:
        """An iterator of names and values."""
        return self._raw.iteritems()  # type: ignore[no-any-return]

    def has_key(self, key: Any) -> bool:
        """Whether there is such an attribute."""
        return key in self._raw

    def copy(self) -> dict[str, str]:
        """A plain dict of the attributes."""
        return dict(self._raw)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> dict[str, str]:
        return dict(self._raw)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TrackedAttributes):
            other = other._raw
        return bool(dict(self._raw) == _as_dict(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def _unsupported(self, other: object) -> Any:
        return NotImplemented  # as in lxml; the operators of dict would see the empty storage

    __or__ = __ror__ = __ior__ = _unsupported

    def __repr__(self) -> str:
        return repr(self._raw)


def _as_dict(given: Any) -> Any:
    return dict(given) if hasattr(given, "keys") else given
