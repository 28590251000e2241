"""The steps of examples, done to a wrapped document whose clock stands still between them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from typing import Any

from lxml import etree

from ..actions.nodes import keep_tail
from ..actions.performing import write
from ..algebra.windows import Unit, WindowError, parse_window
from ..errors import XmlCepError
from ..events import CompositeEvent
from ..rules import IgnoredRulesWarning, Rules
from ..timestamps import TimeError, microseconds, timestamp
from ..wrapping import fromstring
from ..xpath import Environment, ExpressionError, Selected, compile_expression, compile_selection
from .errors import ExampleError
from .script import Action, Step

START = microseconds("2026-01-01T00:00:00Z")
"""When examples begin."""

_LAST = re.compile(r"(?s)(?P<above>.*?)/?(?P<name>@?[^/\[\]@]+)(?:\[(?P<number>[1-9][0-9]*)\])?")


class Player:
    """A document, the rules that watch it and act on it, and what they have raised since somebody looked."""

    def __init__(
        self, rules: Rules, xml: str, only: Collection[str] | None, functions: Mapping[str, Any]
    ) -> None:
        self._time = START
        self._stack = ExitStack()
        self._transaction: ExitStack | None = None
        self._found: list[CompositeEvent] = []
        self._namespaces = dict(rules.namespaces)
        self.document = self._stack.enter_context(
            fromstring(xml, name="example", now=lambda: self._time / 1e6)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IgnoredRulesWarning)  # they act below
            watch = self.document.watch(rules, on_event=self._found.append, keep=0, only=only)
        self._stack.enter_context(watch)
        if rules.active_rules:
            self._stack.enter_context(self.document.rules(rules, actions=functions))

    def take(self) -> list[CompositeEvent]:
        """What has been raised since this was asked before."""
        found, self._found[:] = list(self._found), []
        return found

    def close(self) -> None:
        """The document ends: matches that wait for that are raised."""
        if self._transaction is not None:
            self._transaction.close()
            self._transaction = None
        self._stack.close()

    # -- steps --------------------------------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        """Does one step; raises `ExampleError` with its line for what cannot be done."""
        try:
            self._do(step)
        except (ValueError, TypeError) as error:  # names and texts that XML cannot hold
            if isinstance(error, XmlCepError):
                raise
            raise ExampleError(f"line {step.line}: {step.text}: {error}") from error

    def _do(self, step: Step) -> None:
        match step.action:
            case Action.INS:
                self._insert(step)
            case Action.UPD:
                self._update(step)
            case Action.DEL:
                self._delete(step)
            case Action.BEGIN:
                self._begin(step)
            case Action.COMMIT:
                if self._transaction is None:
                    raise _error(step, "there is no transaction to commit", "begin … commit")
                transaction, self._transaction = self._transaction, None
                transaction.close()
            case Action.WAIT | Action.AT:
                self._go_on(step)
            case Action.END:
                self.close()
            case Action.START | Action.ONLY:
                raise _error(step, f"{step.action.value} comes first", "only EVENT; start <order/>")

    def _begin(self, step: Step) -> None:
        if self._transaction is not None:
            raise _error(step, "a transaction is open already", "commit it first")
        pairs: dict[str, Any] = dict(pair.partition("=")[::2] for pair in step.argument.split())
        self._transaction = ExitStack()
        self._transaction.enter_context(self.document.transaction(**pairs))

    def _go_on(self, step: Step) -> None:
        if self._transaction is not None:
            raise _error(step, "time passes in a transaction", "commit it first")
        try:
            if step.action is Action.AT:
                time = microseconds(step.argument)
            else:
                window = parse_window(step.argument)
                if window.unit is not Unit.TIME:
                    raise _error(step, f"{window} is not a time", "+3 days")
                time = self._time + window.amount
        except WindowError as error:
            raise _error(step, error.problem, error.hint) from error
        except TimeError as error:
            raise _error(step, str(error), "at 2026-01-05T12:00:00Z") from error
        if time < self._time:
            raise _error(step, f"it is {timestamp(self._time)} already", "+3 days")
        self._time = time
        self.document.advance(time)

    def _insert(self, step: Step) -> None:
        match = _LAST.fullmatch(step.argument)
        if match is None:
            raise _error(
                step, "what is inserted is the last step of a path", "ins order/item, ins order/item/@id = 7"
            )
        name = match["name"]
        parent = self._one(step, match["above"] or "/", f"{match['above'] or '/'} is where it goes")
        if not isinstance(parent, etree._Element):
            raise _error(step, "it goes into no element", "ins order/item")
        value = step.value or ""
        if name == "text()":
            write(parent, value) if not len(parent) else self._behind_last(parent, value)
        elif name.startswith("@"):
            parent.set(self._name(step, name[1:], attribute=True), value)
        else:
            with self.document.one_edit():
                element = parent.makeelement(self._name(step, name))
                element.text = value or None
                parent.insert(self._index(parent, element.tag, match["number"]), element)

    @staticmethod
    def _behind_last(parent: Any, value: str) -> None:
        parent[-1].tail = value or None

    @staticmethod
    def _index(parent: Any, name: Any, number: str | None) -> int:
        same = [child for child in parent if child.tag == name]
        at = len(same) if number is None else int(number) - 1
        return parent.index(same[at]) if at < len(same) else len(parent)

    def _name(self, step: Step, name: str, *, attribute: bool = False) -> str:
        prefix, _, local = name.rpartition(":")
        if name.startswith("{"):
            return name
        if prefix and prefix not in self._namespaces:
            raise _error(step, f"the unknown prefix {prefix!r}", "declare it in the rules")
        uri = "" if attribute and not prefix else self._namespaces.get(prefix, "")
        return f"{{{uri}}}{local}" if uri else local

    def _update(self, step: Step) -> None:
        node = self._one(step, step.argument, "upd writes to it")
        if isinstance(node, etree._Element) and len(node):
            raise _error(step, f"{step.argument} has elements in it", f"{step.argument}/text()")
        write(node, step.value or "")

    def _delete(self, step: Step) -> None:
        node: Any = self._one(step, step.argument, "del takes it out")
        if not isinstance(node, etree._Element):
            if node.is_attribute:
                del node.getparent().attrib[node.attrname]
            else:
                write(node, "")
        elif node is self.document.root:
            raise _error(step, "the root element stays", "end")
        else:
            parent: Any = node.getparent()
            keep_tail(node)
            parent.remove(node)

    # -- paths --------------------------------------------------------------------------------------------------------

    def _one(self, step: Step, path: str, what: str) -> Selected:
        found = self.nodes(step, path)
        if len(found) != 1:
            said = "no node" if not found else f"{len(found)} nodes"
            hint = (
                f"{path}[1]"
                if found
                else f"the document is {etree.tostring(self.document.root).decode()[:200]}"
            )
            raise _error(step, f"{path} leads to {said}: {what}", hint)
        return found[0]

    def nodes(self, step: Step, path: str) -> list[Selected]:
        """The nodes that a path leads to from above the root element."""
        asked = path if path.startswith("/") else f"/{path}"
        try:
            selection = compile_selection("/*" if asked == "/" else asked, namespaces=self._namespaces)
        except ExpressionError as error:
            raise ExampleError(f"line {step.line}: {error}") from error
        return selection.nodes(Environment(element=self.document.root))

    def holds(self, step: Step, condition: str) -> bool:
        """Whether an expression is true of the root element."""
        try:
            asked = compile_expression(condition, namespaces=self._namespaces)
        except ExpressionError as error:
            raise ExampleError(f"line {step.line}: {error}") from error
        return asked.boolean(Environment(element=self.document.root))


def _error(step: Step, problem: str, hint: str) -> ExampleError:
    return ExampleError(f"line {step.line}: {step.text}: {problem}\n  hint: {hint}")
