"""Tracked changes of Word documents (WordprocessingML): the state of a document by some time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
Done = Callable[[str, str], bool]
"""Whether the change of a date and author has been made by then."""


def w(name: str) -> str:
    """The name of an element or attribute of WordprocessingML."""
    return f"{{{WORD}}}{name}"


_COMES = frozenset(map(w, ("ins", "moveTo", "cellIns")))
_GOES = frozenset(map(w, ("del", "moveFrom", "cellDel")))
_RANGES = tuple(f"{move}Range{end}" for move in ("moveFrom", "moveTo") for end in ("Start", "End"))
_DELETED_TEXT = {w("delText"): w("t"), w("delInstrText"): w("instrText")}


def _is_old_format(element: Any) -> bool:
    return (
        isinstance(element.tag, str)
        and element.tag.startswith(f"{{{WORD}}}")
        and element.tag.endswith("Change")
    )


def _changes(root: Any) -> Iterator[Any]:
    for element in root.iter("*"):
        if element.tag in _COMES or element.tag in _GOES or _is_old_format(element):
            yield element


def _who(element: Any) -> tuple[str, str]:
    return element.get(w("date"), ""), element.get(w("author"), "")


def word_changes(root: Any) -> Iterator[tuple[str, str]]:
    """The date and author of each change."""
    return map(_who, _changes(root))


def in_word(root: Any, done: Done) -> None:
    """Leaves of a document what was there when the changes were done that are, and no others."""
    for element in list(_changes(root)):
        if element.getroottree().getroot() is root:
            _settle(element, done(*_who(element)))
    for mark in list(root.iter(*map(w, _RANGES))):
        _replace(mark, [])
    for element in root.iter(*_DELETED_TEXT):
        element.tag = _DELETED_TEXT[element.tag]


def _settle(element: Any, is_done: bool) -> None:
    parent = element.getparent()
    if _is_old_format(element):
        parent.remove(element)
        if not is_done and len(element):
            parent[:] = list(element[0])
        return
    stays = is_done is (element.tag in _COMES)
    above = parent.getparent()
    if parent.tag == w("rPr") and above is not None and above.tag == w("pPr"):
        parent.remove(element)
        if not stays:
            _join(above.getparent())
    elif parent.tag in (w("trPr"), w("tcPr")):
        parent.remove(element)
        if not stays:
            _replace(above, [])
    else:
        _replace(element, list(element) if stays else [])


def _join(paragraph: Any) -> None:
    """Removes the end of a paragraph: its content becomes the beginning of the next one."""
    behind = paragraph.getnext()
    content = [child for child in paragraph if child.tag != w("pPr")]
    if behind is not None and behind.tag == w("p"):
        at = 1 if len(behind) and behind[0].tag == w("pPr") else 0
        behind[at:at] = content
        _replace(paragraph, [])
    elif not content:
        _replace(paragraph, [])


def _replace(element: Any, content: list[Any]) -> None:
    """Puts others in the place of an element; behind it there is no text in Word, but for line ends."""
    parent = element.getparent()
    at = parent.index(element)
    parent[at : at + 1] = content
