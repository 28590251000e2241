"""Readable paths of nodes: ``/order/items/item[@partNum='872-AA']/price``, names as the document writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from path_types.names import local_name, name_parts

from .keys import USUAL_KEYS
from .outline import Node, Outline

_LONGEST_KEY = 60


class Paths:
    """The paths of the nodes of an outline; what is found of one child list is kept for the next node in it."""

    def __init__(self, tree: Outline) -> None:
        self._tree = tree
        self._steps: dict[int, dict[int, str]] = {}  # by parent, by child
        self._texts: dict[int, dict[int, int]] = {}

    def element(self, node: int) -> str:
        """The path of an element, comment or processing instruction."""
        steps = []
        while node >= 0:
            steps.append(self._step(node))
            node = self._tree.parent[node]
        return "/" + "/".join(reversed(steps))

    def attribute(self, node: int, name: str) -> str:
        """The path of an attribute of an element."""
        return f"{self.element(node)}/@{written(self._tree.nodes[node], name)}"

    def text(self, node: int) -> str:
        """The path of the text before the first child of an element."""
        return f"{self.element(node)}/text()"

    def tail(self, node: int) -> str:
        """The path of the text behind a child: a text node of its parent, one of several perhaps."""
        parent = self._tree.parent[node]
        places = self._texts.get(parent)
        if places is None:
            places = self._texts[parent] = {}
            count = 1 if self._tree.text[parent] is not None else 0
            for child in self._tree.children(parent):
                count += self._tree.tail[child] is not None
                places[child] = count
        number = places[node]
        return f"{self.element(parent)}/text(){f'[{number}]' if number > 1 else ''}"

    def _step(self, node: int) -> str:
        parent = self._tree.parent[node]
        if parent < 0:
            return step_name(self._tree.nodes[node])
        steps = self._steps.get(parent)
        if steps is None:
            steps = self._steps[parent] = self._named(parent)
        return steps[node]

    def _named(self, parent: int) -> dict[int, str]:
        """The steps to the children of an element: with a key or a number where several have one name."""
        groups: dict[str, list[int]] = {}
        for child in self._tree.children(parent):
            groups.setdefault(step_name(self._tree.nodes[child]), []).append(child)
        steps = {}
        for name, group in groups.items():
            nodes = [self._tree.nodes[child] for child in group]
            for child, predicate in zip(group, predicates(nodes), strict=True):
                steps[child] = name + predicate
        return steps


def predicates(nodes: Sequence[Node]) -> list[str]:
    """What tells siblings of one name from each other: ``[@id='1']`` by the first attribute that does, ``[2]``, or
    nothing for an only one."""
    if len(nodes) == 1:
        return [""]
    attributes = [dict(node.items()) for node in nodes]
    for name in dict.fromkeys((*USUAL_KEYS, *attributes[0])):
        values = [own.get(name, "") for own in attributes]
        if name in USUAL_KEYS:
            counts = Counter(values)
            fit = [counts[value] == 1 and _is_readable(value) for value in values]
            if any(fit):
                break
        elif len(set(values)) == len(values) and all(map(_is_name, values)):
            fit = [True] * len(values)
            break
    else:
        return [f"[{number}]" for number in range(1, len(nodes) + 1)]
    return [
        _predicate(node, name, value) if fits else f"[{number}]"
        for number, (node, value, fits) in enumerate(zip(nodes, values, fit, strict=True), 1)
    ]


def _predicate(node: Node, name: str, value: str) -> str:
    quote = '"' if "'" in value else "'"
    return f"[@{written(node, name)}={quote}{value}{quote}]"


def _is_readable(value: str) -> bool:
    """Whether a value can be shown in a path: not long, no odd characters, no quotes of both kinds."""
    return 0 < len(value) <= _LONGEST_KEY and value.isprintable() and not ("'" in value and '"' in value)


def _is_name(value: str) -> bool:
    """Whether a value may be what an element is known by: a number is more likely a count or a size."""
    return _is_readable(value) and not value.replace(".", "", 1).removeprefix("-").isdecimal()


def step_name(node: Node) -> str:
    """The name of an element as it is written; ``comment()``, ``processing-instruction()`` for those."""
    tag = node.tag
    if isinstance(tag, str):
        local = local_name(tag)
        return f"{node.prefix}:{local}" if node.prefix else local
    return "processing-instruction()" if hasattr(node, "target") else "comment()"


def written(node: Node, name: str) -> str:
    """The name of an attribute of ``node`` as it is written there, with a prefix if it has a namespace."""
    uri, local = name_parts(name)
    if not uri:
        return name
    if uri == "http://www.w3.org/XML/1998/namespace":
        return f"xml:{local}"
    prefixes = [prefix for prefix, there in node.nsmap.items() if there == uri and prefix]
    return f"{prefixes[0]}:{local}" if prefixes else name
