"""Random path types over the shared alphabet of names."""

from __future__ import annotations

from hypothesis import strategies as st

from path_types import PathType, Step

ELEMENTS = ("order", "item", "price", "quantity", "comment", "billTo")
LAST = (Step.attribute("partNum"), Step.text(), None, None)


@st.composite
def path_types(draw: st.DrawFn, *, max_steps: int = 4, names: tuple[str, ...] = ELEMENTS) -> PathType:
    """Any path type of up to ``max_steps`` element steps, perhaps with an attribute or ``text()`` behind."""
    steps = [
        Step.element(name) for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=max_steps))
    ]
    last = draw(st.sampled_from(LAST))
    return PathType.of(draw(st.booleans()), steps if last is None else [*steps, last])
