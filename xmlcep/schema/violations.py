"""Events for what the multiplicities of a content model forbid: more children than there may be."""

from __future__ import annotations

from collections.abc import Iterator

from path_types import PathType, contains

from ..algebra import Disjunction, EventDefinition, Expression, Options
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
    ``xsi:type`` can name other types, it is one too many for all of them. A child called as the element is not grouped
    with it (P3): its event is of the child, ``{if="count(../rule) > 1"} ins(rule/rule)``.
    """
    for counted, bound in bounds(schema, declaration):
        together = "Or".join(capitalised(local(name)) for name in counted[:3]) + (
            "OrOther" if counted[3:] else ""
        )
        allowed = "no" if bound == 0 else str(bound)
        comment = f"{local(declaration.name)}: more than {allowed} of {', '.join(map(local, counted))}"
        tests = [prefixes.in_condition(name) for name in counted]
        paths = {name: element_path(place, name) for name in counted}
        inserted: list[Expression] = [
            building.inserted(path) for path in paths.values() if contains(path, place)
        ]
        either = building.disjunction(inserted, place)
        if either is not None:
            name = names.name(f"TooMany{together}In", place)
            root = building.multiplicity(either, 1, None, place)
            condition = f"count({' | '.join(tests)}) > {bound}"
            yield DerivedEvent(building.event(name, place, [root], when=condition), (comment,))
        for name, path in paths.items():
            if not contains(path, place):
                by = "" if either is None else f"By{capitalised(local(name))}"
                beside = " | ".join(f"../{test}" for test in tests)
                guarded = Options(path=path, guard=f"count({beside}) > {bound}")
                definition = EventDefinition(
                    names.name(f"TooMany{together}{by}In", place),
                    Disjunction((building.inserted(path),), guarded),
                )
                yield DerivedEvent(
                    definition, (f"{comment}; of the {local(name)} that is one too many (P3)",)
                )
