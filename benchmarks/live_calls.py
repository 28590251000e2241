"""The lxml calls that `live` measures: each with what it needs prepared, made the same way on any tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lxml import etree

from xmlcep.wrapping import indent

COUNT = 20_000
WIDE = 1_000


class Call(NamedTuple):
    """``run(element, prepared)`` makes ``calls`` calls, or one that concerns as many children."""

    name: str
    run: Callable[[Any, Any], None]
    calls: int = COUNT
    prepare: Callable[[Any], Any] = lambda element: None


def _sub_element(inner: Any, _: Any) -> None:
    make = etree.SubElement
    for _ in range(COUNT):
        make(inner, "item")


def _append(inner: Any, _: Any) -> None:
    for _ in range(COUNT):
        inner.append(inner.makeelement("item"))


def _insert(inner: Any, _: Any) -> None:
    for _ in range(WIDE):
        inner.insert(WIDE // 2, inner.makeelement("item"))


def _remove(inner: Any, items: Any) -> None:
    for item in items:
        inner.remove(item)


def _set_attribute(inner: Any, _: Any) -> None:
    for number in range(COUNT):
        inner.set("state", "a" if number & 1 else "b")


def _set_item(inner: Any, _: Any) -> None:
    for number in range(COUNT):
        inner.attrib["state"] = "a" if number & 1 else "b"


def _set_text(inner: Any, _: Any) -> None:
    for number in range(COUNT):
        inner.text = "a" if number & 1 else "b"


def _set_tail(inner: Any, item: Any) -> None:
    for number in range(COUNT):
        item.tail = "a" if number & 1 else "b"


def _clear(inner: Any, _: Any) -> None:
    inner.clear()


def _indent(inner: Any, _: Any) -> None:
    indent(inner)


def _get(inner: Any, _: Any) -> None:
    for _ in range(COUNT):
        inner.get("state")


def _get_item(inner: Any, _: Any) -> None:
    for _ in range(COUNT):
        inner.attrib["state"]


def _read_text(inner: Any, _: Any) -> None:
    for _ in range(COUNT):
        inner.text  # noqa: B018


def _iterate(inner: Any, _: Any) -> None:
    for _ in range(10):
        for _ in inner.iter():
            pass


def _findall(inner: Any, _: Any) -> None:
    for _ in range(10):
        inner.findall("item")


def _children(inner: Any, count: int) -> list[Any]:
    # Reading is measured with proxies that exist: pinned in a tracked document, held here.
    return [etree.SubElement(inner, "item") for _ in range(count)]


def _full_children(inner: Any) -> list[Any]:
    """Elements of four nodes each: itself, an attribute, a text, and the text behind it."""
    items = []
    for _ in range(COUNT):
        items.append(item := etree.SubElement(inner, "item", k="1"))
        item.text, item.tail = "x", "\n"
    return items


CALLS: tuple[Call, ...] = (
    Call("SubElement", _sub_element),
    Call("append(makeelement)", _append),
    Call(f"insert in the middle of {WIDE:,}", _insert, WIDE, lambda inner: _children(inner, WIDE)),
    Call("remove of 4 nodes", _remove, prepare=_full_children),
    Call("set", _set_attribute),
    Call("attrib[k] = v", _set_item),
    Call("text = ", _set_text),
    Call("tail = ", _set_tail, prepare=lambda inner: _children(inner, 1)[0]),
    Call("clear, per child", _clear, prepare=lambda inner: _children(inner, COUNT)),
    Call("indent, per child", _indent, prepare=lambda inner: _children(inner, COUNT)),
    Call("get", _get),
    Call("attrib[k]", _get_item),
    Call("read text", _read_text),
    Call("iterate", _iterate, prepare=lambda inner: _children(inner, 2_000)),
    Call("findall", _findall, prepare=lambda inner: _children(inner, 2_000)),
)
