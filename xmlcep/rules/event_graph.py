"""The event graph: which tree depends on which, and the order in which they are processed (G1, G2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from path_types.relations import either_ends

from ..algebra import EventDefinition, leaves_of
from ..errors import RuleProblem
from ..events import OPERATIONS, CompositeType, Scope
from ..languages import CompiledText, Languages
from ..suggestions import KnownNames, disguised
from ..xpath import Expression, Known
from .across import problems_of
from .compiling import compile_tree
from .programs import OperatorProgram
from .trees import EventTree, LeafNode, build_tree
from .variables import Variables

_NO_LANGUAGES = Languages()


@dataclass(frozen=True, slots=True, eq=False)
class EventGraph:
    """All event trees in the order in which they are processed (G2), with the programs of their operators."""

    trees: tuple[EventTree, ...]
    programs: tuple[tuple[OperatorProgram, ...], ...]

    @property
    def has_conditions(self) -> bool:
        """Whether any expression is in the rules, so that names in it have a meaning."""
        return any(
            operator.condition is not None or program.has_expressions
            for tree, programs in zip(self.trees, self.programs, strict=True)
            for operator, program in zip(tree.operators, programs, strict=True)
        )

    def expressions(self, tree: EventTree | None = None) -> Iterator[Expression]:
        """All expressions of a tree, or of all trees, conditions with them."""
        for each in self.trees if tree is None else (tree,):
            for operator, program in zip(each.operators, self.programs[each.index], strict=True):
                if operator.condition is not None:
                    yield operator.condition
                yield from program.expressions

    def opaque_texts(self, tree: EventTree) -> Iterator[CompiledText]:
        """What the opaque leaves of a tree ask (O1)."""
        for program in self.programs[tree.index]:
            for leaf in program.leaves:
                if leaf is not None and leaf.opaque is not None:
                    yield leaf.opaque

    @property
    def across(self) -> tuple[EventTree, ...]:
        """The trees that are of several documents (V11)."""
        return tuple(tree for tree in self.trees if tree.across)

    @property
    def needs_time(self) -> bool:
        """Whether any tree measures document time, so that times have to be times (W1)."""
        return any(tree.needs_time for tree in self.trees)

    def asks_document(self, tree: EventTree) -> bool:
        """Whether any operator or leaf of the tree asks the document: by a condition, a guard, a filter (U2)."""
        programs = self.programs[tree.index]
        return any(node.condition is not None for node in tree.operators) or any(
            program.needs_document for program in programs
        )

    def with_used(self, trees: Iterable[EventTree]) -> list[EventTree]:
        """These trees and all whose composites they use, directly or not, in the order in which they are processed."""
        pending = list(trees)
        found = {tree.index for tree in pending}
        while pending:
            for index in pending.pop().dependencies:
                if index not in found:
                    found.add(index)
                    pending.append(self.trees[index])
        return [self.trees[index] for index in sorted(found)]

    def taken(self, tree: EventTree, leaf: LeafNode) -> list[EventTree]:
        """The trees whose composites a leaf may take (T5); none if it takes primitive events."""
        if not isinstance(leaf.type, CompositeType):
            return []
        used = (self.trees[index] for index in tree.dependencies)
        return [each for each in used if leaf.type.name in (None, each.name)]

    @property
    def waiting_for_edits(self) -> frozenset[int]:
        """The trees that ask the document, or take what such a tree raises: they wait for an edit's end (U2)."""
        found: set[int] = set()
        for tree in self.trees:  # dependencies come first (G2)
            if self.asks_document(tree) or found.intersection(tree.dependencies):
                found.add(tree.index)
        return frozenset(found)


def build_graph(
    definitions: Iterable[EventDefinition],
    problems: list[RuleProblem],
    *,
    namespaces: Mapping[str, str] | None = None,
    given: Known | None = None,
    languages: Languages = _NO_LANGUAGES,
    private: Collection[str] = (),
) -> EventGraph:
    """The event graph of these definitions; what is wrong with them is appended to ``problems``.

    ``namespaces`` (prefix to URI, ``""`` for the default) are those of the names in XPath expressions, ``given`` the
    reference documents and parameters that these can ask (V8, V9), ``languages`` compile opaque leaves. ``private`` are
    names of events that a leaf of any name does not take. A graph with problems must not be run.
    """
    defined = list(definitions)
    trees: list[EventTree] = []
    conditions: dict[str, Expression] = {}
    for definition in defined:
        tree = build_tree(
            definition,
            len(trees),
            problems,
            namespaces=namespaces,
            given=given,
            conditions=conditions,
        )
        if tree is not None:
            trees.append(tree)
    _check_names(defined, problems)
    ordered = _in_processing_order(trees, problems, private)
    exported: dict[str, Variables] = {}
    programs = []
    for tree in ordered:
        compiled = compile_tree(
            tree, exported, problems, namespaces=namespaces or {}, given=given or {}, languages=languages
        )
        exported[tree.name] = compiled[-1].variables
        programs.append(compiled)
    across = {tree.name: tree for tree in ordered if tree.across}
    if across and not problems:
        for tree, compiled in zip(ordered, programs, strict=True):
            problems += problems_of(tree, compiled, across)
    measured = _with_used(ordered, [tree.needs_moments for tree in ordered])
    binding = [
        any(program.has_variables for program in of_tree)
        or any(node.definition.tells_operands_apart for node in tree.operators)
        for tree, of_tree in zip(ordered, programs, strict=True)
    ]
    extended = measured | _with_used(ordered, binding)
    return EventGraph(
        tuple(
            replace(tree, extended=tree.index in extended, measured=tree.index in measured)
            for tree in ordered
        ),
        tuple(programs),
    )


