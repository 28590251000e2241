"""Rules that act, compiled: their expressions and fragments, what these may refer to, how often they fire (L1 to L7).

A rule is triggered by an event tree: that of a defined event, or one of its own. All of these trees are one set of
rules for a detector (`Triggers`), beside the events that the rules file defines for watches and audits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from path_types.relations import either_ends

from ..algebra import (
    Action,
    ActiveRule,
    Delete,
    Disjunction,
    EventDefinition,
    EventTrigger,
    External,
    Insert,
    Leaf,
    Mode,
    Move,
    Raise,
    Replace,
    SetValue,
    Where,
)
from ..errors import RuleProblem
from ..events import ANY, PrimitiveType
from ..position import Position
from ..suggestions import did_you_mean
from ..xpath import (
    Expression,
    ExpressionError,
    Known,
    NodeKind,
    Scope,
    Selection,
    VariableKind,
    compile_expression,
    compile_selection,
)
from . import variables as vs
from .braces import TextError
from .event_graph import EventGraph
from .fragments import Fragment, read_fragment
from .programs import node_kind
from .rule_programs import DELETED, DELTA, ActionProgram, Form, RuleProgram, Triggers
from .trees import EventTree

_OF_LEAF = {
    "old": VariableKind.STRING,
    "new": VariableKind.STRING,
    "op": VariableKind.STRING,
    "at": VariableKind.STRING,
}
_DELTA_KINDS = {
    NodeKind.ELEMENT: VariableKind.ELEMENTS, NodeKind.TEXT: VariableKind.TEXTS,
    NodeKind.ATTRIBUTE: VariableKind.ATTRIBUTES,
}  # fmt: skip
_CONTEXT = "."


def own_events(rules: Iterable[ActiveRule]) -> list[EventDefinition]:
    """The events that rules have as triggers of their own, called like the rules (L1)."""
    return [rule.trigger for rule in rules if isinstance(rule.trigger, EventDefinition)]


def compile_rules(
    rules: Sequence[ActiveRule], graph: EventGraph, problems: list[RuleProblem], *,
    namespaces: Mapping[str, str], given: Known | None = None,
) -> Triggers:  # fmt: skip
    """The rules, compiled; what is wrong with them is appended to ``problems``.

    ``graph`` has the defined events and the rules' own.
    """
    trees = {tree.name: tree for tree in graph.trees}
    externals = {
        name: tree for name, tree in trees.items() if isinstance(tree.definition.expression, External)
    }
    programs = []
    for index, rule in enumerate(rules):
        compiler = _Compiler(rule, index, graph, trees, problems, namespaces, given or {})
        program = compiler.compile()
        if program is not None:
            programs.append(program)
    names = tuple(tree.name for tree in graph.with_used(program.tree for program in programs))
    return Triggers(graph, tuple(programs), names, externals)


def single_leaf(tree: EventTree) -> Leaf | None:
    """The leaf of an event that is a single primitive leaf (N4); None for any other event."""
    root = tree.definition.expression
    if isinstance(root, Disjunction) and len(root.operands) == 1:
        leaf = root.operands[0]
        if isinstance(leaf, Leaf) and isinstance(leaf.type, PrimitiveType):
            return leaf
    return None


class _Compiler:
    """Compiles one rule."""

    def __init__(
        self, rule: ActiveRule, index: int, graph: EventGraph, trees: Mapping[str, EventTree],
        problems: list[RuleProblem], namespaces: Mapping[str, str], given: Known,
    ) -> None:  # fmt: skip
        self.rule = rule
        self.index = index
        self.graph = graph
        self.trees = trees
        self.problems = problems
        self.namespaces = namespaces
        self.given = given
        self.variables: Known = {}
        self.node = NodeKind.ELEMENT

    def compile(self) -> RuleProgram | None:
        rule, trigger = self.rule, self.rule.trigger
        tree = self.trees.get(trigger.name)
        if tree is None:
            if isinstance(trigger, EventTrigger):
                hint = did_you_mean(trigger.name, self.trees)
                hint = hint or "define it with  event NAME = …, or write the expression in parentheses"
                self._problem(f"there is no event called {trigger.name}", hint, trigger.at)
            return None
        path = trigger.path if isinstance(trigger, EventTrigger) else None
        if tree.across:
            self._problem(
                f"{tree.name} is about several documents, and a rule acts in one (V11)",
                "let an event of one document trigger it",
                trigger.at,
            )
            return None
        if path is not None and not (tree.flat or either_ends(path, tree.path)):
            self._problem(
                f"{tree.name} is raised for {tree.path}, never for {path}",
                f"leave the path out, or write {tree.name}({tree.path})",
                trigger.at,
            )
        before = len(self.problems)
        kinds = self._kinds(tree)
        mode = rule.mode or self._default_mode(tree, kinds)
        if mode is None:
            return None
        forms = {}
        for kind in kinds if mode is Mode.INSTANCE else [NodeKind.ELEMENT]:
            said = len(self.problems)
            forms[kind] = self._form(tree, mode, kind)
            if len(self.problems) > said:
                break  # the other would say it again
        if len(self.problems) > before:
            return None
        of_leaf = single_leaf(tree) is not None
        expressions = [expression for form in forms.values() for expression in form.expressions]
        used = frozenset[str]().union(*(expression.variables for expression in expressions))
        return RuleProgram(rule, self.index, tree.name, path, tree, mode, forms, of_leaf, used)

    def _kinds(self, tree: EventTree) -> list[NodeKind]:
        """Of what kinds the context node can be: that of a text or attribute that is deleted is an element (L1)."""
        kind = NodeKind.ELEMENT if tree.flat else node_kind(tree.path)
        if kind is NodeKind.ELEMENT:
            return [kind]
        operations = set()
        for leaf in tree.leaves():
            operations.add(leaf.type.operation if isinstance(leaf.type, PrimitiveType) else ANY)
        found = [kind] if operations - {"del"} or not operations else []
        return found + ([NodeKind.ELEMENT] if operations & {"del", ANY} else [])

    def _form(self, tree: EventTree, mode: Mode, kind: NodeKind) -> Form:
        self._set_up(tree, mode, kind)
        condition = self._expression(self.rule.condition, self.rule.place("if"))
        return Form(kind, condition, tuple(map(self._action, self.rule.actions)))

    def _set_up(self, tree: EventTree, mode: Mode, kind: NodeKind) -> None:
        """What expressions may refer to: the event's variables, of several events lists of their values (L2, L3)."""
        of_event = self.graph.programs[tree.index][-1].variables
        self.node = kind
        if mode is Mode.INSTANCE:
            known = vs.kinds(of_event)
            known |= _OF_LEAF if single_leaf(tree) is not None else {}
            single, delta = VariableKind.STRING, _DELTA_KINDS[kind]
        else:
            known = dict.fromkeys(of_event, VariableKind.LIST)
            single = VariableKind.LIST
            delta = VariableKind.ELEMENTS if tree.flat else _DELTA_KINDS[node_kind(tree.path)]
        self.variables = vs.EventVariables({**self.given, **known, DELETED: single, DELTA: delta}, single)

    def _default_mode(self, tree: EventTree, kinds: Sequence[NodeKind]) -> Mode | None:
        """L3: instance mode if $delta, a variable of the event or a relative path occurs."""
        said = len(self.problems)
        form = self._form(tree, Mode.INSTANCE, kinds[0])
        if len(self.problems) > said:
            return None  # which has been said
        own = {name for each in form.expressions for name in each.variables if name not in self.given}
        raises_here = any(isinstance(each, Raise) and each.target is None for each in self.rule.actions)
        asks = any(each.asks_context for each in form.expressions)
        return Mode.INSTANCE if asks or own or raises_here else Mode.SET

    # ---- actions ----------------------------------------------------------------------------------------

    def _action(self, action: Action) -> ActionProgram:
        match action:
            case Insert(fragment, where, target):
                return ActionProgram(
                    action, self._elements(action, "target", target, _inside(where)),
                    fragment=self._fragment(action, fragment),
                )  # fmt: skip
            case Delete(target):
                return ActionProgram(action, self._selection(action, "target", target))
            case SetValue(target, value):
                at = action.places.get("value", self.rule.at)
                return ActionProgram(
                    action, self._selection(action, "target", target), value=self._expression(value, at)
                )
            case Replace(target, fragment):
                return ActionProgram(
                    action,
                    self._elements(action, "target", target),
                    fragment=self._fragment(action, fragment),
                )
            case Move(source, where, target):
                return ActionProgram(
                    action, self._elements(action, "target", target, _inside(where)),
                    self._elements(action, "source", source),
                )  # fmt: skip
            case Raise(event, target):
                self._check_external(action, event)
                return ActionProgram(
                    action, self._selection(action, "target", _CONTEXT if target is None else target)
                )
        return ActionProgram(action)

    def _check_external(self, action: Raise, event: str) -> None:
        at = action.places.get("event", self.rule.at)
        tree = self.trees.get(event)
        if tree is None:
            hint = did_you_mean(event, self.trees) or f"declare it: event {event}(item) = external"
            self._problem(f"there is no event called {event} that could be raised", hint, at)
        elif not isinstance(tree.definition.expression, External):
            hint = f"only an external event is raised by rules: event {event}({tree.path}) = external"
            self._problem(f"{event} is raised by its expression, not by rules (L7)", hint, at)

    def _elements(
        self, action: Action, name: str, text: str, what: str = "its target is an element"
    ) -> Selection | None:
        """A selection that can only have elements."""
        selection = self._selection(action, name, text)
        if selection is not None and selection.gives_values:
            at = action.places.get(name, self.rule.at)
            self._problem(f"{action.word} does not work on texts and attributes: {text}", what, at)
        return selection

    def _selection(self, action: Action, name: str, text: str) -> Selection | None:
        at = action.places.get(name, self.rule.at)
        try:
            return compile_selection(
                text, namespaces=self.namespaces, variables=self.variables, node=self.node
            )
        except ExpressionError as error:
            self._problem(error.message, error.hint, at.part(text, error.offset, error.width))
            return None

    def _expression(self, text: str | None, at: Position) -> Expression | None:
        if text is None:
            return None
        try:
            return self._compiled(text)
        except ExpressionError as error:
            self._problem(error.message, error.hint, at.part(text, error.offset, error.width))
            return None

    def _compiled(self, text: str) -> Expression:
        return compile_expression(
            text, namespaces=self.namespaces, variables=self.variables, node=self.node, scope=Scope.LIVE
        )

    def _fragment(self, action: Insert | Replace, text: str) -> Fragment | None:
        at = action.places.get("fragment", self.rule.at)
        try:
            return read_fragment(text, self.namespaces, self._compiled)
        except TextError as error:
            if error.offset >= 0:
                at = at.part(text, error.offset, error.width)
            self._problem(error.problem, error.hint, at)
            return None

    def _problem(self, message: str, hint: str, at: Position) -> None:
        self.problems.append(RuleProblem(f"rule {self.rule.name}: {message}", hint, at))


def _inside(where: Where) -> str:
    if where in (Where.FIRST_INTO, Where.LAST_INTO):
        return "something is put into elements only"
    return "something is put before and after elements only; for texts write: set"
