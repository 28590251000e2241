"""Path types from text: ``["/"] step { "/" step }``, a step being a QName, ``@`` QName or ``text()``.

A QName is ``name``, ``prefix:name`` or Clark notation ``{uri}name``.
"""

from __future__ import annotations

from collections.abc import Mapping

from .errors import PathSyntaxError
from .names import clark_name, ncname_at
from .steps import TEXT_TEST, Axis, Step


def parse_steps(text: str, namespaces: Mapping[str, str] | None = None) -> tuple[bool, list[Step]]:
    """Whether the path in ``text`` is absolute, and its steps; see `PathType.parse`."""
    return _PathParser(text, namespaces or {}).parse()


class _PathParser:
    """Reads one path from left to right; ``position`` is the character looked at."""

    def __init__(self, text: str, namespaces: Mapping[str, str]) -> None:
        self.text = text
        self.namespaces = namespaces
        self.position = 0

    def parse(self) -> tuple[bool, list[Step]]:
        absolute = self._skip("/")
        steps = [self._step()]
        while self.position < len(self.text):
            if not self._skip("/"):
                raise self._error("an unexpected character", "write '/' between two steps")
            if not steps[-1].is_element:
                raise self._error(
                    f"a step after {steps[-1]}", "an attribute or text() can only be the last step"
                )
            steps.append(self._step())
        return absolute, steps

    def _step(self) -> Step:
        if self.text.startswith(TEXT_TEST, self.position):
            self.position += len(TEXT_TEST)
            return Step.text()
        if self._skip("@"):
            return Step(Axis.ATTRIBUTE, self._name(default=""))
        return Step(Axis.CHILD, self._name(default=self.namespaces.get("", "")))

    def _name(self, default: str) -> str:
        """A QName as a name in Clark notation; ``default`` is the namespace of unprefixed names."""
        start = self.position
        if self._skip("{"):
            closing = self.text.find("}", self.position)
            if closing < 0:
                raise self._error("'{' without '}'", "write a namespaced name as {uri}name", start)
            uri = self.text[self.position : closing]
            self.position = closing + 1
            return clark_name(uri, self._ncname())
        name = self._ncname()
        if not self._skip(":"):
            return clark_name(default, name)
        if name not in self.namespaces:
            known = ", ".join(sorted(filter(None, self.namespaces))) or "none"
            raise self._error(
                f"the unknown prefix {name!r}",
                f"declare it (known prefixes: {known}) or write {{uri}}name",
                start,
            )
        return clark_name(self.namespaces[name], self._ncname())

    def _ncname(self) -> str:
        name = ncname_at(self.text, self.position)
        if name:
            self.position += len(name)
            return name
        rest = self.text[self.position :]
        if not rest:
            raise self._error("a step is missing at the end", "write a name, @name or text()")
        if rest[0] == "/":
            raise self._error("an empty step", self._instead_of_empty(rest[1:]))
        if rest[0] == "*":
            raise self._error("'*' as a name", "a path type names every node: write the element's name")
        raise self._error(f"{rest[0]!r} where a name should be", "write a name, @name or text()")

    def _instead_of_empty(self, behind: str) -> str:
        """XPath's ``//`` is what a relative path means anyway."""
        if not behind or behind[0] == "/":
            return "write a name between the slashes"
        if self.position <= 1:
            return f"write {behind}: a path that does not begin with a slash means any place"
        return f"write a name between the slashes, or {behind} alone, which means any place"

    def _skip(self, character: str) -> bool:
        if self.text.startswith(character, self.position):
            self.position += 1
            return True
        return False

    def _error(self, problem: str, hint: str, offset: int | None = None) -> PathSyntaxError:
        return PathSyntaxError(self.text, self.position if offset is None else offset, problem, hint)
