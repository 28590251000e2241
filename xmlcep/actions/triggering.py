"""The triggering graph: which rule may trigger which, and whether every cascade ends (rules L9, L10).

After Aiken, Widom and Hellerstein, *Static analysis techniques for predicting the behavior of active database rules*:
rule a may trigger b if an action of a can make an event that a leaf of b's event takes. Without a cycle every cascade
ends. A cycle may end all the same, for a reason that is reported; it is looked for, not proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from path_types.names import name_parts

from ..algebra import Call, Delete, Insert, SetValue
from ..arguments import NAMES, check, refuse
from ..events import ANY
from ..graphs import strong_components
from ..rules.rule_programs import DELTA, ActionProgram, Form, RuleProgram, Triggers
from ..xpath import Expression
from ..xpath.locations import Kind, Location, LocationIndex, Locations, overlap
from ..xpath.syntax import Call as FunctionCall
from ..xpath.syntax import Operation, Path, Syntax
from .effects import DEL, INS, UPD, Effect, Want, context_of, effects_of, focus_of, wants_of

_WITH_CHILDREN = (Kind.ELEMENT, Kind.GAP)
_CHANGES = [(operation, "") for operation in (INS, UPD, DEL)]


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
    """The graph of these rules; ``not_editing`` are the names of functions of the application that do not edit.

    Raises `ArgumentError` for what is not the ``triggers`` of action rules."""
    if not isinstance(triggers, Triggers):
        refuse(
            "triggering_graph()",
            "triggers",
            triggers,
            "rules.triggers of action rules (None: there are none)",
        )
    check("triggering_graph()", not_editing=(not_editing, NAMES))
    programs = triggers.programs
    effects = {rule.name: effects_of(rule, not_editing) for rule in programs}
    wants = {rule.name: wants_of(rule.tree, triggers.graph) for rule in programs}
    analysis = _Analysis({rule.name: rule for rule in programs}, effects, wants, not_editing)
    edges = analysis.edges()
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
        self.number = {name: number for number, name in enumerate(rules)}
        # Not every rule is compared with every other: these say which can have something in common.
        self.of_anything = {name for name, those in wants.items() if those is None}
        self.wanted = LocationIndex(
            (want.place, name) for name, those in wants.items() for want in those or ()
        )

    def edges(self) -> dict[str, tuple[str, ...]]:
        """By rule, which rules it may trigger, both in order of definition."""
        waiting: dict[tuple[str, str], list[tuple[Location, str]]] = {}
        for name, wants in self.wants.items():
            for want in wants or ():
                for event in _CHANGES if want.operation == ANY else [(want.operation, want.name)]:
                    waiting.setdefault(event, []).append((want.place, name))
        by_event = {event: LocationIndex(entries) for event, entries in waiting.items()}
        found = {}
        for name, effects in self.effects.items():
            near = set(self.of_anything)
            for effect in effects:
                index = by_event.get((effect.operation, effect.name))
                near |= index.near([effect.place]) if index else set()
            found[name] = tuple(
                other
                for other in sorted(near, key=self.number.__getitem__)
                if _may_trigger(effects, self.wants[other])
            )
        return found

    # ---- cycles (L9) --------------------------------------------------------------------------------------

    def cycles(self, part: Sequence[str], edges: Mapping[str, tuple[str, ...]]) -> list[Cycle]:
        """Cycles in a part of the graph whose rules all reach each other: a shortest one through each rule, and one
        without a reason to end if there is any."""
        made = LocationIndex((each.place, name) for name in part for each in self.effects[name])
        settled = {name: why for name in part if (why := self._settles(name, made)) is not None}
        found: dict[tuple[str, ...], Cycle] = {}
        inside = set(part)
        for name in part:
            rules = self._turned(_shortest_cycle(name, inside, edges))
            reason: str | None
            if all(map(self._only_deletes, rules)):
                reason = "its rules only delete, and there is only so much to delete"
            else:
                reason = next((settled[each] for each in rules if each in settled), None)
            found[rules] = Cycle(rules, reason)
        rest = dict.fromkeys(name for name in part if name not in settled)
        between = {name: tuple(to for to in edges[name] if to in rest) for name in rest}
        for left in _components(between):
            if not all(map(self._only_deletes, left)):
                first = next(name for name in left if not self._only_deletes(name))
                rules = self._turned(_shortest_cycle(first, set(left), between))
                found[rules] = Cycle(rules)
        return list(found.values())

    def _turned(self, cycle: Sequence[str]) -> tuple[str, ...]:
        """The same cycle, beginning with the rule that comes first."""
        start = min(range(len(cycle)), key=lambda at: self.number[cycle[at]])
        return (*cycle[start:], *cycle[:start])

    def _only_deletes(self, name: str) -> bool:
        actions = self.rules[name].definition.actions
        return all(
            isinstance(action, Delete) or (isinstance(action, Call) and action.function in self.not_editing)
            for action in actions
        )

    def _settles(self, name: str, made: LocationIndex[str]) -> str | None:
        """Why a rule fires only so often: its action makes its condition false, and no rule of the cycle (``made`` says
        where they make events) makes it true again or makes new nodes for it."""
        rule = self.rules[name]
        whys = [self._made_false(rule, form, made) for form in rule.forms.values()]
        return whys[0] if whys and None not in whys else None

    def _made_false(self, rule: RuleProgram, form: Form, made: LocationIndex[str]) -> str | None:
        if form.condition is None:
            return None
        context = context_of(rule)
        nodes = frozenset(
            place if place[-1].kind in _WITH_CHILDREN else place[:-1] for place in context if place
        )
        inserted = {
            each.place for other in made.near(nodes) for each in self.effects[other] if each.operation == INS
        }
        if _touch(inserted, nodes):
            return None  # there are always new elements for it
        focus, of_delta = focus_of(rule, form), {DELTA: context}
        for conjunct in _conjuncts(form.condition.syntax):
            action = next((each for each in form.actions if _falsifies(each, conjunct)), None)
            if action is None:
                continue
            reads = form.condition.reads_at(focus, of_delta)
            others = made.near(reads) - {rule.name}
            if not _touch({each.place for other in others for each in self.effects[other]}, reads):
                said = f"its action {action.action.word} makes its condition {form.condition.text!r} false"
                return f"{rule.name}: {said}"
        return None

    # ---- conflicts (L10) ----------------------------------------------------------------------------------

    def conflicts(self) -> list[Conflict]:
        """All pairs of rules whose order can make a difference, in order of definition."""
        found = []
        reads = {name: _reads(rule) for name, rule in self.rules.items()}
        writes = {name: frozenset(each.place for each in self.effects[name]) for name in self.rules}
        written, read = (
            LocationIndex((place, name) for name, places in of_all.items() for place in places)
            for of_all in (writes, reads)
        )
        for first in self.rules:
            others = self._perhaps_together(first)
            if others:
                others &= written.near(writes[first] | reads[first]) | read.near(writes[first])
            for second in sorted(others, key=self.number.__getitem__):
                if not self._together(first, second):
                    continue
                if _touch(writes[first], writes[second]):
                    why = "both write the same"
                elif _touch(writes[first], reads[second]):
                    why = f"{first} writes what {second} reads"
                elif _touch(writes[second], reads[first]):
                    why = f"{second} writes what {first} reads"
                else:
                    continue
                found.append(Conflict(first, second, why))
        return found

    def _perhaps_together(self, name: str) -> set[str]:
        """Later rules of equal priority that one event can trigger with this one, and perhaps others."""
        wants = self.wants[name]
        near = set(self.rules) if wants is None else self.wanted.near({each.place for each in wants})
        number, priority = self.number[name], self.rules[name].definition.priority
        return {
            other
            for other in near | self.of_anything
            if self.number[other] > number and self.rules[other].definition.priority == priority
        }

    def _together(self, first: str, second: str) -> bool:
        a, b = self.wants[first], self.wants[second]
        return a is None or b is None or any(one.shares(other) for one in a for other in b)


def _touch(a: Iterable[Location], b: Locations) -> bool:
    return any(overlap(one, other) for one in a for other in b)


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
    return not step.predicates and step.test == name_parts(tag)


def same(a: object, b: object) -> bool:
    """Whether two syntax trees say the same, wherever they are."""
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
    """The strongly connected parts that have a cycle, each in the order of the edges."""
    order = {name: number for number, name in enumerate(edges)}
    cyclic = [part for part in strong_components(edges) if len(part) > 1 or part[0] in edges[part[0]]]
    return sorted((sorted(part, key=order.__getitem__) for part in cyclic), key=lambda part: order[part[0]])


def _shortest_cycle(first: str, part: Set[str], edges: Mapping[str, Sequence[str]]) -> list[str]:
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
