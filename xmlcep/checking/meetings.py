"""Operands that never meet: an operator joins what happens at or below one node (H1), and no node has it all.

``(ins(item/price) & ins(billTo/name)){path=billTo}`` waits for an item in a ``billTo``. What nodes there are is said by
a `Ground`: a schema, or nothing, so that only what can never be, whatever the document, is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from path_types import PathType, left_bound_intersection

from ..algebra import Leaf, Operator
from ..errors import RuleProblem
from ..events import CompositeType, Scope
from ..language import print_expression, print_path
from ..rules.event_graph import EventGraph
from ..rules.ruleset import Rules
from ..rules.trees import EventTree, LeafNode, OperatorNode
from .ground import Ground, Kinds
from .places import Places, at, both, groups_in, groups_of, kinds_in, raising

_LONGEST = 60
"""How long an operand is shown in a message."""


class Meetings:
    """Where the operators of all trees can raise something, and which of their operands never meet.

    ``problems`` are in the order of the trees. What has been reported once is taken to be possible from there on.
    """

    def __init__(self, rules: Rules, ground: Ground) -> None:
        self.problems: list[RuleProblem] = []
        self._rules = rules
        self._ground = ground
        self._places: dict[int, Places] = {}
        """Where operators raise something, by the identity of their definitions, which the rules keep."""
        self._taken: dict[int, Kinds] = {}
        """The kinds of the nodes of events that leaves with expressions take, by their identity."""
        self._raised: dict[int, Places | None] = {}
        """The same of trees by index; None: anywhere, as those of flat ones (T4)."""
        graph = rules.graph if rules.triggers is None else rules.triggers.graph
        names = {rule.name for rule in rules.active_rules}
        for tree in graph.trees:  # dependencies come first (G2)
            subject = f"{'rule' if tree.name in names else 'event'} {tree.name}"
            self._raised[tree.index] = self._tree(graph, tree, subject)

    def groups(self, operator: Operator) -> Places | None:
        """Where an operator of the rules can raise something; None if nothing is known, as of flat events."""
        return self._places.get(id(operator))

    def taken(self, leaf: Leaf) -> Kinds | None:
        """The kinds of the nodes of events that a leaf takes into groups; None if nothing is known."""
        return self._taken.get(id(leaf))

    def _tree(self, graph: EventGraph, tree: EventTree, subject: str) -> Places | None:
        found: list[Places] = []
        for node in tree.operators:
            events = [
                self._events(graph, tree, child, subject)
                if isinstance(child, LeafNode)
                else found[child.index]
                for child in node.children
            ]
            found.append({} if tree.flat else self._operator(node, events, subject))
        return None if tree.flat else found[-1]

    def _operator(self, node: OperatorNode, events: Sequence[Places], subject: str) -> Places:
        """Where an operator raises something, given where its operands' events happen."""
        operands = [
            self._grouped(node, child, each, subject)
            for child, each in zip(node.children, events, strict=True)
        ]
        places = raising(node.definition, node.path, operands, self._ground)
        if not places and self._ground.ending(node.path):
            self._never_one(node, operands, subject)
        places = places or at(node.path, self._ground)
        self._places[id(node.definition)] = places
        for child, each in zip(node.children, events, strict=True):
            if isinstance(child, LeafNode) and child.type.scope is Scope.NODE and _asks(child.leaf):
                self._taken[id(child.leaf)] = kinds_in(each, child.path, node.path, places, self._ground)
        return places

    def _events(self, graph: EventGraph, tree: EventTree, leaf: LeafNode, subject: str) -> Places:
        """Where the events of a leaf can happen."""
        everywhere = at(leaf.path, self._ground)
        if not isinstance(leaf.type, CompositeType) or leaf.type.scope is not Scope.NODE:
            return everywhere
        found: dict[PathType, Kinds] = {}
        taken = [each for each in graph.trees if each.name == leaf.type.name] or graph.taken(tree, leaf)
        for each in taken:
            raised = self._raised.get(each.index)
            known = everywhere if raised is None else both(raised, leaf.path, self._ground)
            for path, kinds in known.items():
                found[path] = found.get(path, frozenset()) | kinds
        if everywhere and not found:
            self._never_raised(leaf, taken[0] if leaf.type.name is not None else None, subject)
        return found or everywhere

    def _grouped(
        self, node: OperatorNode, child: LeafNode | OperatorNode, events: Places, subject: str
    ) -> Places:
        """Where an operand's events are grouped; everywhere if that is what is wrong, or they never happen at all."""
        possible = at(node.path, self._ground)
        if not events:
            return possible
        if isinstance(child, LeafNode) and child.type.scope is not Scope.NODE:
            found = groups_in(child.path, node.path, self._ground)
        else:
            found = groups_of(events, child.path, node.path, self._ground)
        if found or not possible:
            return found
        self._never_in_group(node, child, events, subject)
        return possible

    # what is said

    def _never_in_group(
        self, node: OperatorNode, child: LeafNode | OperatorNode, places: Places, subject: str
    ) -> None:
        expression = child.leaf if isinstance(child, LeafNode) else child.definition
        message = f"{self._said(child)} is never at or below a node {self._shown(node.path)}"
        hint = self._above(node.path, next(iter(places)))
        self.problems.append(RuleProblem(f"{subject}: {message}", hint, expression.at))

    def _never_one(self, node: OperatorNode, operands: Sequence[Places], subject: str) -> None:
        """All operands are somewhere, and nowhere together."""
        first, second = self._strangers(node, operands)
        group = self._shown(node.path)
        message = f"{self._said(first)} and {self._said(second)} are never at or below the same {group}"
        hint = self._above(first.path, second.path)
        self.problems.append(RuleProblem(f"{subject}: {message}", hint, node.definition.at))

    def _strangers(
        self, node: OperatorNode, operands: Sequence[Places]
    ) -> tuple[LeafNode | OperatorNode, LeafNode | OperatorNode]:
        """Two operands that never meet; the first and the last if it takes more than two for that."""
        needed = node.definition.required
        for place, k in enumerate(needed):
            for other in needed[:place]:
                met: dict[PathType, Kinds] = {}
                for path, kinds in operands[k].items():
                    for longer, found in both(operands[other], path, self._ground).items():
                        met[longer] = found & kinds
                if not any(met.values()):
                    return node.children[other], node.children[k]
        return node.children[needed[0]], node.children[needed[-1]]

    def _never_raised(self, leaf: LeafNode, tree: EventTree | None, subject: str) -> None:
        if tree is None:
            message, hint = f"no event of these rules is raised at {self._shown(leaf.path)}", ""
        else:
            raised = self._raised.get(tree.index) or {}
            path = self._shown(next((path for path in raised if len(path) > len(tree.path)), tree.path))
            message = f"{tree.name} is raised at {path}, never at {self._shown(leaf.path)}"
            hint = f"write {tree.name}({path})"
        self.problems.append(RuleProblem(f"{subject}: {message}", hint, leaf.leaf.at))

    def _above(self, one: PathType, other: PathType) -> str:
        """What path would do for both, as far as that is known."""
        first, second = self._ground.example(one), self._ground.example(other)
        common = left_bound_intersection(first, second)
        if common is None or first is None or second is None:
            return "join events of one node: give the operator the path of an element above all of them"
        if not common.last.is_element and common.parent is not None:
            common = common.parent
        return (
            f"there is {self._shown(first)} and {self._shown(second)}: give the operator the path of an element above "
            f"both, such as {self._shown(common)}"
        )

    def _said(self, child: LeafNode | OperatorNode) -> str:
        if isinstance(child, OperatorNode):
            return f"the {child.definition.title} of {self._shown(child.path)}"
        bare = Leaf(child.type, opaque=child.leaf.opaque)
        text = print_expression(bare, self._rules.namespaces)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    def _shown(self, path: PathType) -> str:
        return print_path(path, self._rules.namespaces)


def _asks(leaf: Leaf) -> bool:
    return leaf.filter is not None or any(each.expression is not None for each in leaf.bindings)
