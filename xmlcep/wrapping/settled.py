"""When a document may be reported anew: between two edits, and in no transaction, which may be undone."""

from __future__ import annotations

from .errors import RefusedError
from .shadow.shadow import ShadowTree


def check_settled(tree: ShadowTree, call: str) -> None:
    """Raises `RefusedError` in a transaction, in a block whose edits are one, and where an edit was cut short."""
    delivery = tree.emitter.delivery
    delivery.check()
    if delivery.held:
        raise RefusedError(f"{call} inside a transaction, which may be undone: call it before or after")
    if tree.emitter.blocks:
        raise RefusedError(f"{call} inside a block that is one edit: call it before or after")
    if tree.observed is not None:
        raise RefusedError(
            f"{call} inside observe(), whose edits are found at its end: call it before or after"
        )


def check_told(tree: ShadowTree, call: str) -> None:
    """The same, also in callbacks and in what rules do: there somebody has not heard of an edit yet."""
    check_settled(tree, call)
    delivery = tree.emitter.delivery
    if delivery.delivering is not None or delivery.reacting is not None or delivery.queue:
        raise RefusedError(f"{call} in a callback, while changes are being delivered: call it after the edit")
