"""Random documents and their changes, from a model that knows nothing of lxml: the tests' oracle."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from path_types import PathType
from xmlcep.events import PrimitiveEvent

NAMES = ("a", "b", "c", "{urn:x}a", "{urn:y}d")
TEXTS = ("one", " ", "\n  ", "<&>\"'", "ä€😀", "tab\tcr\rlf\n", "]]>")


@dataclass(eq=False)
class Node:
    id: int
    path: str
    value: str | None = None  # None: an element
    parent: Node | None = None
    attributes: list[Node] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    @property
    def ids(self) -> list[int]:
        return [*(self.parent.ids if self.parent else []), self.id]

    @property
    def name(self) -> str:
        return self.path.rpartition("/@")[2] if "/@" in self.path else _last_name(self.path)


def _last_name(path: str) -> str:
    depth = 0
    for index in range(len(path) - 1, -1, -1):
        depth += (path[index] == "}") - (path[index] == "{")
        if path[index] == "/" and not depth:
            return path[index + 1 :]
    raise AssertionError(path)


class RandomDocument:
    """A document that is changed at random; every change gives the events of rule E6."""

    names = NAMES
    texts = TEXTS

    def __init__(self, seed: int, doc: str = "d", start: int = 0) -> None:
        self.random = random.Random(seed)
        self.doc = doc
        self.ts = start
        self.next_id = 1
        self.root: Node | None = None
        self.txn: int | None = None
        self.meta: dict[str, str] | None = None

    def events(self, count: int) -> list[PrimitiveEvent]:
        """At least ``count`` further events."""
        made: list[PrimitiveEvent] = []
        while len(made) < count:
            made += self.change()
        return made

    def change(self) -> list[PrimitiveEvent]:
        """One edit (U1)."""
        made = self._change()
        return [event._replace(more=True) for event in made[:-1]] + made[-1:]

    def _change(self) -> list[PrimitiveEvent]:
        choose = self.random
        if self.root is None:
            return self._insert(None, 0, "/r")
        if choose.random() < 0.2:
            self.txn = (self.txn or 0) + 1
            self.meta = choose.choice([None, {"user": "ann", "why": "ünï"}])
        elements = [node for node in self._walk(self.root) if node.value is None]
        values = [node for node in self._walk(self.root) if node.value is not None]
        target = choose.choice(elements)
        kind = choose.choices(["element", "text", "attribute", "update", "delete"], [4, 4, 2, 3, 3])[0]
        if kind == "update" and values:
            node = choose.choice(values)
            old, node.value = node.value, choose.choice([t for t in self.texts if t != node.value])
            return [self._event("upd", node, old=old)]
        if kind == "delete":
            node = choose.choice([*elements[1:], *values] or [self.root])
            if node is not self.root or choose.random() < 0.02:
                return self._delete(node)
        if kind == "attribute":
            name = choose.choice(self.names)
            if all(attribute.name != name for attribute in target.attributes):
                return self._insert(target, None, f"{target.path}/@{name}")
        position = choose.randint(0, len(target.children))
        if kind == "text":
            return self._insert(target, position, f"{target.path}/text()")
        return self._insert(target, position, f"{target.path}/{choose.choice(self.names)}")

    def xml(self) -> str:
        """The document as XML text, written without any XML library."""
        assert self.root is not None
        return self._xml(self.root)

    def snapshot(self) -> tuple[str, list[int]]:
        """XML text and ids as a log's header holds them; comments keep adjacent texts apart."""
        assert self.root is not None
        return self._xml(self.root, separator="<!--x-->"), [node.id for node in self._walk(self.root)]

    def _walk(self, node: Node) -> list[Node]:
        below = [found for child in node.children for found in self._walk(child)]
        return [node, *node.attributes, *below]

    def _insert(self, parent: Node | None, position: int | None, path: str) -> list[PrimitiveEvent]:
        element = position is not None and not path.endswith("text()")
        node = Node(self.next_id, path, None if element else self.random.choice(self.texts), parent)
        self.next_id += 1
        if parent is None:
            self.root = node
        elif position is None:
            parent.attributes.append(node)
        else:
            parent.children.insert(position, node)
        made = [self._event("ins", node, pos=position)]
        if element and self.random.random() < 0.3:
            made += self._insert(node, 0, f"{path}/text()")
        return made

    def _delete(self, node: Node) -> list[PrimitiveEvent]:
        made = []
        for child in reversed([*node.attributes, *node.children]):
            made += self._delete(child)
        made.append(self._event("del", node, old=node.value))
        if node.parent is None:
            self.root = None
        elif node in node.parent.attributes:
            node.parent.attributes.remove(node)
        else:
            node.parent.children.remove(node)
        return made

    def _event(
        self, op: str, node: Node, *, old: str | None = None, pos: int | None = None
    ) -> PrimitiveEvent:
        self.ts += 1
        value = None if op == "del" else node.value
        at = self.random.choice([None, "2026-01-02T03:04:05.678Z"])
        return PrimitiveEvent(
            self.ts, op, PathType.parse(node.path), tuple(node.ids), value, old, pos, at, self.doc, self.txn,
            self.meta,
        )  # fmt: skip

    def _xml(self, node: Node, separator: str = "") -> str:
        declared, tag = _prefixed(node.name, "p")
        attributes = ""
        for number, attribute in enumerate(node.attributes):
            namespace, name = _prefixed(attribute.name, f"q{number}")
            attributes += f"{namespace} {name}={quoteattr(attribute.value or '', _ENTITIES)}"
        inside, before = "", None
        for child in node.children:
            if child.value is None:
                inside += self._xml(child, separator)
            else:
                inside += separator if before is not None and before.value is not None else ""
                inside += escape(child.value, {"\r": "&#13;"})
            before = child
        return f"<{tag}{declared}{attributes}>{inside}</{tag}>"


_ENTITIES = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


def _prefixed(name: str, prefix: str) -> tuple[str, str]:
    if not name.startswith("{"):
        return "", name
    uri, local = name[1:].split("}")
    if uri == "http://www.w3.org/XML/1998/namespace":
        return "", f"xml:{local}"  # the one prefix that cannot be another
    return f' xmlns:{prefix}="{uri}"', f"{prefix}:{local}"
