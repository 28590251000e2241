"""Why leaves match nothing of what happened: an operation, a name or a namespace that never comes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

from path_types import PathType
from path_types.names import local_name, namespace_of

from ..events import ANY, PrimitiveType, Scope
from ..language import print_expression, print_path
from ..rules.ruleset import Rules
from ..rules.trees import EventTree
from ..suggestions import listed
from .occurred import Occurred
from .slips import text_meant

Happened: TypeAlias = Collection[tuple[str, PathType]]
"""The operations and absolute path types of all changes."""

_SAID = {"ins": "inserted", "upd": "updated", "del": "deleted"}


class Reason(NamedTuple):
    """Why a leaf matches nothing; ``in_rule``: something has happened that it would match if it were written otherwise,
    or nothing ever can; else it may just not have happened yet."""

    text: str
    in_rule: bool


_NOT_THERE = Reason("there is none in what happened", False)


class Unmatched(NamedTuple):
    """A leaf that no change matched, and the likely reason, which lies in the rule or in what happened."""

    event: str
    leaf: str
    reason: str
    in_rule: bool

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


def misfits(rules: Rules, happened: Happened, raised: Collection[str]) -> Iterator[Unmatched]:
    """Of events not ``raised`` the leaves that none of these changes match for a reason in the rule; all leaves if not
    one is matched. Without changes there is nothing to say."""
    if not happened:
        return
    types = [type_ for tree in rules.graph.trees for type_ in tree.seen().values()]
    primitive = [type_ for type_ in types if isinstance(type_, PrimitiveType)]
    some = any(type_.accepts(*each) for type_ in primitive for each in happened)
    silent = {tree.name for tree in rules.graph.trees} - set(raised)
    for leaf in unmatched(rules, happened, silent):
        if leaf.in_rule or not some:
            yield leaf


class _Changes:
    def __init__(self, rules: Rules, happened: Happened) -> None:
        self.rules = rules
        self.occurred = Occurred(dict.fromkeys(happened, 1))

    def of_tree(self, tree: EventTree) -> Iterator[Unmatched]:
        for leaf, type_ in tree.seen().items():
            if not isinstance(type_, PrimitiveType) or any(
                type_.accepts(*each) for each in self.occurred.types
            ):
                continue
            reason = self._reason(type_)
            if reason.in_rule and tree.name in self.rules.derived and self._schema_fits:
                reason = _NOT_THERE
            yield Unmatched(tree.name, print_expression(leaf, self.rules.namespaces), *reason)

    @cached_property
    def _schema_fits(self) -> bool:
        """Whether any leaf of a derived event matches: the documents are of the schema, and its names are right."""
        derived = [tree for tree in self.rules.graph.trees if tree.name in self.rules.derived]
        types = [type_ for tree in derived for type_ in tree.seen().values()]
        primitive = [type_ for type_ in types if isinstance(type_, PrimitiveType)]
        return any(type_.accepts(*each) for type_ in primitive for each in self.occurred.types)

    def _reason(self, type_: PrimitiveType) -> Reason:
        path = type_.path
        if any(type_.scope.covers(path, each) for each in self.occurred.paths):
            return self._operation(type_)
        if type_.scope is not Scope.NODE and self.occurred.has(path):
            return Reason("nothing below it was changed", False)
        full = self.occurred.anywhere(path)
        if full is not None:
            shown = self._shown(full)
            return Reason(f"the path is {shown}: leave out the / at the beginning for any place", True)
        namespace = self._namespace(type_)
        return Reason(namespace, True) if namespace else self._misspelt(type_)

    def _operation(self, type_: PrimitiveType) -> Reason:
        path = type_.path
        text = self.occurred.text_to_update(type_)
        if text is not None:
            has_text = self.occurred.has(text)
            write = f"upd({self._shown(text)})" if has_text else "upd of its text or of an attribute"
            return Reason(f"an element has no value that could be updated: write {write}", True)
        done = dict.fromkeys(op for op, each in self.occurred.types if type_.scope.covers(path, each))
        return Reason(f"it was only {' and '.join(_SAID[op] for op in done)}", False)

    def _namespace(self, type_: PrimitiveType) -> str:
        """Whether there are such nodes, but with names in other namespaces."""
        found = self.occurred.in_other_namespaces(type_._replace(operation=ANY))
        if found is None:
            return ""
        pairs = zip(type_.path.steps, found[1].steps, strict=True)
        wanted, real = next((a.test, b.test) for a, b in pairs if a.test != b.test)
        uri, name = namespace_of(real), local_name(real)
        if not uri:
            return f"{name} is in no namespace, in the rule it is in {namespace_of(wanted)!r}"
        if namespace_of(wanted):
            return f"{name} is in the namespace {uri!r}, in the rule it is in {namespace_of(wanted)!r}"
        prefix = next((each for each, known in self.rules.namespaces.items() if known == uri and each), None)
        hint = f"write {prefix}:{name}" if prefix else f'add  namespace "{uri}"'
        return f"{name} is in the namespace {uri!r}: {hint}"

    def _misspelt(self, type_: PrimitiveType) -> Reason:
        text = text_meant(type_.path)
        if text is not None and self.occurred.has(text):
            return Reason(f"did you mean {self._shown(text)}?", True)
        unknown = self.occurred.unknown_name(type_.path)
        if unknown is not None:
            return Reason(f"there is no {local_name(unknown)} in what happened", False)
        repaired = self.occurred.respelt(type_.path)
        if repaired is not None:
            return Reason(f"did you mean {self._shown(repaired)}?", True)
        step = self.occurred.spelt(type_.path).last
        last = self._shown(PathType.of(False, [step]))
        places = list(dict.fromkeys(self._shown(path) for (_, path), _ in self.occurred.of_nodes(step)))
        if not places:
            return Reason(f"there is no {last} in what happened", False)
        return Reason(f"{last} is at {listed(places, 3)}", False)

    def _shown(self, path: PathType) -> str:
        return print_path(path, self.rules.namespaces)
