"""Examples: run against rules, and found in the comments of a rules file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ..arguments import BY_NAME, STRING, check, optional
from ..events import CompositeEvent
from ..language.statements import EXAMPLE
from ..rules import Rules, parse_rules
from ..suggestions import did_you_mean_or_list
from .edits import Player
from .errors import ExampleError
from .script import Action, Finding, Step, steps_of

MARK = EXAMPLE
"""What a line of an example begins with in a rules file."""


@dataclass(frozen=True, slots=True)
class Example:
    """Edits of a document of its own, and what is expected of the rules; ``line`` is where it begins."""

    text: str
    line: int = 1

    def failures(self, rules: Rules, functions: Mapping[str, Callable[..., Any]] | None = None) -> list[str]:
        """What is otherwise than expected, a text for each place; raises `ExampleError` for what cannot be run."""
        steps = list(steps_of(self.text, self.line))
        _check_names(steps, [definition.name for definition in rules.definitions])
        only = None
        if steps and steps[0].action is Action.ONLY:
            only, steps = steps[0].names, steps[1:]
        xml, steps = _start(steps)
        player, failures, ended = Player(rules, xml, only, functions or {}), [], False
        try:
            for step in steps:
                if ended and step.action is not Action.NOTHING:
                    raise ExampleError(f"line {step.line}: {step.text}: the document has ended")
                player.do(step)
                ended |= step.action is Action.END
                if step.expected is not None:
                    failures += _compared(player, step)
            left = player.take()
            if left:
                line = steps[-1].line if steps else self.line
                failures.append(f"line {line}: unexpected: {_listed(map(_described, left))}")
        finally:
            player.close()
        return failures


def examples_of(text: str) -> Iterator[Example]:
    """The examples in the comments of a rules text: lines that begin with ``#>``, those below each other being one."""
    found: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        written = line.strip()
        if written.startswith(MARK):
            found.append(written[len(MARK) :])
        elif found:
            yield Example("\n".join(found), number - len(found))
            found = []


def rules_case(
    rules: Rules | str,
    edits: str,
    *,
    expect: str | Sequence[str] | None = None,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> None:
    """Raises `AssertionError` unless rules find in these edits what is expected.

    ``rules`` are rules or their text; ``edits`` are in the notation of docs/testing.md; ``expect`` is what is raised
    from the last ``=>`` to the end, as it is written after one, or a list of that; ``functions``: what rules call.
    Raises `ExampleError` for edits that cannot be done, `RuleError` for rules that are none.

    >>> rules = "event Dearer = upd(price/text())[. > $old]"
    >>> rules_case(rules, "start <price>3</price>; upd price = 4", expect="Dearer")
    """
    check("rules_case()", edits=(edits, STRING), functions=(functions, optional(BY_NAME)))
    known = parse_rules(rules) if isinstance(rules, str) else rules
    if expect is not None:
        edits += "\n=> " + (expect if isinstance(expect, str) else ", ".join(expect) or "nothing")
    failures = Example(edits).failures(known, functions)
    if failures:
        raise AssertionError("\n".join(failures))


def _start(steps: list[Step]) -> tuple[str, list[Step]]:
    """The document that an example begins with: that of its ``start``, or the root element of its first path."""
    if steps and steps[0].action is Action.START:
        return steps[0].argument, steps[1:]
    first = next(
        (step.argument for step in steps if step.action in (Action.INS, Action.UPD, Action.DEL)), "root"
    )
    name = first.lstrip("/").partition("/")[0]
    try:
        return etree.tostring(etree.Element(name)).decode(), steps
    except ValueError as error:
        raise ExampleError(
            f"line {steps[0].line}: the root element cannot be told from {first!r}\n  hint: begin with start <order/>"
        ) from error


def _check_names(steps: Iterable[Step], names: Sequence[str]) -> None:
    for step in steps:
        for name in (*(finding.name for finding in step.expected or ()), *step.names):
            if name not in names:
                hint = did_you_mean_or_list(name, names, len(names))
                raise ExampleError(f"line {step.line}: the rules have no event {name!r}\n  hint: {hint}")


def _compared(player: Player, step: Step) -> list[str]:
    failures = [
        f"line {step.line}: {condition!r} is not true of {etree.tostring(player.document.root).decode()}"
        for condition in step.conditions
        if not player.holds(step, condition)
    ]
    found = player.take()
    expected = list(step.expected or ())
    missing = []
    for one in sorted(expected, key=lambda finding: not finding.path):
        match = next((each for each in found if _is(player, step, each, one)), None)
        if match is None:
            missing.append(str(one))
        else:
            found.remove(match)
    if step.conditions and not expected:  # only the document was asked
        return failures
    if missing or found:
        said = [f"missing: {_listed(missing)}"] if missing else []
        said += [f"not expected: {_listed(map(_described, found))}"] if found else []
        failures.append(f"line {step.line}: {step.text or '=>'}: {'; '.join(said)}")
    return failures


def _is(player: Player, step: Step, found: CompositeEvent, expected: Finding) -> bool:
    if found.name != expected.name:
        return False
    if not expected.path:
        return True
    ids = found.ids if found.path is None or found.path.last.is_element else found.ids[:-1]
    elements = (
        node if isinstance(node, etree._Element) else node.getparent()
        for node in player.nodes(step, expected.path)
    )
    return any(player.document.ids_of(element) == ids for element in elements)


def _described(found: CompositeEvent) -> str:
    return str(found)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in Counter(names).items())
