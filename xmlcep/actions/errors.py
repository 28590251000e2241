"""What can go wrong when rules act."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import XmlCepError


class ActionError(XmlCepError, RuntimeError):
    """A firing that failed and was undone (L6, L12), or a function that it called and that failed.

    ``rule`` is its name, ``action`` the action as it is written, ``ts`` the time point of its trigger, ``problem`` what
    is wrong; ``__cause__`` is the original error, if there is one.
    """

    def __init__(self, rule: str, action: str, ts: int, problem: str, *, undone: bool = True) -> None:
        self.rule = rule
        self.action = action
        self.ts = ts
        self.problem = problem
        outcome = "what the rule did is undone" if undone else "what the rule did remains"
        super().__init__(f"rule {rule}, triggered at {ts}: {action}: {problem}; {outcome}")


class CascadeError(XmlCepError, RuntimeError):
    """A cascade that does not end, as far as can be seen (L8); its edits are undone.

    ``rules`` are those of the cycle, ``steps`` say of each what its last firing did. ``kept`` is true if the
    application's own edit was kept.
    """

    def __init__(self, limit: str, rules: Sequence[str], steps: Sequence[str], *, kept: bool) -> None:
        self.rules = tuple(rules)
        self.steps = tuple(steps)
        self.kept = kept
        cycle = " → ".join([*rules, rules[0]])
        own = "the edit that began it remains" if kept else "and so is the edit that began it"
        lines = [f"rules trigger each other without end ({limit}): {cycle}; what they did is undone, {own}"]
        lines += [f"  {step}" for step in steps]
        hint = "give one of them a condition that is false once it has acted, or raise the limit if the cascade ends"
        super().__init__("\n".join([*lines, f"  hint: {hint}"]))


class RefusedActionError(Exception):
    """What an action cannot do; the message says why, and what to write instead."""
