"""Why leaves match nothing of what happened: an operation, a name or a namespace that never comes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from path_types import PathType, Step, equals_or_ends

from ..events import PrimitiveType, Scope
from ..language import print_expression, print_path
from ..suggestions import KnownNames
from .ruleset import Rules
from .trees import EventTree

Happened: TypeAlias = Collection[tuple[str, PathType]]
"""The operations and absolute path types of all changes."""

MOST_TYPES = 5_000
"""Types of changes that are looked at: documents may have names without end."""

_SAID = {"ins": "inserted", "upd": "updated", "del": "deleted"}


class Unmatched(NamedTuple):
    """A leaf that no change matched, and the likely reason."""

    event: str
    leaf: str
    reason: str

    def __str__(self) -> str:
        return f"{self.event}: nothing matches {self.leaf}: {self.reason}"


def unmatched(rules: Rules, happened: Happened, names: Collection[str] | None = None) -> Iterator[Unmatched]:
    """The leaves that none of these changes match, of all events or of those with these ``names``.

    A leaf that is but an alternative, or is to be absent, may be one of them.
    """
    changes = _Changes(rules, happened)
    for tree in rules.graph.trees:
        if names is None or tree.name in names:
            yield from changes.of_tree(tree)


def all_unmatched(rules: Rules, happened: Happened) -> list[Unmatched]:
    """The leaves, if none of them is matched by any of these changes; else, and without changes, nothing."""
    types = [leaf.type for tree in rules.graph.trees for leaf in tree.leaves()]
    primitive = [type_ for type_ in types if isinstance(type_, PrimitiveType)]
    if any(type_.accepts(*each) for type_ in primitive for each in happened):
        return []
    return list(unmatched(rules, happened)) if happened else []


class _Changes:
    def __init__(self, rules: Rules, happened: Happened) -> None:
        self.rules = rules
        self.happened = sorted(happened, key=str)[:MOST_TYPES]
        self.paths = list(dict.fromkeys(path for _, path in self.happened))
        self.names = _names(self.paths)
        self.known = KnownNames({_local(name) for name in self.names})

    def of_tree(self, tree: EventTree) -> Iterator[Unmatched]:
        for leaf in dict.fromkeys(leaf.leaf for leaf in tree.leaves()):
            type_ = leaf.type
            if not isinstance(type_, PrimitiveType) or any(type_.accepts(*each) for each in self.happened):
                continue
            yield Unmatched(tree.name, print_expression(leaf, self.rules.namespaces), self._reason(type_))

    def _reason(self, type_: PrimitiveType) -> str:
        path = type_.path
        if any(type_.scope.covers(path, each) for each in self.paths):
            return self._operation(type_)
        if type_.scope is not Scope.NODE and self._occurs(path):
            return "nothing below it was changed"
        if self._occurs(path.relative):
            full = next(each for each in self.paths if equals_or_ends(path.relative, each))
            return f"the path is {self._shown(full)}: leave out the / at the beginning for any place"
        return self._namespace(path) or self._misspelt(path)

    def _operation(self, type_: PrimitiveType) -> str:
        path = type_.path
        if type_.operation == "upd" and path.last.is_element:
            text = path.child(Step.text())
            has_text = self._occurs(text)
            return "an element has no value that could be updated: " + (
                f"write upd({self._shown(text)})" if has_text else "write upd of its text or of an attribute"
            )
        done = dict.fromkeys(op for op, each in self.happened if type_.scope.covers(path, each))
        return f"it was only {' and '.join(_SAID[op] for op in done)}"

    def _namespace(self, path: PathType) -> str:
        """Whether there are such nodes, but with names in other namespaces."""
        plain, length = _without_namespaces(path.steps), len(path)
        possible = (each for each in self.paths if len(each) == length or not path.absolute)
        found = next((each for each in possible if _without_namespaces(each.steps[-length:]) == plain), None)
        if found is None:
            return ""
        inside = found.steps[-len(path) :]
        pairs = zip(path.steps, inside, strict=True)
        wanted, real = next((a.test, b.test) for a, b in pairs if a.test != b.test)
        uri = _uri(real)
        if not uri:
            return f"{_local(real)} is in no namespace, in the rule it is in {_uri(wanted)!r}"
        if _uri(wanted):
            return f"{_local(real)} is in the namespace {uri!r}, in the rule it is in {_uri(wanted)!r}"
        prefix = next((each for each, known in self.rules.namespaces.items() if known == uri and each), None)
        hint = f"write {prefix}:{_local(real)}" if prefix else f'add  namespace "{uri}"'
        return f"{_local(real)} is in the namespace {uri!r}: {hint}"

    def _misspelt(self, path: PathType) -> str:
        by_local = {_local(name): name for name in self.names}
        steps = list(path.steps)
        for k, step in enumerate(steps):
            if step.test in self.names or step.test == "text()":
                continue
            near = self.known.nearest(_local(step.test))
            if near is None:
                return f"there is no {_local(step.test)} in what happened"
            steps[k] = Step(step.axis, by_local[near])
        repaired = PathType.of(path.absolute, steps)
        if repaired is not path and self._occurs(repaired):
            return f"did you mean {self._shown(repaired)}?"
        if path.last.test != "text()":
            other = Step.attribute if path.last.is_element else Step.element
            turned = PathType.of(path.absolute, (*steps[:-1], other(steps[-1].test)))
            if self._occurs(turned):
                return f"did you mean {self._shown(turned)}?"
        places = [self._shown(each) for each in self.paths if each.last == steps[-1]]
        if not places:
            return f"there is no {self._shown(PathType.of(False, steps[-1:]))} in what happened"
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        return f"{self._shown(PathType.of(False, steps[-1:]))} is at {', '.join(places[:3])}{more}"

    def _occurs(self, path: PathType) -> bool:
        return any(equals_or_ends(path, each) for each in self.paths)

    def _shown(self, path: PathType) -> str:
        return print_path(path, self.rules.namespaces)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _uri(name: str) -> str:
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def _without_namespaces(steps: Iterable[Step]) -> list[Step]:
    return [Step(step.axis, _local(step.test)) for step in steps]


def _names(paths: Iterable[PathType]) -> dict[str, None]:
    """The names in these path types; what is above of several is looked at once."""
    seen: set[PathType] = set()
    names: dict[str, None] = {}
    for path in paths:
        for place in path.upwards():
            if place in seen:
                break
            seen.add(place)
            names[place.last.test] = None
    return names
