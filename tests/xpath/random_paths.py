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
    return draw(st.sampled_from(("", "", "", "/", "//") if absolute else ("",))) + path
