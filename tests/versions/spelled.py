"""Random sequences of versions of one document, and the bytes that editors and exports would make of them.

What differs between two versions is what people do: texts, attributes, parts that come and go, move, are renamed,
wrapped or unwrapped, doubled, put in another order; and what only looks different: encodings, byte order marks,
prefixes, the order of attributes, CDATA sections, character references, line ends, comments around the root.
"""

from __future__ import annotations

import gzip
from copy import deepcopy
from random import Random
from typing import Any

from lxml import etree

TAGS = ("a", "b", "item", "{urn:x}c", "{urn:y}c", "größe", "x.y-z", "{urn:x}ü")
TEXTS = (
    None, None, None, "t", "t", " ", "\n  ", "\u00a0", "u v", "é<&>]]>", "a\tb", "\u2028", "x" * 3000, "1", "ß\u0301",
    "𝄞",
    "'\"", "\r", "a\r\nb", "  lead", "&amp;", "\x85", "{b}", "%s", "true",
)  # fmt: skip
VALUES = ("1", "2", "3", "", " x ", "a\nb", "\t", "\r", "é", "<&\"'>", "1", "urn:x", "𝄞", "preserve", "x:c")
_XML = "http://www.w3.org/XML/1998/namespace"
NAMES = (
    "k", "l", "{urn:x}m", "{urn:y}m", "id", "name", f"{{{_XML}}}lang", "ä", f"{{{_XML}}}id", f"{{{_XML}}}space",
)  # fmt: skip
ENCODINGS = (
    "utf-8",
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "iso-8859-1",
    "us-ascii",
    "windows-1252",
)
NSMAP = {"x": "urn:x", "y": "urn:y"}
"""So that lxml makes up no prefixes, of which one can hide another."""
PREFIXES = ("p", "q", "ns0", None, "d")


def read(text: bytes | str) -> Any:
    """The root of a text; ids that are none, or there twice, are no mistake in its form."""
    typed = isinstance(text, bytes) and b"<!DOCTYPE" in text.replace(b"\0", b"")
    return etree.fromstring(text, etree.XMLParser(collect_ids=typed))  # else it would look for the DTD


def random_tree(random: Random, depth: int) -> Any:
    """An element with attributes, texts, comments, instructions and children."""
    element = etree.Element(random.choice(TAGS), nsmap=NSMAP)
    for name in NAMES:
        if random.random() < 0.15:
            element.set(name, random.choice(VALUES))
    element.text = random.choice(TEXTS)
    for _ in range(random.randint(0, 4) if depth else 0):
        kind = random.random()
        if kind < 0.08:
            child: Any = etree.Comment(random.choice(("c", "", " c ", "<a/>")))
        elif kind < 0.12:
            child = etree.ProcessingInstruction("p", random.choice((None, "q", "a='1'")))
        elif kind < 0.3 and len(element) and isinstance(element[-1].tag, str):
            child = deepcopy(element[-1])
        else:
            child = random_tree(random, depth - 1)
        child.tail = random.choice(TEXTS)
        element.append(child)
    return element


def edited(random: Random, root: Any) -> Any:
    """A copy with some edits."""
    root = deepcopy(root)
    for _ in range(random.choice((0, 1, 1, 2, 3, 6))):
        elements = [node for node in root.iter() if isinstance(node.tag, str)]
        root = _edit(random, root, random.choice(elements), elements)
    return root


def _edit(random: Random, root: Any, element: Any, elements: list[Any]) -> Any:
    kind = random.choice(
        ("text", "set", "unset", "insert", "rename", "remove", "move", "tail", "wrap", "unwrap", "double",
         "shuffle", "swap", "rename attribute", "comment", "root", "indent")
    )  # fmt: skip
    if kind == "indent":
        _reindented(random, root)
    elif kind == "text":
        element.text = random.choice(TEXTS)
    elif kind == "set":
        element.set(random.choice(NAMES), random.choice(VALUES))
    elif kind == "unset" and element.keys():
        del element.attrib[random.choice(element.keys())]
    elif kind == "rename attribute" and element.keys():
        element.set(random.choice(NAMES), element.attrib.pop(random.choice(element.keys())))
    elif kind == "insert":
        new = random_tree(random, 1)
        new.tail = random.choice(TEXTS)
        element.insert(random.randint(0, len(element)), new)
    elif kind == "rename" and (element is not root or random.random() < 0.2):
        element.tag = random.choice(TAGS)
    elif kind == "comment":
        element.insert(random.randint(0, len(element)), etree.Comment("new"))
    elif kind == "shuffle":
        children = list(element)
        random.shuffle(children)
        element[:] = children
    elif kind == "root" and random.random() < 0.2:
        above = etree.Element(random.choice(TAGS), nsmap=NSMAP)
        above.append(root)
        return above
    elif element is not root:
        _edit_inside(random, kind, element, elements)
    return root


