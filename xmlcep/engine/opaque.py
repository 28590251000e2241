"""Opaque leaves: what the engine of another language says of an event (rules O1, O2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from ..documents import Replica
from ..events import PrimitiveEvent
from ..languages import CompiledText
from ..rules.variables import BUILT_IN
from .errors import OpaqueError
from .setting import Setting


class ReplicaView:
    """A document as engines of languages look at it (`xmlcep.languages.DocumentView`)."""

    __slots__ = ("_replica",)

    def __init__(self, replica: Replica) -> None:
        self._replica = replica

    @property
    def root(self) -> etree._Element | None:
        """The document element."""
        root = self._replica.root_id
        return None if root is None else self._replica.element(root)

    def element(self, event: PrimitiveEvent) -> etree._Element | None:
        """The element that the event is about, for attributes and texts that which has them."""
        environment = self._replica.environment_in_tree(event.path, event.ids)
        return None if environment is None else environment.element

    def text_number(self, event: PrimitiveEvent) -> int:
        """Which of its element's text nodes the event is about, from 1; 0 if about none."""
        environment = self._replica.environment(event.path, event.ids)
        return environment.text if environment is not None and event.path.last.test == "text()" else 0


class OpaqueQuestion:
    """A text of another language, ready to be asked by a rule."""

    def __init__(self, text: CompiledText, rule: str, setting: Setting) -> None:
        self._text = text
        self._rule = rule
        self._setting = setting  # whose document is another one after a reset
        self._declared = frozenset(text.variables or ())

    def ask(self, event: PrimitiveEvent) -> Mapping[str, Any] | None:
        """The variables that are returned; None for no. Raises `OpaqueError`: what fails never counts as no."""
        try:
            said = self._text.ask(event, self._view())
        except Exception as error:
            raise OpaqueError(self._rule, self._text.language, event, _cause(error)) from error
        if said is None or said is False:
            return None
        if said is True:
            return {}
        if not isinstance(said, Mapping):
            raise OpaqueError(
                self._rule, self._text.language, event, f"returned {said!r}, not True, False or a mapping"
            )
        return {name: self._value(name, value, event) for name, value in said.items() if value is not None}

    def _view(self) -> ReplicaView | None:
        document = self._setting.document
        return ReplicaView(document) if self._text.needs_document and document is not None else None

    def bound(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the variables that the leaf binds (O1)."""
        return {name: value for name, value in said.items() if name in self._declared}

    def _value(self, name: object, value: object, event: PrimitiveEvent) -> Any:
        if not isinstance(name, str) or name in BUILT_IN:
            problem = f"returned a variable {name!r}: expected a name that no event has"
        elif isinstance(value, (str, bool, float)):
            return value
        elif isinstance(value, int):
            return float(value)
        else:
            problem = f"returned ${name} = {value!r}: expected a string, a number or a boolean"
        raise OpaqueError(self._rule, self._text.language, event, problem)


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
