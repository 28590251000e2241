"""Calls with arguments of odd kinds: what lxml takes beside plain strings and lists, and what it refuses."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from xml.etree import ElementInclude as StandardInclude
from xml.etree import ElementTree

import lxml.html
import lxml.html.formfill
from lxml import etree, objectify
from lxml.builder import E

from tests.wrapping.form_edits import classes, filled, form, form_parts, groups
from tests.wrapping.processor_edits import (
    COPYING,
    EXTENDED,
    Copying,
    Target,
    by_children_of_an_extension,
    by_function,
    by_namespace,
    by_xpath,
    by_xslt,
    failing_target,
    included,
    returned_by_xpath,
    sax_into,
    saxified,
    saxified_and_edited,
)
from xmlcep.wrapping import cleanup_namespaces
from xmlcep.wrapping.shadow.shadow import Tracked


class Text(str):
    """A string that is none by type."""

    __slots__ = ()


class Number:
    """An index that is no int."""

    def __index__(self) -> int:
        return 0


def new(*tags: str) -> list[Any]:
    return [etree.Element(tag) for tag in tags]


def below(m: Any) -> Any:
    return m.below()


def set_slice(element: Any, value: Any, where: slice = slice(0, 1)) -> None:
    element[where] = value


def set_item(element: Any, index: Any, value: Any) -> None:
    element[index] = value


def delete(element: Any, index: Any) -> None:
    del element[index]


def or_equal(element: Any) -> None:
    attributes = element.attrib
    attributes |= {"k": "or"}


def set_attribute(node: Any, name: str, value: Any) -> None:
    setattr(node, name, value)


def editing(m: Any, given: list[Any]) -> Iterator[Any]:
    """Gives these; before each an edit of the tree is made."""
    for each in given:
        kind = m.random.randrange(4)
        if kind == 0:
            m.remove()
        elif kind == 1:
            m.tag()
        else:
            etree.SubElement(m.element(), "meanwhile").text = "e"
        yield each


class Pairs:
    """Something that can be iterated over, and is no iterator."""

    def __init__(self, given: Iterator[Any]) -> None:
        self.given = given

    def __iter__(self) -> Iterator[Any]:
        return self.given


def arriving(m: Any, kind: Callable[[Iterator[Any]], Any]) -> None:
    """An element that is none of the tree comes into it while its attributes are set, and goes, perhaps."""
    node = etree.Element("a")

    def pairs() -> Iterator[Any]:
        yield "k", "before"
        m.element().append(node)
        yield "l", "there"
        if m.random.random() < 0.5:
            node.getparent().remove(node)
        yield "k", "behind"

    node.attrib.update(kind(pairs()))


def failing(given: list[Any]) -> Iterator[Any]:
    yield from given
    raise KeyError("failing")


def refusing(m: Any) -> Any:
    """An element that is edited by calls that are seen: what is refused comes in through others, and stays refused."""
    element = m.element()
    if not m.deviating or (m.document is not None and not isinstance(element, Tracked)):
        raise ValueError("not through this one")
    return element


def written(element: Any) -> None:
    with etree.xmlfile(BytesIO()) as file, file.element("x"):
        file.write(element)


def in_a_thread(call: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


XML, XMLNS = "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"
QUALIFIED = etree.QName("urn:q", "n")


def own_children_twice(m: Any) -> None:
    """Each in two places, which lxml does not look at and a wrapped tree refuses."""
    if not m.deviating:
        raise ValueError("given twice")
    set_slice(m.root, [*m.root, *m.root], slice(None))


class Made(etree.ElementBase):
    """An application's element that edits itself when it is made."""

    def _init(self) -> None:
        self.set("made", "1")


def held_attributes(m: Any) -> None:
    """Attributes are held while their element goes and comes back."""
    node = below(m)
    if is_plain(node):
        attributes = node.attrib
        node.getparent().remove(node)
        attributes["k"] = "while away"
        m.element().append(node)
        attributes["l"] = "when back"


def is_plain(node: Any) -> bool:
    return node is not None and isinstance(node.tag, str)


