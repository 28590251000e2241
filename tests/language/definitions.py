"""Random event definitions, wilder than `tests.strategies.rules`, some of them no valid trees."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from path_types import PathType, Step
from xmlcep.algebra import (
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Options,
    Order,
    Sequence,
    Termination,
)
from xmlcep.events import CompositeType, PrimitiveType

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


leaf_types = st.one_of(
    st.builds(PrimitiveType, st.sampled_from(("ins", "upd", "del", "*")), paths()),
    st.builds(CompositeType, st.one_of(st.none(), st.sampled_from(_EVENT_NAMES)), paths()),
)
leaves = st.builds(Leaf, leaf_types)
strings = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
options = st.builds(
    Options,
    context=st.one_of(st.none(), st.sampled_from(ContextName)),
    end=st.one_of(st.none(), st.sampled_from(Termination)),
    path=st.one_of(st.none(), paths()),
    when=st.one_of(st.none(), strings),
    name=st.one_of(st.none(), st.sampled_from(WORDS)),
)
some_options = st.one_of(st.just(Options()), options)


def _joined(operands: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(operands, min_size=2, max_size=4).map(tuple)
    bounds = st.one_of(
        st.tuples(st.integers(0, 3), st.none()),
        st.integers(0, 3).flatmap(lambda low: st.tuples(st.just(low), st.integers(max(1, low), 9))),
    )
    return st.one_of(
        st.builds(Conjunction, several, some_options),
        st.builds(Sequence, several, some_options),
        st.builds(Disjunction, several, some_options),
        st.builds(
            lambda operand, b, given: Multiplicity((operand,), *b, given), operands, bounds, some_options
        ),
        # a leaf with options of its own
        st.builds(
            lambda leaf, given: Disjunction((leaf,), given), leaves, options.filter(lambda o: o != Options())
        ),
    )


expressions = st.recursive(leaves, _joined, max_leaves=8)


@st.composite
def definitions(draw: st.DrawFn, name: str) -> EventDefinition:
    """A definition of this name."""
    expression = draw(expressions)
    root: Operator = Disjunction((expression,)) if isinstance(expression, Leaf) else expression
    if isinstance(expression, Leaf):
        root = replace(root, options=draw(some_options))
    return EventDefinition(
        name, root, draw(st.sampled_from(ContextName)), draw(st.booleans()), draw(st.sampled_from(Order))
    )


@st.composite
def definition_lists(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Up to three definitions with different names."""
    chosen = draw(st.lists(st.sampled_from(_EVENT_NAMES), unique=True, min_size=1, max_size=3))
    return tuple(draw(definitions(name)) for name in chosen)
