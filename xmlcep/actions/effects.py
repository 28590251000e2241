"""What actions can do to a document, as far as the rules say: which events, at which places (rule L9).

It errs on the safe side: an action makes no other events than those said here, perhaps fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from path_types.names import name_parts

from ..algebra import Call, Delete, Insert, Mode, Move, Raise, Replace, SetValue, Where
from ..events import ANY, CompositeType, PrimitiveType, Scope
from ..rules.event_graph import EventGraph
from ..rules.fragments import ElementTemplate, Fragment
from ..rules.rule_programs import DELTA, ActionProgram, Form, RuleProgram
from ..rules.trees import EventTree, LeafNode, OperatorNode
from ..xpath import NodeKind
from ..xpath.locations import (
    ANYWHERE,
    ATTRIBUTE,
    ELEMENT,
    GAP,
    TEXT,
    Item,
    Kind,
    Location,
    Locations,
    move,
    of_path,
    overlap,
    parents,
)
from ..xpath.syntax import Axis, NodeTest


class Effect(NamedTuple):
    """Events of this operation (``raise``: the external event ``name``) can happen to nodes at this place."""

    operation: str
    place: Location
    name: str = ""


INS, UPD, DEL, RAISE = "ins", "upd", "del", "raise"
_ANYTHING = frozenset(
    Effect(operation, place) for operation in (INS, UPD, DEL) for place in ANYWHERE if place
)


def context_of(rule: RuleProgram) -> Locations:
    """Where the nodes are that the events of a rule are raised for; of deletions also those above."""
    tree = rule.tree
    if tree.flat:
        return ANYWHERE
    path = tree.path if rule.path is None or len(rule.path) < len(tree.path) else rule.path
    own = frozenset({of_path(path)})
    deletes = any(
        not isinstance(leaf.type, PrimitiveType) or leaf.type.operation in (DEL, ANY)
        for leaf in tree.leaves()
    )
    return own | move(own, Axis.ANCESTOR, NodeTest.NODE) if deletes else own


def focus_of(rule: RuleProgram, form: Form) -> Locations:
    """Where the context node of its expressions is."""
    if rule.mode is Mode.SET:
        return frozenset({(ELEMENT,)})
    context = context_of(rule)
    if form.node is NodeKind.ELEMENT:
        found = frozenset(place for place in context if place and place[-1].kind in (Kind.ELEMENT, Kind.GAP))
    else:
        found = frozenset(
            place for place in context if place and place[-1].kind not in (Kind.ELEMENT, Kind.GAP)
        )
    return found or context


def effects_of(rule: RuleProgram, not_editing: Collection[str] = ()) -> frozenset[Effect]:
    """All that the actions of a rule can do; ``not_editing`` are functions of the application that do not edit."""
    found: set[Effect] = set()
    for form in rule.forms.values():
        focus, of_delta = focus_of(rule, form), {DELTA: context_of(rule)}
        for action in form.actions:
            found.update(_effects(action, focus, of_delta, not_editing))
    return frozenset(found)


def _effects(
    program: ActionProgram, focus: Locations, of_delta: dict[str, Locations], not_editing: Collection[str]
) -> Iterable[Effect]:
    action = program.action
    if isinstance(action, Call):
        return () if action.function in not_editing else _ANYTHING
    assert program.target is not None
    target = program.target.places(focus, of_delta)
    match action:
        case Delete():
            return _removed(target)
        case SetValue():
            return _set(target)
        case Insert(where=where):
            assert program.fragment is not None
            return _inserted(program.fragment, _into(target, where))
        case Replace():
            assert program.fragment is not None
            return [*_removed(target), *_inserted(program.fragment, parents(target))]
        case Move(where=where):
            assert program.source is not None
            return _moved(program.source.places(focus, of_delta), _into(target, where))
        case Raise(event):
            return [Effect(RAISE, place, event) for place in target]
    return _ANYTHING


def _into(target: Locations, where: Where) -> Locations:
    return target if where in (Where.FIRST_INTO, Where.LAST_INTO) else parents(target)


def _texts(places: Iterable[Location]) -> Iterator[Effect]:
    """Texts come, go, and are joined in elements there."""
    for place in places:
        if place:
            for operation in (INS, UPD, DEL):
                yield Effect(operation, (*place, TEXT))


def _below(operation: str, place: Location) -> Iterator[Effect]:
    """Whole subtrees there."""
    yield Effect(operation, place)
    if place and place[-1].kind is Kind.ELEMENT:
        yield Effect(operation, (*place, ATTRIBUTE))
        yield Effect(operation, (*place, TEXT))
        for item in (ELEMENT, ATTRIBUTE, TEXT):
            yield Effect(operation, (*place, GAP, ELEMENT, *(() if item is ELEMENT else (item,))))


def _removed(target: Locations) -> Iterator[Effect]:
    for place in target:
        if place:
            yield from _below(DEL, place)
    yield from _texts(parents(frozenset(place for place in target if place)))


def _set(target: Locations) -> Iterator[Effect]:
    for place in target:
        if not place:
            continue
        if place[-1].kind is Kind.ELEMENT:
            yield from _texts([place])
        else:
            for operation in (INS, UPD, DEL):
                yield Effect(operation, place)


def _inserted(fragment: Fragment, into: Locations) -> Iterator[Effect]:
    for place in into:
        for child in fragment.children:
            yield from _built(child, place)
    yield from _texts(into)


def _built(template: ElementTemplate, parent: Location) -> Iterator[Effect]:
    if template.node is not None:
        return
    place = (*parent, _named(Kind.ELEMENT, template.tag))
    yield Effect(INS, place)
    for name, _ in template.attributes:
        yield Effect(INS, (*place, _named(Kind.ATTRIBUTE, name)))
    if template.text or any(child.tail for child in template.children):
        yield Effect(INS, (*place, TEXT))
    for child in template.children:
        yield from _built(child, place)


def _named(kind: Kind, name: str) -> Item:
    return Item(kind, *name_parts(name))


def _moved(source: Locations, into: Locations) -> Iterator[Effect]:
    yield from _removed(source)
    for place in source:
        if place and place[-1].kind is Kind.ELEMENT:
            for parent in into:
                yield from _below(INS, (*parent, place[-1]))
    yield from _texts(into)


# ---- events -----------------------------------------------------------------------------------------------


class Want(NamedTuple):
    """What an event tree waits for: events of this operation (`ANY`: all; ``raise``: of this name) at such places."""

    operation: str
    place: Location
    name: str = ""

    def meets(self, effect: Effect) -> bool:
        """Whether the effect can be such an event."""
        if (self.operation == RAISE) != (effect.operation == RAISE) or self.name != effect.name:
            return False
        same = self.operation in (ANY, effect.operation)
        return same and overlap(self.place, effect.place)

    def shares(self, other: Want) -> bool:
        """Whether one event can be what both wait for."""
        same = self.operation == other.operation or ANY in (self.operation, other.operation)
        is_raise = RAISE in (self.operation, other.operation)
        if is_raise and (self.operation != other.operation or self.name != other.name):
            return False
        return same and overlap(self.place, other.place)


def wants_of(tree: EventTree, graph: EventGraph) -> frozenset[Want] | None:
    """What can make a tree raise something, directly or through the trees that it uses; None: anything at all.

    Negated operands only prevent. An event that beats with time is made by whatever lets time pass (W10).
    """
    found: set[Want] = set()
    for used in graph.with_used([tree]):
        if any(operator.definition.kind in ("periodic", "periodic_star") for operator in used.operators):
            return None
        if used.root.kind == "external":
            found.add(Want(RAISE, of_path(used.path), used.name))
            continue
        for operator, program in zip(used.operators, graph.programs[used.index], strict=True):
            if operator.definition.creates_empty:
                found.add(Want(INS, of_path(operator.path)))
            if program.test is not None:  # B1
                element = of_path(operator.path)
                found.add(Want(INS, element))
                reads = program.test.reads_at(frozenset({element}), {})
                found.update(Want(ANY, place) for place in reads if place)
        for leaf in _positive_leaves(used.root):
            found.update(_leaf_wants(leaf))
    return frozenset(found)


def _positive_leaves(node: OperatorNode) -> Iterator[LeafNode]:
    for index, child in enumerate(node.children):
        if index in node.definition.negated:
            continue
        if isinstance(child, LeafNode):
            yield child
        else:
            yield from _positive_leaves(child)


def _leaf_wants(leaf: LeafNode) -> Iterator[Want]:
    type_ = leaf.type
    if isinstance(type_, CompositeType):
        return
    place = of_path(type_.path)
    if type_.scope is not Scope.BELOW:
        yield Want(type_.operation, place)
    if type_.scope is not Scope.NODE:
        # F5: the path contains these steps.
        start: Location = place if place[0] is GAP else (GAP, *place)
        for below in ((ELEMENT,), (TEXT,), (ATTRIBUTE,), (GAP, ELEMENT), (GAP, TEXT), (GAP, ATTRIBUTE)):
            yield Want(type_.operation, (*start, *below))
        if type_.scope is Scope.AT_OR_BELOW:
            yield Want(type_.operation, start)
