"""``set "target" = "value"`` (L7)."""

from __future__ import annotations

from lxml import etree

from ..rules.rule_programs import ActionProgram
from ..xpath import Environment, Selected
from .host import Host
from .nodes import nodes


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Writes a value to every attribute, text or element (the text before its first child); returns how many.

    An attribute that the last step of the target names is created where its element is there.
    """
    selection, value = program.target, program.value
    assert selection is not None and value is not None
    name = selection.attribute
    if name is not None and selection.owners is not None:
        owners = selection.owners(environment)
        targets = [owner for owner in owners if isinstance(owner, etree._Element) and host.contains(owner)]
    else:
        targets = nodes(selection, environment, host)
    if not targets:
        return 0
    text = value.string(environment)
    if len(targets) == 1:  # one call, and so one edit
        _write(targets[0], name, text)
        return 1
    host.begin_edit()
    try:
        for target in targets:
            _write(target, name, text)
    finally:
        host.end_edit()
    return len(targets)


def _write(node: Selected, attribute: str | None, text: str) -> None:
    """Writes a value to a node, or to an attribute of it."""
    if attribute is not None:
        node.set(attribute, text)
    else:
        write(node, text)


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
