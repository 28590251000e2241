"""The triggering graph: which rule may trigger which, and whether every cascade ends (rules L9, L10).

After Aiken, Widom and Hellerstein, *Static analysis techniques for predicting the behavior of active database rules*:
rule a may trigger b if an action of a can make an event that a leaf of b's event takes. Without a cycle every cascade
ends. A cycle may end all the same, for a reason that is told; it is looked for, not proved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..algebra import Call, Delete, Insert, SetValue
from ..rules.rule_programs import DELTA, ActionProgram, Form, RuleProgram, Triggers
from ..xpath import Expression
from ..xpath.locations import Kind, Locations, overlap
from ..xpath.syntax import Call as FunctionCall
from ..xpath.syntax import Operation, Path, Syntax
from .effects import INS, Effect, Want, context_of, effects_of, focus_of, wants_of

_WITH_CHILDREN = (Kind.ELEMENT, Kind.GAP)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Rules that may trigger each other in a circle, the first of them named first. ``reason`` says why it may end
    all the
    same; None if no reason is known."""

    rules: tuple[str, ...]
    reason: str | None = None

    def __str__(self) -> str:
        return " → ".join([*self.rules, self.rules[0]])


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two rules of equal priority that one event can trigger, and whose order can make a difference (L10)."""

    first: str
    second: str
    why: str


@dataclass(frozen=True, slots=True)
class TriggeringGraph:
    """Which rules may trigger which, by name, in the order of definition."""

    edges: Mapping[str, tuple[str, ...]]
    cycles: tuple[Cycle, ...]
    conflicts: tuple[Conflict, ...]

    @property
    def endless(self) -> tuple[Cycle, ...]:
        """The cycles for which no reason is known why they should end."""
        return tuple(cycle for cycle in self.cycles if cycle.reason is None)

    @property
    def terminates(self) -> bool:
        """Whether every cascade ends: no rule can trigger itself, directly or not."""
        return not self.cycles


def triggering_graph(triggers: Triggers, *, not_editing: Collection[str] = ()) -> TriggeringGraph:
    """The graph of these rules; ``not_editing`` are the names of functions of the application that do not edit."""
    programs = triggers.programs
    effects = {rule.name: effects_of(rule, not_editing) for rule in programs}
    wants = {rule.name: wants_of(rule.tree, triggers.graph.trees) for rule in programs}
    edges = {
        a.name: tuple(b.name for b in programs if _may_trigger(effects[a.name], wants[b.name]))
        for a in programs
    }
    analysis = _Analysis({rule.name: rule for rule in programs}, effects, wants, not_editing)
    cycles = tuple(cycle for part in _components(edges) for cycle in analysis.cycles(part, edges))
    return TriggeringGraph(edges, cycles, tuple(analysis.conflicts()))


def _may_trigger(effects: frozenset[Effect], wants: frozenset[Want] | None) -> bool:
    if wants is None:
        return bool(effects)
    return any(want.meets(effect) for want in wants for effect in effects)


class _Analysis:
    def __init__(
        self,
        rules: Mapping[str, RuleProgram],
        effects: Mapping[str, frozenset[Effect]],
        wants: Mapping[str, frozenset[Want] | None],
        not_editing: Collection[str],
    ) -> None:
        self.rules = rules
        self.effects = effects
        self.wants = wants
        self.not_editing = not_editing

    # ---- cycles (L9) --------------------------------------------------------------------------------------

    def cycles(self, part: Sequence[str], edges: Mapping[str, tuple[str, ...]]) -> list[Cycle]:
        """Cycles in a part of the graph whose rules all reach each other: a shortest one through each rule, and one
        without a reason to end if there is any."""
        settled = {name: why for name in part if (why := self._settles(name, part)) is not None}
        found: dict[tuple[str, ...], Cycle] = {}
        for name in part:
            rules = _turned(_shortest_cycle(name, part, edges), part)
            reason: str | None
            if all(map(self._only_deletes, rules)):
                reason = "its rules only delete, and there is only so much to delete"
            else:
                reason = next((settled[each] for each in rules if each in settled), None)
            found[rules] = Cycle(rules, reason)
        rest = [name for name in part if name not in settled]
        inside = {name: tuple(to for to in edges[name] if to in rest) for name in rest}
        for left in _components(inside):
            if not all(map(self._only_deletes, left)):
                first = next(name for name in left if not self._only_deletes(name))
                rules = _turned(_shortest_cycle(first, left, inside), part)
                found[rules] = Cycle(rules)
        return list(found.values())

    def _only_deletes(self, name: str) -> bool:
        actions = self.rules[name].definition.actions
        return all(
            isinstance(action, Delete) or (isinstance(action, Call) and action.function in self.not_editing)
            for action in actions
        )

    def _settles(self, name: str, part: Sequence[str]) -> str | None:
        """Why a rule fires only so often: its action makes its condition false, and no rule of the cycle makes it true
        again or makes new nodes for it."""
        rule = self.rules[name]
        whys = [self._made_false(rule, form, part) for form in rule.forms.values()]
        return whys[0] if whys and None not in whys else None

    def _made_false(self, rule: RuleProgram, form: Form, part: Sequence[str]) -> str | None:
        if form.condition is None:
            return None
        context = context_of(rule)
        effects = frozenset[Effect]().union(*(self.effects[other] for other in part))
        nodes = frozenset(
            place if place[-1].kind in _WITH_CHILDREN else place[:-1] for place in context if place
        )
        if any(
            each.operation == INS and any(overlap(each.place, node) for node in nodes) for each in effects
        ):
            return None  # there are always new elements for it
        focus, of_delta = focus_of(rule, form), {DELTA: context}
        for conjunct in _conjuncts(form.condition.syntax):
            action = next((each for each in form.actions if _falsifies(each, conjunct)), None)
            if action is None:
                continue
            reads = form.condition.reads_at(focus, of_delta)
            others = [effect for other in part if other != rule.name for effect in self.effects[other]]
            if not any(overlap(each.place, place) for each in others for place in reads):
                said = f"its action {action.action.word} makes its condition {form.condition.text!r} false"
                return f"{rule.name}: {said}"
        return None

    # ---- conflicts (L10) ----------------------------------------------------------------------------------

    def conflicts(self) -> list[Conflict]:
        """All pairs of rules whose order can make a difference, in order of definition."""
        found = []
        rules = list(self.rules.values())
        reads = {rule.name: _reads(rule) for rule in rules}
        for number, first in enumerate(rules):
            for second in rules[number + 1 :]:
                if first.definition.priority != second.definition.priority or not self._together(
                    first, second
                ):
                    continue
                a, b = self.effects[first.name], self.effects[second.name]
                if _touch({each.place for each in a}, {each.place for each in b}):
                    why = "both write the same"
                elif _touch({each.place for each in a}, reads[second.name]):
                    why = f"{first.name} writes what {second.name} reads"
                elif _touch({each.place for each in b}, reads[first.name]):
                    why = f"{second.name} writes what {first.name} reads"
                else:
                    continue
                found.append(Conflict(first.name, second.name, why))
        return found

    def _together(self, first: RuleProgram, second: RuleProgram) -> bool:
        a, b = self.wants[first.name], self.wants[second.name]
        return a is None or b is None or any(one.shares(other) for one in a for other in b)


def _touch(a: Collection[object], b: Collection[object]) -> bool:
    return any(overlap(one, other) for one in a for other in b)  # type: ignore[arg-type]


def _reads(rule: RuleProgram) -> Locations:
    """What the condition of a rule reads, and what its actions do where they do not select only."""
    found: set[tuple[object, ...]] = set()
    of_delta = {DELTA: context_of(rule)}
    for form in rule.forms.values():
        focus = focus_of(rule, form)
        asked: list[Expression] = [] if form.condition is None else [form.condition]
        for action in form.actions:
            asked += action.expressions
        for expression in asked:
            if expression.needs_document:
                found |= expression.reads_at(focus, of_delta)
    return frozenset(found)  # type: ignore[arg-type]


# ---- conditions that actions make false -------------------------------------------------------------------


def _conjuncts(syntax: Syntax) -> list[Syntax]:
    """The parts of which each has to be true."""
    if isinstance(syntax, Operation) and syntax.rest[0][0] == "and":
        parts = [syntax.first, *(operand for _, operand in syntax.rest)]
        return [conjunct for part in parts for conjunct in _conjuncts(part)]
    return [syntax]


def _falsifies(program: ActionProgram, conjunct: Syntax) -> bool:
    """Whether the conjunct is false after the action."""
    action = program.action
    negated = (
        conjunct.arguments[0] if isinstance(conjunct, FunctionCall) and conjunct.function == "not" else None
    )
    target = None if program.target is None else program.target.expression.syntax
    if isinstance(action, Delete):
        return same(conjunct, target)
    if isinstance(action, SetValue):
        assert program.value is not None and program.target is not None
        if negated is not None and same(negated, target):
            return program.target.attribute is not None  # there is one now
        if program.value.variables:
            return False  # which can have another value the next time
        value = program.value.syntax
        if negated is not None:
            return _compares(negated, "=", target, value)
        return _compares(conjunct, "!=", target, value)
    if isinstance(action, Insert) and isinstance(negated, Path) and program.fragment is not None:
        return _is_child_of(negated, target) and any(
            _is_called(negated, child.tag) for child in program.fragment.children
        )
    return False


def _compares(syntax: Syntax, sign: str, a: Syntax | None, b: Syntax) -> bool:
    if not isinstance(syntax, Operation) or len(syntax.rest) != 1 or syntax.rest[0][0] != sign:
        return False
    left, right = syntax.first, syntax.rest[0][1]
    return (same(left, a) and same(right, b)) or (same(left, b) and same(right, a))


def _is_child_of(path: Path, target: Syntax | None) -> bool:
    """Whether the path is a step down from the target, which can only be one node."""
    if not isinstance(target, Path) or not target.is_context:
        return False
    return path.start is None and len(path.steps) == 1 and path.steps[0].axis.value == "child"


def _is_called(path: Path, tag: str) -> bool:
    step = path.steps[-1]
    uri, _, local = tag.rpartition("}")
    return not step.predicates and step.test == (uri[1:], local)


def same(a: object, b: object) -> bool:
    """Whether two syntax trees say the same, wherever they stand."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        assert isinstance(b, tuple)
        return len(a) == len(b) and all(map(same, a, b))
    fields = [name for name in getattr(a, "__dataclass_fields__", ()) if name != "at"]
    if not fields:
        return a == b
    return all(same(getattr(a, name), getattr(b, name)) for name in fields)


