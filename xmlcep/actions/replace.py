"""``replace "target" with "fragment"`` (L7)."""

from __future__ import annotations

from ..algebra import Where
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment
from .delete import take_out
from .errors import RefusedActionError
from .host import Host
from .insert import build, put
from .nodes import described, elements, without_inner


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
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
