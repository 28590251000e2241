"""Random edits through every public call of lxml that changes a tree."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from lxml import etree

TAGS = ["a", "b", "c", "{urn:x}d", "item"]
NAMES = ["k", "l", "{urn:x}m"]
TEXTS = [None, "", "t", "u", " ", "é\n", "v w"]
START = '<r k="1">0<a/>1<b l="2">x<c/>y</b>2<!--n-->3<?p q?>4<item>z</item></r>'


class Mutator:
    """Applies one random edit per call of `step` to the tree below ``root``; every choice comes from ``random``.

    Nodes are chosen by number, so that the same seed does the same on a plain and a wrapped tree. ``log`` has the
    results: returned values and exceptions.
    """

    def __init__(self, root: Any, random: Random, *, elsewhere: bool = True, hold: bool = True) -> None:
        self.root = root
        self.random = random
        self.elsewhere = elsewhere
        self.held: list[Any] | None = [] if hold else None
        self.detached: list[Any] = []
        self.name = ""
        self.calls: list[Callable[[], Any]] = [
            self.sub_element, self.sub_element, self.append_new, self.append_moved, self.append_tree, self.insert,
            self.insert_moved, self.extend, self.remove, self.remove,
            self.replace, self.replace_moved, self.clear,
            self.addnext, self.addprevious, self.addnext_moved, self.addprevious_moved,
            self.set_item, self.set_item_moved, self.set_slice,
            self.del_item, self.del_slice, self.sort, self.reverse, self.swap,
            self.text, self.text, self.tail, self.tail, self.tag, self.base, self.bad_text, self.bad_tail,
            self.set, self.set, self.attrib_set, self.attrib_del, self.attrib_pop, self.attrib_update,
            self.attrib_clear, self.attrib_setdefault, self.comment_text, self.move_out, self.deep_copy,
            self.append_comment, self.cycle, self.itself,
        ]  # fmt: skip

    # --- choosing

    def elements(self) -> list[Any]:
        """All elements, in document order."""
        return [node for node in self.root.iter() if isinstance(node.tag, str)]

    def element(self) -> Any:
        return self.random.choice(self.elements())

    def below(self) -> Any:
        """Any node but the root; None if there is none."""
        nodes = list(self.root.iterdescendants())
        return self.random.choice(nodes) if nodes else None

    def new(self) -> Any:
        """A new element, comment or processing instruction, perhaps with content and a tail."""
        kind = self.random.random()
        if kind < 0.1:
            node = etree.Comment("c")
        elif kind < 0.15:
            node = etree.PI("p", "q")
        elif kind < 0.5:
            node = self.root.makeelement(self.random.choice(TAGS), {self.random.choice(NAMES): "1"})
        elif kind < 0.7:
            node = etree.Element(self.random.choice(TAGS))
        elif kind < 0.8 and self.detached:
            node = self.detached.pop(self.random.randrange(len(self.detached)))
        else:
            node = etree.fromstring('<item k="9">p<a/>q<!--i-->r<b l="8"><c>s</c></b></item>')
        if self.random.random() < 0.3:
            node.tail = self.random.choice(TEXTS)
        return node

    def index(self, element: Any) -> int:
        return self.random.randint(-len(element) - 1, len(element) + 1)

    # --- steps

    def step(self) -> str:
        """One edit; returns its name and what came out."""
        if len(self.elements()) > 40:
            call: Callable[[], Any] = self.prune
        else:
            call = self.random.choice(self.calls)
        self.name = call.__name__
        try:
            result = call()
        except (ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
            return f"{self.name}: {type(error).__name__}"
        if self.held is not None:
            self.held = [*self.root.iter(), *self.held[-50:]]
        return f"{self.name}: {result!r}" if isinstance(result, (str, type(None))) else self.name

    def prune(self) -> None:
        while len(self.elements()) > 15:
            parent = self.element()
            if len(parent):
                del parent[self.random.randrange(len(parent))]

    def sub_element(self) -> Any:
        attributes = {self.random.choice(NAMES): "1"} if self.random.random() < 0.4 else {}
        return etree.SubElement(self.element(), self.random.choice(TAGS), attributes)

    def append_new(self) -> Any:
        return self.element().append(self.new())

    def append_comment(self) -> Any:
        node = etree.Comment("k")
        node.tail = "after"
        return self.element().append(node)

    def append_tree(self) -> Any:
        node = etree.fromstring("<item>1<b k='2'/>3</item>")
        self.element().append(node)

    def append_moved(self) -> Any:
        return self.element().append(self.below())

    def insert(self) -> Any:
        element = self.element()
        return element.insert(self.index(element), self.new())

    def insert_moved(self) -> Any:
        element = self.element()
        return element.insert(self.index(element), self.below())

    def extend(self) -> Any:
        nodes = [self.new(), self.new()]
        if self.random.random() < 0.5:
            nodes.append(self.below())
        return self.element().extend(nodes)

    def remove(self) -> Any:
        node = self.below()
        node.getparent().remove(node)
        if isinstance(node.tag, str):
            self.detached = [*self.detached[-5:], node]

    def replace(self) -> Any:
        node = self.below()
        return node.getparent().replace(node, self.new())

    def replace_moved(self) -> Any:
        node, other = self.below(), self.below()
        if other in {node, *node.iterancestors()} or node in set(other.iterancestors()):
            return None
        return node.getparent().replace(node, other)

    def clear(self) -> Any:
        return self.element().clear(keep_tail=self.random.random() < 0.5)

    def addnext(self) -> Any:
        return self.below().addnext(self.new())

    def addprevious(self) -> Any:
        return self.below().addprevious(self.new())

    def addnext_moved(self) -> Any:
        return self.below().addnext(self.below())

    def addprevious_moved(self) -> Any:
        return self.below().addprevious(self.below())

    def set_item(self) -> Any:
        element = self.element()
        element[self.index(element)] = self.new()

    def set_item_moved(self) -> Any:
        node, other = self.below(), self.below()
        parent = node.getparent()
        if node is other or other in {parent, *parent.iterancestors()} or node in set(other.iterancestors()):
            return
        parent[parent.index(node)] = other

    def slice(self, element: Any) -> slice:
        step = self.random.choice([None, None, None, 2, -1])
        start, stop = sorted((self.random.randint(0, len(element)), self.random.randint(0, len(element))))
        return slice(start, stop) if step is None else slice(None, None, step)

    def set_slice(self) -> Any:
        element = self.element()
        where = self.slice(element)
        if where.step is not None:
            element[where] = [self.new() for _ in element[where]]
        else:
            element[where] = [self.new() for _ in range(self.random.randint(0, 3))]

    def del_item(self) -> Any:
        element = self.element()
        del element[self.index(element)]

    def del_slice(self) -> Any:
        element = self.element()
        del element[self.slice(element)]

    def sort(self) -> Any:
        element = self.element()
        element[:] = sorted(element, key=lambda node: str(node.tag))

    def reverse(self) -> Any:
        element = self.element()
        element[:] = list(reversed(element))

    def swap(self) -> Any:
        element = self.element()
        if len(element) > 1:
            element[0], element[1] = element[1], element[0]

    def text(self) -> Any:
        self.element().text = self.random.choice(TEXTS)

    def tail(self) -> Any:
        self.below().tail = self.random.choice(TEXTS)

    def bad_text(self) -> Any:
        self.element().text = self.random.choice(["\x01", 5, "\x00"])

    def bad_tail(self) -> Any:
        self.below().tail = self.random.choice(["\x01", 5, "\x00"])

    def comment_text(self) -> Any:
        for node in self.root.iter(etree.Comment):
            node.text = "changed"

    def tag(self) -> Any:
        self.element().tag = self.random.choice(TAGS)

    def base(self) -> Any:
        self.element().base = self.random.choice(["http://x/", None])

    def set(self) -> Any:
        return self.element().set(self.random.choice(NAMES), self.random.choice(["1", "2", "\x01", "3\n"]))

    def attrib_set(self) -> Any:
        self.element().attrib[self.random.choice(NAMES)] = self.random.choice(["1", "4"])

    def attrib_del(self) -> Any:
        del self.element().attrib[self.random.choice(NAMES)]

    def attrib_pop(self) -> Any:
        return self.element().attrib.pop(self.random.choice(NAMES), *self.random.choice([(), ("none",)]))

    def attrib_update(self) -> Any:
        return self.element().attrib.update({"k": "5", "n": self.random.choice(["6", "\x01"])})

    def attrib_clear(self) -> Any:
        return self.element().attrib.clear()

    def attrib_setdefault(self) -> Any:
        element = self.element()
        if "n" not in element.attrib:
            element.attrib["n"] = "7"

    def move_out(self) -> Any:
        if not self.elsewhere:
            return
        node = self.below()
        etree.Element("outside").append(node)

    def deep_copy(self) -> Any:
        node = copy.deepcopy(self.element())
        node.set("copied", "1")
        etree.SubElement(node, "a")
        node.tail = None

    def cycle(self) -> Any:
        element = self.element()
        inner = self.random.choice([node for node in element.iter() if isinstance(node.tag, str)])
        if inner is not self.root:
            inner.append(element)

    def itself(self) -> Any:
        node = self.below()
        call = self.random.choice(["addnext", "addprevious", "append", "insert"])
        if call in ("addnext", "addprevious"):
            getattr(node, call)(node)
        elif call == "append":
            node.getparent().append(node)
        else:
            node.getparent().insert(node.getparent().index(node), node)
