"""Random edits by C code, which no class of a wrapper sees: lxml's own functions, objectify, XSLT, a tree builder."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lxml import etree, objectify

from tests.wrapping.judge import name_of
from tests.wrapping.odd_edits import TEMPLATES, XMLNS, Applying
from tests.wrapping.vocabulary import NAMES, TAGS, TEXTS, is_element

if TYPE_CHECKING:
    from tests.wrapping.mutator import Mutator


def edit_unseen(edits: Mutator, top: Any) -> None:
    """Some edits at and below an element that nobody sees; every choice comes from ``edits.random``."""
    random = edits.random
    for _ in range(random.randint(1, 3)):
        below = list(etree._Element.iter(top))
        element = random.choice([node for node in below if is_element(node)])
        kind = random.randrange(14)
        if kind == 0:
            etree.strip_tags(element, *random.sample(TAGS, 2))
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
