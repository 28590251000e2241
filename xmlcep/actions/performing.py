"""What each action does (L7): a function for each kind, which returns how many nodes it was done to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lxml import etree

from ..algebra import Action, Call, Delete, Insert, Move, Raise, Replace, SetValue, Where
from ..rules.braces import text_of
from ..rules.fragments import ElementTemplate, Fragment
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment, Selected
from .errors import RefusedActionError
from .nodes import (
    Element,
    Host,
    add_text,
    add_text_before,
    described,
    elements,
    is_element,
    keep_tail,
    nodes,
    without_inner,
)


def _call(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Has a function of the application called when the transaction is over; returns 1."""
    assert isinstance(program.action, Call)
    host.call(program.action.function)
    return 1


def _raise(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Raises an external event at every target; returns how many there were."""
    action = program.action
    assert isinstance(action, Raise) and program.target is not None
    targets = nodes(program.target, environment, host)
    for target in targets:
        host.raise_event(action.event, target)
    return len(targets)


def _delete(program: ActionProgram, environment: Environment, host: Host) -> int:
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
    if not is_element(node):
        write(node, None)
    elif node is host.root:
        raise RefusedActionError(
            f"the root element {described(node)} cannot be deleted: delete what is in it"
        )
    elif host.contains(node):
        keep_tail(node)
        node.getparent().remove(node)


def _insert(program: ActionProgram, environment: Environment, host: Host) -> int:
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
                f"nothing can be put beside the root element {described(target)}: put it into the root"
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


def _move(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Moves all that the source selects, in its order, to the target; returns how many. The text behind stays.

    Where there are several targets the first is meant. What is below another that is moved goes with that.
    """
    action = program.action
    assert isinstance(action, Move) and program.target is not None and program.source is not None
    nodes = without_inner(elements(program.source, environment, host))
    targets = elements(program.target, environment, host)
    if not (nodes and targets):
        return 0
    target, root = targets[0], host.root
    for node in nodes:
        if node is root:
            raise RefusedActionError(f"the root element {described(node)} cannot be moved")
        if node is target or any(above is node for above in target.iterancestors()):
            raise RefusedActionError(
                f"{described(node)} cannot be moved to {described(target)}, which is it or lies in it"
            )
    for node in reversed(nodes):  # or a text would be given to one that goes, too
        keep_tail(node)
    put("", nodes, action.where, target, root)
    return len(nodes)


def _replace(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Puts a fragment in the place of every target; returns how many there were. The text behind a target stays.

    A target below another goes with that.
    """
    assert program.target is not None and program.fragment is not None
    targets = without_inner(elements(program.target, environment, host))
    root = host.root
    if any(target is root for target in targets):
        raise RefusedActionError(
            f"the root element {described(root)} cannot be replaced: replace what is in it"
        )
    built = [build(program.fragment, environment) for _ in targets]
    for target, (text, children) in zip(targets, built, strict=True):
        if host.contains(target):
            put(text, children, Where.BEFORE, target, root)
            take_out(target, host)
    return len(targets)


def _set(program: ActionProgram, environment: Environment, host: Host) -> int:
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
    text = value.string(environment) if targets else ""
    for target in targets:
        if name is not None:
            target.set(name, text)
        else:
            write(target, text)
    return len(targets)


def write(node: Selected, text: str | None) -> None:
    """Writes a value to a node; None takes a text or attribute away."""
    if is_element(node):
        node.text = text or None
        return
    parent = node.getparent()
    if parent is None:
        return
    if not node.is_attribute:
        setattr(parent, "tail" if node.is_tail else "text", text or None)
    elif text is not None:
        parent.set(node.attrname, text)
    elif parent.get(node.attrname) is not None:
        del parent.attrib[node.attrname]


RUNS: dict[type[Action], Callable[[ActionProgram, Environment, Host], int]] = {
    Insert: _insert, Delete: _delete, SetValue: _set, Replace: _replace, Move: _move, Call: _call, Raise: _raise,
}  # fmt: skip
"""What does what an action says, and returns how many nodes it was done to."""
_NO_EDIT = frozenset({Call, Raise})


def perform(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Does what an action says, as one edit (U1); returns how many nodes it was done to."""
    kind = type(program.action)
    if kind in _NO_EDIT:
        return RUNS[kind](program, environment, host)
    host.begin_edit()
    try:
        return RUNS[kind](program, environment, host)
    finally:
        host.end_edit()
