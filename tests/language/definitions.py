"""Random event definitions, wilder than `tests.strategies.rules`, some of them no valid trees."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from contexts.constraints import RELATIONS
from path_types import PathType, Step
from xmlcep.algebra import (
    NOWHERE,
    OPERATORS,
    ActiveRule,
    Argument,
    Becomes,
    Binding,
    Call,
    Collected,
    ContextName,
    Coupling,
    Delete,
    Disjunction,
    EventDefinition,
    EventTrigger,
    Expression,
    Insert,
    Leaf,
    Let,
    Mode,
    Move,
    Opaque,
    Operator,
    Options,
    Order,
    ParameterKind,
    Raise,
    Replace,
    RuleParameter,
    Sequence,
    SetValue,
    Severity,
    Termination,
    Unit,
    Where,
    Window,
    parse_window,
)
from xmlcep.events import ANY, CompositeType, PrimitiveType, Scope

# Words of the language are names like any other.
WORDS = (
    "item",
    "x",
    "event",
    "namespace",
    "flat",
    "ins",
    "text",
    "when",
    "é.b-c",
    "_",
    "Ünï",
    "comment",
    "x-1",
    "𐐀",
)
URIS = ("", "urn:po", "http://www.example.com/PO#x", "a=b,c;'é")
_EVENT_NAMES = tuple(word for word in WORDS if word != "ins")

names = st.builds(
    lambda uri, word: f"{{{uri}}}{word}" if uri else word, st.sampled_from(URIS), st.sampled_from(WORDS)
)
namespaces = st.dictionaries(
    st.sampled_from(("", "po", "event", "x", "xml.x")), st.sampled_from(URIS[1:]), max_size=3
)


@st.composite
def paths(draw: st.DrawFn) -> PathType:
    """Any path type."""
    steps = [Step.element(name) for name in draw(st.lists(names, max_size=3))]
    last = draw(st.sampled_from(("element", "attribute", "text")))
    if last == "text" and steps:
        steps.append(Step.text())
    else:
        steps.append((Step.attribute if last == "attribute" else Step.element)(draw(names)))
    return PathType.of(draw(st.booleans()), steps)


strings = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
variables = st.sampled_from(("p", "part", "as", "let", "é", "x-1"))
# As they may stand between brackets without quotes.
expressions_inside = st.sampled_from(
    (". > 1", "@a[b[1] = '] [']", 'contains(., ")")', "not(../x)", "$old = 'a\\'", "#", "((1))")
)


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    """Any leaf."""
    path = draw(paths())
    scope = draw(st.sampled_from(Scope)) if path.last.is_element else Scope.NODE
    composite = draw(st.booleans())
    name = draw(st.one_of(st.none(), st.sampled_from(_EVENT_NAMES)))
    operation = draw(st.sampled_from(("ins", "upd", "del", "*")))
    opaque = None
    if not composite and draw(st.integers(0, 9)) == 9:
        opaque, operation = Opaque(draw(strings), draw(strings)), "*"
    bindings = draw(
        st.lists(
            st.builds(Binding, variables, st.one_of(st.none(), expressions_inside)),
            unique_by=lambda binding: binding.name, max_size=2,
        )
    )  # fmt: skip
    type_ = CompositeType(name, path, scope) if composite else PrimitiveType(operation, path, scope)
    label = draw(st.none() | st.none() | st.sampled_from(WORDS))
    return Leaf(type_, draw(st.one_of(st.none(), expressions_inside)), tuple(bindings), opaque, name=label)


windows = st.one_of(
    st.builds(Window, st.integers(1, 10**13), st.just(Unit.TIME)),
    st.builds(Window, st.integers(1, 1000), st.sampled_from((Unit.CHANGES, Unit.TRANSACTIONS))),
    st.just(parse_window("$grace")),
)
durations = windows.filter(lambda window: window.unit is Unit.TIME and window.amount >= 1000)


@st.composite
def options_of(draw: st.DrawFn, operator: type[Operator]) -> Options:
    """Any options that the operator can have."""
    taken = sorted(operator.takes)
    given = draw(st.one_of(st.just([]), st.lists(st.sampled_from(taken), unique=True, max_size=5)))
    made = {
        "context": st.sampled_from(ContextName), "end": st.sampled_from(Termination), "path": paths(),
        "when": strings, "if": strings, "within": windows, "gap": windows, "having": strings,
        "let": st.lists(st.builds(Let, variables, strings), unique_by=lambda let: let.name, min_size=1, max_size=2)
        .map(tuple),
        "by": st.lists(variables, unique=True, min_size=1, max_size=2).map(tuple), "strict": st.just(True),
        "slide": st.just(True), "name": st.sampled_from(WORDS),
    }  # fmt: skip
    return Options(**{"guard" if name == "if" else name: draw(made[name]) for name in given})


_ARGUMENTS = {
    ParameterKind.COUNT: st.integers(0, 3),
    ParameterKind.BOUND: st.one_of(st.none(), st.integers(1, 9)),
    ParameterKind.WINDOW: durations.map(str),
    ParameterKind.RELATION: st.sampled_from(sorted(RELATIONS)),
    ParameterKind.EXPRESSION: strings,
}


_SOME_OF_ALL = st.sampled_from([(0, 1), (0, None), (1, 1), (1, None), (2, 5)])


def _asked(leaf: Leaf) -> Leaf:
    """A leaf of elements that are asked, whatever it was of (B1)."""
    return replace(leaf, type=PrimitiveType(ANY, leaf.type.path))


@st.composite
def _operators(draw: st.DrawFn, operands: st.SearchStrategy[Expression]) -> Operator:
    """Any operator there is, of these operands."""
    operator = draw(st.sampled_from(OPERATORS))
    fewest = max(operator.fewest, 2) if operator.infix else operator.fewest
    if operator is Becomes:
        operands = leaves().filter(lambda leaf: leaf.opaque is None).map(_asked)
    chosen = draw(st.lists(operands, min_size=fewest, max_size=operator.most or 4))
    arguments = [Argument(draw(_ARGUMENTS[given.kind]), NOWHERE) for given in operator.parameters]
    mistakes: list[str] = []
    made = operator.read(
        tuple(chosen), arguments, draw(options_of(operator)), NOWHERE, lambda at, what, hint: mistakes.append(what)
    )  # fmt: skip
    assume(not mistakes)
    if made.aside_words:
        first = 0 if isinstance(made, Sequence) else 1
        aside = sorted(draw(st.sets(st.integers(first, len(chosen) - 1), max_size=2)))
        negated = [k for k in aside if draw(st.booleans())]
        made = made.standing_aside(
            negated, [Collected(k, *draw(_SOME_OF_ALL)) for k in aside if k not in negated]
        )
    return made


def _joined(operands: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        _operators(operands),
        # a leaf with options of its own
        st.builds(
            lambda leaf, given: Disjunction((leaf,), given), leaves(),
            options_of(Disjunction).filter(lambda o: o != Options()),
        ),
    )  # fmt: skip


expressions = st.recursive(leaves(), _joined, max_leaves=8)


# As they are read: lines of a comment.
descriptions = st.lists(strings, max_size=3).map(
    lambda lines: "\n".join(" ".join(line.split()) for line in lines).strip("\n")
)


@st.composite
def definitions(draw: st.DrawFn, name: str) -> EventDefinition:
    """A definition of this name."""
    expression = draw(expressions)
    root: Operator = Disjunction((expression,)) if isinstance(expression, Leaf) else expression
    if isinstance(expression, Leaf):
        root = replace(root, options=draw(options_of(Disjunction)))
    return EventDefinition(
        name, root, draw(st.sampled_from(ContextName)), draw(st.booleans()), draw(st.sampled_from(Order)),
        severity=draw(st.none() | st.sampled_from(Severity)), message=draw(st.none() | strings),
        description=draw(st.just("") | descriptions),
    )  # fmt: skip


actions = st.one_of(
    st.builds(Insert, strings, st.sampled_from(Where), strings),
    st.builds(Delete, strings),
    st.builds(SetValue, strings, strings),
    st.builds(Replace, strings, strings),
    st.builds(Move, strings, st.sampled_from(Where), strings),
    st.builds(Call, strings),
    st.builds(Raise, st.sampled_from(_EVENT_NAMES), st.one_of(st.none(), strings)),
)


@st.composite
def active_rules(draw: st.DrawFn) -> ActiveRule:
    """An action rule, called as no event is."""
    name = draw(st.sampled_from(("R", "rule", "on", "do")))
    trigger = draw(
        st.one_of(
            st.builds(EventTrigger, st.sampled_from(_EVENT_NAMES), st.one_of(st.none(), paths())),
            definitions(name),
        )
    )
    return ActiveRule(
        name, trigger, tuple(draw(st.lists(actions, min_size=1, max_size=3))), draw(st.one_of(st.none(), strings)),
        draw(st.integers(-3, 3)), draw(st.one_of(st.none(), st.sampled_from(Mode))), draw(st.sampled_from(Coupling)),
    )  # fmt: skip


parameter_lists = st.lists(
    st.builds(RuleParameter, variables.filter(lambda name: name != "part"), st.floats(-1e12, 1e12) | strings),
    max_size=2, unique_by=lambda parameter: parameter.name,
).map(tuple)  # fmt: skip
active_rule_lists = st.lists(active_rules(), max_size=2, unique_by=lambda rule: rule.name).map(tuple)


@st.composite
def definition_lists(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Up to three definitions with different names."""
    chosen = draw(st.lists(st.sampled_from(_EVENT_NAMES), unique=True, min_size=1, max_size=3))
    return tuple(draw(definitions(name)) for name in chosen)
