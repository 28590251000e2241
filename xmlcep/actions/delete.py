"""``delete "target"`` (L7)."""

from __future__ import annotations

from ..rules.rule_programs import ActionProgram
from ..xpath import Environment, Selected
from .errors import RefusedActionError
from .host import Host
from .nodes import described, is_element, keep_tail, nodes


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Takes all targets out of the document; returns how many there were. The text behind an element stays."""
    assert program.target is not None
    targets = nodes(program.target, environment, host)
    # Texts first: those behind elements are joined to others when these go.
    for node in reversed(targets):
        if not is_element(node):
            take_out(node, host)
    for node in reversed(targets):
        if is_element(node):
            take_out(node, host)
    return len(targets)


def take_out(node: Selected, host: Host) -> None:
    """Takes a node out of the document; one that has gone meanwhile is skipped."""
    if is_element(node):
        if node is host.root:
            raise RefusedActionError(
                f"the root element {described(node)} cannot be deleted: delete what is in it"
            )
        if host.contains(node):
            keep_tail(node)
            node.getparent().remove(node)
        return
    parent = node.getparent()
    if parent is None:
        return
    if node.is_attribute:
        if parent.get(node.attrname) is not None:
            del parent.attrib[node.attrname]
    elif node.is_tail:
        parent.tail = None
    else:
        parent.text = None
