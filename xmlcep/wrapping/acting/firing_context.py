"""What a firing sees: its node, the variables, the document (rules L1 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...actions.firing import Anchor, Firing, gathered
from ...algebra import Mode
from ...events import CompositeEvent
from ...language import print_path
from ...rules.rule_programs import DELETED, DELTA, Form
from ...rules.variables import META, is_meta
from ...xpath import Environment, NodeKind
from ...xpath.environment import NO_VARIABLES
from ..nodes import Place, place_of
from ..shadow.shadow import ShadowTree

_OF_EVENT: dict[str, Callable[[Any], str]] = {
    "old": lambda event: event.old or "", "new": lambda event: event.value or "",
    "op": lambda event: event.op, "at": lambda event: event.at or "",
}  # fmt: skip
"""What the variables of a single leaf's event are (L2)."""


Scene: TypeAlias = tuple[Form, Environment]
"""Condition and actions of a rule in the form that fits, and what their expressions see."""


def anchor_of(tree: ShadowTree, composite: CompositeEvent, namespaces: Mapping[str, str]) -> Anchor | None:
    """The node that a composite fires for (L1); None if it has gone, and not by what the composite is about."""
    path, ids = composite.path, composite.ids
    if path is None:  # a flat event without a common ancestor (T4)
        shadow = tree.open(tree.root)
        assert shadow.trie is not None
        return Anchor(shadow.trie.path, shadow.ids or shadow.make_ids())
    if path.last.is_element:
        if tree.element_by_id(ids[-1]) is not None:
            return Anchor(path, ids)
    elif place_of(tree, path, ids) is not None:
        return Anchor(path, ids)
    if not any(event.op == "del" and event.ids == ids[: len(event.ids)] for event in composite.flattened()):
        return None
    above = path.parent
    while above is not None and tree.element_by_id(ids[len(above) - 1]) is None:
        above = above.parent
    return None if above is None else Anchor(above, ids[: len(above)], print_path(path, namespaces))


def scene_of(tree: ShadowTree, firing: Firing) -> Scene | None:
    """What a firing sees when its turn has come; None if its node has gone."""
    if firing.rule.mode is Mode.SET:
        return _of_set(tree, firing)
    rule, anchor = firing.rule, firing.anchors[0]
    place = place_of(tree, anchor.path, anchor.ids)
    form = None if place is None else rule.forms.get(place.kind)
    if place is None or form is None:
        return None
    variables = _variables(firing, place) if rule.variables else NO_VARIABLES
    return form, Environment(variables, place.element, place.value, place.attribute, place.text)


def _variables(firing: Firing, place: Place) -> dict[str, Any]:
    """The values of the variables that a rule refers to."""
    composite, references = firing.composites[0], firing.owner.references
    bindings = composite.bindings or {}
    found: dict[str, Any] = {}
    for name in firing.rule.variables:
        if name in bindings:
            found[name] = bindings[name]
        elif name == DELTA:
            found[name] = [place.element]
        elif name == DELETED:
            found[name] = firing.anchors[0].deleted
        elif name in references:
            found[name] = references[name]
        elif is_meta(name):
            found[name] = _meta_of(composite, name)
        elif firing.rule.of_leaf and name in _OF_EVENT:
            found[name] = _OF_EVENT[name](composite.constituents[0])
    return found


def _meta_of(composite: CompositeEvent, name: str) -> str:
    """A pair of the record, or signal, that an event was raised at; empty if there is none."""
    return (composite.cause.meta or {}).get(name.removeprefix(META), "")


def _of_set(tree: ShadowTree, firing: Firing) -> Scene | None:
    """Once for all: gone nodes leave ``$delta``; if all have gone there is nothing to fire for (L2, L3)."""
    places = [place_of(tree, anchor.path, anchor.ids) for anchor in firing.anchors]
    there = [place for place in places if place is not None]
    if not there:
        return None
    variables: dict[str, Any] = {
        **firing.owner.references,
        **gathered(firing.composites),
        **{
            name: tuple(_meta_of(each, name) for each in firing.composites)
            for name in filter(is_meta, firing.rule.variables)
        },
        DELTA: list(dict.fromkeys(place.element for place in there)),
        DELETED: tuple(anchor.deleted for anchor in firing.anchors if anchor.deleted is not None),
    }
    attribute = next((place.attribute for place in there if place.attribute), "")
    return firing.rule.forms[NodeKind.ELEMENT], Environment(variables, tree.root, "", attribute, 0)
