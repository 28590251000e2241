"""No module needs, by whatever way round, a module that needs it: also not for its types alone."""

from __future__ import annotations

from functools import cache

from tests.project.source import imports, modules

# Circles that are still there, with the reason; each goes when its modules part. None may be added, or grow.
STANDING = {
    "a document opens watches, and a watch closes itself at its document": frozenset(
        ("xmlcep.wrapping.document", "xmlcep.wrapping.watches")
    ),
}  # fmt: skip


def circles(needs: dict[str, set[str]]) -> list[frozenset[str]]:
    """The groups of modules that all need each other, by whatever way."""
    reached = {module: _reachable(module, needs) for module in needs}
    groups = {
        frozenset({module, *(other for other in reached[module] if module in reached[other])})
        for module in needs
    }
    return [group for group in groups if len(group) > 1]


def _reachable(module: str, needs: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(needs[module])
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            waiting.extend(needs[found])
    return seen


@cache
def standing_circles() -> list[frozenset[str]]:
    known = modules()
    return circles(
        {
            name: {other for other in imports(name, file) if other in known} - {name}
            for name, file in known.items()
        }
    )


def test_modules_do_not_need_each_other_in_circles() -> None:
    known = list(STANDING.values())
    assert [sorted(group) for group in standing_circles() if not any(group <= one for one in known)] == []


def test_circles_that_are_gone_are_not_listed() -> None:
    found = standing_circles()
    assert [why for why, group in STANDING.items() if not any(one <= group for one in found)] == []


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": set()}) == [frozenset("abc")]
