"""A document reported as if it had just been inserted: its first event for rules that look at all of it (L11)."""

from __future__ import annotations

from .lxml_access import get_parent, walk
from .shadow.shadow import ShadowTree, shadow_of


def announce(tree: ShadowTree) -> None:
    """Emits the insertion of every node, in document order (E6), as one edit."""
    tree.open_subtree(tree.root)
    emit = tree.emit
    positions = {tree.root: 0}
    for entering, node in walk(tree.root):
        shadow = shadow_of(node)
        parent = None if node is tree.root else get_parent(node)
        if entering and shadow.trie is not None:
            position = None
            if parent is not None:
                position = positions[parent]
                positions[parent] += 1
            emit("ins", shadow.trie.path, shadow.ids or shadow.make_ids(), None, None, position or 0)
            for name, attribute in (shadow.attributes or {}).items():
                ids = (*(shadow.ids or ()), attribute.number)
                emit("ins", shadow.trie.attribute(name), ids, attribute.value, None, None)
            positions[node] = 0
            if shadow.text is not None:
                ids = (*(shadow.ids or ()), shadow.text_number)
                emit("ins", shadow.trie.text, ids, shadow.text, None, 0)
                positions[node] = 1
        elif not entering and parent is not None and shadow.tail is not None:
            above = shadow_of(parent)
            assert above.trie is not None
            ids = (*(above.ids or above.make_ids()), shadow.tail_number)
            emit("ins", above.trie.text, ids, shadow.tail, None, positions[parent])
            positions[parent] += 1
    tree.emitter.end_edit()
