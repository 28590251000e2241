"""Events for what the multiplicities of a content model forbid: more children than there may be."""

from __future__ import annotations

from collections.abc import Iterator

from path_types import PathType

from ..algebra import Expression
from . import building
from .bounds import bounds
from .building import DerivedEvent
from .model import Declaration, Schema, local
from .naming import EventNames, Prefixes, capitalised, element_path


def violation_events(
    schema: Schema, declaration: Declaration, place: PathType, names: EventNames, prefixes: Prefixes
) -> Iterator[DerivedEvent]:
    """``x[1,*]{when="count(comment) > 1"} ins(item/comment)`` for every bound of the content model.

    The condition counts the children there are, so that one that was deleted or stood there from the start is
    counted as it should be; the event is raised by the very insertion that was one too many, and by further ones. Where
    ``xsi:type`` can name other types, it is one too many for all of them.
    """
    for counted, bound in bounds(schema, declaration):
        together = "Or".join(capitalised(local(name)) for name in counted[:3]) + (
            "OrOther" if counted[3:] else ""
        )
        allowed = "no" if bound == 0 else str(bound)
        comment = f"{local(declaration.name)}: more than {allowed} of {', '.join(map(local, counted))}"
        condition = f"count({' | '.join(map(prefixes.in_condition, counted))}) > {bound}"
        inserted: list[Expression] = [building.inserted(element_path(place, name)) for name in counted]
        either = building.disjunction(inserted, place)
        assert either is not None
        root = building.multiplicity(either, 1, None, place)
        name = names.name(f"TooMany{together}In", place)
        yield DerivedEvent(building.event(name, place, [root], when=condition), (comment,))