def _edit_inside(random: Random, kind: str, element: Any, elements: list[Any]) -> None:
    parent = element.getparent()
    at = parent.index(element)
    if kind == "remove":
        parent.remove(element)
    elif kind == "move":
        target = random.choice(elements)
        if target not in set(element.iter()):
            target.insert(random.randint(0, len(target)), element)
    elif kind == "tail":
        element.tail = random.choice(TEXTS)
    elif kind == "double":
        parent.insert(at, deepcopy(element))
    elif kind == "wrap":
        around = etree.Element(random.choice(TAGS), nsmap=NSMAP)
        parent.insert(at, around)
        around.append(element)
    elif kind == "unwrap":
        children = list(element)
        parent.remove(element)
        parent[at:at] = children
    elif kind == "swap":
        other = random.choice(elements)
        if (
            other.getparent() is not None
            and other not in set(element.iter())
            and element not in set(other.iter())
        ):
            element.tag, other.tag = other.tag, element.tag
            element.text, other.text = other.text, element.text


def _reindented(random: Random, root: Any) -> None:
    """White space alone is another: a tree as a formatter leaves it, or without what one had put there."""
    if random.random() < 0.5:
        etree.indent(root, space=random.choice((" ", "  ", "\t", "")))
        return
    for node in root.iter("*"):
        for child in node:
            if child.tail is not None and not child.tail.strip(" \t\r\n"):
                child.tail = None


def _extreme(random: Random, root: Any) -> Any:
    """A tree with a text or value that is long, or with something that is deep: as deep as may be, at the most."""
    if random.random() < 0.6:
        long = random.choice(("y", "ab ", "é", "\n<&")) * random.randint(10_000, 60_000)
        element = random.choice(list(root.iter("*")))
        if random.random() < 0.5:
            element.text = long
        else:
            element.set(random.choice(("k", "{urn:x}m", "id")), long)
        return root
    height = max(sum(1 for _ in node.iterancestors()) for node in root.iter("*")) + 1
    for _ in range(random.choice((30, 100, 240)) - height):
        above = etree.Element(random.choice(TAGS), nsmap=NSMAP)
        above.append(root)
        root = above
    return root


def versions(random: Random, count: int) -> list[Any]:
    """A tree and what became of it, sometimes of an earlier one again."""
    found = [random_tree(random, random.randint(1, 3))]
    if random.random() < 0.1:
        found[0] = _extreme(random, found[0])
    while len(found) < count:
        found.append(edited(random, random.choice(found) if random.random() < 0.2 else found[-1]))
    return found


def spelled(random: Random, root: Any, *, typed: bool) -> bytes:
    """A tree as somebody may write it; ``typed``: it may have a document type, and then all ids have to be names."""
    encoding = random.choice([each for each in ENCODINGS if _has_names(root, each)])
    body = _Writer(random, encoding).element(root, {})
    declared = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(encoding, encoding)
    quote = random.choice("'\"")
    prolog = f"<?xml version={quote}1.0{quote} encoding={quote}{declared}{quote}?>"
    if encoding.startswith("utf-8") and random.random() < 0.5:
        prolog = ""
    around = ("", "<!-- made by hand -->", "\n", "<?style x?>")
    text = (
        prolog
        + random.choice(around[: 3 if prolog else 2])
        + (_document_type(random, root) if random.random() < 0.2 and typed else "")
        + random.choice(around)
        + body
        + random.choice(around)
    )
    if random.random() < 0.2:
        text = text.replace("\n", "\r\n")
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    return mark + text.encode(encoding)


def _document_type(random: Random, root: Any) -> str:
    """A document type without entities; ``spelled`` says what of it makes another tree."""
    name = etree.QName(random.choice(list(root.iter("*")))).localname
    name = name if name.isascii() else "a"
    outside = random.choice(("", "", f' SYSTEM "{name}.dtd"', ' PUBLIC "-//X//Y" "nowhere:y"'))
    inside = [
        each
        for each in (
            f"<!ELEMENT {name} ANY>", "<!-- <!ENTITY x 'y'> -->", "<?p q?>", '<!NOTATION n SYSTEM "n">',
            f"<!ATTLIST {name} k CDATA #IMPLIED>", f"<!ATTLIST {name} {DEFAULTED} 'as ever'>",
            f"<!ATTLIST {name} l NMTOKENS #IMPLIED>",
        )
        if random.random() < 0.3
    ]  # fmt: skip
    return f"<!DOCTYPE {name}{outside}{f' [ {chr(10).join(inside)} ]' if inside else ''}>"


DEFAULTED = "byDefault CDATA"
"""What a document type says of an attribute that is there although nobody wrote it."""


