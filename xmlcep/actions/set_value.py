"""``set "target" = "value"`` (L7)."""

from __future__ import annotations

from lxml import etree

from ..rules.rule_programs import ActionProgram
from ..xpath import Environment, Selected
from .host import Host


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Writes a value to every attribute, text or element (the text before its first child); returns how many.

    An attribute that the last step of the target names is created where its element is there.
    """
    selection, value = program.target, program.value
    assert selection is not None and value is not None
    if selection.owners is not None and selection.attribute is not None:
        owners = selection.owners(environment)
        if not owners:
            return 0
        text, name, count = value.string(environment), selection.attribute, 0
        for owner in owners:
            if isinstance(owner, etree._Element):
                owner.set(name, text)
                count += 1
        return count
    targets = selection.nodes(environment)
    if targets:
        text = value.string(environment)
        for target in targets:
            write(target, text)
    return len(targets)


def write(node: Selected, text: str) -> None:
    """Writes a value to a node."""
    if isinstance(node, etree._Element):
        node.text = text or None
        return
    parent = node.getparent()
    if parent is None:
        return
    if node.is_attribute:
        parent.set(node.attrname, text)
    elif node.is_tail:
        parent.tail = text or None
    else:
        parent.text = text or None