def walked(m: Any) -> None:
    """Edits during a walk: of what it is at, and of what it leaves."""
    for event, node in etree.iterwalk(m.element(), events=("start", "end")):
        if is_plain(node) and event == "start":
            node.set("k", "walked")
        elif is_plain(node) and len(node):
            del node[0]


def around(m: Any) -> Any:
    """A node below the root, and an element that it stands in."""
    node = below(m)
    return node, m.random.choice(list(node.iterancestors()))


def made_of_bad_names(m: Any) -> Any:
    """An element that has been in a namespace that no document can have."""
    node = etree.Element("a")
    node.tag = "{a b}a"
    node.set('{"}k', "1")
    if m.random.random() < 0.5:
        node.attrib.clear()
        node.tag = "a"
    return node


def found_by_paths(m: Any) -> None:
    """Elements come from all that finds some."""
    tree, element = m.root.getroottree(), m.element()
    for found in (
        m.root.find(".//a"), *m.root.iterfind("b"), *tree.findall(".//c"), *m.root.cssselect("item"),
        *etree.ETXPath("//{urn:x}d")(m.root), *element.getchildren(), *tree.iterfind(".//a"),
        *etree.XPathEvaluator(m.root)("//b"), *etree.XPathDocumentEvaluator(tree)("//c"),
        *element.xpath("preceding::*"),
    ):  # fmt: skip
        if is_plain(found):
            found.set("k", m.random.choice(["f", "g"]))
    for each in m.root.xpath("//@l | //@k"):
        each.getparent().text = each


def by_other_trees(m: Any) -> None:
    """Other tree objects of the same nodes; what is parsed into one is none of the document's."""
    tree = copy.copy(m.root.getroottree())
    tree.getroot().set("k", "by a copy of the tree")
    etree.ElementTree(m.element()).getroot().text = "by a tree of its own"
    tree.parse(BytesIO(b"<other/>"))
    tree.getroot().text = "no text of the document"


def by_its_class(m: Any) -> None:
    """An element is made by calling the class of one, with children."""
    kind, node = type(m.element()), below(m)
    if not m.deviating or not issubclass(kind, etree.ElementBase):
        raise ValueError("lxml's own class makes none")
    made = kind("text", *([node] if m.random.random() < 0.7 else []), m.new(), attrib={"k": "made"}, l="1")
    made.tag = "a"
    if m.random.random() < 0.7 and node is not None:
        m.root.append(made)


def document_type(m: Any) -> None:
    """What stands before the root is not a node of the document."""
    info = m.root.getroottree().docinfo
    if m.random.random() < 0.5:
        info.public_id, info.system_url = "-//x", "s.dtd"
    info.URL = "http://u/"
    for node in m.root.iter():
        node.sourceline = 7


def written_while_walked(m: Any) -> None:
    """Edits while lxml walks: by its iterators, and by a SAX handler."""
    for node in m.element().iter("a", "b"):
        node.append(etree.Element("walked"))
        node.text = "w"
    for node in m.element().iterchildren(reversed=True):
        node.tail = "w"
    for node in list(m.element().iterancestors()):
        node.set("k", "w")
    walk = etree.iterwalk(m.element(), events=("start",))
    for _, node in walk:
        walk.skip_subtree()
        if is_plain(node):
            node.clear(keep_tail=True)


def parts_of_other_libraries(m: Any) -> None:
    """What the standard library does to trees that are like its own."""
    ElementTree.indent(m.element())
    include = "{http://www.w3.org/2001/XInclude}include"
    m.element().append(etree.Element(include, href="y"))
    StandardInclude.include(m.root, loader=lambda *_: etree.XML("<a>1<b/>2</a>"))


def shuffled(m: Any) -> None:
    """Item by item, as `random.shuffle` does: what is replaced goes. (lxml 6.1 crashes where that is itself.)"""
    element = m.element()
    for _ in range(3):
        if len(element) > 1:
            one, other = m.random.sample(range(len(element)), 2)
            element[one], element[other] = element[other], element[one]