# ---- graphs -----------------------------------------------------------------------------------------------


def _components(edges: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The strongly connected parts that have a cycle, each in the order of the edges (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    parts: list[list[str]] = []
    for root in edges:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(edges[root]))]
        while work:
            node, targets = work[-1]
            following = next(targets, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        part.append(member)
                        if member == node:
                            break
                    if len(part) > 1 or node in edges[node]:
                        parts.append(part)
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(edges[following])))
            elif following in on_stack:
                low[node] = min(low[node], index[following])
    order = {name: number for number, name in enumerate(edges)}
    return sorted((sorted(part, key=order.__getitem__) for part in parts), key=lambda part: order[part[0]])


def _turned(cycle: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """The same cycle, beginning with the rule that comes first."""
    start = min(range(len(cycle)), key=lambda at: order.index(cycle[at]))
    return (*cycle[start:], *cycle[:start])


def _shortest_cycle(first: str, part: Sequence[str], edges: Mapping[str, Sequence[str]]) -> list[str]:
    """A shortest cycle through a rule, of rules that all reach each other."""
    came: dict[str, str] = {}
    queue = [first]
    for node in queue:
        for target in edges[node]:
            if target == first:
                path = [node]
                while path[-1] != first:
                    path.append(came[path[-1]])
                return path[::-1]
            if target in part and target not in came:
                came[target] = node
                queue.append(target)
    return [first]
