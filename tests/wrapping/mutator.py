"""Random edits through every public call of lxml that changes a tree."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from lxml import etree

from tests.wrapping.document_calls import DocumentCalls
from tests.wrapping.every_call import EveryCall
from tests.wrapping.odd_edits import ODD
from tests.wrapping.outside_edits import OutsideEdits
from tests.wrapping.vocabulary import NAMES, REFUSALS, TAGS, TEXTS, WRAPPING, is_element
from xmlcep.wrapping import indent, strip_attributes, strip_elements, strip_tags

START = '<r k="1">0<a/>1<b l="2">x<c/>y</b>2<!--n-->3<?p q?>4<item>z</item></r>'
LARGE, SMALL = 40, 15


def _raised_in(error: BaseException) -> str:
    return traceback.extract_tb(error.__traceback__)[-1].filename


class Mutator:
    """Applies one random edit per call of `step` to the trees below ``roots``; every choice comes from ``random``.

    Nodes are chosen by number, so that the same seed does the same on a plain and a wrapped tree. ``odd``: also
    arguments of odd kinds; ``outside``: also nodes whose classes are not the wrapper's; ``elsewhere``: also moves to
    trees that nobody follows, and edits of what has been removed; ``deviating``: also the few calls in which a wrapped
    tree does other than a plain one (docs/wrapping.md). ``hold``: proxies are kept alive. ``every``: also
    calls of everything that lxml has. ``documents``: the wrapped documents of the roots, by calls of which they are
    edited, too.
    """

    def __init__(
        self,
        roots: Any,
        random: Random,
        *,
        elsewhere: bool = True,
        odd: bool = True,
        outside: bool = False,
        deviating: bool = True,
        hold: bool = True,
        every: bool = False,
        documents: Sequence[Any] = (),
    ) -> None:
        self.roots: Sequence[Any] = roots if isinstance(roots, list) else [roots]
        self.root = self.roots[0]
        self.random = random
        self.elsewhere = elsewhere
        self.outside = outside
        self.deviating = deviating
        self.held: list[Any] | None = [] if hold else None
        self.held_outside: list[Any] = []
        self.detached: list[Any] = []
        self.name = ""
        self.calls: list[Callable[[], Any]] = [
            self.sub_element, self.sub_element, self.append_new, self.append_moved, self.append_tree, self.insert,
            self.insert_moved, self.extend, self.remove, self.remove,
            self.replace, self.replace_moved, self.clear,
            self.addnext, self.addprevious, self.addnext_moved, self.addprevious_moved,
            self.set_item, self.set_item_moved, self.set_slice, self.set_slice_moved,
            self.del_item, self.del_slice, self.sort, self.reverse, self.swap, self.rotate,
            self.text, self.text, self.tail, self.tail, self.tag, self.base, self.bad_text, self.bad_tail,
            self.set, self.set, self.attrib_set, self.attrib_del, self.attrib_pop, self.attrib_update,
            self.attrib_clear, self.attrib_missing, self.comment_text, self.instruction, self.move_out, self.deep_copy,
            self.append_comment, self.cycle, self.itself, self.beside_root, self.beside, self.strip_tags,
            self.strip_elements, self.strip_attributes, self.indent,
        ]  # fmt: skip
        if odd:
            self.calls += [self.odd, self.odd, self.odd, self.tag_odd, self.append_renamed]
        if elsewhere:
            self.calls += [self.edit_detached, self.edit_detached, self.append_taken]
        if outside:
            self.calls += OutsideEdits(self).calls
        if every:
            self.calls += EveryCall(self).calls * 80
        self.documents = documents
        self.large = max(
            LARGE, *(sum(1 for _ in root.iter()) + 10 for root in self.roots if root is not None), 0
        )
        if documents:
            self.calls += DocumentCalls(self, documents).calls

    # --- choosing

    def elements(self) -> list[Any]:
        """All elements of the tree at hand, in document order."""
        return [node for node in self.root.iter() if is_element(node)]

    @property
    def document(self) -> Any:
        """That of the tree at hand, None if it has none."""
        return next((document for document in self.documents if document.root is self.root), None)

    @property
    def moves(self) -> bool:
        """Whether the last edit moved nodes one by one, each perhaps back to where it was."""
        return self.name.removeprefix("odd ").startswith("extend")

    def element(self) -> Any:
        return self.random.choice(self.elements())

    def below(self) -> Any:
        """Any node but the root; None if there is none."""
        nodes = list(self.root.iterdescendants())
        return self.random.choice(nodes) if nodes else None

    def incoming(self) -> Any:
        """Any node of any of the trees but their roots, to be moved."""
        return self.random.choice([node for root in self.roots for node in root.iterdescendants()])

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
        self.root = self.random.choice(self.roots) if len(self.roots) > 1 else self.roots[0]
        if len(self.elements()) > self.large:
            call: Callable[[], Any] = self.prune
        else:
            call = self.random.choice(self.calls)
        self.name = call.__name__
        said = self.attempt(call)
        if self.held is not None:
            self.held = [*self.root.iter(), *self.held[-50:]]
        return said

    def attempt(self, call: Callable[[], Any]) -> str:
        """Makes an edit, which may be refused; returns the name of the step and what came out."""
        try:
            result = call()
        except REFUSALS as error:
            file = _raised_in(error)  # who deletes an attribute that is not there is told so by the wrapper
            if isinstance(error, LookupError) and file.startswith(WRAPPING) and "attributes" not in file:
                raise AssertionError("a node is not where the wrapper looks for it") from error
            kind = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
            return f"{self.name}: {kind.__name__}"
        except AssertionError as error:
            if _raised_in(error).startswith("src/lxml"):
                return f"{self.name}: AssertionError"
            raise
        return f"{self.name}: {result!r}" if isinstance(result, (str, type(None))) else self.name

    def edited_copy(self) -> Any:
        """The tree at hand after some edits of a copy."""
        root = copy.deepcopy(self.root)
        edits = Mutator(root, self.random, elsewhere=False, outside=self.outside, deviating=False)
        for _ in range(self.random.randint(1, 4)):
            edits.step()
        return root

    def prune(self) -> None:
        while len(self.elements()) > self.large - LARGE + SMALL:
            node = self.random.choice(self.elements()[1:])
            node.getparent().remove(node)

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
        element = self.element()
        return element.append(self.incoming())

    def append_taken(self) -> Any:
        """A node of a tree that goes on without it."""
        return self.element().append(
            etree.fromstring("<x>1<item>2<a/></item>3<b/>4</x>")[self.random.randrange(2)]
        )

    def insert(self) -> Any:
        element = self.element()
        return element.insert(self.index(element), self.new())

    def insert_moved(self) -> Any:
        element = self.element()
        return element.insert(self.index(element), self.incoming())

    def extend(self) -> Any:
        element, nodes = self.element(), [self.new(), self.new()]
        if self.random.random() < 0.5:
            nodes.append(self.incoming())
        return element.extend(nodes)

    def remove(self) -> Any:
        node = self.below()
        node.getparent().remove(node)
        self.detached = [*self.detached[-5:], node]

    def replace(self) -> Any:
        node = self.below()
        return node.getparent().replace(node, self.new())

    def replace_moved(self) -> Any:
        node = self.below()
        other = self.incoming()
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
        node = self.below()
        return node.addnext(self.incoming())

    def addprevious_moved(self) -> Any:
        node = self.below()
        return node.addprevious(self.incoming())

    def beside_root(self) -> Any:
        """Comments beside the root belong to the document, too."""
        call = self.random.choice([self.root.addnext, self.root.addprevious])
        return call(etree.Comment("beside") if self.random.random() < 0.7 else etree.Element("a"))

    def beside(self) -> Any:
        """What stands beside the root is edited, moved, or taken away."""
        there = [*self.root.itersiblings(preceding=True), *self.root.itersiblings()]
        node = self.random.choice(there) if there else None
        kind = self.random.randrange(9)
        if node is None:
            self.root.addprevious(etree.PI("p", "q"))
        elif kind == 0:
            node.text = self.random.choice(["changed", ""])
        elif kind == 1:
            node.tail = self.random.choice(TEXTS)
        elif kind == 2:
            self.root.tail = self.random.choice(TEXTS)
        elif kind == 3:
            node.addnext(etree.Comment("next"))
        elif kind == 4:
            node.addprevious(etree.PI("previous"))
        elif kind == 5:
            self.element().append(node)
        elif kind == 6 and self.elsewhere:
            etree.Element("outside").append(node)
            self.detached = [*self.detached[-5:], node]
        elif kind == 7:
            self.random.choice(self.roots).addnext(node)
        else:
            comments = [inner for root in self.roots for inner in root.iter(etree.Comment, etree.PI)]
            node.addnext(self.random.choice(comments) if comments else etree.Comment("n"))

    def set_item(self) -> Any:
        element = self.element()
        element[self.index(element)] = self.new()

    def set_item_moved(self) -> Any:
        node = self.below()
        parent = node.getparent()
        other = self.incoming()
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

    def set_slice_moved(self) -> Any:
        """What stands below other elements, or in the other document, comes here."""
        element = self.element()
        above = {element, *element.iterancestors()}
        nodes = dict.fromkeys(node for node in (self.incoming(), self.incoming()) if node not in above)
        start, stop = sorted((self.random.randint(0, len(element)), self.random.randint(0, len(element))))
        if not any(inner in set(node.iterdescendants()) for node in element[start:stop] for inner in nodes):
            element[start:stop] = sorted(nodes, key=lambda node: str(node.tag))

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

    def rotate(self) -> Any:
        element = self.element()
        element[:] = [*element[1:], *element[:1]]

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
            node.text = self.random.choice(["changed", "", None if self.deviating else "again"])

    def instruction(self) -> Any:
        for node in self.root.iter(etree.PI):
            node.text = self.random.choice(["s", None])
            node.target = self.random.choice(["p", "o"])

    def tag(self) -> Any:
        self.element().tag = self.random.choice(TAGS)

    def tag_odd(self) -> Any:
        self.element().tag = self.random.choice(
            [etree.QName("urn:x", "d"), etree.QName("c"), b"item", bytearray(b"b")]
        )

    def append_renamed(self) -> Any:
        node = etree.fromstring("<item>1<b k='2'/>3</item>")
        node.tag = self.random.choice([etree.QName("urn:x", "d"), b"c"])
        node[0].tag = self.random.choice([etree.QName("urn:x", "d"), b"c", "a"])
        return self.element().append(node)

    def base(self) -> Any:
        self.element().base = self.random.choice(["http://x/", None])

    def set(self) -> Any:
        return self.element().set(
            self.random.choice(NAMES), self.random.choice(["1", "2", "\x01", "3\n", "", " "])
        )

    def attrib_set(self) -> Any:
        self.element().attrib[self.random.choice(NAMES)] = self.random.choice(["1", "4"])

    def attrib_del(self) -> Any:
        del self.element().attrib[self.random.choice(NAMES)]

    def attrib_pop(self) -> Any:
        return self.element().attrib.pop(self.random.choice(NAMES), *self.random.choice([(), ("none",)]))

    def attrib_update(self) -> Any:
        given = {"k": "5", "n": self.random.choice(["6", "\x01"])}
        kind = self.random.randrange(4)
        if kind == 0:
            return self.element().attrib.update(list(given.items()))
        if kind == 1:
            return self.element().attrib.update(self.element().attrib)
        return self.element().attrib.update(iter(given.items()) if kind == 2 else given)

    def attrib_clear(self) -> Any:
        return self.element().attrib.clear()

    def attrib_missing(self) -> Any:
        element = self.element()
        if "n" not in element.attrib:
            element.attrib["n"] = "7"

    # --- by C code, which the document observes

    def strip_tags(self) -> Any:
        strip_tags(self.element(), *self.random.sample([*TAGS, etree.Comment], 2))

    def strip_elements(self) -> Any:
        strip_elements(self.element(), self.random.choice(TAGS), with_tail=self.random.random() < 0.5)

    def strip_attributes(self) -> Any:
        strip_attributes(self.element(), *self.random.sample(NAMES, 2))

    def indent(self) -> Any:
        indent(self.element())

    def odd(self) -> Any:
        name = self.random.choice(list(ODD))
        self.name = f"odd {name}"
        return ODD[name](self)

    def move_out(self) -> Any:
        if not self.elsewhere:
            return
        node = self.below()
        etree.Element("outside").append(node)
        self.detached = [*self.detached[-5:], node]

    def edit_detached(self) -> Any:
        """An edit of something that has been removed: of no document, but an undo brings it back as it was."""
        if not self.detached:
            return
        top = self.random.choice(self.detached)
        node = self.random.choice([top, *top.iterdescendants()])
        kind = self.random.randrange(8)
        if not is_element(node):
            node.text = "other"
            node.tail = self.random.choice(TEXTS)
        elif kind == 0:
            node.tag = self.random.choice(TAGS)
        elif kind == 1:
            node.text = self.random.choice(TEXTS)
        elif kind == 2:
            node.tail = self.random.choice(TEXTS)
        elif kind == 3:
            node.attrib.clear()
            node.set("k", "edited")
        elif kind == 4:
            etree.SubElement(node, "a").text = "x"
        elif kind == 5:
            node[:] = list(reversed(node))
        elif kind == 6:
            node.clear()
        elif len(node):
            node.remove(node[0])

    def deep_copy(self) -> Any:
        node = copy.deepcopy(self.element())
        node.set("copied", "1")
        etree.SubElement(node, "a")
        node.tail = None

    def cycle(self) -> Any:
        element = self.element()
        inner = self.random.choice([node for node in element.iter() if is_element(node)])
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