def mixed_in(m: Any, call: Callable[[Any], Any]) -> None:
    """A method of lxml.html's, by elements that are none of HTML."""
    node = below(m)
    if is_plain(node):
        call(node)


# Each gets the mutator, which chooses elements.
ODD: dict[str, Callable[[Any], Any]] = {
    "text = bytes": lambda m: set_attribute(m.element(), "text", b"x"),
    "text = bytearray": lambda m: set_attribute(m.element(), "text", bytearray(b"y")),
    "text = QName": lambda m: set_attribute(m.element(), "text", QUALIFIED),
    "text = CDATA": lambda m: set_attribute(m.element(), "text", etree.CDATA("cd")),
    "text = str subclass": lambda m: set_attribute(m.element(), "text", Text("sub")),
    "text = smart string": lambda m: set_attribute(m.element(), "text", etree.XML("<a>smart</a>").xpath("string()")),
    "text deleted": lambda m: delattr(m.element(), "text"),
    "tail = bytes": lambda m: set_attribute(below(m), "tail", b"x"),
    "text = CDATA with return": lambda m: set_attribute(m.element(), "text", etree.CDATA("c\r\nd")),
    "text = end of CDATA": lambda m: set_attribute(m.element(), "text", etree.CDATA("]]>")),
    "text = markup": lambda m: set_attribute(m.element(), "text", "]]><&\r\n\t\x85\u2028\U0001f600"),
    "tail = CDATA with return": lambda m: set_attribute(below(m), "tail", etree.CDATA("\r")),
    "text = surrogate": lambda m: set_attribute(m.element(), "text", "\ud800"),
    "text = no character": lambda m: set_attribute(m.element(), "text", "\uffff"),
    "tail = QName": lambda m: set_attribute(below(m), "tail", QUALIFIED),
    "tail = CDATA": lambda m: set_attribute(below(m), "tail", etree.CDATA("cd")),
    "tail = str subclass": lambda m: set_attribute(below(m), "tail", Text("sub")),
    "tail of the root": lambda m: set_attribute(m.root, "tail", "beside"),
    "tag = {}": lambda m: set_attribute(m.element(), "tag", "{}c"),
    "tag in no namespace": lambda m: set_attribute(refusing(m), "tag", "{a b}c"),
    "set in no namespace": lambda m: refusing(m).set('{"}k', "1"),
    "update in no namespace": lambda m: refusing(m).attrib.update({"k": "8", "{\n}k": "1"}),
    "append in no namespace": lambda m: refusing(m).append(made_of_bad_names(m)),
    "append renamed {}": lambda m: [
        (set_attribute(node, "tag", "{}b"), m.element().append(node)) for node in new("a")
    ][:0],
    "SubElement {}": lambda m: etree.SubElement(m.element(), "{}a", {"{}k": "1"}),
    "set {}": lambda m: m.element().set("{}k", "9"),
    "attrib.pop({})": lambda m: m.element().attrib.pop("{}k", None),
    "attrib.pop of all": lambda m: [m.element().attrib.pop(name, None) for name in ("k", "l", b"k")][:0],
    "many attributes": lambda m: m.element().attrib.update({f"n{number}": "1" for number in range(120)}),
    "many attributes, one by one": lambda m: [m.root.set(f"n{number}", "2") for number in range(110)][:0],
    "long text": lambda m: set_attribute(m.element(), "text", "long " * 20_000),
    "addnext an ancestor": lambda m: [node.addnext(above) for node, above in [around(m)]][:0],
    "addprevious an ancestor": lambda m: [node.addprevious(above) for node, above in [around(m)]][:0],
    "insert an ancestor": lambda m: [above.insert(0, above) for _, above in [around(m)]][:0],
    "extend with an ancestor": lambda m: [
        m.element().extend([*new("a"), above, *new("b")]) for _, above in [around(m)]
    ][:0],
    "replace by an ancestor": lambda m: [
        node.getparent().replace(node, above) for node, above in [around(m)]
    ][:0],
    "classes": lambda m: lxml.html.Classes(m.element().attrib).toggle("z"),
    "to XHTML": lambda m: lxml.html.html_to_xhtml(m.root),
    "from XHTML": lambda m: lxml.html.xhtml_to_html(m.root),
    "fill form": filled,
    "form": form,
    "form parts": form_parts,
    "classes as a set": classes,
    "XPath by a namespace": by_namespace,
    "found by paths": found_by_paths,
    "other trees": by_other_trees,
    "SAX into": sax_into,
    "append of XMLID": lambda m: m.element().append(etree.XMLID("<x><a id='i'>1</a>2</x>")[1].get("i")),
    "included": included,
    "tag = None": lambda m: set_attribute(m.element(), "tag", None),
    "tag = bad": lambda m: set_attribute(m.element(), "tag", "a b"),
    "tag = function": lambda m: set_attribute(m.element(), "tag", etree.Comment),
    "tag = str subclass": lambda m: set_attribute(m.element(), "tag", Text("c")),
    "attrib = dict": lambda m: set_attribute(m.element(), "attrib", {}),
    "another name": lambda m: set_attribute(m.element(), "another", 1),
    "base = bytes": lambda m: set_attribute(m.element(), "base", b"http://b"),
    "set bytes": lambda m: m.element().set(b"k", b"v"),
    "set QName": lambda m: m.element().set(etree.QName("urn:x", "m"), "q"),
    "set value QName": lambda m: m.element().set("k", QUALIFIED),
    "set str subclass": lambda m: m.element().set(Text("k"), Text("s")),
    "set None": lambda m: m.element().set("k", None),
    "set markup": lambda m: m.element().set("k", "<&'\"\r\n\t\x85"),
    "set xml:lang": lambda m: m.element().set(f"{{{XML}}}lang", "en"),
    "set xml:space": lambda m: m.element().set(f"{{{XML}}}space", "preserve"),
    "set number": lambda m: m.element().set("k", 3),
    "set bad name": lambda m: m.element().set("a b", "3"),
    "attrib[bytes] =": lambda m: m.element().attrib.__setitem__(b"k", b"v2"),
    "attrib[QName] =": lambda m: m.element().attrib.__setitem__(etree.QName("urn:x", "m"), "q2"),
    "del attrib[bytes]": lambda m: m.element().attrib.__delitem__(b"k"),
    "del attrib[QName]": lambda m: m.element().attrib.__delitem__(etree.QName("urn:x", "m")),
    "attrib.pop(QName)": lambda m: m.element().attrib.pop(etree.QName("urn:x", "m"), "no"),
    "attrib.pop of three": lambda m: m.element().attrib.pop("k", 1, 2),
    "attrib.update keyword": lambda m: m.element().attrib.update(k="1"),
    "attrib.update None": lambda m: m.element().attrib.update(None),
    "attrib.update number": lambda m: m.element().attrib.update({"k": 3}),
    "attrib.update in part": lambda m: m.element().attrib.update([("k", "77"), ("l", 3)]),
    "attrib.update of three": lambda m: m.element().attrib.update([("k", "77"), ("l", "3", "x")]),
    "attrib.update twice the same": lambda m: m.element().attrib.update([("k", "1"), ("k", "2"), (b"k", "3")]),
    "attrib.update of another": lambda m: m.element().attrib.update(m.element().attrib),
    "attrib.update and edit": lambda m: m.element().attrib.update(editing(m, [("k", "e"), ("l", "f")])),
    "attrib.update of what comes": lambda m: arriving(m, lambda pairs: pairs),
    "attrib.update of what comes, no iterator": lambda m: arriving(m, Pairs),
    "attrib while it changes": lambda m: [attrib.pop(name) for attrib in [m.element().attrib] for name in attrib][:0],
    "attrib.update two": lambda m: m.element().attrib.update({}, {}),
    "attrib.setdefault": lambda m: m.element().attrib.setdefault("k", "d"),
    "attrib.popitem": lambda m: m.element().attrib.popitem(),
    "attrib |=": lambda m: or_equal(m.element()),
    "attrib |": lambda m: m.element().attrib | {"k": "or"},
    "| attrib": lambda m: {"k": "or"} | m.element().attrib,
    "attrib == attrib": lambda m: str(m.element().attrib == m.element().attrib),
    "attrib < attrib": lambda m: str(m.element().attrib < m.element().attrib),
    "slice = tuple": lambda m: set_slice(m.element(), tuple(new("a", "b"))),
    "slice = iterator": lambda m: set_slice(m.element(), iter(new("a", "b"))),
    "slice = generator": lambda m: set_slice(m.element(), (etree.Element(tag) for tag in "ab")),
    "slice = generator that edits": lambda m: set_slice(m.element(), editing(m, new("a", "b"))),
    "slice = generator that fails": lambda m: set_slice(m.element(), failing(new("a", "b"))),
    "slice = own children": lambda m: set_slice(m.root, list(m.root)[::2], slice(None)),
    "slice = own children twice": own_children_twice,
    "slice of steps = own children": lambda m: set_slice(m.root, list(m.root)[::2], slice(None, None, 2)),
    "slice of steps backwards": lambda m: set_slice(m.root, list(m.root)[::-2], slice(None, None, 2)),
    "slice = with None": lambda m: set_slice(m.element(), (*new("a"), None)),
    "slice = with text": lambda m: set_slice(m.element(), [*new("a"), "text"]),
    "slice = text": lambda m: set_slice(m.element(), "ab"),
    "slice = number": lambda m: set_slice(m.element(), 3),
    "slice = None": lambda m: set_slice(m.element(), None),
    "slice = element": lambda m: set_slice(m.element(), etree.fromstring("<q>1<a/>2<b/>3</q>")),
    "slice = empty element": lambda m: set_slice(m.element(), etree.fromstring("<q/>")),
    "slice = too many": lambda m: set_slice(m.element(), new(*"abcabcabcabc"), slice(None, None, 2)),
    "slice of step 0": lambda m: set_slice(m.element(), [], slice(None, None, 0)),
    "slice beyond": lambda m: set_slice(m.element(), new("a"), slice(100, 200)),
    "slice backwards": lambda m: set_slice(m.element(), new("a"), slice(3, 1)),
    "item = None": lambda m: set_item(m.element(), 0, None),
    "item = text": lambda m: set_item(m.element(), 0, "x"),
    "item True": lambda m: set_item(m.element(), True, etree.Element("a")),
    "item of an index": lambda m: set_item(m.element(), Number(), etree.Element("a")),
    "item by name": lambda m: set_item(m.element(), "a", etree.Element("a")),
    "item beyond": lambda m: set_item(m.element(), 1000, etree.Element("a")),
    "del beyond": lambda m: delete(m.element(), 1000),
    "del by name": lambda m: delete(m.element(), "a"),
    "del True": lambda m: delete(m.element(), True),
    "del step": lambda m: delete(m.element(), slice(None, None, -2)),
    "insert True": lambda m: m.element().insert(True, etree.Element("a")),
    "insert float": lambda m: m.element().insert(1.0, etree.Element("a")),
    "insert index": lambda m: m.element().insert(Number(), etree.Element("a")),
    "insert text": lambda m: m.element().insert(0, "a"),
    "insert by name": lambda m: m.element().insert("a", etree.Element("a")),
    "insert far": lambda m: m.element().insert(10**30, etree.Element("a")),
    "insert before the first": lambda m: m.element().insert(-(10**9), etree.Element("a")),
    "insert None": lambda m: m.element().insert(0, None),
    "append None": lambda m: m.element().append(None),
    "append two": lambda m: m.element().append(*new("a", "b")),
    "extend None": lambda m: m.element().extend(None),
    "extend text": lambda m: m.element().extend("ab"),
    "extend element": lambda m: m.element().extend(etree.fromstring("<q>1<a/>2<b/>3</q>")),
    "extend with None": lambda m: m.element().extend([*new("a"), None, *new("b")]),
    "extend generator": lambda m: m.element().extend(etree.Element(tag) for tag in "ab"),
    "extend generator that edits": lambda m: m.element().extend(editing(m, new("a", "b", "c"))),
    "extend generator that fails": lambda m: m.element().extend(failing(new("a", "b"))),
    "extend own children": lambda m: m.root.extend(list(m.root)[::2]),
    "extend twice the same": lambda m: m.element().extend(new("a") * 2),
    "extend children of a child": lambda m: m.root.extend(list(m.root[0])),
    "remove another": lambda m: m.element().remove(etree.Element("a")),
    "remove None": lambda m: m.element().remove(None),
    "remove a grandchild": lambda m: m.root.remove(next((n for n in m.root.iterdescendants() if n not in m.root), 0)),
    "replace another": lambda m: m.element().replace(*new("a", "b")),
    "replace by None": lambda m: below(m).getparent().replace(m.root[0], None),
    "replace by a sibling": lambda m: len(m.root) > 1 and m.root.replace(m.root[-1], m.root[0]),
    "replace by the last": lambda m: len(m.root) > 1 and m.root.replace(m.root[0], m.root[-1]),
    "item = a sibling": lambda m: len(m.root) > 1 and set_item(m.root, -1, m.root[0]),
    "item = the last": lambda m: len(m.root) > 1 and set_item(m.root, 0, m.root[-1]),
    "addnext text": lambda m: below(m).addnext("a"),
    "addnext element beside root": lambda m: m.root.addnext(etree.Element("a")),
    "addprevious of a tail": lambda m: below(m).addprevious(etree.fromstring("<q><a/>tail</q>")[0]),
    "addnext of itself's child": lambda m: [node.addnext(node[0]) for node in m.root if len(node)][:0],
    "addprevious of the next": lambda m: [below(m).addprevious(node) for node in [below(m).getnext()]][:0],
    "removed while iterated": lambda m: [node.getparent().remove(node) for node in m.root.iterdescendants("a")][:0],
    "clear 1": lambda m: m.element().clear(1),
    "SubElement QName": lambda m: etree.SubElement(m.element(), etree.QName("urn:x", "d"), {"k": "1"}, l="2"),
    "SubElement bytes": lambda m: etree.SubElement(m.element(), b"a", {b"k": b"1"}),
    "SubElement nsmap": lambda m: etree.SubElement(m.element(), "{urn:n}a", {"{urn:n}k": "1"}, nsmap={"n": "urn:n"}),
    "SubElement default namespace": lambda m: etree.SubElement(m.element(), "{urn:x}d", nsmap={None: "urn:x"}),
    "SubElement declared, not used": lambda m: etree.SubElement(m.element(), "a", nsmap={None: "urn:x", "n": "urn:n"}),
    "SubElement reserved": lambda m: etree.SubElement(refusing(m), "a", nsmap={"xmlns": "urn:x", "q": XMLNS}),
    "SubElement in reserved": lambda m: etree.SubElement(refusing(m), f"{{{XMLNS}}}a"),
    "SubElement xmlns": lambda m: etree.SubElement(refusing(m), "a", {"k": "1"}, xmlns="urn:x"),
    "SubElement xmlns:p": lambda m: etree.SubElement(refusing(m), "a", {f"{{{XMLNS}}}p": "urn:x"}),
    "set xmlns": lambda m: refusing(m).set("xmlns", "urn:x"),
    "set xmlns:p": lambda m: refusing(m).set(f"{{{XMLNS}}}p", "urn:x"),
    "update xmlns:p": lambda m: refusing(m).attrib.update({"k": "3", f"{{{XMLNS}}}p": "urn:x", "l": "4"}),
    "tag in reserved": lambda m: set_attribute(refusing(m), "tag", f"{{{XMLNS}}}a"),
    "append xmlns": lambda m: refusing(m).append(etree.Element("a", xmlns="urn:x")),
    "append entity": lambda m: refusing(m).append(etree.Entity("x")),
    "append objectify": lambda m: refusing(m).append(objectify.fromstring("<a><b>1</b></a>")),
    "append html": lambda m: m.element().append(lxml.html.fromstring("<p class='x'>y<br>z</p>")),
    "append default namespace": lambda m: m.element().append(etree.XML("<d xmlns='urn:x'><d/><a xmlns=''/></d>")),
    "append result of XSLT": lambda m: m.element().append(COPYING(m.root).getroot()),
    "append copy": lambda m: m.element().append(copy.copy(m.element())),
    "append copy of a tree": lambda m: m.element().append(copy.deepcopy(m.root.getroottree()).getroot()),
    "append of another tree": lambda m: m.element().append(etree.ElementTree(etree.XML("<a>1<b/></a>")).getroot()),
    "append E": lambda m: m.element().append(E.a("x", E.b(k="1"), "y")),
    "append E with a node": lambda m: m.root.append(E.a("x", below(m))),
    "in a thread": lambda m: in_a_thread(lambda: m.element().append(etree.fromstring("<a l='1'>1<b/></a>"))),
    "made in a thread": lambda m: m.element().append(in_a_thread(lambda: etree.fromstring("<a l='1'>1<b/></a>"))),
    "XPath that edits": lambda m: by_xpath(m, "//a[f:g(.)]", by_function),
    "XPath that takes away": lambda m: by_xpath(m, "//*[f:g(*)]", lambda m, nodes: bool(nodes and m.remove())),
    "XSLT that edits": by_xslt,
    "XSLT that copies": lambda m: etree.XSLT(EXTENDED, extensions={("urn:f", "e"): Copying(m)})(m.root) and None,
    "append of SAX": saxified,
    "target of a parser": lambda m: etree.fromstring("<a k='1'>u<b/>v<!--c--></a>", etree.XMLParser(target=Target(m))),
    "append of an own class": lambda m: m.element().append(Made("t", Made("u"))),
    "held attributes": held_attributes,
    "edits of a walk": walked,
    "drop_tag": lambda m: mixed_in(m, lxml.html.HtmlMixin.drop_tag),
    "drop_tree": lambda m: mixed_in(m, lxml.html.HtmlMixin.drop_tree),
    "text by a smart string": lambda m: [
        set_attribute(each.getparent(), "tail", "s") for each in m.root.xpath("//text()") if each.is_tail
    ][:0],
    "written to a file": lambda m: written(m.element()),
    "reversed siblings": lambda m: [m.root.append(each) for each in m.root[-1].itersiblings(preceding=True)][:0],
    "swap of three": lambda m: len(m.root) > 2 and set_slice(m.root, [m.root[2], m.root[0], m.root[1]], slice(0, 3)),
    "append into another namespace": lambda m: m.element().append(
        etree.XML("<p:x xmlns:p='urn:x' xmlns:q='urn:q'><p:d q:n='1'/><q:n/></p:x>")[m.random.randrange(2)]
    ),
    "set root": lambda m: m.root.getroottree()._setroot(etree.Element("a")),
    "cleanup_namespaces": lambda m: cleanup_namespaces(m.root, top_nsmap={"x": "urn:x"}),
    "cleanup_namespaces below": lambda m: cleanup_namespaces(refusing(m)),
    "namespaces cleaned up by lxml": lambda m: etree.cleanup_namespaces(m.root),
    "SubElement attrib": lambda m: etree.SubElement(m.element(), "a", m.element().attrib, z="1"),
    "SubElement bad attribute": lambda m: etree.SubElement(m.element(), "a", {"k": 3}),
    "SubElement bad name": lambda m: etree.SubElement(m.element(), "a b"),
    "SubElement of none": lambda m: etree.SubElement(None, "a"),
    "Element attrib": lambda m: m.element().append(etree.Element("a", m.element().attrib, z="1")),
    "makeelement": lambda m: m.element().append(m.element().makeelement("a", {"k": "1"}, {"n": "urn:n"}, l="2")),
    "comment --": lambda m: [set_attribute(node, "text", "a--b-") for node in m.root.iter(etree.Comment)][:0],
    "comment tail": lambda m: [set_attribute(node, "tail", "ct") for node in m.root.iter(etree.Comment)][:0],
    "comment beside comment": lambda m: [node.addnext(etree.Comment("d")) for node in m.root.iter(etree.Comment)][:0],
    "comment -->": lambda m: [set_attribute(node, "text", "--><a/>") for node in m.root.iter(etree.Comment)][:0],
    "instruction ?>": lambda m: [set_attribute(node, "text", "?><a/>") for node in m.root.iter(etree.PI)][:0],
    "instruction xml": lambda m: [set_attribute(node, "target", "xml") for node in m.root.iter(etree.PI)][:0],
    "instruction a b": lambda m: [set_attribute(node, "target", "a b?><a/>") for node in m.root.iter(etree.PI)][:0],
    "by its class": by_its_class,
    "target that fails": failing_target,
    "document type": document_type,
    "edits while it is walked": written_while_walked,
    "SAX that edits": saxified_and_edited,
    "children of an extension": by_children_of_an_extension,
    "returned by XPath": returned_by_xpath,
    "by the standard library": parts_of_other_libraries,
    "shuffled": shuffled,
    "groups of a form": groups,
    "extend a child": lambda m: len(m.root) and m.root.extend(m.root[0]),
    "slice = a child": lambda m: len(m.root) and set_slice(m.root, m.root[0], slice(0, 0)),
    "slice = itself": lambda m: set_slice(m.root, m.root, slice(None)),
    "slice of steps = none": lambda m: set_slice(m.element(), [], slice(None, None, 2)),
    "slice = none": lambda m: set_slice(m.element(), [], slice(0, 2)),
    "append to a copy": lambda m: copy.copy(m.element()).append(etree.Element("a")),
    "append to its copy": lambda m: [copied.append(copied[0]) for copied in [copy.deepcopy(m.root)] if len(copied)][:0],
    "tag = surrogate": lambda m: set_attribute(m.element(), "tag", "\ud800"),
    "tag = {urn:x}": lambda m: set_attribute(m.element(), "tag", "{urn:x}"),
    "tag = QName of an element": lambda m: set_attribute(m.element(), "tag", etree.QName(m.element())),
    "tag of a comment": lambda m: [set_attribute(node, "tag", "a") for node in m.root.iter(etree.Comment)][:0],
    "set surrogate": lambda m: m.element().set("k", "\udfff"),
    "set surrogate name": lambda m: m.element().set("\udfff", "1"),
    "set bool": lambda m: m.element().set("k", True),
    "append ElementTree": lambda m: m.element().append(ElementTree.Element("a")),
    "append a tree": lambda m: m.element().append(m.root.getroottree()),
    "namespaces kept": lambda m: cleanup_namespaces(m.root, keep_ns_prefixes=["n", "x"]),
    "stylesheet": lambda m: m.root.insert(0, etree.PI("xml-stylesheet", "type='text/xsl' href='a'")),
    "stylesheet set": lambda m: [
        node.set("href", "b") for node in m.root.iter(etree.PI) if node.target == "xml-stylesheet" and node.text
    ][:0],
}  # fmt: skip

ODD_SEVERAL = {
    "attrib.update of what comes", "attrib.update of what comes, no iterator",
    "attrib.update and edit", "attrib while it changes", "slice = generator that edits", "extend generator that edits",
    "extend own children", "addnext of itself's child", "removed while iterated",
    "XPath that edits", "XPath that takes away", "XSLT that edits", "target of a parser", "held attributes",
    "edits of a walk", "drop_tag", "drop_tree", "text by a smart string", "reversed siblings",
    "append of an own class", "attrib.pop of all", "many attributes, one by one", "to XHTML",
    "by its class", "target that fails" , "edits while it is walked", "SAX that edits",
    "children of an extension", "by the standard library", "shuffled", "groups of a form",
    "extend a child", "returned by XPath",
    "form parts", "classes as a set", "XPath by a namespace", "found by paths", "other trees", "SAX into",
    "from XHTML", "fill form", "form", "included", "append E with a node", "comment tail", "comment beside comment",
}  # fmt: skip
"""Those that are several edits."""