def _in_processing_order(
    trees: list[EventTree], problems: list[RuleProblem], private: Collection[str]
) -> tuple[EventTree, ...]:
    """The trees in the order of G2, their dependencies filled in; a cycle is a problem."""
    needs = _dependencies(trees, private)
    users: list[list[int]] = [[] for _ in trees]
    for user, used in enumerate(needs):
        for index in used:
            users[index].append(user)
    missing = [len(used) for used in needs]
    ready = [index for index, count in enumerate(missing) if not count]
    order: list[int] = []
    while ready:
        order.append(heappop(ready))
        for user in users[order[-1]]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, user)
    if len(order) < len(trees):
        _report_cycle(trees, needs, set(order), problems)
        return tuple(trees)
    place = {old: new for new, old in enumerate(order)}
    return tuple(
        replace(trees[old], index=new, dependencies=tuple(sorted(place[i] for i in needs[old])))
        for new, old in enumerate(order)
    )


def _with_used(trees: Sequence[EventTree], chosen: Sequence[bool]) -> set[int]:
    """The trees that are chosen, and all that these use, directly or not."""
    found: set[int] = set()
    for tree in reversed(trees):
        if tree.index in found or chosen[tree.index]:
            found |= {tree.index, *tree.dependencies}
    return found


def _dependencies(trees: list[EventTree], private: Collection[str]) -> list[list[int]]:
    """G1 for every tree: the trees whose composites may be compatible with one of its composite leaves."""
    named: dict[str, list[EventTree]] = {}
    public = [tree for tree in trees if not (tree.name in private or tree.across)]
    for tree in trees:
        named.setdefault(tree.name, []).append(tree)
    return [
        sorted(
            {
                used.index
                for leaf in user.leaves()
                if isinstance(type_ := leaf.type, CompositeType)
                for used in (public if type_.name is None else named.get(type_.name, ()))
                if _may_take(type_, user, used)
            }
        )
        for user in trees
    ]


def _may_take(leaf: CompositeType, user: EventTree, used: EventTree) -> bool:
    if leaf.scope is Scope.NODE:
        return used.flat or either_ends(leaf.path, used.path)
    if used is user:
        return False  # F5: such a leaf does not depend on the tree that it is in
    return used.flat or not used.path.absolute or leaf.scope.covers(leaf.path, used.path)


def _check_names(definitions: list[EventDefinition], problems: list[RuleProblem]) -> None:
    known = {definition.name for definition in definitions}
    names = KnownNames(known)
    for definition in definitions:
        for leaf in leaves_of(definition.expression):
            if not isinstance(leaf.type, CompositeType) or leaf.type.name is None or leaf.type.name in known:
                continue
            hint = (
                operation_hint(leaf.type.name)
                or disguised(leaf.type.name, OPERATIONS)
                or names.did_you_mean(leaf.type.name)
                or "define it with  event NAME = …  (? takes any name)"
            )
            problems.append(
                RuleProblem(
                    f"event {definition.name}: there is no event called {leaf.type.name}", hint, leaf.at
                )
            )


_OPERATIONS = {
    "ins": ("ins", "insert", "inserts", "inserted", "insertion", "add", "added", "append", "create", "new"),
    "upd": ("upd", "update", "updates", "updated", "change", "changed", "modify", "set", "edit"),
    "del": ("del", "delete", "deletes", "deleted", "deletion", "remove", "removed", "drop"),
}
_MEANT = {word: operation for operation, words in _OPERATIONS.items() for word in words}


def operation_hint(name: str) -> str:
    """What to write if the name of an event that there is not means an operation, ``""`` if it does not."""
    operation = _MEANT.get(name.lower())
    return f"did you mean {operation}? changes are written ins(…), upd(…) and del(…)" if operation else ""


def _report_cycle(
    trees: list[EventTree], needs: list[list[int]], placed: set[int], problems: list[RuleProblem]
) -> None:
    """Names one cycle: from any unplaced tree along unplaced dependencies until one comes again."""
    path = [next(i for i in range(len(trees)) if i not in placed)]
    while True:
        following = next(i for i in needs[path[-1]] if i not in placed)
        if following in path:
            path = path[path.index(following) :]
            break
        path.append(following)
    first = trees[path[0]].definition
    names = " → ".join(trees[i].name for i in [*path, path[0]])
    problems.append(
        RuleProblem(
            f"events depend on each other in a cycle: {names} (G1)",
            "an event cannot be made of itself: break the cycle",
            first.at,
        )
    )
