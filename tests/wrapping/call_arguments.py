"""Arguments for calls of everything that lxml has (`every_call`), chosen by the names of parameters, or at random."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

from lxml import etree

from tests.wrapping.processor_edits import Target
from tests.wrapping.vocabulary import NAMES, TAGS, TEXTS

if TYPE_CHECKING:
    from tests.wrapping.mutator import Mutator

SIGNATURES = {
    "__setitem__": ("x", "elements"), "__delitem__": ("x",), "__getitem__": ("x",), "__contains__": ("element",),
    "__setattr__": ("attribute", "text"), "__delattr__": ("attribute",), "__reduce_ex__": ("protocol",),
    "__getattr__": ("attribute",), "__next__": (), "__len__": (), "__iter__": (), "__reversed__": (),
    **dict.fromkeys(("iterparse", "xmlfile", "htmlfile", "DTD"), ("file",)),
    **dict.fromkeys(("XSLT", "RelaxNG", "XMLSchema", "Schematron"), ("stylesheet",)),
    **dict.fromkeys(("XPath", "ETXPath", "ObjectPath"), ("path",)),
    **dict.fromkeys(
        ("XPathElementEvaluator", "AncestorsIterator", "SiblingsIterator", "ElementDepthFirstIterator",
         "ElementTextIterator", "ElementChildIterator", "DocInfo", "ElementTreeProducer"), ("element",),
    ),
    **dict.fromkeys(
        ("XMLParser", "HTMLParser", "ETCompatXMLParser", "XMLPullParser", "HTMLPullParser", "TreeBuilder"), (),
    ),
    "iterwalk": ("tree", "events"), "XPathDocumentEvaluator": ("document",), "QName": ("element", "tag"),
}  # fmt: skip
"""Names of parameters where Python knows none."""
FILES = {"source", "file", "output_file", "href", "filename", "from_file", "out", "filename_or_url"}
"""No numbers and names: to Python, 1 is where it writes to, which would be closed."""
PATHS = [
    "//a", "*", ".", "..", "a", ".//b", "@k", "//@*", "text()", "//text()", "//comment()", "/", "//*[f:g(.)]",
]  # fmt: skip
XML = ["<a>1<b k='2'/>3</a>", "<item/>", "<!--c--><a><?p q?></a>", "<a", "<p>x<b>y</p>"]
SHEET = """
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:f"
    extension-element-prefixes="e" xmlns:e="urn:e">
  <xsl:template match="/"><o><xsl:copy-of select="/*/*[1]"/><xsl:value-of select="count(//a)"/></o></xsl:template>
