"""Rules that can match and most likely say something else than was meant: what `xmlcep check` asks about.

`text` without parentheses is the name of an element, and there are vocabularies that have one. Where nothing else in
the rules is about what is in such an element, or about its attributes, ``text()`` was meant.
"""

from __future__ import annotations

from path_types import PathType, Step
from path_types.names import local_name

from ..algebra import leaves_of
from ..errors import RuleProblem
from ..language import print_path
from ..rules.ruleset import Rules
from .definitions import definitions_of, in_order, operation_of


def slips(rules: Rules) -> list[RuleProblem]:
    """Leaves for elements called ``text`` that most likely mean the text of the element above, from top to bottom.

    Updates are not among them: an element has none, which `impossible` says.
    """
    leaves = [
        (subject, leaf)
        for subject, definition in definitions_of(rules)
        for leaf in leaves_of(definition.expression)
    ]
    if any(_is_text(step) for _, leaf in leaves for step in leaf.type.path.steps[:-1]):
        return []
    found = []
    for name, leaf in leaves:
        path = None if operation_of(leaf) in (None, "upd") else text_meant(leaf.type.path)
        if path is not None:
            said = f"{name}: {print_path(leaf.type.path, rules.namespaces)} is an element called text"
            hint = f"for the text of an element write {print_path(path, rules.namespaces)}"
            found.append(RuleProblem(said, hint, leaf.at))
    return in_order(found)


def text_meant(path: PathType) -> PathType | None:
    """Of the path type of an element called ``text`` in another, that of the text of the other; None for all others.

    >>> print(text_meant(PathType.parse("item/price/text")), text_meant(PathType.parse("item/price")))
    item/price/text() None
    """
    return path.parent.child(Step.text()) if path.parent is not None and _is_text(path.last) else None


def _is_text(step: Step) -> bool:
    return step.is_element and local_name(step.test) == "text"
