"""Edits by code that runs while lxml processes a tree: functions of XPath and XSLT, SAX handlers, targets of parsers,
XInclude."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from lxml import ElementInclude, etree, sax

XINCLUDE = "http://www.w3.org/2001/XInclude"
COPYING = etree.XSLT(etree.XML("""
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="/"><a><xsl:copy-of select="/*/*[1]"/>text</a></xsl:template>
</xsl:stylesheet>"""))  # fmt: skip
CALLING = etree.XML("""
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:f">
  <xsl:template match="/"><c><xsl:value-of select="f:g(.)"/><xsl:copy-of select="/*/*[1]"/></c></xsl:template>
</xsl:stylesheet>""")
EXTENDED = etree.XML("""
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:f"
    extension-element-prefixes="f">
  <xsl:template match="/"><o><f:e><q/></f:e></o></xsl:template>
</xsl:stylesheet>""")
TEMPLATES = etree.XML("""
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:f"
    extension-element-prefixes="f">
  <xsl:template match="/a"><o><f:e/></o></xsl:template><xsl:template match="b"><c k="1">x<b/></c>y</xsl:template>
</xsl:stylesheet>""")
STRIPPING = etree.XSLT(
    etree.XML("""
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:strip-space elements="*"/>
  <xsl:template match="/"><o/></xsl:template>
</xsl:stylesheet>""")
)
"""lxml 6.1 strips the very tree that is transformed."""

F, G = {"f": "urn:f"}, ("urn:f", "g")


def by_xpath(m: Any, expression: str, function: Callable[[Any, Any], Any]) -> None:
    """An XPath expression calls a function, ``f:g``, that edits."""
    m.root.xpath(expression, namespaces=F, extensions={G: lambda context, nodes: function(m, nodes)})


def by_function(m: Any, nodes: list[Any]) -> bool:
    nodes[0].set("k", "by XPath")
    etree.SubElement(nodes[0], "a").text = "by XPath"
    return True


def by_xslt(m: Any) -> None:
    """A transformation of the tree calls a function that edits it; its result comes."""

    def function(context: Any, nodes: Any) -> str:
        etree.SubElement(m.root, "a", k="by XSLT")
        return "v"

    m.element().append(etree.XSLT(CALLING, extensions={G: function})(m.root).getroot())


class Copying(etree.XSLTExtension):
    """Nodes of the tree are put into the result of a transformation, which copies them."""

    def __init__(self, mutator: Any) -> None:
        self.mutator = mutator

    def execute(self, context: Any, self_node: Any, input_node: Any, output_parent: Any) -> None:
        output_parent.append(self.mutator.element())
        output_parent.extend(list(self_node))
        self.mutator.element().set("k", "by XSLT")


class Applying(etree.XSLTExtension):
    """What templates make is put into the tree, not into the result."""

    def __init__(self, element: Any) -> None:
        self.element = element

    def execute(self, context: Any, self_node: Any, input_node: Any, output_parent: Any) -> None:
        self.apply_templates(context, input_node[0], output_parent=self.element)


def saxified(m: Any) -> None:
    """What a SAX handler makes of the tree comes."""
    if not m.deviating:
        raise ValueError(
            "a name that was given as no text stays that in a plain tree, of which SAX makes nothing"
        )
    handler = sax.ElementTreeContentHandler(makeelement=m.root.makeelement)
    sax.saxify(m.root, handler)
    m.element().append(handler.etree.getroot())


class Target:
    """What a parser reads is put into the tree as it reads it."""

    def __init__(self, m: Any) -> None:
        self.element = m.element()

    def start(self, tag: str, attributes: Any) -> None:
        self.element = etree.SubElement(self.element, tag, dict(attributes))

    def data(self, text: str) -> None:
        self.element.text = (self.element.text or "") + text

    def comment(self, text: str) -> None:
        self.element.append(etree.Comment(text))

    def end(self, tag: str) -> None:
        self.element = self.element.getparent()

    def close(self) -> None:
        pass


def included(m: Any) -> None:
    """XInclude as lxml has it in Python."""
    include = f"{{{XINCLUDE}}}include"
    m.element().append(etree.Element(include, href="y"))
    etree.SubElement(m.element(), include, href="y", parse="text")
    ElementInclude.include(
        m.root, loader=lambda href, parse, *_: "t" if parse == "text" else etree.XML("<a>1<b/>2</a>")
    )


def by_namespace(m: Any) -> None:
    """A function that is registered for all XPath expressions edits, by the node that it is called at, too."""
    names = etree.FunctionNamespace(G[0])

    def function(context: Any, nodes: Any) -> bool:
        nodes[0].tail = "by XPath"
        context.context_node.set("k", "by XPath")
        return True

    names[G[1]] = function
    try:
        m.root.xpath("//b[f:g(.)]", namespaces=F)
    finally:
        del names[G[1]]


def sax_into(m: Any) -> None:
    """A SAX handler goes on in an element of the tree."""
    handler = sax.ElementTreeContentHandler(makeelement=m.root.makeelement)
    handler.startElement("x", {})
    handler._element_stack.append(m.element())
    handler.startElementNS((None, "a"), "a", {(None, "k"): "by SAX"})
    handler.characters("s")
    handler.characters("ax")
    handler.endElementNS((None, "a"), "a")
    handler.characters("behind")
    handler.ignorableWhitespace(" ")


def failing_target(m: Any) -> None:
    """A parser whose target is the tree comes upon what is not XML, or its target fails."""
    if m.random.random() < 0.5:
        try:
            etree.fromstring("<a k='1'>u<b/>v<a></b>", etree.XMLParser(target=Target(m)))
        except etree.XMLSyntaxError as error:
            raise ValueError("no XML") from error
        return
    target = Target(m)
    target.end = failing_at_the_end  # type: ignore[method-assign, assignment]
    etree.fromstring("<a k='1'>u<b/>v</a>", etree.XMLParser(target=target))


def failing_at_the_end(tag: str) -> None:
    raise KeyError(tag)


class Editing(sax.ElementTreeContentHandler):
    """A SAX handler that edits what it is told of."""

    def __init__(self, m: Any) -> None:
        super().__init__()
        self.m = m

    def startElementNS(self, ns_name: Any, qname: Any, attributes: Any = None) -> None:
        super().startElementNS(ns_name, qname, attributes)
        self.m.element().set("k", "by SAX")


def saxified_and_edited(m: Any) -> None:
    sax.saxify(etree.XML("<a>1<b/><c/></a>"), Editing(m))


class Children(etree.XSLTExtension):
    """The children of an extension element are made below one of the tree's."""

    def __init__(self, element: Any) -> None:
        self.element = element

    def execute(self, context: Any, self_node: Any, input_node: Any, output_parent: Any) -> None:
        for each in self.process_children(context):
            self.element.append(etree.Comment(each) if isinstance(each, str) else copy.deepcopy(each))


def by_children_of_an_extension(m: Any) -> None:
    etree.XSLT(EXTENDED, extensions={("urn:f", "e"): Children(m.element())})(etree.XML("<a/>"))


def returned_by_xpath(m: Any) -> None:
    """An XPath function gives new elements, which come, and some of the tree, which move."""
    made = [etree.Element("b"), etree.XML("<x>1<a>2</a>3</x>")[0], *([m.below()] if len(m.root) else [])]
    found = m.root.xpath("f:g(.)", namespaces=F, extensions={G: lambda context, nodes: made})
    m.root.extend(each for each in found if each is not m.root)
