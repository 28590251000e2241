"""Path types as expressions of XPath 1.0."""

from __future__ import annotations

from .names import local_name, namespace_of
from .steps import Axis, Step
from .types import PathType


def xpath_of(path: PathType) -> str:
    """An expression, without prefixes, for all nodes of a path type."""
    return ("/" if path.absolute else "//") + "/".join(map(_xpath_step, path.steps))


def _xpath_step(step: Step) -> str:
    namespace = namespace_of(step.test)
    if not namespace:
        return str(step)
    any_name = "@*" if step.axis is Axis.ATTRIBUTE else "*"
    local, uri = _literal(local_name(step.test)), _literal(namespace)
    return f"{any_name}[local-name()={local} and namespace-uri()={uri}]"


def _literal(text: str) -> str:
    """A string of XPath 1.0, which has no escapes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    return "concat(" + ', "\'", '.join(f"'{part}'" for part in text.split("'")) + ")"
