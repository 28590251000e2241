"""XML fragments in action rules: parsed once, with places for values (rule L7).

``<note by="{$user}">{count(item)} items</note>``: an expression in braces, in text or in an attribute's value, is
replaced by its string value whenever the fragment is built; ``{{`` and ``}}`` are braces. Values become text, never
markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from lxml import etree

from path_types.names import namespace_of

from ..xml_parser import read_xml
from ..xpath import Expression
from .braces import Text, TextError, read_text


@dataclass(frozen=True, slots=True, eq=False)
class ElementTemplate:
    """An element of a fragment, with the text behind it; a comment or processing instruction has ``node`` instead."""

    tag: str
    prefixes: Mapping[str | None, str]
    attributes: tuple[tuple[str, Text], ...]
    text: Text
    children: tuple[ElementTemplate, ...]
    tail: Text
    node: etree._Element | None = None

    def elements(self) -> Iterator[ElementTemplate]:
        """It and all elements below it."""
        if self.node is None:
            yield self
            for child in self.children:
                yield from child.elements()


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """What is in a rule between quotes: text, then elements with text behind them."""

    source: str
    text: Text
    children: tuple[ElementTemplate, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The expressions in braces, in order."""
        return tuple(part for text in self._texts() for part in text if isinstance(part, Expression))

    def _texts(self) -> Iterator[Text]:
        yield self.text
        pending = list(reversed(self.children))
        while pending:
            element = pending.pop()
            for _, value in element.attributes:
                yield value
            yield element.text
            yield element.tail
            pending += reversed(element.children)

    @property
    def has_text(self) -> bool:
        """Whether text stands on its highest level."""
        return bool(self.text) or any(child.tail for child in self.children)


# ---- reading ----------------------------------------------------------------------------------------------

_FIRST_PRIVATE = 0xE000


def read_fragment(
    text: str, namespaces: Mapping[str, str], compile_: Callable[[str], Expression]
) -> Fragment:
    """The fragment that a text says; raises `TextError`, also for what ``compile_`` refuses.

    ``namespaces`` (prefix to URI, ``""`` for unprefixed element names) are known in it without a declaration.
    """
    opening, closing = _unused_characters(text)
    parts = read_text(text, compile_)
    expressions = [part for part in parts if isinstance(part, Expression)]
    numbers = count()
    pieces = [part if isinstance(part, str) else f"{opening}{next(numbers)}{closing}" for part in parts]
    return _Reader("".join(pieces), namespaces, expressions, opening, closing).fragment(text)


def _unused_characters(text: str) -> tuple[str, str]:
    """Two characters of the plane for private use that are not in the text."""
    free = (chr(code) for code in range(_FIRST_PRIVATE, _FIRST_PRIVATE + len(text) + 2))
    unused = [character for character in free if character not in text][:2]
    return unused[0], unused[1]


class _Reader:
    """Turns parsed XML into templates."""

    def __init__(
        self,
        text: str,
        namespaces: Mapping[str, str],
        expressions: Sequence[Expression],
        opening: str,
        closing: str,
    ) -> None:
        self._text = text
        self._namespaces = namespaces
        self._expressions = expressions
        self._place = re.compile(f"{opening}([0-9]+){closing}")
        self._opening = opening

    def fragment(self, source: str) -> Fragment:
        declared = "".join(
            f" xmlns{':' if prefix else ''}{prefix}={_attribute_value(uri)}"
            for prefix, uri in self._namespaces.items()
            if prefix != "xml" and (prefix or uri)
        )
        head = f"<fragment{declared}>"
        try:
            top = read_xml(f"{head}{self._text}</fragment>".encode())[0]
        except etree.XMLSyntaxError as error:
            said = re.sub(r"(, )?line \d+(, column \d+)?$", "", self._place.sub("{…}", str(error.msg)))
            if re.search(rf"</?[^\s<>]*{self._opening}", self._text):
                hint = "write it in text or in the value of an attribute"
                raise TextError("an expression in { } as a part of a name", hint) from error
            hint = "every element needs its end tag, every prefix a namespace of the rules; & is &amp;, < is &lt;"
            raise TextError(f"a fragment that is not well-formed XML: {said}", hint) from error
        children = tuple(_with_prefixes(self._element(child, top.nsmap), child) for child in top)
        found = Fragment(source, self._parts(top.text), children)
        if not found.text and not found.children:
            raise TextError("an empty fragment", "write an element or text")
        return found

    def _element(self, node: etree._Element, outer: Mapping[str | None, str]) -> ElementTemplate:
        tail = self._parts(node.tail)
        if not isinstance(node.tag, str):
            if isinstance(node, etree._Entity):
                raise TextError(f"the entity &{node.name};", "write its text")
            if self._place.search(node.text or ""):
                raise TextError("an expression in a comment", "write it in text or in an attribute")
            node.tail = None
            return ElementTemplate("", {}, (), (), (), tail, node)
        nsmap = node.nsmap
        prefixes = {prefix: uri for prefix, uri in nsmap.items() if outer.get(prefix) != uri}
        attributes = tuple((str(name), self._parts(value)) for name, value in node.attrib.items())
        children = tuple(self._element(child, nsmap) for child in node)
        return ElementTemplate(node.tag, prefixes, attributes, self._parts(node.text), children, tail)

    def _parts(self, text: str | None) -> Text:
        if not text:
            return ()
        parts: list[str | Expression] = []
        at = 0
        for match in self._place.finditer(text):
            if match.start() > at:
                parts.append(text[at : match.start()])
            parts.append(self._expressions[int(match.group(1))])
            at = match.end()
        if at < len(text):
            parts.append(text[at:])
        return tuple(parts)


def _with_prefixes(template: ElementTemplate, node: etree._Element) -> ElementTemplate:
    """An element of the highest level with the prefixes of the rules that it or anything below it uses."""
    if template.node is not None:
        return template
    names = [
        name for element in template.elements() for name in (element.tag, *(n for n, _ in element.attributes))
    ]
    used = set(map(namespace_of, names))
    prefixes = {prefix: uri for prefix, uri in node.nsmap.items() if uri in used}
    return replace(template, prefixes={**template.prefixes, **prefixes})


def _attribute_value(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return f'"{text}"'