</xsl:stylesheet>"""
RELAX = """
<element xmlns="http://relaxng.org/ns/structure/1.0"><anyName/><zeroOrMore><choice><text/><attribute><anyName/>
</attribute></choice></zeroOrMore></element>"""
SCHEMA = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"> <xs:element name="r"/> </xs:schema>'
SCHEMATRON = """
<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern><rule context="b"><report test="@k">k</report></rule>
</pattern></schema>"""


@cache
def _parameters(call: Callable[..., Any]) -> tuple[inspect.Parameter, ...] | None:
    try:
        return tuple(inspect.signature(call).parameters.values())
    except (ValueError, TypeError):
        return None


class Undone(Exception):
    """Ends a transaction."""


class Arguments:
    """What calls can be given, and what they have returned so far: ``kept``. ``depth``: how many are under way."""

    def __init__(self, edits: Mutator) -> None:
        self.m = edits
        self.kept: list[Any] = []
        self.depth = 0

    def for_call(self, call: Any) -> tuple[list[Any], dict[str, Any]]:
        """Those by position, and those by name."""
        random = self.m.random
        name = str(getattr(call, "__name__", ""))
        if name in SIGNATURES:
            given = SIGNATURES[name]
            if given == ("x", "elements") and random.random() < 0.5:
                given = ("x", "element") if random.random() < 0.7 else ("key", "text")
            return [self.argument(each) for each in given], {}
        known = _parameters(call)
        if known is None:
            some = [self.argument("") for _ in range(random.choice([0, 1, 1, 2, 2, 3]))]
            return ["a" if isinstance(each, int) else each for each in some], {}
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for each in known:
            optional = each.default is not inspect.Parameter.empty
            if each.kind is each.VAR_POSITIONAL:
                positional += [self.argument(each.name) for _ in range(random.randrange(3))]
            elif each.kind is each.VAR_KEYWORD:
                if random.random() < 0.2:
                    named[random.choice(["k", "l", "n"])] = self.argument("value")
            elif optional and random.random() < 0.6:
                continue
            elif each.kind is each.KEYWORD_ONLY or (optional and each.kind is not each.POSITIONAL_ONLY):
                named[each.name] = self.argument(each.name)
            else:
                positional.append(self.argument(each.name))
        return positional, named

    def argument(self, name: str) -> Any:
        """One for a parameter of this name."""
        random = self.m.random
        maker = MAKERS.get(name.strip("_")) if random.random() < 0.85 or name in FILES else None
        if maker is None:
            maker = random.choice(list(MAKERS.values()))
        return maker(self)

    def node(self) -> Any:
        """One to be moved or copied."""
        kind = self.m.random.randrange(8)
        if kind < 2:
            return self.m.new()
        if kind < 4:
            return self.m.element()
        if kind == 4:
            return self.m.below()
        if kind == 5 and self.kept:
            return self.m.random.choice(self.kept)
        if kind == 6 and self.m.detached:
            return self.m.random.choice(self.m.detached)
        return self.m.incoming()

    def tree(self) -> Any:
        """A tree, or an element that stands for one."""
        return self.m.random.choice([self.m.element(), self.m.root, self.m.root.getroottree()])

    def mapping(self) -> Any:
        """Attributes."""
        given = [{"k": "1"}, {}, {"l": "2", "{urn:x}m": "3"}, [("k", "4")], self.m.element().attrib, None]
        return self.m.random.choice(given)

    def nodes(self) -> Any:
        """Several, of any kind."""
        random = self.m.random
        found = [self.node() for _ in range(random.randrange(4))]
        return random.choice([found, tuple(found), iter(found), self.editing(found), self.m.new()])

    def editing(self, given: list[Any]) -> Iterator[Any]:
        """Gives these; before each the tree is edited."""
        for each in given:
            self.edit()
            yield each

    def edit(self) -> None:
        """One of the mutator's usual edits, in the midst of another call, or a call of the document."""
        if self.depth > 1:
            return
        self.depth += 1
        m, name = self.m, self.m.name
        edits: list[Callable[[], Any]] = [
            m.append_new, m.remove, m.text, m.set, m.clear, m.append_moved, m.tail, m.tag, m.replace, m.sort,
            m.strip_tags,
        ]  # fmt: skip
        one = m.random.choice(edits)
        try:
            if m.document is not None and m.random.random() < 0.3:
                self.ask(m.document, one)
            else:
                m.attempt(one)
        finally:
            self.depth -= 1
            m.name = name

    def ask(self, document: Any, edit: Callable[[], Any]) -> None:
        """A call of the document."""
        kind = self.m.random.randrange(8)
        if kind == 0:
            document.snapshot()
        elif kind == 1:
            document.catch_up()
        elif kind == 2:
            document.verify()
        elif kind == 3:
            with document.one_edit():
                self.m.attempt(edit)
        elif kind == 4:
            document.subscribe(lambda event: None)()
        elif kind == 5 and not document.in_transaction:
            with suppress(Undone), document.transaction(immediate=self.m.random.random() < 0.5):
                self.m.attempt(edit)
                if self.m.random.random() < 0.5:
                    raise Undone
        elif kind == 6:
            document.element(self.m.random.randrange(1, document.next_id))
        else:
            document.update_to(self.m.edited_copy())

    def function(self) -> Callable[..., Any]:
        """One that edits when it is called."""

        def call(*given: Any, **_: Any) -> Any:
            self.edit()
            return self.m.random.choice([*given, None, True, "a", *([self.node()] if self.depth < 9 else [])])

        return call

    def extensions(self) -> Any:
        """A function for XPath. It takes nothing away: lxml would free it, and libxml2 may come to it yet."""

        def function(context: Any, *given: Any) -> bool:
            if self.depth < 2:
                self.m.random.choice([self.m.append_new, self.m.sub_element, self.m.set])()
            return self.m.random.random() < 0.5

        return {("urn:f", "g"): function}

    def file(self) -> Any:
        """One to be read or written."""
        text = self.m.random.choice(XML)
        return self.m.random.choice([BytesIO(text.encode()), StringIO(text), BytesIO()])

    def where(self) -> Any:
        """An index, a slice, or a key."""
        return self.m.random.choice(
            [0, 1, -1, 3, True, slice(0, 2), slice(None), slice(None, None, -1), "k", "a"]
        )

    def maker(self) -> Any:
        """A function that makes elements, perhaps in the tree."""
        element = self.m.element()
        return self.m.random.choice([element.makeelement, etree.Element, partial(etree.SubElement, element)])

    def parser(self) -> Any:
        """One of several kinds, perhaps one that builds in the tree."""
        kind = self.m.random.choice([etree.XMLParser, etree.HTMLParser, etree.XMLPullParser])
        target = Target(self.m) if self.m.random.random() < 0.3 and self.depth < 9 else None
        return self.m.random.choice([None, kind(target=target), self.m.root.getroottree().parser])

    def stylesheet(self) -> Any:
        """Something that can be compiled: a stylesheet, or a schema; perhaps that of a wrapped document's own tree."""
        return etree.XML(self.m.random.choice([SHEET, RELAX, SCHEMA, SCHEMATRON]))


