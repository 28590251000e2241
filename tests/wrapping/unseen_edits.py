"""Random edits by C code, which no class of a wrapper sees: lxml's own functions and methods, objectify, a schema, …"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lxml import etree, objectify

from tests.wrapping.event_oracle import name_of
from tests.wrapping.odd_edits import XMLNS
from tests.wrapping.processor_edits import TEMPLATES, Applying
from tests.wrapping.vocabulary import NAMES, TAGS, TEXTS, is_element

if TYPE_CHECKING:
    from random import Random

    from tests.wrapping.mutator import Mutator

DEFAULTS = etree.XMLSchema(
    etree.XML("""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="t" mixed="true">
    <xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence>
    <xs:attribute name="k" default="by default"/><xs:attribute name="z" fixed="fixed"/><xs:anyAttribute/>
  </xs:complexType>
  <xs:element name="r" type="t"/><xs:element name="item" type="t"/>
  <xs:element name="a" type="xs:string" default="text by default"/><xs:element name="c" type="xs:string" fixed="f"/>
</xs:schema>"""),
    attribute_defaults=True,
)
"""It gives elements attributes, and empty ones text."""

_lxml: Any = etree._Element
_attributes: Any = _lxml.attrib.__get__


def by_methods(edits: Mutator, element: Any) -> None:
    """lxml's own methods, which those of the wrapper's classes stand before."""
    random = edits.random
    child = random.choice(list(_lxml.iterchildren(element)) or [None])
    kind = random.randrange(7)
    if kind == 0:
        _lxml.clear(element, keep_tail=True)
    elif kind == 1:
        _lxml.__setitem__(element, slice(0, random.randint(0, 2)), [edits.new(), edits.new()])
    elif kind == 2:
        _lxml.__setitem__(element, slice(None), list(reversed(list(_lxml.iterchildren(element)))))
    elif child is None:
        _lxml.extend(element, [edits.new(), edits.new()])
    elif kind == 3:
        _lxml.remove(element, child)
    elif kind == 4:
        _lxml.replace(element, child, edits.new())
    elif kind == 5:
        random.choice([_lxml.addnext, _lxml.addprevious])(child, edits.new())
    else:
        object.__setattr__(child, "tail", random.choice(TEXTS))


def attributes(random: Random, element: Any) -> None:
    """lxml's own mapping of attributes."""
    found = _attributes(element)
    kind = random.randrange(3)
    if kind == 0:
        found.clear()
    elif kind == 1:
        found.pop(random.choice(NAMES), None)
    else:
        found.update({random.choice(NAMES): "u", "n": "u"})


def built(random: Random, element: Any) -> None:
    """A tree builder that is told by hand what to build."""
    builder = etree.TreeBuilder(element_factory=partial(etree.SubElement, element))
    calls: list[Callable[[], Any]] = [lambda: builder.start("b", {"k": "1"})]
    calls += [lambda: builder.data("d"), lambda: builder.comment("c"), lambda: builder.pi("p", "q")]
    builder.start("a", {})
    for call in random.choices(calls, k=3):
        call()


def edit_unseen(edits: Mutator, top: Any, *, elsewhere: bool = False) -> None:
    """Some edits at and below an element that nobody sees; every choice comes from ``edits.random``.

    ``elsewhere``: what they put there may come from anywhere, from other documents, too.
    """
    random = edits.random
    for _ in range(random.randint(1, 3)):
        below = list(etree._Element.iter(top))
        element = random.choice([node for node in below if is_element(node)])
        kind = random.randrange(20)
        if kind == 0:
            etree.strip_tags(element, *random.sample(TAGS, 2))
        elif kind == 14:
            by_methods(edits, element)
        elif kind == 15:
            attributes(random, element)
        elif kind == 16:
            DEFAULTS.validate(top)
        elif kind == 17:
            random.choice([objectify.xsiannotate, objectify.pyannotate])(element)
        elif kind == 18:
            built(random, element)
        elif kind == 19:
            node = edits.incoming() if elsewhere and any(map(len, edits.roots)) else edits.new()
            if node not in {element, *_lxml.iterancestors(element)}:
                random.choice([_lxml.append, lambda at, new: _lxml.insert(at, 0, new)])(element, node)
        elif kind == 10:
            random.choice([objectify.annotate, objectify.deannotate])(element)
        elif kind == 11:
            builder = etree.TreeBuilder(element_factory=partial(etree.SubElement, element))
            etree.fromstring("<a k='1'>u<b>v<c/>w</b>x</a>", etree.XMLParser(target=builder))
        elif kind == 12:
            objectify.ObjectPath([name_of(element), "a"]).addattr(element, "added")
        elif kind == 13:
            etree.XSLT(TEMPLATES, extensions={("urn:f", "e"): Applying(element)})(etree.XML("<a>1<b/>2</a>"))
        elif kind == 1:
            etree.strip_elements(element, random.choice(TAGS), with_tail=False)
        elif kind == 2:
            etree.indent(element)
        elif kind == 3:
            etree._Element.text.__set__(element, random.choice(TEXTS))
        elif kind == 4:
            etree._Element.set(element, random.choice(NAMES), "c")
        elif kind == 5 and element is not top:
            etree._Element.tag.__set__(element, random.choice(TAGS))
        elif kind == 6:
            etree._Element.append(element, edits.new())
        elif kind == 7:
            etree._Element.append(element, random.choice([etree.Entity("x"), etree.Element("b", xmlns="u")]))
        elif kind == 8:
            etree._Element.set(element, random.choice(["xmlns", f"{{{XMLNS}}}p"]), "u")
        elif (node := random.choice(below)) not in {top, element, *element.iterancestors()}:
            etree._Element.insert(element, 0, node)
