"""The event "an element was changed as a whole": all that it is made of directly has been updated."""

from __future__ import annotations

from path_types import PathType, Step

from ..algebra import Expression, Termination
from . import building
from .building import DerivedEvent
from .model import Declaration, TextKind, local


def has_change(declaration: Declaration) -> bool:
    """Whether there is text or an attribute that an update could change."""
    return bool(_updatable(declaration))


def change_event(
    declaration: Declaration, place: PathType, name: str, end: Termination | None
) -> DerivedEvent:
    """``upd(item/@partNum) & …``: every required attribute, and the text of simple content.

    Where nothing is required, any attribute will do. Fixed attributes cannot be changed.
    """
    steps, together = _updatable(declaration) or ((), True)
    leaves: list[Expression] = [building.updated(place.child(step)) for step in steps]
    join = building.conjunction if together else building.disjunction
    joined = join(leaves, place)
    assert joined is not None
    said = "all of its required parts were" if together and len(leaves) > 1 else "it was"
    if not together:
        said = "one of its attributes was (none is required)"
    return DerivedEvent(
        building.event(name, place, [joined], end=end), (f"{local(declaration.name)}: {said} updated",)
    )


def _updatable(declaration: Declaration) -> tuple[tuple[Step, ...], bool] | None:
    """The parts, and whether all of them have to be updated."""
    content = declaration.content
    free = [attribute for attribute in content.attributes if not attribute.fixed]
    required = [Step.attribute(attribute.name) for attribute in free if attribute.required]
    if content.text is not TextKind.NONE and not content.mixed:
        required.append(Step.text())
    if required:
        return tuple(required), True
    optional = [Step.attribute(attribute.name) for attribute in free]
    return (tuple(optional), False) if optional else None