def _from(*values: Any) -> Callable[[Arguments], Any]:
    return lambda a: a.m.random.choice(values)


_NODE, _NODES, _TEXT = Arguments.node, Arguments.nodes, _from(*TEXTS, "c", b"x", etree.QName("urn:q", "n"))
_NAME = _from(*TAGS, *NAMES, b"a", None)
_NAMESPACES = _from(None, {"f": "urn:f"}, {None: "urn:x"}, {"f": "urn:f", "n": "urn:n"})
MAKERS: dict[str, Callable[[Arguments], Any]] = {
    **dict.fromkeys(
        ("element", "parent", "old_element", "new_element", "child", "node", "root", "el", "elem", "self_node",
         "output_parent", "input_node", "cls"), _NODE,
    ),
    **dict.fromkeys(
        ("tree_or_element", "element_or_tree", "tree", "etree_or_element", "doc", "input", "etree", "html", "form",
         "document", "schematron"), Arguments.tree,
    ),
    **dict.fromkeys(("elements", "children", "strings", "sequence_or_dict", "old_html", "new_html"), _NODES),
    **dict.fromkeys(
        ("tag", "tags", "tag_name", "tag_names", "attribute_names", "key", "name", "target", "expr", "tagname"), _NAME,
    ),
    **dict.fromkeys(("text", "tail", "value", "data", "comment", "content", "default"), _TEXT),
    **dict.fromkeys(("path", "_path", "xpath"), _from(*PATHS)),
    **dict.fromkeys(("attrib", "attrs", "attributes", "values"), Arguments.mapping),
    **dict.fromkeys(("namespaces", "nsmap"), _NAMESPACES),
    **dict.fromkeys(("x", "index", "start", "stop"), Arguments.where),
    **dict.fromkeys(FILES, Arguments.file),
    **dict.fromkeys(("schema", "xslt", "xslt_input", "relaxng", "xmlschema", "stylesheet"), Arguments.stylesheet),
    **dict.fromkeys(("makeelement", "element_factory", "comment_factory", "pi_factory"), Arguments.maker),
    **dict.fromkeys(("loader", "link_repl_func", "func", "module"), Arguments.function),
    "xml": _from(*XML),
    "events": _from(("start", "end"), ("end",), ("start", "end", "comment", "pi", "start-ns")),
    "extensions": Arguments.extensions,
    "parser": Arguments.parser,
    "attribute": _from("text", "tail", "tag", "base", "attrib", "target", "__class__", "sourceline", "another"),
    "protocol": _from(0, 1, 2, 4),
    "keep_tail": _from(True, False),
    "with_tail": _from(True, False),
    "method": _from("xml", "html", "text", "c14n"),
    "encoding": _from("unicode", "utf-8", "ascii", None),
    "number": _from(0, 1, 2, -1, 2.5),
    "kept": lambda a: a.m.random.choice([*a.kept, None]),
    "base_url": _from(None, "http://h/"),
    "memo": _from({}),
}  # fmt: skip
