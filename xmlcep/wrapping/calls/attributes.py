"""The attribute mapping of tracked elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ..lxml_access import Element, Node
from .assignments import change, delete_attribute

_raw = Element.attrib.__get__
# Its own storage is never asked for an attribute, but C code that looks there (json's, say) has to find more than
# nothing: an entry that is not an attribute of anything.
_NOT_EMPTY: dict[Any, Any] = {object(): None}


def _absent(name: str, _: object) -> Any:
    raise AttributeError(f"attributes have no {name!r} (lxml's have none): dict(attrib) gives a dict of them")


def _as_lxml(name: str) -> Any:
    """A method that lxml's attributes have, and that only reads."""
    return property(lambda self: getattr(self._raw, name))


class TrackedAttributes(dict[str, str]):
    """The attributes of an element; behaves like lxml's ``attrib``, and changes are emitted.

    A dict by type, because C code of lxml takes nothing else for a mapping that has an order.
    """

    __slots__ = ("_node", "_raw")

    def __init__(self, node: Node) -> None:
        dict.update(self, _NOT_EMPTY)
        self._node = node
        self._raw = _raw(node)

    # --- changes

    def __setitem__(self, key: Any, value: Any) -> None:
        self._node.set(key, value)

    def __delitem__(self, key: Any) -> None:
        delete_attribute(self._node, key, lambda: self._raw.__delitem__(key), lambda: {}.pop(key))

    def update(self, sequence_or_dict: Any) -> None:  # type: ignore[override]
        """Sets several attributes, from a mapping or pairs."""
        change(self._node, lambda: self._raw.update(sequence_or_dict))

    def pop(self, key: Any, *default: Any) -> Any:
        """Removes an attribute and returns its value."""
        return delete_attribute(
            self._node, key, lambda: self._raw.pop(key, *default), lambda: {}.pop(key, *default)
        )

    def clear(self) -> None:
        """Removes all attributes."""
        change(self._node, self._raw.clear)

    # --- what a dict has and lxml's attributes have not

    copy = property(partial(_absent, "copy"))
    fromkeys = property(partial(_absent, "fromkeys"))
    popitem = property(partial(_absent, "popitem"))
    setdefault = property(partial(_absent, "setdefault"))

    def _refuse(self, other: object) -> Any:
        raise TypeError("attributes do not support '|': use update(), or dict(attrib) for a copy")

    __or__ = __ror__ = __ior__ = _refuse

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
        return reversed(self._raw)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._raw)

    def __bool__(self) -> bool:
        return bool(self._raw)

    keys, values, items = _as_lxml("keys"), _as_lxml("values"), _as_lxml("items")  # lists, as in lxml
    iterkeys, itervalues, iteritems = _as_lxml("iterkeys"), _as_lxml("itervalues"), _as_lxml("iteritems")
    has_key = _as_lxml("has_key")

    def __copy__(self) -> dict[str, str]:
        return dict(self._raw)

    def __deepcopy__(self, memo: Any) -> dict[str, str]:
        return dict(self._raw)

    def __eq__(self, other: object) -> bool:
        return bool(self._raw == (other._raw if isinstance(other, TrackedAttributes) else other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(self._raw)
