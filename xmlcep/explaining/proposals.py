"""What would complete a group, as values (rule Y4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from path_types import PathType


class Change(NamedTuple):
    """A change that would have to come: an operation at a node. ``ids`` of nodes that would be new are negative, the
    same number for the same node."""

    operation: str
    path: PathType
    ids: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


class Proposal(NamedTuple):
    """Changes in their order, and what has to come behind them: ``flush``, ``an event elsewhere``, ``time T`` or
    nothing."""

    changes: tuple[Change, ...]
    release: str = ""

    def __str__(self) -> str:
        return ", then ".join([*map(str, self.changes), *([self.release] if self.release else [])])


@dataclass(frozen=True, slots=True)
class Completion:
    """The shortest lists that would raise the event now; ``note`` says why there are none, or what else decides."""

    proposals: tuple[Proposal, ...]
    note: str = ""

    def __str__(self) -> str:
        return "\n".join([*map(str, self.proposals), *([self.note] if self.note else [])])

    def to_record(self) -> dict[str, Any]:
        """As a value that JSON can hold."""
        lists = [
            {
                "changes": [
                    {"op": c.operation, "path": str(c.path), "ids": list(c.ids), "text": c.text}
                    for c in changes
                ],
                "release": release,
            }
            for changes, release in self.proposals
        ]
        return {"lists": lists, "note": self.note}
