"""Random trees and edits of them, and how two documents are compared."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import strategies as st
from lxml import etree

TAGS = ("a", "b", "item", "{urn:x}c")
TEXTS = (None, None, "t", " ", "\n  ", "\u00a0", "u v", "é<&>")
NAMES = ("k", "l", "{urn:x}m")


def random_tree(random: Random, depth: int) -> Any:
    """An element with attributes, texts, comments, instructions and children."""
    element = etree.Element(random.choice(TAGS))
    for name in NAMES:
        if random.random() < 0.25:
            element.set(name, random.choice("123"))
    if random.random() < 0.2:
        element.set("id", str(random.randint(1, 9)))
    element.text = random.choice(TEXTS)
    for _ in range(random.randint(0, 4) if depth else 0):
        kind = random.random()
        if kind < 0.08:
            child: Any = etree.Comment(f"c{random.randint(0, 2)}")
        elif kind < 0.12:
            child = etree.ProcessingInstruction("p", random.choice((None, "q")))
        else:
            child = random_tree(random, depth - 1)
        child.tail = random.choice(TEXTS)
        element.append(child)
    return element


def edited(random: Random, root: Any) -> Any:
    """A copy with up to six edits: texts, attributes, subtrees that come, go, are moved or renamed."""
    root = deepcopy(root)
    for _ in range(random.randint(0, 6)):
        elements = [node for node in root.iter() if isinstance(node.tag, str)]
        element, kind = random.choice(elements), random.random()
        if kind < 0.2:
            element.text = random.choice(TEXTS)
        elif kind < 0.3:
            element.set(random.choice(NAMES), random.choice("12345"))
        elif kind < 0.35 and element.keys():
            del element.attrib[random.choice(element.keys())]
        elif kind < 0.5:
            new = random_tree(random, 1)
            new.tail = random.choice(TEXTS)
            element.insert(random.randint(0, len(element)), new)
        elif element is root:
            element.tag = random.choice((*["a"] * 3, element.tag))
        elif kind < 0.65:
            element.getparent().remove(element)
        elif kind < 0.9:
            target = random.choice(elements)
            if target not in set(element.iter()):
                target.insert(random.randint(0, len(target)), element)
        else:
            element.tail = random.choice(TEXTS)
    return root


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two trees, mostly one an edited copy of the other."""
    random = draw(st.randoms(use_true_random=False))
    old = random_tree(random, random.randint(1, 4))
    return old, edited(random, old) if random.random() < 0.8 else random_tree(random, random.randint(0, 3))


def canonical(root: Any) -> str:
    """A tree as canonical XML with comments, whatever its prefixes."""
    text = etree.tostring(root, encoding="unicode", with_tail=False)
    return str(etree.canonicalize(text, with_comments=True, rewrite_prefixes=True))


def eventful(root: Any) -> Any:
    """A copy without comments and processing instructions, which give no events."""
    root = deepcopy(root)
    etree.strip_elements(root, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    return root


def unindented(root: Any) -> Any:
    """A copy without the white space of element-only content."""
    root = deepcopy(root)
    for element in root.iter():
        children = list(element)
        texts = [element.text, *(child.tail for child in children)]
        elements = any(isinstance(child.tag, str) for child in children)
        if elements and not any(text and text.strip(" \t\r\n") for text in texts):
            element.text = None
            for child in children:
                child.tail = None
    return root
