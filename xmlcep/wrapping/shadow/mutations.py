"""Single mutations: a text, an attribute, a subtree that came, went or was renamed (rule E6).

Each brings the shadow tree in step with an lxml tree that has changed already, and emits the events.

One module because a node that comes, goes or is renamed does so with its texts and attributes, and all of them keep
the same counts, links and journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ..lxml_access import (
    Element,
    Node,
    attribute_names,
    attributes_of,
    get_next,
    get_parent,
    get_tail,
    get_text,
    index_of,
    is_element,
    name_of,
    number_of_children,
    walk,
)
from .baseline import First
from .shadow import (
    ShadowAttribute,
    ShadowNode,
    ShadowTree,
    Tracked,
    entry_of,
    leave,
    new_shadow_node,
    parents_told,
    shadow_of,
    visible,
)

_new = tuple.__new__

Emit: TypeAlias = Callable[..., None]
"""`Emitter.emit`, or `Emitter.emit_alone` where this is all the edit does."""


def touch(tree: ShadowTree, node: Node, shadow: ShadowNode) -> None:
    """``shadow`` is about to change: keeps what will be asked for again."""
    if shadow.pristine:
        shadow.pristine = False
        tree.original.first[node] = First.of(shadow)
    if tree.journal is not None:
        tree.journal.keep(shadow)


def write_down(node: Node, shadow: ShadowNode) -> None:
    """For the undo of the transaction: what an element, changed by somebody nobody has seen, was like."""
    journal = shadow.tree.journal
    if journal is None or shadow.trie is None:
        return
    children = []
    for child in shadow.tree.children(shadow):
        # White space that is left out is in no shadow: where the rest is as it was, so it is taken for that.
        tail, now = shadow_of(child).tail, get_tail(child)
        children.append((child, now if visible(now, shadow.element_only) == tail else tail))
    text = get_text(node)
    if visible(text, shadow.element_only) != shadow.text:
        text = shadow.text
    journal.was(node, shadow.trie.name, shadow.values(), text, children)


def remember(tree: ShadowTree, node: Node) -> None:
    """For the undo of the transaction: what a node, of which anything may change now, is like.

    Where others may have edited it unseen, that is what events have reported: what is there now may belong elsewhere.
    """
    assert tree.journal is not None
    if tree.foreign and is_element(node):
        write_down(node, shadow_of(node))
    else:
        tree.journal.whole(node)


def _write_down_all(tree: ShadowTree, node: Node, shadow: ShadowNode) -> None:
    pending = [(node, shadow)]
    while pending:
        top, known = pending.pop()
        write_down(top, known)
        pending += [(child, shadow_of(child)) for child in tree.children(known)]


# --- texts and attributes


def change_text(tree: ShadowTree, node: Node, shadow: ShadowNode, value: str | None, emit: Emit) -> None:
    """The text before the first child of ``node`` is now ``value``."""
    old = shadow.text
    if value == old:
        return
    if shadow.pristine or tree.journal is not None:
        touch(tree, node, shadow)
    operation = "upd" if old is not None and value is not None else _comes_or_goes(shadow, old)
    if old is None:
        shadow.text_number = tree.clock.new_id()
    shadow.text = value
    ids = (*(shadow.ids or shadow.make_ids()), shadow.text_number)
    emit(operation, shadow.trie.text, ids, value, old, 0 if old is None else None)  # type: ignore[union-attr]


def change_tail(
    tree: ShadowTree, node: Node, shadow: ShadowNode, value: str | None, emit: Emit, pos: int | None = None
) -> None:
    """The text behind ``node`` is now ``value``; ``pos`` is its index, if known, should it be new."""
    old, parent = shadow.tail, shadow.parent
    if value == old or parent is None:
        return
    if shadow.pristine or tree.journal is not None:
        touch(tree, node, shadow)
    if old is not None:
        pos = None
    elif pos is None:
        pos = _tail_position(tree, node, parent)
    if tree.journal is not None:
        tree.journal.keep(parent)
    operation = "upd" if old is not None and value is not None else _comes_or_goes(parent, old)
    if old is None:
        shadow.tail_number = tree.clock.new_id()
    shadow.tail = value
    ids = (*(parent.ids or parent.make_ids()), shadow.tail_number)
    emit(operation, parent.trie.text, ids, value, old, pos)  # type: ignore[union-attr]


def _comes_or_goes(parent: ShadowNode, old: str | None) -> str:
    """Counts a text node below ``parent`` that comes, or (if there was one) goes; returns which."""
    change = 1 if old is None else -1
    parent.count += change
    parent.texts += change
    return "ins" if old is None else "del"


def change_attribute(
    tree: ShadowTree, node: Node, shadow: ShadowNode, name: str, value: str | None, emit: Emit
) -> None:
    """The attribute ``name`` is now ``value``; None: it is not there.

    Raises `RefusedError`, before anything is known of it, for a new one whose name XML has not.
    """
    known = shadow.attributes and shadow.attributes.get(name)
    old = known.value if known else None
    if value == old:
        return
    if shadow.pristine or tree.journal is not None:
        touch(tree, node, shadow)
    trie: Any = shadow.trie
    path = trie.attributes.get(name) or trie.attribute(name)
    operation = "upd"
    if value is None:
        operation = "del"
        del shadow.attributes[name]  # type: ignore[union-attr]
    elif known:
        known = _new(ShadowAttribute, (value, known.number))
        shadow.attributes[name] = known  # type: ignore[index]
    else:
        operation = "ins"
        known = tree.new_attribute(shadow, name, value)
    emit(operation, path, (*(shadow.ids or shadow.make_ids()), known.number), value, old, None)  # type: ignore[union-attr]


def change_attributes(tree: ShadowTree, node: Node, shadow: ShadowNode) -> None:
    """Any attributes of ``node`` may have changed: emits what the difference to its shadow is."""
    now = attributes_of(node)
    known = shadow.attributes
    if not now and not known:
        return
    emit = tree.emit
    values = dict(now)
    for name in [name for name in reversed(known or {}) if name not in values]:
        change_attribute(tree, node, shadow, name, None, emit)
    for name, value in now:
        change_attribute(tree, node, shadow, name, value, emit)
    known = shadow.attributes
    if known and list(known) != list(values):
        shadow.attributes = {name: known[name] for name in values}


# --- positions among the child nodes

_FEW, _MANY = 100, 1000
"""Few nodes before one are looked at where lxml would count many behind it."""


def position(
    tree: ShadowTree, node: Node, parent: ShadowNode, elements: int | None = None, texts: int | None = None
) -> int:
    """The number of child nodes before ``node``.

    ``elements`` and ``texts`` are how many its parent has besides the node and the text behind it; by default what the
    shadow of the parent has, in which the node is not counted then.
    """
    above = get_parent(node)
    index = index_of(above, node)
    if not tree.ignore_whitespace and (index > _FEW or parent.count < _MANY):
        others = number_of_children(above) - 1
        texts = parent.texts if texts is None else texts
        first = 1 if parent.text is not None else 0
        if (
            parent.count - parent.texts if elements is None else elements
        ) == others:  # no comments among them
            if texts == first:  # none behind any of them
                return index + first  # type: ignore[no-any-return]
            if texts == others + 1:  # one before, between and behind all of them
                return 2 * index + 1  # type: ignore[no-any-return]
            before = list(Element.itersiblings(node, preceding=True))
            return len(before) + first + sum(map(bool, map(get_tail, before)))
    before = list(Element.itersiblings(node, preceding=True))
    slots = [get_text(above), *map(get_tail, before)]
    return sum(map(is_element, before)) + sum(
        visible(text, parent.element_only) is not None for text in slots
    )


def _tail_position(tree: ShadowTree, node: Node, parent: ShadowNode) -> int:
    """Where a text behind ``node`` will be, which its parent does not have yet."""
    if get_next(node) is None:
        return parent.count
    own = int(is_element(node))
    return position(tree, node, parent, parent.count - parent.texts - own) + own


# --- nodes that come


def insert(
    tree: ShadowTree, node: Node, parent: ShadowNode | None, pos: int, prev: Node, *, tail: bool = True
) -> None:
    """A subtree is new below ``parent``, at child index ``pos``: emits it in document order, then its tail.

    It becomes the last child in the shadow; linking the sibling behind it is the caller's business (`link`).
    """
    emit = tree.emit
    with tree.reading():
        for entering, each in walk(node):
            if entering:
                if entry_of(each) is not None:
                    take_over(tree, each)
                if each is node:
                    _insert_node(tree, each, parent, pos, prev)
                else:
                    holder = shadow_of(get_parent(each))
                    _insert_node(tree, each, holder, holder.count, holder.last)
            else:
                shadow = shadow_of(each)
                above = shadow.parent
                if above is None or (each is node and not tail):
                    continue
                behind = visible(get_tail(each), above.element_only)
                if behind is not None:
                    own = pos + (shadow.trie is not None)
                    change_tail(tree, each, shadow, behind, emit, own if each is node else above.count)


def insert_leaf(tree: ShadowTree, node: Node, name: str, parent: ShadowNode) -> None:
    """An element without children and texts is the new last child of ``parent``; all its edit does is that.

    Raises `RefusedError`, before anything is done, for a name that XML has not.
    """
    names = attribute_names(node)
    if names:
        check_leaf(name, names, parent)
    above: Any = parent.trie
    trie = above.children.get(name) or above.child(name)
    tree.delivery.changing = True
    # As `ShadowTree.new_shadow` and `Clock.new_id` do, without their calls: of all edits this is the most frequent.
    clock = tree.clock
    clock.next_id = 1 + (number := clock.next_id)
    if tree.index is not None:
        tree.index[number] = node
    shadow = new_shadow_node(node, tree, parent, trie, number, parent.last)
    pos = parent.count
    parent.last = node
    parent.count = pos + 1
    # Not kept: most leaves stay as they are, and each tuple kept makes Python collect garbage sooner.
    ids = (*(parent.ids or parent.make_ids()), number)
    if not names:
        tree.emit_alone("ins", trie.path, ids, None, None, pos)
        return
    emit = tree.emit
    emit("ins", trie.path, ids, None, None, pos)
    for key, value in attributes_of(node):
        change_attribute(tree, node, shadow, key, value, emit)
    tree.end_edit()


def check_leaf(name: str, names: Iterable[str], parent: ShadowNode) -> None:
    """Raises `RefusedError` if an element below ``parent``, or an attribute of it, cannot be called so."""
    trie = parent.trie.child(name)  # type: ignore[union-attr]
    for each in names:
        trie.attribute(each)


def _insert_node(tree: ShadowTree, node: Node, parent: ShadowNode | None, pos: int, prev: Node) -> None:
    if tree.journal is not None:
        tree.journal.came(node)
        if parent is not None:
            tree.journal.keep(parent)
    if not isinstance(node, Tracked):
        tree.add_foreign(node)
    name = name_of(node)
    if parent is not None:
        parent.last = node
    if name is None:
        new_shadow_node(node, tree, parent, None, 0, prev)
        if tree.journal is not None:
            tree.journal.whole(node)
        return
    shadow = tree.new_shadow(node, name, parent, prev)
    shadow.element_only = tree.has_element_only_content(node)
    if parent is not None:
        parent.count += 1
    assert shadow.trie is not None
    emit = tree.emit
    emit("ins", shadow.trie.path, shadow.make_ids(), None, None, pos)
    for key, value in attributes_of(node):
        change_attribute(tree, node, shadow, key, value, emit)
    text = visible(get_text(node), shadow.element_only)
    if text is not None:
        change_text(tree, node, shadow, text, emit)


def take_over(tree: ShadowTree | None, node: Node) -> None:
    """A node has gone, unseen, from where the shadow (perhaps of another document than ``tree``) has it: emits that."""
    entry = entry_of(node)
    if type(entry) is not ShadowNode:
        assert isinstance(entry, ShadowTree)
        entry.lose(node)
        return
    owner, above = entry.tree, entry.parent
    owner.delivery.changing = True
    if owner is not tree and tree is not None:
        tree.others.append(owner)
    if above is not None:
        if owner.journal is not None:
            for site in parents_told([node]):
                write_down(site, above)  # an undo puts it there again
        behind = None
        for child in owner.backwards(above):
            if child is node:
                remove(owner, node, entry)
                unlink(owner, entry, behind)
                return
            behind = child  # to the end where C code had moved the node before events first reported it
    remove(owner, node, entry)


def take_over_below(tree: ShadowTree, node: Node) -> None:
    """Before a subtree comes that may have taken nodes unseen: emits these first, for they have had places, too."""
    if number_of_children(node):
        with tree.reading():
            for each in Element.iterdescendants(node):
                if entry_of(each) is not None:
                    take_over(tree, each)


# --- nodes that go


def remove(tree: ShadowTree, node: Node, shadow: ShadowNode) -> None:
    """A subtree (which may be elsewhere by now) has gone: emits its tail, then the subtree in reverse order.

    Its parent's list of children is the caller's business (`unlink`), afterwards: a node that is in no list and still
    there, for somebody has interrupted, would never be reported.
    """
    if shadow.last is not None:
        tree.open_subtree(node)
    if tree.foreign and tree.journal is not None:
        _write_down_all(tree, node, shadow)
    emit = tree.emit
    if shadow.tail is not None:
        change_tail(tree, node, shadow, None, emit)
    above = shadow.parent
    if above is not None and shadow.trie is not None:
        if tree.journal is not None:
            tree.journal.keep(above)
        above.count -= 1
    stack = [(node, shadow, shadow.last)]
    while stack:
        top, known, child = stack.pop()
        if child is None:
            _remove_node(tree, top, known, emit)
            holder = known.parent
            if top is not node and holder is not None and holder.ids is None and known.ids is not None:
                holder.ids = known.ids[:-1]  # made anew at each level they would cost all levels above
            continue
        below = shadow_of(child)
        stack.append((top, known, below.prev))
        stack.append((child, below, below.last))
        if below.tail is not None and known.trie is not None:
            ids = (*(known.ids or known.make_ids()), below.tail_number)
            emit("del", known.trie.text, ids, None, below.tail, None)


def _remove_node(tree: ShadowTree, node: Node, shadow: ShadowNode, emit: Emit) -> None:
    if shadow.pristine:
        shadow.pristine = False
        tree.original.first[node] = First.of(shadow)
    if tree.journal is not None:
        tree.journal.went(node, shadow)
        if not tree.foreign or shadow.trie is None:  # else it has been written down
            tree.journal.whole(node)
    trie = shadow.trie
    if trie is not None:
        ids = shadow.ids or shadow.make_ids()
        if shadow.text is not None:
            emit("del", trie.text, (*ids, shadow.text_number), None, shadow.text, None)
        if shadow.attributes:
            for name, attribute in reversed(shadow.attributes.items()):
                emit("del", trie.attribute(name), (*ids, attribute.number), None, attribute.value, None)
        emit("del", trie.path, ids, None, None, None)
        if tree.index is not None:
            tree.index.pop(shadow.number, None)
    if tree.foreign:
        tree.foreign.pop(node, None)
    leave(node)


# --- the list of siblings


def unlink(tree: ShadowTree, shadow: ShadowNode, following: Node) -> None:
    """Takes a node out of its parent's list of children; ``following`` is its next sibling there (None: it is last)."""
    above = shadow.parent
    assert above is not None
    if following is None:
        if tree.journal is not None:
            tree.journal.keep(above)
        above.last = shadow.prev
    else:
        link(tree, following, shadow.prev)


def link(tree: ShadowTree, node: Node, prev: Node) -> None:
    """The sibling before ``node`` is now ``prev``."""
    shadow = shadow_of(node)
    touch(tree, node, shadow)
    shadow.prev = prev


# --- a name


def rename(tree: ShadowTree, node: Node) -> None:
    """The name of ``node`` (whose subtree has shadow nodes) has changed: it is another node now (del, then ins).

    The text behind it is its parent's and stays as it is.
    """
    shadow = shadow_of(node)
    parent = shadow.parent
    if parent is None:
        remove(tree, node, shadow)
        insert(tree, node, None, 0, None)
        return
    touch(tree, node, shadow)
    if tree.journal is not None:
        tree.journal.keep(parent)
    tail, shadow.tail = shadow.tail, None
    last = parent.last
    remove(tree, node, shadow)
    pos = position(tree, node, parent, texts=parent.texts - (tail is not None))
    insert(tree, node, parent, pos, shadow.prev, tail=False)
    renamed = shadow_of(node)
    renamed.tail, renamed.tail_number = tail, shadow.tail_number
    parent.last = last
