"""Random valid rule sets of everything the event language has, small, and such that histories have much for them.

A definition is drawn below a node that its events have in common (*anchor*). Variables have names of their own, unless
they are meant to join, so that no operator joins by chance. What the rules refuse is never drawn: a rule set is
valid by construction, and a test says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from hypothesis import strategies as st

from path_types import PathType
from tests.constructs import CONSTRUCTS
from tests.reference.graph import evaluation_order
from tests.reference.paths import path_of
from xmlcep.algebra import (
    NOWHERE,
    OPERATORS,
    Aperiodic,
    AperiodicStar,
    Argument,
    Becomes,
    Binding,
    Collected,
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Let,
    Multiplicity,
    Opaque,
    Operator,
    Options,
    Order,
    ParameterKind,
    Periodic,
    PeriodicStar,
    Plus,
    Sequence,
    Severity,
    Termination,
    Unit,
    Window,
    leaves_of,
)
from xmlcep.events import ANY, CompositeType, PrimitiveType, Scope

from .choices import Choices
from .meaningful import with_meaning
from .rules import CONDITIONS, fits
from .vocabulary import (
    ALONG,
    ANCHORS,
    BELOW,
    BELOW_ORDER,
    BELOW_PRICE,
    BOUNDS,
    COMPARED,
    GUARDS,
    MESSAGES,
    MESSAGES_OF_DOCUMENT,
    OF_ELEMENTS,
    OF_PARTS,
    OF_VALUES,
    OPAQUE,
    OPERATIONS,
    RELATIONS,
    SECOND,
    TESTS,
    TIMES,
    VALUES,
    VALUES_OF_ELEMENTS,
    VALUES_OF_PARTS,
    WINDOWS,
    without_document,
)

EVERYTHING = frozenset(CONSTRUCTS) - {"advance"}
"""The constructs of `tests.constructs` that can be drawn."""


class Bound(NamedTuple):
    """The variables of an expression, each with whether it can have several values (V2)."""

    names: dict[str, bool]

    def single(self) -> list[str]:
        return [name for name, several in self.names.items() if not several]


@st.composite
def full_rule_sets(
    draw: st.DrawFn, *, min_events: int = 1, max_events: int = 2, max_depth: int = 2,
    constructs: Iterable[str] = EVERYTHING,
    contexts: tuple[ContextName, ...] = tuple(ContextName), root: type[Operator] | None = None,
    builder: type[FullRuleBuilder] | None = None, known: tuple[EventDefinition, ...] = (),
) -> tuple[EventDefinition, ...]:  # fmt: skip
    """``min_events`` to ``max_events`` valid event definitions (fewer where one would close a cycle) made of the
    paper's operators and of these constructs.

    ``contexts``: which to draw from; ``root``: the operator at the root of the first; ``builder``: what draws them;
    ``known``: definitions without variables that are there already, and that these may use.
    """
    wanted = frozenset(constructs)
    usable = tuple(name for name in contexts if name is not ContextName.NEXT or "next" in wanted)
    made = list(known)
    bound = {definition.name: Bound({}) for definition in known}
    for number in range(draw(st.integers(min_events, max_events))):
        drawing = (builder or FullRuleBuilder)(draw, made, bound, max_depth, wanted, usable, number)
        definition = drawing.definition(f"E{number}", root if number == 0 else None)
        if _acyclic([*made, definition]):
            made.append(definition)
            bound[definition.name] = drawing.bound
    return tuple(made)


def _acyclic(definitions: list[EventDefinition]) -> bool:
    try:
        evaluation_order(definitions)
    except ValueError:
        return False
    return True


class FullRuleBuilder(Choices):
    """Draws one definition; ``known`` are those its leaves may take the composites of, ``variables`` what these bind.

    What is likely stands in the class, so that others may prefer something else. ``bound`` are the variables of what it
    has drawn.
    """

    anchors: tuple[str, ...] = ANCHORS
    bounds: tuple[tuple[int, int | None], ...] = BOUNDS
    conditions: tuple[str, ...] = CONDITIONS
    ends = 4
    """One operator in so many that can have it has a termination; likewise a condition (``asks``); so many operands are
    operators (``inner``), so many definitions flat (``flats``)."""
    asks = 6
    inner = 3
    flats = 6
    terminations: tuple[Termination, ...] = (Termination.CUSTOM, Termination.NON_LOCAL)
    operations: Mapping[str, tuple[str, ...]] = OPERATIONS
    reuses = (1, 3)
    """So many leaves in so many take a composite, if there is any."""
    joins_composites = False
    """Whether variables of composites may join, and group (V2, V3)."""

    def __init__(
        self, draw: st.DrawFn, known: list[EventDefinition], variables: Mapping[str, Bound], max_depth: int,
        wanted: frozenset[str], contexts: tuple[ContextName, ...], number: int,
    ) -> None:  # fmt: skip
        super().__init__(draw)
        self.known = known
        self.variables = variables
        self.bound = Bound({})
        self.max_depth = max_depth
        self.wanted = wanted
        self.contexts = contexts
        self.names = (f"{'vwxyz'[number % 5]}{n}" for n in count(1))
        self.labels = count(1)
        self.flat = False
        self.context = ContextName.CHRONICLE

    def definition(self, name: str, root: type[Operator] | None) -> EventDefinition:
        self.flat = self._chance(self.flats)
        self.context = self._one(self.contexts)
        anchor = PathType.parse(self._one(self.anchors))
        kind = root or self._one(self.kinds(root=True))
        expression, self.bound = self.operator(kind, anchor, self.max_depth, self.context, root=True)
        order = self._one((Order.INTERVAL, Order.DETECTION))
        said: dict[str, Any] = {}
        if "message" in self.wanted and self._chance(4):
            said = {"message": self._message(), "severity": self._one((None, *Severity))}
        return with_meaning(EventDefinition(name, expression, self.context, self.flat, order, **said))

    def _message(self) -> str:
        lists = [name for name, several in self.bound.names.items() if several]
        asks = MESSAGES_OF_DOCUMENT if "edit" in self.wanted and not self.flat else ()
        message = self._one((*MESSAGES[: None if lists else 2], *asks))
        return message.format(*lists * 2)

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        """Which operators to draw from, at the root or below; the new ones as often as the others together."""
        common: list[type[Operator]] = [
            Conjunction,
            Sequence,
            Sequence,
            Multiplicity,
            Multiplicity,
            Disjunction,
        ]
        return [*common, *(kind for kind in OPERATORS if kind not in common and kind.kind in self.wanted)]

    def _has(self, construct: str, one_in: int) -> bool:
        """Whether what is drawn now has this option, negates, joins: once in so many does, if it is wanted."""
        return construct in self.wanted and self._chance(one_in)

    # Expressions

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        """A leaf or, while there is depth left, perhaps an operator; one that binds ``joining`` if that is given."""
        if depth <= 0 or joining is not None or not self._chance(self.inner):
            return self.leaf(anchor, joining=joining)
        kinds = self.kinds(root=False)
        if plain:
            kinds = [kind for kind in kinds if kind in (Conjunction, Sequence, Multiplicity, Becomes)]
        return self.operator(self._one(kinds), anchor, depth - 1, context, root=False)

    def leaf(self, anchor: PathType, *, joining: str | None = None) -> tuple[Leaf, Bound]:
        """A leaf below the anchor, with a filter and variables now and then."""
        if self.known and (joining is None or self.joins_composites) and self._some(self.reuses):
            return self._composite_leaf(joining)
        valued = joining is not None or self._chance(3)
        below = self._one(self.below(anchor)["valued" if valued else "element"])
        path = PathType.parse(f"{anchor}/{below}") if below else anchor
        operations = self.operations["valued" if valued else "element"]
        scope = Scope.NODE
        if "scope" in self.wanted and not valued and joining is None and self._chance(10):
            path, scope = anchor, self._one((Scope.BELOW, Scope.AT_OR_BELOW))
        leaf = Leaf(PrimitiveType(self._one(operations), path, scope))
        asks_parts = "reference" in self.wanted and self._chance(3)
        if "opaque" in self.wanted and self._chance(2):
            leaf = self._opaque(leaf)
        elif asks_parts:
            leaf = replace(leaf, filter=self._about_parts(OF_PARTS, "." if valued else "$ts"))
        elif "filter" in self.wanted and self._chance(4):
            texts = OF_VALUES if valued else OF_ELEMENTS
            leaf = replace(
                leaf, filter=self._one(texts if "edit" in self.wanted else without_document(texts))
            )
        bound: dict[str, bool] = {}
        if joining is not None or ("variable" in self.wanted and self._chance(2)):
            name = joining or next(self.names)
            leaf = replace(leaf, bindings=(Binding(name, self._value(valued)),))
            bound[name] = False
        return self._named(leaf), Bound(bound)

    def _named(self, leaf: Leaf) -> Leaf:
        """The leaf, perhaps with a name, which others may have, too (V10)."""
        return replace(leaf, name=self._one("abc")) if self._has("name", 4) else leaf

    def below(self, anchor: PathType) -> dict[str, tuple[str, ...]]:
        """What there is at and below such a node: elements, and what has a value."""
        return {"/order": BELOW_ORDER, "price": BELOW_PRICE}.get(str(anchor), BELOW)

    def _opaque(self, leaf: Leaf) -> Leaf:
        """The leaf in another language, without variables that might join by chance."""
        opaque, filter_ = self._one(OPAQUE if "edit" in self.wanted else OPAQUE[:2])
        type_ = PrimitiveType(ANY, leaf.type.path, leaf.type.scope)
        return replace(leaf, type=type_, opaque=Opaque(*opaque), filter=filter_)

    def _about_parts(self, texts: tuple[str, ...], value: str) -> str:
        """An expression that asks the reference document about a value."""
        values = (value, "@partNum", "../@partNum") if "edit" in self.wanted else (value,)
        return str(self._one(texts)).format(self._one(values))

    def _value(self, valued: bool) -> str | None:
        if "reference" in self.wanted and self._chance(4):
            return self._about_parts(VALUES_OF_PARTS, "." if valued else "$op")
        if not valued:
            texts = VALUES_OF_ELEMENTS
        elif self._chance(3):
            texts = VALUES
        else:
            return None
        return self._one(texts if "edit" in self.wanted else without_document(texts))

    def _composite_leaf(self, joining: str | None) -> tuple[Leaf, Bound]:
        reused = self._one(self.known)
        path = path_of(reused.expression) or PathType.parse("/order")  # flat: anything
        shorter = PathType.of(False, path.steps[self._one(range(len(path.steps))) :])
        name = None if joining is None and self._chance(6) else reused.name
        leaf = Leaf(CompositeType(name, self._one((path, shorter, shorter))))
        variables = sorted({b.name for part in leaves_of(reused.expression) for b in part.bindings})
        if variables and name is None and "filter" in self.wanted and self._chance(3):
            leaf = replace(leaf, filter=f"${self._one(variables)} or $ts > 3")
        if joining is not None:
            of = [f"${variable}" for variable in self.variables[reused.name].names]
            text = self._one(("$ts mod 2", *of, *of))
            return replace(leaf, bindings=(Binding(joining, text),)), Bound({joining: False})
        if "filter" in self.wanted and leaf.filter is None and self._chance(5):
            leaf = replace(
                leaf, filter=self._one(("time($at) mod 2 = 0", "$op = ''", "$meta:user or $ts > 5"))
            )
        if "variable" in self.wanted and self._chance(4):
            bound = next(self.names)
            return replace(leaf, bindings=(Binding(bound, "$ts"),)), Bound({bound: False})
        return self._named(leaf), Bound({})

    # Operators

    def operator(
        self, kind: type[Operator], anchor: PathType, depth: int, context: ContextName, *, root: bool
    ) -> tuple[Operator, Bound]:  # fmt: skip
        """An operator of this kind over expressions below the anchor."""
        own = self._one(self.contexts) if not root and self._chance(5) else None
        context = own or context
        if kind is Becomes:
            return self._becomes(anchor, root=root)
        if kind is Multiplicity:
            operator, bound = self._multiplicity(anchor, depth, context)
        elif kind in (Disjunction, Plus):
            operator, bound = self._passing(kind, anchor, depth, context, root=root)
        else:
            operator, bound = self._joining(kind, anchor, depth, context)
        operator = replace(operator, options=replace(operator.options, context=own))
        operator = self._placed(operator, anchor)
        operator = self._guarded(operator, bound)
        if not root and self._chance(4):
            operator = operator.with_options(replace(operator.options, name=f"L{next(self.labels)}"))
        return operator, bound

    def _becomes(self, anchor: PathType, *, root: bool) -> tuple[Operator, Bound]:
        """What turns true at elements below the anchor, or at these."""
        below = self._one(self.below(anchor)["element"])
        subject = Leaf(PrimitiveType(ANY, PathType.parse(f"{anchor}/{below}") if below else anchor))
        if "filter" in self.wanted and self._chance(4):
            subject = replace(subject, filter=self._one(OF_ELEMENTS))
        bound: dict[str, bool] = {}
        if "variable" in self.wanted and self._chance(3):
            name = next(self.names)
            subject = replace(subject, bindings=(Binding(name, self._value(valued=False)),))
            bound[name] = False
        options, bound = self._let(Options(), bound)
        options = replace(options, end=self._end((Termination.CUSTOM,)))
        if not root and self._chance(4):
            options = replace(options, name=f"L{next(self.labels)}")
        asks_parts = "reference" in self.wanted and self._chance(4)
        test = self._about_parts(OF_PARTS, "price") if asks_parts else self._one(TESTS)
        return self._guarded(Becomes((subject,), test, options), Bound(bound)), Bound(bound)

    def _multiplicity(self, anchor: PathType, depth: int, context: ContextName) -> tuple[Operator, Bound]:
        by = next(self.names) if self._has("by", 4) else None
        operand, bound = self.expression(anchor, depth, context, joining=by)
        bounds = [b for b in self.bounds if b[0] > 0] if by else list(self.bounds)
        lower, upper = self._one(bounds)
        options = Options(within=self._window(3), by=(by,) if by else ())
        if upper is not None and self._has("slide", 3):
            options = replace(options, slide=True)
        names = {name: name != by for name in bound.names}
        options, names = self._let(options, names)
        options = replace(options, having=self._having(Bound(names)))
        made = Multiplicity((operand,), lower, upper, self._ending(options))
        return made, Bound(names)

    def _passing(
        self, kind: type[Operator], anchor: PathType, depth: int, context: ContextName, *, root: bool
    ) -> tuple[Operator, Bound]:
        """Disjunction and plus."""
        by = next(self.names) if self._has("by", 4) else None
        several = context is ContextName.CUMULATIVE
        if kind is Plus:
            operand, bound = self.expression(anchor, depth, context, joining=by)
            names = {name: inner or (several and name != by) for name, inner in bound.names.items()}
            options = Options(by=(by,) if by else ())
            delay = Window(self._one(TIMES), Unit.TIME)
            return Plus((operand,), delay, options), Bound(names)
        shared = by or (next(self.names) if "variable" in self.wanted and self._chance(3) else None)
        size = self._one((1, 2, 2) if root else (2, 2, 3))
        parts = [self.expression(anchor, depth, context, joining=shared) for _ in range(size)]
        if len(parts) == 1 and not isinstance(parts[0][0], Leaf):  # a single leaf is a disjunction of one
            parts = [parts[0], self.leaf(anchor, joining=shared)]
        held = [(name, inner) for _, bound in parts for name, inner in bound.names.items()]
        names = {name: (inner or several) and name != by for name, inner in held}
        options = self._ending(Options(by=(by,) if by else ()))
        return Disjunction(tuple(part for part, _ in parts), options), Bound(names)

    def _joining(
        self, kind: type[Operator], anchor: PathType, depth: int, context: ContextName
    ) -> tuple[Operator, Bound]:
        """Operators of several operands, which may join them by a variable (V2)."""
        join = next(self.names) if self._has("join", 3) else None
        size = kind.most
        if size is None:
            # Unrestricted contexts raise every combination: more operands would give too many to look at.
            size = self._one((2, 2, 3)) if context is not ContextName.UNRESTRICTED else 2
        size, negated, trailing = self._negated(kind, size)
        closing = {Aperiodic: (2,), AperiodicStar: (2,), Periodic: (1,), PeriodicStar: (1,)}.get(
            kind, negated
        )
        parts = [
            self.expression(
                anchor, depth, context, plain=index in negated,
                joining=join if index not in closing or self._chance(2) else None,
            )
            for index in range(size)
        ]  # fmt: skip
        if join is not None and sum(join in bound.names for _, bound in parts) < 2:
            join = None  # only one binds it: no join
        constituents = [i for i in range(size) if i not in negated and not (kind is Aperiodic and i == 2)]
        constituents = [i for i in constituents if not (kind is Periodic and i == 1)]
        several = context is ContextName.CUMULATIVE or kind.gathers
        names = {
            name: (inner or several) and name != join
            for index in constituents
            for name, inner in parts[index][1].names.items()
        }
        names |= dict.fromkeys(kind.own_variables, False)
        parts = [
            (self._as_negated(part) if index in negated else part, bound)
            for index, (part, bound) in enumerate(parts)
        ]
        collected = [
            k for k in negated if self._has("collected", 2) and (not join or join in parts[k][1].names)
        ]
        operands = self._compared([part for part, _ in parts], negated, names)
        for index in collected:
            names |= {name: name != join for name in parts[index][1].names}
        options, names = self._let(Options(), names)
        operator = self._made(kind, operands, options, names, negated, trailing)
        if collected:
            others = tuple(k for k in negated if k not in collected)
            bounds = [Collected(k, *self._one(ALONG)) for k in collected]
            operator = operator.standing_aside(others, bounds)
        return operator, Bound(names)

    def _compared(
        self, operands: list[Expression], aside: tuple[int, ...], names: Mapping[str, bool]
    ) -> tuple[Expression, ...]:
        """What stands aside, now and then with a filter that compares it with the others (A8)."""
        for k in aside:
            operand = operands[k]
            if names and isinstance(operand, Leaf) and operand.opaque is None and self._has("compared", 2):
                filter_ = self._one(COMPARED).format(self._one(sorted(names)))
                operands[k] = replace(operand, filter=filter_)
        return tuple(operands)

    def _made(
        self, kind: type[Operator], operands: tuple[Expression, ...], options: Options, names: dict[str, bool],
        negated: tuple[int, ...], trailing: bool,
    ) -> Operator:  # fmt: skip
        having = self._having(Bound(names))
        beat = Window(self._one((2, 3, 5)) * SECOND, Unit.TIME)
        if {"within", "having"} <= kind.takes:
            options = replace(options, within=self._window(3), having=having)
        if kind is Sequence:
            options = replace(options, gap=self._gap())
            options = replace(options, strict=self._has("strict", 6))
        if kind in (Sequence, Conjunction):
            ended = self._until(options, kind) if trailing else self._ending(options)
            return kind(operands, ended).standing_aside(negated, ())
        if "end" in kind.takes:
            options = self._ending(options)
        arguments = [Argument(self._argument(each.kind, operands, beat), NOWHERE) for each in kind.parameters]
        mistakes: list[str] = []
        made = kind.read(operands, arguments, options, NOWHERE, lambda at, what, hint: mistakes.append(what))
        assert not mistakes, mistakes
        return made.with_operands(operands)  # as they are meant here, in whatever order they are written

    def _argument(self, kind: ParameterKind, operands: tuple[Expression, ...], window: Window) -> Any:
        """What a parameter is given; a window this one."""
        if kind is ParameterKind.WINDOW:
            return str(window)
        if kind is ParameterKind.RELATION:
            return self._one(RELATIONS)
        if kind is ParameterKind.BOUND:
            return self._one((None, 2, 3))
        return self._one(range(1, len(operands) + 1) if len(operands) > 1 else (1, 2, 3))

    def _negated(self, kind: type[Operator], size: int) -> tuple[int, tuple[int, ...], bool]:
        """How many operands there are, which of them stand aside, and whether one does so until an end."""
        if kind is Conjunction and self._has("around", 4):
            return size, (self.draw(st.integers(1, size - 1)),), True
        if kind is not Sequence:
            return size, (), False
        places: list[int] = []
        if self._has("absence", 3):
            places.append(self.draw(st.integers(0, size - 2)))
        if self._has("trailing", 3):
            places.append(size - 1)
        if len(places) == size:
            places.pop(0)
        return size, tuple(sorted(places)), size - 1 in places

    def _as_negated(self, operand: Expression) -> Expression:
        """A multiplicity that is negated has none of these (A1)."""
        if isinstance(operand, Multiplicity):
            options = replace(operand.options, end=None, when=None, guard=None, slide=False)
            return replace(operand, options=options)
        return operand

    def _until(self, options: Options, kind: type[Operator] = Sequence) -> Options:
        """Until when the last `not` has to hold (A3): a window or a termination."""
        near = self.flat or kind is Conjunction
        ends = (Termination.CUSTOM,) if near else (Termination.CUSTOM, Termination.NON_LOCAL)
        if "within" in self.wanted and self.draw(st.booleans()):
            return self._condition(replace(options, within=self._one(WINDOWS)))
        return self._condition(replace(options, within=None, end=self._one(ends)))

    # Options

    def _window(self, one_in: int) -> Window | None:
        return self._one(WINDOWS) if self._has("within", one_in) else None

    def _gap(self) -> Window | None:
        return self._one(WINDOWS) if self._has("gap", 5) else None

    def _ending(self, options: Options) -> Options:
        ends = (Termination.CUSTOM,) if self.flat else self.terminations
        return self._condition(replace(options, end=self._end(ends)))

    def _end(self, ends: tuple[Termination, ...]) -> Termination | None:
        return self._one(ends) if self._chance(self.ends) else None

    def _condition(self, options: Options) -> Options:
        """Some condition; `_placed` takes it back where there is no element to ask."""
        may_ask = options.end is None or "release" in self.wanted
        if not (may_ask and self._has("edit", self.asks)):
            return options
        asks_parts = "reference" in self.wanted and self._chance(2)
        when = self._about_parts(OF_PARTS, "price") if asks_parts else self._one(self.conditions)
        return replace(options, when=when)

    def _let(self, options: Options, names: dict[str, bool]) -> tuple[Options, dict[str, bool]]:
        if not (names and self._has("variable", 5)):
            return options, names
        name, of = next(self.names), self._one(sorted(names))
        texts = (f"string(${of})", f"${of}", f"${of} = 5", f"number(${of}) * 2")
        if "reference" in self.wanted:
            texts += tuple(text.format(f"${of}") for text in VALUES_OF_PARTS)
        text = self._one(texts)
        return replace(options, let=(Let(name, text),)), {**names, name: False}

    def _having(self, bound: Bound) -> str | None:
        if not self._has("having", 3):
            return None
        if not bound.names:
            return str(self._one(("1 < 2", "2 < 1")))
        one, other = self._one(sorted(bound.names)), self._one(sorted(bound.names))
        if "reference" in self.wanted and self._chance(2):
            return str(self._one(OF_PARTS)).format(f"${one}")
        if bound.names[one] and self._chance(2):  # a list
            return str(
                self._one((f"sum(${one}) > 5", f"count(${one}) mod 2 = 0", f"max(${one}) > min(${one})"))
            )
        return self._one((f"${one} = '5'", f"${one} > 0", f"${one} != ${other}", f"not(${one} = ${other})",
                          f"string(${one}) != '1'", f"${one} < ${other} or ${one} > 1"))  # fmt: skip

    def _placed(self, operator: Operator, anchor: PathType) -> Operator:
        """With a path type that fits (T2, T3); without a condition where there is no element to ask."""
        options = operator.options
        derived = path_of(operator)
        path = anchor if derived is None and not (self.flat and self._chance(2)) else None
        if self._chance(6) and fits(anchor, operator):
            path = anchor
        if path is not None and not fits(path, operator):
            path = PathType.parse("/order")
        placed = operator.with_options(replace(options, path=path))
        final = path_of(placed)
        if options.when is not None and (self.flat or final is None or not final.last.is_element):
            placed = placed.with_options(replace(placed.options, when=None))
        return placed

    def _guarded(self, operator: Operator, bound: Bound) -> Operator:
        final = path_of(operator)
        if self.flat or final is None or not final.last.is_element or not self._has("guard", 6):
            return operator
        texts = [*GUARDS, *(f"${name} = '5'" for name in bound.names)]
        if "reference" in self.wanted:
            texts += [
                text.format(value)
                for text in OF_PARTS
                for value in ("@partNum", *(f"${n}" for n in bound.names))
            ]
        return operator.with_options(replace(operator.options, guard=self._one(texts)))
