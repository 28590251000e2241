"""What an expression reads (U2): nothing else can change its value, and nothing else need be there."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType, Step
from tests.log.random_documents import RandomDocument
from tests.xpath.random_expressions import VARIABLES, expressions
from tests.xpath.random_paths import NAMESPACES, paths
from xmlcep.documents import Needs, Replica
from xmlcep.xpath import Environment, Expression, NodeKind, Reads, Scope, compile_expression

VALUES = {
    "s": "1",
    "t": "a",
    "meta:user": None,
    "n": 2.0,
    "m": 1,
    "b": True,
    "v": "1",
    "w": 2,
    "l": ("1", 2.0, "a"),
    "k": (),
}
KINDS = {NodeKind.ELEMENT: "an element", NodeKind.TEXT: "a text node", NodeKind.ATTRIBUTE: "an attribute"}


class Document(RandomDocument):
    """With few names and texts, so that things meet."""

    names = ("a", "b", "c", "{urn:x}a", "{http://www.w3.org/XML/1998/namespace}lang")
    texts = ("1", "2", "a")


def kind_of(path: PathType) -> NodeKind:
    last = path.last
    if last.is_element:
        return NodeKind.ELEMENT
    return NodeKind.TEXT if last.test == "text()" else NodeKind.ATTRIBUTE


def nodes_of(document: RandomDocument) -> list[tuple[PathType, tuple[int, ...]]]:
    """All nodes: path type and ids."""
    if document.root is None:
        return []
    return [(PathType.parse(node.path), tuple(node.ids)) for node in document._walk(document.root)]


def outcome(expression: Expression, environment: Environment, *, truth: bool = False) -> tuple[object, ...]:
    if truth:
        return (expression.boolean(environment),)
    number = expression.number(environment)
    value = expression.value(environment)
    return expression.boolean(environment), expression.string(environment), str(number), str(value)


def ask(
    replica: Replica, expression: Expression, path: PathType, ids: tuple[int, ...], truth: bool
) -> tuple[object, ...] | None:
    environment = replica.environment(path, ids, VALUES)
    return None if environment is None else outcome(expression, environment, truth=truth)


SCOPES = st.sampled_from(
    [
        (NodeKind.ELEMENT, Scope.SUBTREE),
        (NodeKind.ELEMENT, Scope.DOCUMENT),
        (NodeKind.TEXT, Scope.DOCUMENT),
        (NodeKind.ATTRIBUTE, Scope.DOCUMENT),
    ]
)


def with_paths(own: str) -> st.SearchStrategy[str]:
    return st.one_of(paths(), expressions(own=own, paths=paths(), depth=2))


@st.composite
def compiled(draw: st.DrawFn) -> Expression:
    """Expressions about nodes of a document."""
    node, scope = draw(SCOPES)
    text = draw(with_paths("" if node is NodeKind.ELEMENT else "node"))
    return compile_expression(text, namespaces=NAMESPACES, variables=VARIABLES, node=node, scope=scope)


@given(compiled(), st.integers(0, 10_000), st.booleans())
@settings(max_examples=75)
def test_nothing_else_changes_the_value(expression: Expression, seed: int, truth: bool) -> None:
    """If it says that no changed node matters, the value is what it was before the edit."""
    document, replica = Document(seed), Replica()
    replica.apply_edit(document.events(15))
    known = expression.truth_reads if truth else expression.reads
    reads: dict[PathType, Reads] = {}
    for _ in range(12):
        before = {
            (path, ids): ask(replica, expression, path, ids, truth)
            for path, ids in nodes_of(document)
            if kind_of(path) is expression.node
        }
        edit = [event for _ in range(document.random.randint(1, 2)) for event in document.change()]
        replica.apply_edit(edit)
        for (path, ids), value in before.items():
            now = ask(replica, expression, path, ids, truth)
            if now is None or now == value:
                continue
            if expression.scope is Scope.SUBTREE:
                inside = [event.path.steps[len(ids) :] for event in edit if ids[-1] in event.ids]
                assert any(map(known.touched_by, inside)), (path, value, now)
                continue
            steps = [event.path.steps for event in edit]
            assert any(map(known.touched_by, steps)), (path, value, now)
            exact = reads.setdefault(path, expression.reads_from(path, truth=truth))
            assert any(map(exact.touched_by, steps)), (path, value, now)
            relative = expression.reads_from(PathType.of(False, path.steps[-2:]), truth=truth)
            assert any(map(relative.touched_by, steps)), (path, value, now)


def needs_of(expression: Expression, path: PathType, truth: bool) -> Iterator[Needs]:
    """What must be there to ask the expression of nodes of a path type."""
    known = expression.truth_reads if truth else expression.reads
    if expression.scope is Scope.SUBTREE:
        yield Needs.of(subtrees=[(path, known)])
        return
    relative = PathType.of(False, path.steps[-2:])
    for reads in (
        known,
        expression.reads_from(path, truth=truth),
        expression.reads_from(relative, truth=truth),
    ):
        yield Needs.of(documents=[reads])


@given(compiled(), st.integers(0, 10_000), st.booleans())
@settings(max_examples=75)
def test_nothing_else_need_be_there(expression: Expression, seed: int, truth: bool) -> None:
    """A replica that holds only what is needed gives the same values, fed with events or begun with a snapshot."""
    document, whole = Document(seed), Replica()
    events = document.events(40)
    whole.apply_edit(events)
    if document.root is None:
        return
    places = nodes_of(document)
    for path in dict.fromkeys(path for path, _ in places if kind_of(path) is expression.node):
        for needs in needs_of(expression, path, truth):
            fed, read = Replica(needs=needs), Replica.from_snapshot(*document.snapshot(), needs=needs)
            fed.apply_edit(events)
            assert len(fed) == len(read) <= len(whole)
            for other, ids in places:
                if other is path:
                    expected = ask(whole, expression, path, ids, truth)
                    assert ask(fed, expression, path, ids, truth) == expected
                    assert ask(read, expression, path, ids, truth) == expected


@given(paths(absolute=False), st.integers(0, 10_000))
@settings(max_examples=50)
def test_what_stays_inside_does_not_see_what_is_outside(path: str, seed: int) -> None:
    """Asked in its place and in a copy of its subtree an expression that stays inside says the same."""
    expression = compile_expression(path, namespaces=NAMESPACES)
    subtree = compile_expression(path, namespaces=NAMESPACES, scope=Scope.SUBTREE)
    assert expression.reads.stays_inside == subtree.reads.stays_inside
    if not expression.reads.stays_inside:
        return
    document, replica = Document(seed), Replica()
    replica.apply_edit(document.events(30))
    moved = compile_expression(f"({path})[true() or /]", namespaces=NAMESPACES, scope=Scope.SUBTREE)
    assert not moved.reads.stays_inside
    for place, ids in nodes_of(document):
        if place.last.is_element:
            environment = replica.environment(place, ids)
            assert environment is not None
            assert outcome(expression, environment) == outcome(moved, environment)


@given(with_paths(""), st.integers(0, 10_000))
@settings(max_examples=75)
def test_a_subtree_is_a_document_of_its_own(text: str, seed: int) -> None:
    """Asked in its place it says what it says of the whole document in a copy of the subtree."""
    subtree, whole = (
        compile_expression(text, namespaces=NAMESPACES, variables=VARIABLES, scope=scope)
        for scope in (Scope.SUBTREE, Scope.DOCUMENT)
    )
    document, replica = Document(seed), Replica()
    replica.apply_edit(document.events(30))
    for place, ids in nodes_of(document):
        environment = replica.environment_in_tree(place, ids, VALUES)
        assert environment is not None
        if place.last.is_element:
            copied = deepcopy(environment.element)
            assert copied is not None
            copied.tail = None
            assert outcome(subtree, environment) == outcome(whole, environment._replace(element=copied))


# expression; what touches it, what does not; what it keeps besides, what it does not: from an item down
SUBTREE = [
    (
        "price > 3",
        "price price/text() price/x/text()",
        "@id quantity price/@currency .",
        "price/x",
        "quantity price/@c x/price",
    ),
    ("price", "price", "price/text() quantity @price", ".", "price/text() price/x quantity"),
    ("@id = 'a'", "@id", "id @x id/text()", ".", "price text()"),
    ("count(price) = 2", "price", "price/text() quantity", ".", "price/text() quantity"),
    ("not(text)", "text", "text/text() text() @text", ".", "text/text() text()"),
    (
        "string[@name = following-sibling::string/@name]",
        "string string/@name",
        "@name other string/text()",
        "other",
        "other/x string/x",
    ),
    (
        "not(//item[@status = 'open'])",
        ". x/item item/@status x/item/@status",
        "@x x item/text()",
        "x",
        "@x item/text()",
    ),
    ("item[2]", "item", "other item/x", "other text()", "item/x"),
    ("number(price) > 3", "price price/text()", "quantity", "quantity text()", "quantity/x"),
    ("number(@price) > 3", "@price", "price", ".", "quantity"),
    (".//a/b", "a/b x/a/b x/y/a/b", "b a x/b a/x/b", "a x/a x y", "@a text()"),
    ("1 = 1", "", ". a @a text()", ".", "@a text()"),
    ("text() = 'x'", "text() a", "@a a/text()", ".", "a/text() @a"),
    (". = 'x'", "text() a/text()", "a @a", "a a/b", "@a a/@b"),
    ("name() = 'x'", ".", "a text()", ".", "@a text()"),
    (
        "sum(item/price) > 5",
        "item/price item/price/text() item/price/x/text()",
        "item/quantity",
        "item item/price/x",
        "other item/x",
    ),
]


def steps_of(path: str) -> tuple[object, ...]:
    return () if path == "." else PathType.parse(path).steps


@pytest.mark.parametrize("row", SUBTREE, ids=[row[0] for row in SUBTREE])
def test_table_of_subtrees(row: tuple[str, str, str, str, str]) -> None:
    text, touching, not_touching, kept, not_kept = row
    reads = compile_expression(text, scope=Scope.SUBTREE).truth_reads
    assert [path for path in touching.split() if not reads.touched_by(steps_of(path))] == []
    assert [path for path in not_touching.split() if reads.touched_by(steps_of(path))] == []
    assert [path for path in (touching + " " + kept).split() if not reads.keeps(steps_of(path))] == []
    assert [path for path in not_kept.split() if reads.keeps(steps_of(path))] == []


# expression about a text in order/item/price; what touches it, what does not, what it keeps besides, what it does not
DOCUMENT = [
    (
        ". > 3",
        "/order/item/price/text()",
        "/order/item/price/x/text() /order/item/quantity",
        "",
        "/order /order/item/quantity",
    ),
    (
        "../../quantity > 3",
        "/order/item/quantity/text() /order/item/quantity",
        "/order/quantity /order/item/price/quantity /order/item/@id",
        "/order/item /order/item/price",
        "/order /order/customer /order/item/quantity/@x",
    ),
    (
        "ancestor::order/@id = 'x'",
        "/order/@id",
        "/order/item/@id /order/customer",
        "/order /order/item",
        "/order/customer /order/item/@id",
    ),
    (
        "//quantity",
        "/order/quantity /order/a/b/quantity",
        "/order /order/item /order/@quantity",
        "/order /order/a/b",
        "/order/@a",
    ),
]


@pytest.mark.parametrize("row", DOCUMENT, ids=[row[0] for row in DOCUMENT])
@pytest.mark.parametrize("context", ["/order/item/price/text()", "item/price/text()"])
def test_table_of_documents(row: tuple[str, str, str, str, str], context: str) -> None:
    text, touching, not_touching, kept, not_kept = row
    expression = compile_expression(text, node=NodeKind.TEXT)
    reads = expression.reads_from(PathType.parse(context), truth=True)
    assert [path for path in touching.split() if not reads.touched_by(steps_of(path))] == []
    if context.startswith("/"):
        assert [path for path in not_touching.split() if reads.touched_by(steps_of(path))] == []
        assert [path for path in not_kept.split() if reads.keeps(steps_of(path))] == []
    assert [path for path in (touching + " " + kept).split() if not reads.keeps(steps_of(path))] == []


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("price", True),
        (".", True),
        ("item//price", True),
        (".//x", True),
        ("@a", True),
        ("descendant::x[self::x]", True),
        ("3 < 4", True),
        ("count(*[last()])", True),
        ("price/..", True),
        ("item/price/../@id", True),
        ("string[@name = following-sibling::string/@name]", True),
        ("item[../price]", True),
        ("(item)[1]/..", True),
        ("/", False),
        ("/item", False),
        ("//item", False),
        ("..", False),
        ("item/../..", False),
        ("x[/item]", False),
        ("parent::x", False),
        ("item/ancestor::x", False),
        ("following-sibling::x", False),
        ("lang('a')", False),
        (".//..", False),
        ("item/following::x", False),
        ("@a/../..", False),
    ],
)
def test_how_far_it_looks(text: str, stays: bool) -> None:
    assert compile_expression(text).reads.stays_inside is stays


def test_order() -> None:
    orders = {
        "price > 3": True,
        "price": False,
        "item[1]": True,
        "@a = 'x'": False,
        "string(@a)": False,
        "count(a)": False,
    }
    places = [(), *((Step.element(name),) for name in ("price", "item", "a"))]
    for text, matters in orders.items():
        reads = compile_expression(text, scope=Scope.SUBTREE).truth_reads
        assert any(map(reads.orders, places)) is matters, text
