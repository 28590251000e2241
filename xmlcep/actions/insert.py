"""``insert "fragment" last into "target"`` (L7)."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from ..algebra import Insert, Where
from ..rules.braces import text_of
from ..rules.fragments import ElementTemplate, Fragment
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment
from .errors import RefusedActionError
from .host import Host
from .nodes import Element, add_text, add_text_before, described, elements


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Puts a fragment at every target, each its own; returns how many targets there were."""
    action = program.action
    assert isinstance(action, Insert) and program.target is not None and program.fragment is not None
    targets = elements(program.target, environment, host)
    if not targets:
        return 0
    text, built = build(program.fragment, environment)
    copies = [built, *(build(program.fragment, environment)[1] for _ in targets[1:])]
    for target, children in zip(targets, copies, strict=True):
        put(text, children, action.where, target, host.root)
    return len(targets)


def build(fragment: Fragment, environment: Environment) -> tuple[str, list[Element]]:
    """A fragment with its values: the text it begins with, and its elements with the texts behind them."""
    return text_of(fragment.text, environment), [_built(child, environment) for child in fragment.children]


def _built(template: ElementTemplate, environment: Environment) -> Element:
    if template.node is not None:
        node = _copied(template.node)
        node.tail = text_of(template.tail, environment) or None
        return node
    element = etree.Element(template.tag, nsmap=_nsmap(template.prefixes))
    _fill(element, template, environment)
    return element


def _fill(element: Element, template: ElementTemplate, environment: Environment) -> None:
    for name, value in template.attributes:
        element.set(name, text_of(value, environment))
    element.text = text_of(template.text, environment) or None
    for child in template.children:
        if child.node is not None:
            element.append(_built(child, environment))
        else:
            _fill(etree.SubElement(element, child.tag, nsmap=_nsmap(child.prefixes)), child, environment)
    element.tail = text_of(template.tail, environment) or None


def _nsmap(prefixes: Mapping[str | None, str]) -> dict[str, str] | None:
    # lxml takes None for the default namespace, its type information does not.
    return dict(prefixes) if prefixes else None  # type: ignore[arg-type]


def _copied(node: Element) -> Element:
    """A comment or processing instruction."""
    if isinstance(node, etree._Comment):
        return etree.Comment(node.text)
    assert isinstance(node, etree._ProcessingInstruction)
    return etree.ProcessingInstruction(node.target, node.text)


def put(text: str, children: list[Element], where: Where, target: Element, root: Element) -> None:
    """Puts text and elements with the texts behind them at a target."""
    if where is Where.LAST_INTO:
        add_text(target, text)
        for child in children:
            target.append(child)
    elif where is Where.FIRST_INTO:
        _put_first(text, children, target)
    else:
        if target is root:
            raise RefusedActionError(
                f"nothing can stand beside the root element {described(target)}: put it into the root"
            )
        _put_beside(text, children, target, behind=where is Where.AFTER)


def _put_first(text: str, children: list[Element], target: Element) -> None:
    old = target.text or ""
    if not children:
        target.text = text + old
        return
    following = next((node for node in target if node not in children), None)
    if old:
        children[-1].tail = (children[-1].tail or "") + old
    if text != old:
        target.text = text or None
    _put_before(children, following, target)


def _put_beside(text: str, children: list[Element], target: Element, *, behind: bool) -> None:
    parent = target.getparent()
    assert parent is not None
    if not behind:
        if text:
            add_text_before(target, text)
        _put_before(children, target, parent)
        return
    tail = target.tail
    if not children:
        target.tail = text + (tail or "")
        return
    following = next((node for node in target.itersiblings() if node not in children), None)
    if tail:
        children[-1].tail = (children[-1].tail or "") + tail
    if (text or None) != (tail or None):
        target.tail = text or None
    _put_before(children, following, parent)


def _put_before(children: list[Element], following: Element | None, parent: Element) -> None:
    """Puts nodes with the texts behind them before a child of an element; None: behind the last."""
    for child in children:
        if following is None:
            parent.append(child)
        else:
            following.addprevious(child)
