"""What becomes of running rules if others replace them, as ``check --against`` says it (rule G7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..auditing.cost import cost, is_state
from ..engine.replacement import said_of
from ..rules import Rules
from ..rules.additions import Additions
from ..rules.comparison import Comparison, compare, tree_digests
from ._rules_input import load


class Against(NamedTuple):
    """What becomes of the event trees of the rules that ``name`` has; ``lost``: how many partial matches of each that
    ends, empty where nobody knows."""

    name: str
    trees: Comparison
    lost: Mapping[str, int]

    @classmethod
    def of(cls, path: str, rules: Rules, additions: Additions) -> Against:
        """The comparison with a rules file, or with the state of an audit or a recording."""
        if is_state(path):
            return cls(path, *cost(path, rules))
        before = load([path], Additions(languages=additions.languages))
        return cls(path, compare(tree_digests(before), tree_digests(rules)), {})

    def __str__(self) -> str:
        said = said_of(self.trees, self.lost) or "no events"
        return "\n".join([f"against {self.name}:", *(f"  {line}" for line in said.splitlines())])

    def to_record(self) -> dict[str, Any]:
        """The same for scripts."""
        return {"name": self.name, **self.trees._asdict(), "lost": dict(self.lost)}
