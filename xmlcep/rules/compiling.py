"""Compiles the expressions of event trees, and checks what each may refer to (rules F1, D4, V1 to V6, O1, Y10).

Trees are taken in the order in which they are processed, so that what a leaf knows of the events it takes is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from path_types.names import is_ncname

from ..algebra import Becomes, Leaf
from ..errors import RuleProblem
from ..events import CompositeType
from ..events import Scope as ScopeOfLeaf
from ..languages import CompiledText, LanguageProblem, Languages
from ..position import Position
from ..xpath import Expression, ExpressionError, Known, NodeKind, Scope, VariableKind, compile_expression
from . import variables as vs
from .braces import TextError, read_text
from .programs import LeafProgram, OperatorProgram, Questions, Says, node_kind
from .trees import EventTree, LeafNode, OperatorNode

_OF_ANOTHER = (
    "it is bound elsewhere in the rule: a leaf sees its own event only, an operator its operands' variables; "
    'compare them where both are known, with having="…" or if="…"'
)
_KINDS = (NodeKind.ELEMENT, NodeKind.TEXT, NodeKind.ATTRIBUTE)

_NOTHING: Known = MappingProxyType({})

Exported = Mapping[str, vs.Variables]
"""The variables of events by name."""


def compile_tree(
    tree: EventTree,
    exported: Exported,
    problems: list[RuleProblem],
    *,
    namespaces: Mapping[str, str],
    given: Known,
    languages: Languages,
) -> tuple[OperatorProgram, ...]:
    """The programs of a tree's operators, in postorder; what is wrong with them is appended to ``problems``.

    ``exported`` has the variables of the events that the tree uses, ``given`` the reference documents and parameters
    that expressions can ask, ``languages`` compile opaque leaves (O1).
    """
    return _Compiler(tree, exported, problems, namespaces, given, languages).compile()


class _Compiler:
    """Compiles the expressions of one tree, bottom-up."""

    def __init__(
        self, tree: EventTree, exported: Exported, problems: list[RuleProblem], namespaces: Mapping[str, str],
        given: Known, languages: Languages,
    ) -> None:  # fmt: skip
        self.tree = tree
        self.exported = exported
        self.problems = problems
        self.namespaces = namespaces
        self.given = given
        self.languages = languages
        # What the leaves of the tree bind, each for itself.
        subjects = (
            node.definition.subject for node in tree.operators if isinstance(node.definition, Becomes)
        )
        leaves = (*(node.leaf for node in tree.leaves()), *subjects)
        self.bound = {binding.name for leaf in leaves for binding in leaf.bindings}

    def compile(self) -> tuple[OperatorProgram, ...]:
        programs: list[OperatorProgram] = []
        for node in self.tree.operators:
            programs.append(self._operator(node, programs))
        return tuple(programs)

    def _operator(self, node: OperatorNode, programs: Sequence[OperatorProgram]) -> OperatorProgram:
        leaves: list[LeafProgram | None] = []
        operands: list[vs.Variables] = []
        for child in node.children:
            if isinstance(child, OperatorNode):
                leaves.append(None)
                operands.append(programs[child.index].variables)
            else:
                said = len(self.problems)
                program, bound = self._leaf(child, filtered=child.child_index not in node.definition.aside)
                if child.child_index in node.definition.aside:
                    del self.problems[
                        said:
                    ]  # it is compiled again when it is known what it can be compared with
                leaves.append(program)
                operands.append(bound)
        test = subject = None
        if isinstance(node.definition, Becomes):
            test, subject = self._becomes(node.definition)
            operands.append(
                {name: vs.Variable(expression.kind) for name, expression in subject.bindings if expression}
            )
        wrong: list[vs.Problem] = []
        grouping = vs.joins(node, operands, wrong)
        self._check_empty(node, grouping)
        for message, hint, at in wrong:
            self._problem(message, hint, at)
        known = vs.passed_on(node, operands, grouping)
        beside = {
            name: variable.kind
            for name, variable in known.items()
            if any(name in operands[k] for k in range(len(operands)) if k not in node.definition.aside)
        }
        for k in node.definition.aside:
            child = node.children[k]
            if isinstance(child, LeafNode):
                leaves[k], _ = self._leaf(child, beside)
        lists = tuple(name for name, variable in known.items() if variable.kind is VariableKind.LIST)
        lets = self._lets(node, known)
        options = node.definition.options
        seen = {**vs.kinds(known), **self.given}
        having = self._expression(options.having, "having", node, seen, NodeKind.NONE)
        guard = self._guard(node, seen)
        says = self._says(node, seen) if node.parent is None else None
        return OperatorProgram(
            grouping, lists, tuple(lets), having, guard, known, tuple(leaves), test, subject, says
        )  # fmt: skip

    def _becomes(self, becomes: Becomes) -> tuple[Expression | None, Questions]:
        """B1, B2: what is asked at elements."""
        test = self._compiled(becomes.test, becomes.test_at, self.given, NodeKind.ELEMENT)
        seen = vs.LeafVariables(self.given, any_name=False)
        return test, self._questions(becomes.subject, NodeKind.ELEMENT, seen)

    def _says(self, node: OperatorNode, seen: Known) -> Says | None:
        """Y10: what findings of the event say; its expressions see the variables of the event, and what is known of
        every event (F2)."""
        definition = self.tree.definition
        severity = definition.severity and definition.severity.value
        if definition.message is None:
            return None if severity is None else Says(severity)
        kind = NodeKind.NONE if self.tree.flat else node_kind(node.path)
        known = vs.LeafVariables(seen, any_name=False)

        def compiled(text: str) -> Expression:
            return compile_expression(
                text, namespaces=self.namespaces, variables=known, node=kind, scope=Scope.DOCUMENT
            )

        try:
            return Says(severity, read_text(definition.message, compiled))
        except TextError as error:
            at = definition.message_at
            place = at.part(definition.message, error.offset, error.width) if error.offset >= 0 else at
            self._problem(f"in the message, {error.problem}", error.hint, place)
            return None

    def _check_empty(self, node: OperatorNode, grouping: vs.Grouping) -> None:
        """V2: an empty composite has no values. Where it need not have any (V4), it does not matter."""
        if not grouping.names:
            return
        needed = [
            child.definition
            for k, child in enumerate(node.children)
            if isinstance(child, OperatorNode)
            and k not in node.definition.aside
            and (grouping.bound[k] or k not in node.definition.optional_binders)
        ]
        for operator in (*needed, node.definition):
            if operator.creates_empty:
                self._problem(
                    f"{operator.symbol}{operator.brackets()} can be empty, and then it has no "
                    f"${', $'.join(grouping.names)} to group by (V2)",
                    "write 1 as the lower bound, or leave the variable out",
                    operator.at,
                )

    def _lets(self, node: OperatorNode, known: dict[str, vs.Variable]) -> list[tuple[str, Expression]]:
        lets = []
        for name, text in node.definition.options.let:
            at = node.definition.options.place(f"let {name}", node.definition.at)
            if name in known or name in self.given:
                self._problem(f"${name} has a value already", "choose another name (V1)", at)
                continue
            seen = {**vs.kinds(known), **self.given}
            expression = self._expression(text, f"let {name}", node, seen, NodeKind.NONE)
            if expression is not None:
                lets.append((name, expression))
                known[name] = vs.Variable(expression.kind)
        return lets

    def _guard(self, node: OperatorNode, seen: Known) -> Expression | None:
        guard = self._expression(node.definition.options.guard, "if", node, seen, NodeKind.ELEMENT)
        if guard is None or not guard.needs_document:
            return guard  # it asks no node (D4)
        at = node.definition.options.place("if", node.definition.at)
        if self.tree.flat:
            self._problem(
                "a guard has no meaning in a flat event (D4)",
                "a flat event has no node to ask it of: remove if=… or flat",
                at,
            )
        elif not node.path.last.is_element:
            self._problem(
                f"a guard needs an element as its context node, but the path type here is {node.path} (D4)",
                "give the operator the path type of the element, such as {path=item}",
                at,
            )
        return guard

    def _leaf(
        self, node: LeafNode, beside: Known = _NOTHING, *, filtered: bool = True
    ) -> tuple[LeafProgram | None, vs.Variables]:
        """Its program, and what it binds. ``beside`` are the variables of what it stands aside of (A8)."""
        leaf = node.leaf if filtered else replace(node.leaf, filter=None)
        known, any_name = self._of_composite(leaf)
        if leaf.filter is None and not leaf.bindings and leaf.opaque is None and leaf.name is None:
            return None, {}
        opaque = None if leaf.opaque is None else self._opaque(leaf)
        returned = () if opaque is None else opaque.variables or ()
        # What its engine returns without having said so has names that nobody knows before (O1).
        any_name = any_name or (leaf.opaque is not None and (opaque is None or opaque.variables is None))
        kinds = {**vs.kinds(known), **dict.fromkeys(returned, VariableKind.VALUE), **self.given}
        seen = vs.LeafVariables(kinds, any_name=any_name)
        own = node_kind(node.path)
        questions = {own: self._questions(leaf, own, seen, beside)}
        if leaf.type.scope is not ScopeOfLeaf.NODE:
            said = len(self.problems)
            questions |= {
                kind: self._questions(leaf, kind, seen, beside) for kind in _KINDS if kind is not own
            }
            del self.problems[said:]  # the same again
        bound = {name: vs.Variable(VariableKind.VALUE) for name in returned}
        for name, expression in questions[own].bindings:
            bound[name] = vs.Variable(VariableKind.VALUE if expression is None else expression.kind)
        return LeafProgram(questions, opaque, leaf.name), bound

    def _opaque(self, leaf: Leaf) -> CompiledText | None:
        """O1: the text of an opaque leaf, compiled; None if it cannot be."""
        assert leaf.opaque is not None
        language, text = leaf.opaque
        try:
            compiled = self.languages.compile(language, text)
        except LanguageProblem as problem:
            place = "language" if problem.of_language else "opaque"
            self._problem(str(problem), problem.hint, leaf.place(place))
            return None
        bound = {binding.name for binding in leaf.bindings}
        for name in compiled.variables or ():
            if not is_ncname(name) or name in vs.BUILT_IN or name in self.given or name in bound:
                self._problem(
                    f"{language} binds ${name}, which is not a name or has a value already (O1)",
                    "have it return another name",
                    leaf.place("opaque"),
                )
        return compiled

    def _questions(
        self, leaf: Leaf, kind: NodeKind, seen: vs.LeafVariables, beside: Known = _NOTHING
    ) -> Questions:
        others = {name: kind for name, kind in beside.items() if name not in seen or seen.is_any(name)}
        filter_ = self._compiled(leaf.filter, leaf.place("filter"), seen.with_(others), kind)
        compared = None
        if filter_ is not None and (asked := filter_.variables & others.keys()):
            if filter_.needs_document:
                name = min(asked)
                self._problem(
                    f"a filter that asks for ${name} of another operand cannot ask the document, too (A8)",
                    "it can ask what is known of the event: $new, $old, $meta:NAME, or . of a text or attribute",
                    leaf.place("filter"),
                )
            filter_, compared = None, filter_
        bindings: list[tuple[str, Expression | None]] = []
        for name, text in leaf.bindings:
            at = leaf.place(f"as {name}")
            if name in vs.BUILT_IN or name in self.given:
                what = "declared for all rules" if name in self.given else "known of every event"
                self._problem(f"${name} is {what}", "choose another name (V1)", at)
            elif text is None:
                has_value = kind is not NodeKind.ELEMENT or leaf.type.scope is not ScopeOfLeaf.NODE
                if not has_value and leaf.opaque is None:
                    self._problem(
                        f"as ${name}: {'a composite' if _is_composite(leaf) else 'an element'} has no value (V1)",
                        f"say which: as ${name} = (@id), or bind the text: {leaf.type.path}/text()",
                        at,
                    )
                bindings.append((name, None))
            else:
                bindings.append((name, self._compiled(text, at, seen, kind)))
        return Questions(filter_, tuple(bindings), compared)

    def _of_composite(self, leaf: Leaf) -> tuple[vs.Variables, bool]:
        """The variables of the composites that a leaf takes, and whether there can be others."""
        if not isinstance(leaf.type, CompositeType):
            return {}, False
        if leaf.type.name is None:
            return {}, True
        return self.exported.get(leaf.type.name, {}), False

    def _expression(
        self,
        text: str | None,
        option: str,
        node: OperatorNode,
        seen: Known,
        kind: NodeKind,
    ) -> Expression | None:
        return self._compiled(text, node.definition.options.place(option, node.definition.at), seen, kind)

    def _compiled(self, text: str | None, at: Position, seen: Known, kind: NodeKind) -> Expression | None:
        if text is None:
            return None
        try:
            return compile_expression(
                text, namespaces=self.namespaces, variables=seen, node=kind, scope=Scope.DOCUMENT
            )
        except ExpressionError as error:
            unknown = text[error.offset : error.offset + error.width].removeprefix("$")
            hint = _OF_ANOTHER if unknown in self.bound and unknown not in seen else error.hint
            self._problem(error.message, hint, at.part(text, error.offset, error.width))
            return None

    def _problem(self, message: str, hint: str, at: Position) -> None:
        self.problems.append(RuleProblem(f"event {self.tree.name}: {message}", hint, at))


def _is_composite(leaf: Leaf) -> bool:
    return isinstance(leaf.type, CompositeType)
