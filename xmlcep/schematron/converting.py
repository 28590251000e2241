"""Assertions of a Schematron file as event definitions (B1): ``becomes["not(test)"](context)``, with ``end=custom`` so
that what a transaction breaks and mends again is not raised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from path_types.names import is_ncname

from ..algebra import EventDefinition, Leaf, Options, Severity, Termination
from ..algebra.operators import Becomes
from ..errors import RuleProblem
from ..events import ANY, OPERATIONS, PrimitiveType
from ..xpath import ExpressionError, NodeKind, compile_expression
from .contexts import Place, from_there, places_of, with_variables
from .reading import Assertion, Rule, SchematronFile, iso

_SEVERITIES = {
    **dict.fromkeys(("fatal", "error", "critical"), Severity.ERROR),
    **dict.fromkeys(("warn", "warning"), Severity.WARNING),
    **dict.fromkeys(("info", "information", "hint", "note"), Severity.INFO),
}
_XPATH_1 = ("xslt", "xslt1", "xpath", "xpath1", "exslt")


class Converted(NamedTuple):
    """The definitions, the prefixes that they use, and what is to be said about them."""

    definitions: tuple[EventDefinition, ...]
    namespaces: Mapping[str, str]
    remarks: tuple[str, ...]


def convert(text: str, name: str, phase: str | None = None) -> Converted:
    """The assertions of a Schematron file, of one phase, as events; raises `RuleError` with all that cannot be one."""
    file = SchematronFile(text, name)
    converter = _Converter(file)
    definitions = [each for rules in file.patterns(phase) for each in converter.pattern(rules)]
    if file.problems:
        raise file.error()
    if file.binding not in _XPATH_1:
        converter.remarks.append(f"queryBinding is {file.binding}: the expressions are read as XPath 1.0")
    return Converted(tuple(definitions), file.namespaces, tuple(converter.remarks))


class _Converter:
    def __init__(self, file: SchematronFile) -> None:
        self._file = file
        self._namespaces = file.namespaces
        self._names: set[str] = set()
        self.remarks: list[str] = []

    def pattern(self, rules: list[Rule]) -> Iterator[EventDefinition]:
        """The events of a pattern: a node is judged by the first rule whose context it is."""
        before: list[Place] = []
        for rule in rules:
            variables: dict[str, str] = {}
            for let, is_own in rule.variables:
                with self._reporting(let, "value"):
                    value = with_variables(let.get("value", ""), variables)
                    self._check(value)
                    variables[let.get("name", "")] = from_there(
                        value, "current()" if is_own else "/", self._namespaces
                    )
            places: list[Place] = []
            with self._reporting(rule.element, "context"):
                context = with_variables(rule.element.get("context", ""), variables)
                places += places_of(context, self._namespaces)
                for place in places:
                    self._check(" and ".join(place.whole) or "true()")
            for place in places:
                known = [each.whole for each in before if each.key == place.key]
                before.append(place)
                if () in known:
                    at = self._file.place(rule.element).line
                    self.remarks.append(
                        f"line {at}: left out: a rule before it has the same context, {place.key[0]}"
                    )
                    continue
                for number, assertion in enumerate(rule.assertions, 1):
                    yield from self._event(rule, assertion, place, known, variables, number)

    def _event(
        self, rule: Rule, assertion: Assertion, place: Place, before: list[tuple[str, ...]],
        variables: Mapping[str, str], number: int,
    ) -> Iterator[EventDefinition]:  # fmt: skip
        element = assertion.element
        with self._reporting(element, "test"):
            test = self._asked(element.get("test", ""), place, variables)
            parts = [*place.conditions, *(f"not({' and '.join(each)})" for each in before)]
            holds = f"({test})" if parts else test
            parts.append(holds if assertion.is_report else f"not({test})")
            message = " ".join(
                " ".join(self._message(each, place, variables).split())
                for each in (element, *assertion.diagnostics)
            )
            leaf = Leaf(PrimitiveType(ANY, place.path))
            becomes = Becomes((leaf,), " and ".join(parts), Options(end=Termination.CUSTOM))
            of_rule = rule.element.get("id") or place.key[0].rpartition(":")[2]
            yield EventDefinition(
                self._name(element.get("id") or f"{of_rule}-{number}"), becomes,
                severity=_severity(rule, assertion), message=message or None, description=_title(rule.pattern),
            )  # fmt: skip

    def _asked(self, text: str, place: Place, variables: Mapping[str, str]) -> str:
        """An expression of a rule, checked, as it is asked at the element."""
        text = with_variables(text, variables)
        self._check(text)
        return from_there(text, place.of, self._namespaces) if place.of else text

    def _check(self, text: str) -> None:
        compile_expression(text, namespaces=self._namespaces, node=NodeKind.ELEMENT)

    def _message(self, element: Any, place: Place, variables: Mapping[str, str]) -> str:
        """A text with what is to be asked in braces (Y10)."""
        parts = [_braced(element.text)]
        for child in element.iterchildren("{*}*"):
            if child.tag == iso("value-of"):
                with self._reporting(child, "select"):
                    parts.append(f"{{{self._asked(child.get('select', ''), place, variables)}}}")
            elif child.tag == iso("name"):
                with self._reporting(child, "path"):
                    parts.append(f"{{name({self._asked(child.get('path', '.'), place, variables)})}}")
            else:
                parts.append(self._message(child, place, variables))
            parts.append(_braced(child.tail))
        return "".join(parts)

    def _name(self, wanted: str) -> str:
        """A name for an event that no other has."""
        usable = is_ncname(wanted) and wanted not in OPERATIONS
        name = called = wanted if usable else f"Rule-{len(self._names) + 1}"
        number = 2
        while name in self._names:
            name, number = f"{called}-{number}", number + 1
        self._names.add(name)
        return name

    @contextmanager
    def _reporting(self, element: Any, attribute: str) -> Iterator[None]:
        """What cannot be asked is noted with its place."""
        try:
            yield
        except ExpressionError as error:
            written = element.get(attribute, "") == error.expression
            offset, width = (error.offset, error.width) if written else (0, 0)
            at = self._file.place(element, attribute, offset, width)
            problem = RuleProblem(error.problem if written else error.message, error.hint, at)
            if (problem.message, at) not in [(each.message, each.at) for each in self._file.problems]:
                self._file.problems.append(problem)


def _braced(text: str | None) -> str:
    return (text or "").replace("{", "{{").replace("}", "}}")


def _severity(rule: Rule, assertion: Assertion) -> Severity:
    """What role or flag says; else an assertion that fails is an error, a report a warning."""
    for element in (assertion.element, rule.element):
        for attribute in ("role", "flag"):
            if (said := _SEVERITIES.get(element.get(attribute, "").lower())) is not None:
                return said
    return Severity.WARNING if assertion.is_report else Severity.ERROR


def _title(pattern: Any) -> str:
    title = pattern.find(iso("title"))
    said = pattern.get("name", "") if title is None else "".join(title.itertext())
    return " ".join(said.split())
