"""Events that an application raises by itself: external events (L7), recorded and taken as those of rules are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from path_types.names import is_ncname

from ..events import CompositeEvent
from ..rules import Rules
from ..suggestions import did_you_mean_or_list
from .acting.cascades import Cascades
from .errors import WrapError
from .lxml_access import Node
from .nodes import instance_of
from .shadow import outside_proxies
from .shadow.shadow import ShadowTree, tree_of


def signal(
    tree: ShadowTree, name: str, node: Node, values: Mapping[str, object], *, in_transaction: bool
) -> CompositeEvent:
    """See `Document.signal`; ``in_transaction``: one is open that has records. Before its first record what is raised
    is none of it, for it is behind the record of somebody else."""
    if not isinstance(name, str) or not is_ncname(name):
        raise WrapError(f"signal(): {name!r} is not a name of an event")
    if not isinstance(node, etree._Element) or tree_of(node) is not tree:
        raise WrapError(f"signal(): {node!r} is not in this document: give one of its elements")
    outside_proxies.catch_up(tree)
    emitter = tree.emitter
    if emitter.blocks or tree.observed is not None:
        raise WrapError(
            "signal() inside a block that is one edit (one_edit(), observe()): call it after the block"
        )
    if not tree.clock.ts:
        raise WrapError("signal(): an external event belongs to a change (L7), and there has been none yet")
    tree.end_edit()
    path, ids = instance_of(tree, node)
    said = {key: str(value) for key, value in values.items() if value is not None}
    txn = emitter.txn if in_transaction else None
    event = emitter.external_event(name, path, ids, txn, {**(emitter.meta_now() or {}), **said} or None)
    _check(event, list(_open_rules(tree)))
    emitter.delivery.deliver_signal(event)
    return event


def _open_rules(tree: ShadowTree) -> Iterator[Rules]:
    """The rules of all watches, and those that act."""
    delivery = tree.emitter.delivery
    for each in delivery.listeners:
        rules = getattr(each.listener, "_rules", None)
        if isinstance(rules, Rules):
            yield rules
    if isinstance(delivery.reactor, Cascades):
        yield from (each.rules for each in delivery.reactor.open)


def _check(event: CompositeEvent, rules: list[Rules]) -> None:
    """Raises `WrapError` for a name or a place that none of the rules declares, if any declares something."""
    declared = {name: type_ for each in rules for name, type_ in each.externals.items()}
    if not declared or any(each.takes_external(event) for each in rules):
        return
    if event.name in declared:
        raise WrapError(
            f"{event.name} is declared for {declared[event.name].path}, and was raised at {event.path}"
        )
    raise WrapError(
        f"no open rule declares {event.name!r} as external: {did_you_mean_or_list(event.name, sorted(declared))}"
    )