def broken(random: Random, text: bytes) -> bytes:
    """Bytes that are no document, or none that is read: what is left of a text when something went wrong."""
    kind = random.choice(
        (
            "empty",
            "blank",
            "cut",
            "two roots",
            "entity",
            "lost entity",
            "packed",
            "deep",
            "mark",
            "text",
            "control",
        )
    )
    if kind == "cut":
        return text[: random.randint(1, len(text.rstrip()) // 2)]
    if kind == "packed":
        return gzip.compress(text, mtime=0)
    return {
        "empty": b"", "blank": b" \n", "two roots": b"<a/><a/>", "mark": b"\xef\xbb\xbf", "text": b"a,b\n1,2\n",
        "entity": b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "control": b"<a>\x01</a>",
        "lost entity": b'<!DOCTYPE a SYSTEM "a.dtd"><a k="&x;"/>', "deep": b"<a>" * 400 + b"</a>" * 400,
    }[kind]  # fmt: skip


def _has_names(root: Any, encoding: str) -> bool:
    """Whether the names in a tree can be written so: they have no references."""
    try:
        for node in root.iter("*"):
            "".join([node.tag, *node.keys()]).encode(encoding)
    except UnicodeError:
        return False
    return True


def _written(name: str, prefixes: dict[str, str | None]) -> str:
    uri, _, local = name.removeprefix("{").rpartition("}")
    prefix = prefixes[uri]
    return local if prefix is None else f"{prefix}:{local}"


class _Writer:
    def __init__(self, random: Random, encoding: str) -> None:
        self.random = random
        self.encoding = encoding

    def element(self, element: Any, known: dict[str | None, str]) -> str:
        """The text of an element in which these prefixes are known."""
        random = self.random
        known = dict(known)
        names = [element.tag, *element.keys()]
        uris = dict.fromkeys(name[1:].partition("}")[0] for name in names if name[0] == "{")
        is_plain = element.tag[0] != "{"
        if is_plain and known.get(None):
            known[None] = ""
        declared: dict[str | None, str] = {None: ""} if is_plain and None in known else {}
        prefixes: dict[str, str | None] = {"": None, _XML: "xml"}
        for uri in uris:
            if uri != _XML:
                of_tag = not is_plain and element.tag.startswith(f"{{{uri}}}")
                of_attributes = any(name.startswith(f"{{{uri}}}") for name in names[1:])
                prefixes[uri] = self._prefix(
                    uri, known, declared, set(prefixes.values()), may_be_none=of_tag and not of_attributes
                )
        tag = _written(element.tag, prefixes)
        items = [(_written(name, prefixes), value) for name, value in element.items()]
        written = [f"{name}={self._quoted(value)}" for name, value in items]
        written += [f"xmlns{'' if p is None else ':' + p}={self._quoted(uri)}" for p, uri in declared.items()]
        if random.random() < 0.05:
            written.append('xmlns:unused="urn:unused"')
        random.shuffle(written)
        start = random.choice((" ", " ", "\n", "  ")).join([tag, *written])
        inside = self._text(element.text)
        for child in element:
            if isinstance(child.tag, str):
                inside += self.element(child, known)
            else:
                inside += etree.tostring(child, encoding="unicode", with_tail=False)
            inside += self._text(child.tail)
        if not inside and random.random() < 0.7:
            return f"<{start}/>"
        return f"<{start}>{inside}</{tag}{random.choice(('', ' '))}>"

    def _prefix(
        self,
        uri: str,
        known: dict[str | None, str],
        declared: dict[str | None, str],
        taken: set[str | None],
        *,
        may_be_none: bool,
    ) -> str | None:
        """A prefix for a namespace: one that is known, or one that is declared here, perhaps anew."""
        fitting = [p for p, u in known.items() if u == uri and (p is not None or may_be_none)]
        if fitting and self.random.random() < 0.7:
            return self.random.choice(fitting)
        free = [p for p in PREFIXES if p not in taken and (p is not None or may_be_none)]
        prefix = self.random.choice(free)
        known[prefix] = declared[prefix] = uri
        return prefix

    def _quoted(self, value: str) -> str:
        quote = self.random.choice("'\"")
        text = "".join(self._character(c, in_value=True, quote=quote) for c in value)
        return f"{quote}{text}{quote}"

    def _text(self, text: str | None) -> str:
        if not text:
            return ""
        as_data = self.random.random() < 0.2 and "]]>" not in text and "\r" not in text and self._can(text)
        if as_data:
            at = self.random.randint(0, len(text))
            return self._plain(text[:at]) + f"<![CDATA[{text[at:]}]]>"
        return self._plain(text)

    def _plain(self, text: str) -> str:
        return "".join(self._character(c, in_value=False, quote="") for c in text)

    def _character(self, character: str, *, in_value: bool, quote: str) -> str:
        names = {"<": "&lt;", "&": "&amp;", ">": "&gt;", "'": "&apos;", '"': "&quot;"}
        if character in "<&" or character == quote or (character == ">" and not in_value):
            return self.random.choice((names[character], f"&#{ord(character)};"))
        if character == "\r" or (in_value and character in "\n\t") or not self._can(character):
            return self.random.choice((f"&#{ord(character)};", f"&#x{ord(character):x};"))
        if len(character) == 1 and self.random.random() < 0.02:
            return f"&#{ord(character)};"
        return character

    def _can(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeError:
            return False
        return "\x85" not in text
