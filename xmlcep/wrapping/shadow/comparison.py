"""A tree against its shadow: where they differ, and how. Whatever looks for edits that nobody has seen asks here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any

from ...xml_parser import parse_own
from ..errors import RefusedError
from ..lxml_access import (
    Element,
    Node,
    attribute_names,
    attributes_of,
    get_next,
    get_parent,
    get_previous,
    get_tag,
    get_tail,
    get_text,
    iter_children,
    name_of,
    place,
)
from .baseline import First
from .shadow import ShadowNode, ShadowTree, entry_of, nodes_of, shadow_of, visible

_UNSEEN = "was put into the tree unseen"


def differences(tree: ShadowTree) -> list[str]:
    """How the tree differs from its shadow, and where nothing was ever emitted, from the tree as it was wrapped."""
    with tree.reading():
        return list(_differences(tree))


def _differences(tree: ShadowTree) -> Iterator[str]:
    present = list(Element.iter(tree.root))
    for node in present:
        for where, problem in compare(tree, node):
            yield f"{place(where)}: {problem}"
    inside = set(present)
    for node in (*nodes_of(tree), *tree.original.lost):
        if node not in inside:
            yield f"{node!r}: has left the tree unseen"
    yield from _since_wrapped(tree, tree.original.nodes)


def compare(tree: ShadowTree, node: Node) -> Generator[tuple[Node, str], None, None]:
    """How a node's contents and its children differ from what events have reported, in order.

    Each with the node that it is said of. A child's name and the text behind it are its parent's business.
    """
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or shadow.tree is not tree:
        if shadow is not tree and (node is tree.root or type(entry_of(get_parent(node))) is not ShadowNode):
            yield node, _UNSEEN  # else its parent says so
        return
    if shadow.trie is None:
        return
    if node is tree.root and not has_its_name(node):
        yield node, _name_told(node)
    text = visible(get_text(node), shadow.element_only)
    if text != shadow.text:
        yield node, _told("its text", text, shadow.text)
    elif (attribute_names(node) or shadow.attributes) and shadow.values() != attributes_of(node):
        yield node, _told("its attributes", attributes_of(node), shadow.values())
    previous: Node = None
    for child in iter_children(node):
        problem = _of_child(child, shadow, previous)
        if problem is not None:
            yield child, problem
        previous = child
    if shadow.last is not previous:
        yield node, "its last child is not the one that the events say"
    if tree.ignore_whitespace and tree.has_element_only_content(node) != shadow.element_only:
        yield node, "white space in it is a text where it was none, or the other way round"


def _of_child(child: Node, above: ShadowNode, previous: Node) -> str | None:
    """How a child, behind ``previous``, differs: its place, its name, the text behind it."""
    known = entry_of(child)
    if type(known) is ShadowNode and known.parent is above and known.prev is previous:
        tail = visible(get_tail(child), above.element_only)
        if tail != known.tail:
            return _told("the text behind it", tail, known.tail)
        trie = known.trie
        return (
            None if trie is None or trie.name == get_tag(child) or has_its_name(child) else _name_told(child)
        )
    if type(known) is ShadowNode and known.tree is above.tree:
        return f"is {'behind another sibling' if known.parent is above else 'elsewhere'} than the events say"
    return None if known is above.tree else _UNSEEN


def has_its_name(node: Node) -> bool:
    """Whether a node that has a shadow node is called what events have reported."""
    shadow = entry_of(node)
    return type(shadow) is not ShadowNode or shadow.trie is None or bool(shadow.trie.name == name_of(node))


def has_its_place(node: Node) -> bool:
    """Whether a node is the child that events have reported, between the same neighbours."""
    above, behind = entry_of(get_parent(node)), get_next(node)
    return (
        type(above) is ShadowNode
        and _of_child(node, above, get_previous(node)) is None
        and (above.last is node if behind is None else _of_child(behind, above, node) is None)
    )


def is_elsewhere(node: Node, shadow: ShadowNode) -> bool:
    """Whether somebody has taken ``node`` from where events have reported it to be."""
    return shadow.parent is not None and entry_of(get_parent(node)) is not shadow.parent


def different(tree: ShadowTree, nodes: Iterable[Node]) -> list[Node]:
    """Those nodes, of all that events have reported, that differ from their shadow, each once."""
    told = [node for node in dict.fromkeys(nodes) if type(entry_of(node)) is ShadowNode]
    return [node for node in told if differs(tree, node)]


def differs(tree: ShadowTree, node: Node) -> bool:
    """Whether `compare` finds anything."""
    found = compare(tree, node)
    first = next(found, None)
    found.close()  # here: what interrupts it, where Python does so, is lost
    return first is not None


def _name_told(node: Node) -> str:
    return _told("its name", name_of(node), shadow_of(node).trie.name)  # type: ignore[union-attr]


def _told(what: str, now: Any, told: Any) -> str:
    return f"{what} is {now!r}; the events say {told!r}"


# --- a tree against what it was when it was wrapped


def _since_wrapped(tree: ShadowTree, nodes: Sequence[Node]) -> Iterator[str]:
    """How these nodes, all that were wrapped, differ from then; those that events have reported, as they were then."""
    try:
        before = list(parse_own(tree.original.text).iter())
    except ValueError as error:
        raise RefusedError(
            f"the document {tree.name!r} cannot be verified: as it was when it was wrapped it cannot be parsed"
            f" again: {error}"
        ) from error
    # By identity: from the outermost to the innermost, as a dict lets go of its keys, lxml walks up from each.
    index = {id(old): number for number, old in enumerate(before)}
    told = [_first(tree, node) for node in nodes]
    for node, old, known in zip(nodes, before, told, strict=True):
        parent, previous = old.getparent(), old.getprevious()
        above = None if parent is None else index[id(parent)]
        behind = None if previous is None else nodes[index[id(previous)]]
        if known is None:
            if above is not None and (
                get_parent(node) is not nodes[above] or get_previous(node) is not behind
            ):
                yield f"{node!r}: is elsewhere than when it was wrapped"
            elif (now := _contents(node)) != (was := _contents(old)):
                yield f"{node!r}: was {was} when it was wrapped, and is {now}"
            continue
        first = None if above is None else told[above]
        if known.contents != (was := _contents(old, tree.has_element_only_content)):
            yield f"{node!r}: was {was} when it was wrapped, and {known.contents} at its first event"
        elif (
            known.parent is not None
            if above is None
            else first is None or first.number != known.parent or known.previous is not behind
        ):
            yield f"{node!r}: was elsewhere at its first event than when it was wrapped"


def _first(tree: ShadowTree, node: Node) -> First | None:
    """What a node was when events first reported it; None if no event has, or only that it is not here any more."""
    entry = entry_of(node)
    if type(entry) is ShadowNode and entry.tree is tree and entry.pristine:
        return First.of(entry)
    return tree.original.first.get(node)


def _contents(node: Node, is_element_only: Callable[[Node], bool] = lambda _: False) -> tuple[Any, ...]:
    """Name, text, tail and attributes of a node, of other nodes than elements the tail; white space in elements that
    are so is left out."""
    parent, name = get_parent(node), name_of(node)
    tail = None if parent is None else visible(get_tail(node), is_element_only(parent))
    if name is None:
        return (tail,)
    return (name, visible(get_text(node), is_element_only(node)), tail, dict(attributes_of(node)))
