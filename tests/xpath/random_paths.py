"""Random location paths over the documents of `tests.log.random_documents`."""

from __future__ import annotations

from hypothesis import strategies as st

NAMESPACES = {"x": "urn:x", "y": "urn:y"}
_TESTS = ("a", "b", "c", "x:a", "xml:lang", "*", "x:*", "text()", "node()", "r")
_AXES = (
    "",
    "",
    "",
    "",
    "",
    "descendant::",
    "descendant-or-self::",
    "self::",
    "parent::",
    "ancestor::",
    "ancestor-or-self::",
    "following::",
    "following-sibling::",
    "preceding::",
    "preceding-sibling::",
)
_ATTRIBUTES = ("@a", "@b", "@x:a", "@xml:lang", "@*", "attribute::node()")
_PREDICATES = (
    "1",
    "2",
    "last()",
    "position() > 1",
    "@a",
    "a",
    "not(*)",
    "text()",
    ". = '1'",
    "b = 2",
    "../@a = @b",
    "count(*) = 1",
    "last() - 1",
    "a or b",
    "string(.) != ''",
    "following-sibling::a",
    "number(@a)",
    "@a = //@b",
    "@a = current()/@b",
    "count(current()/ancestor::*[current()/@a = @a]) = 1",
    ". = current()",
)


@st.composite
def paths(draw: st.DrawFn, *, absolute: bool = True) -> str:
    """Location paths."""
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        step = draw(st.sampled_from((".", "..", "name"))) if draw(st.booleans()) else "name"
        if step == "name":
            step = draw(st.sampled_from(_AXES)) + draw(st.sampled_from(_TESTS))
            step += "".join(
                f"[{draw(st.sampled_from(_PREDICATES))}]"
                for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2))))
            )
        steps.append(step)
    if draw(st.integers(0, 3)) == 0:
        steps.append(draw(st.sampled_from(_ATTRIBUTES)))
    path = steps[0]
    for step in steps[1:]:
        path += draw(st.sampled_from(("/", "/", "//"))) + step
    return draw(st.sampled_from(("", "", "", "/", "//", "current()/") if absolute else ("",))) + path


@st.composite
def node_expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """Expressions that ask nodes, whose numbers are small and whole: lxml says of them what we do."""

    def inner() -> str:
        return draw(node_expressions(depth - 1)) if depth > 0 else draw(paths())

    def nodes() -> str:
        a, b, n = draw(paths()), draw(paths()), draw(st.integers(1, 3))
        below = draw(paths(absolute=False))
        return draw(
            st.sampled_from((a, f"{a} | {b}", f"({a})[{n}]", f"({a} | {b})[last()]", f"({a})[@a]/{below}"))
        )

    sign = draw(st.sampled_from(("=", "!=", "<", "<=", ">", ">=", "and", "or", "+", "-")))
    function = draw(
        st.sampled_from(("count", "sum", "string", "local-name", "namespace-uri", "number", "not", "boolean"))
    )
    form = draw(st.integers(0, 5))
    if form == 0:
        return nodes()
    if form == 1:
        return f"{function}({nodes()})"
    if form == 2:
        return f"({nodes()}) {sign} {draw(st.sampled_from(('1', '2', 'true()', repr('a'), repr(''))))}"
    if form == 3:
        return f"({inner()}) {sign} ({inner()})"
    if form == 4:
        return f"{draw(paths())}/self::node()[{inner()}]"
    return draw(
        st.sampled_from(
            (
                "lang('a')",
                "lang('ab c')",
                "contains(., 'b')",
                "string-length()",
                "count(*[position() = last()])",
            )
        )
    )
