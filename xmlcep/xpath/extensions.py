"""Values on their way into libxml2 and out of it, and the functions that it calls.

Whatever turns text into a number or a number into text is done by `values`, which libxml2 calls as extension functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from lxml import etree

from ..xml_parser import NOT_XML
from . import values
from .functions import FUNCTIONS, Parameter

URI = "urn:xmlcep:functions"
"""The namespace of the extension functions."""

Argument: TypeAlias = Any
"""What lxml takes as the value of a variable, or as what a function returns."""

# -- values in and out --------------------------------------------------------------------------------------

# Characters that XML, and so libxml2, cannot hold, but JSON can, stand as ones of a plane for private use meanwhile.
_STAND_INS = re.compile("[\U0010d800-\U0010dfff\U0010f700-\U0010f71f\U0010f7fe\U0010f7ff]")


def protect(text: str) -> str:
    """The text as libxml2 can hold it."""
    return NOT_XML.sub(_stand_in, text) if NOT_XML.search(text) else text


def restore(text: str) -> str:
    """The text that `protect` was given."""
    return _STAND_INS.sub(_original, text) if _STAND_INS.search(text) else text


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x100000 + (code if 0xD800 <= code < 0xE000 else 0xF700 + code % 0x100))


def _original(match: re.Match[str]) -> str:
    code = ord(match.group()) - 0x100000
    if code < 0xE000:
        return chr(code)
    return chr(code - 0xF700 if code < 0xF7FE else code + 0x800)


def as_elements(items: Sequence[values.Single]) -> list[etree._Element]:
    """A list as nodes, in order."""
    top = etree.Element("values")
    for text in values.as_texts(items):
        etree.SubElement(top, "value").text = protect(text)
    return list(top)


def argument_of(value: values.Value) -> Argument:
    """A single value for libxml2: nothing is no node."""
    if isinstance(value, str):
        return protect(value)
    if isinstance(value, bool):
        return value
    return [] if value is None else values.number_of(value)


# -- extension functions ------------------------------------------------------------------------------------


def _given(argument: Any) -> Any:
    """An argument as lxml passes it, as a value; nodes as their texts."""
    if isinstance(argument, str):
        return restore(argument)
    if isinstance(argument, list):
        return [restore(node if isinstance(node, str) else string_of(node)) for node in argument]
    return argument


def string_of(element: etree._Element) -> str:
    """The string-value of an element."""
    return (element.text or "") if len(element) == 0 else _STRING(element)


_STRING = etree.XPath("string()", smart_strings=False)


def _result(value: values.Value) -> Argument:
    return as_elements(value) if isinstance(value, (list, tuple)) else argument_of(value)


def extension(function: Callable[..., values.Value]) -> Callable[..., Argument]:
    """A function of values as lxml calls it."""
    return lambda _, *arguments: _result(function(*map(_given, arguments)))


def _list_extension(function: Callable[[Sequence[values.Single]], values.Value]) -> Callable[..., Argument]:
    return lambda _, *lists: _result(function([item for items in lists for item in _given(items)]))


def _number(_: Any, value: Any) -> float:
    if isinstance(value, str):
        return values.number_of_text(value)
    return values.number_of(_given(value))


def _number_beside_boolean(value: values.Value) -> float:
    return values.number_of(value) if value != [] else 0.0


def _number_or_nothing(value: values.Value) -> float | None:
    return values.number_of(value) if value != [] else None


SIGN_NAMES = {"=": "is", "!=": "is-not", "<": "less", "<=": "at-most", ">": "more", ">=": "at-least"}
"""The functions that compare with a number, which is what is done most."""


def _with_number(sign: str) -> Callable[..., bool]:
    """``a sign b`` where b is a number."""
    relation = values.COMPARISONS[sign]

    def compare(_: Any, a: Any, b: float) -> bool:
        if not isinstance(a, list):
            return values.compare(sign, _given(a), b)
        for node in a:  # noqa: SIM110  # any() takes half as long again
            if relation(values.number_of_text(node if isinstance(node, str) else string_of(node)), b):
                return True
        return False

    return compare


EXTENSIONS = {
    (URI, name): (_list_extension if function.parameters[:1] == (Parameter.LIST,) else extension)(
        function.python
    )
    for name, function in FUNCTIONS.items()
    if function.python is not None and not function.native
} | {
    (URI, "number"): _number,
    (URI, "string"): extension(values.text_of),
    (URI, "number-or-nothing"): extension(_number_or_nothing),
    (URI, "number-beside-boolean"): extension(_number_beside_boolean),
    (URI, "compare"): extension(values.compare),
    **{(URI, name): _with_number(sign) for sign, name in SIGN_NAMES.items()},
}
