"""From lark's parse tree of one statement to values; what is no matter of syntax is checked here."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequence_
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypeGuard, cast

from lark import Token, Transformer_NonRecursive, Tree, v_args
from lark.tree import Meta

from ..algebra import (
    OPERATORS,
    Argument,
    Aside,
    Binding,
    Collected,
    Disjunction,
    EventDefinition,
    Expression,
    External,
    Leaf,
    Opaque,
    Operator,
    Options,
    Position,
    Sequence,
)
from ..events import ANY, OPERATIONS, CompositeType, EventType, PrimitiveType
from .declarations import unquoted
from .options import GivenOption, event_options, merged, operator_options
from .paths import WrittenPath, end_of, read_path, report_path, start_of
from .source import Source

MAX_NESTING = 100
"""How many operators may be in each other: more than anybody writes, less than Python can recurse."""

_ARGUMENTS = ("INT", "STAR", "STRING", "RELATION")
_MAX_DIGITS = 18  # of a number: what is larger is certainly a mistake, and never costs time
_NESTING = frozenset({"group", "absent", *(operator.rule for operator in OPERATORS if not operator.infix)})
_READERS: dict[str, type[Operator]] = {operator.rule: operator for operator in OPERATORS}


class _Binding(NamedTuple):
    binding: Binding
    at: Position
    value_at: Position | None


class _Label(NamedTuple):
    name: str
    at: Position


class _Unreadable:
    """Stands for an expression in which something is wrong, which has been reported."""


UNREADABLE = _Unreadable()
Unit: TypeAlias = Expression | Aside | _Unreadable
_Part: TypeAlias = Token | tuple[GivenOption, ...] | Unit | None  # None: what is optional and left out


def definition(tree: Tree[Token], namespaces: dict[str, str], source: Source) -> EventDefinition | None:
    """The definition that the tree of an ``event`` statement says; None if it cannot be known."""
    if too_deep(tree, source):
        return None
    return cast("EventDefinition | None", Definitions(namespaces, source).transform(tree))


class Definitions(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Reads events: builds values bottom-up (lark calls the method that is called like the rule, else
    ``__default__``)."""

    def __init__(self, namespaces: dict[str, str], source: Source) -> None:
        super().__init__()
        self._namespaces = namespaces
        self.source = source

    def path(self, pieces: list[Token]) -> WrittenPath:
        return read_path(pieces, self._namespaces)

    def option(self, parts: list[Token | WrittenPath | None]) -> GivenOption:
        name, value = parts
        assert isinstance(name, Token)
        option = GivenOption(str(name), start_of(name), end_of(name))
        if isinstance(value, WrittenPath):
            if option.name == "path":
                self.report_path(value, scoped=False)
            return option._replace(
                value=value.text, value_start=value.start, value_end=value.end, path=value.path
            )
        if value is None:
            return option
        text = unquoted(value, self.source)
        return option._replace(
            value=text,
            value_start=start_of(value),
            value_end=end_of(value),
            is_string=True,
            broken=text is None,
        )

    def options(self, options: list[GivenOption]) -> tuple[GivenOption, ...]:
        return tuple(options)

    def let(self, parts: list[Token]) -> GivenOption:
        word, name, value = parts
        text = unquoted(value, self.source)
        return GivenOption(
            "let", start_of(word), end_of(name), text, start_of(value), end_of(value), is_string=True,
            broken=text is None, variable=str(name),
        )  # fmt: skip

    def binding(self, parts: list[Token | None]) -> _Binding:
        _, variable, value = parts
        assert variable is not None
        at = self.source.position(start_of(variable), end_of(variable))
        if value is None:
            return _Binding(Binding(variable[1:], None), at, None)
        # The expression is between parentheses, and so is its place.
        return _Binding(Binding(variable[1:], value[1:-1]), at, self._inside(value))

    def label(self, parts: list[Token]) -> _Label:
        _, name = parts
        return _Label(str(name), self.source.position(start_of(name), end_of(name)))

    @v_args(meta=True)
    def leaf(self, meta: Meta, parts: list[Token | WrittenPath | _Binding | _Label | None]) -> Unit:
        name, path, filter_, *bindings = parts
        assert isinstance(name, Token)
        return self._leaf(meta, name, path, filter_, bindings, None, {})

    @v_args(meta=True)
    def subject(self, meta: Meta, parts: list[Token | WrittenPath | _Binding | _Label | None]) -> Unit:
        path, filter_, *bindings = parts
        return self._leaf(meta, None, path, filter_, bindings, None, {})

    @v_args(meta=True)
    def opaque(self, meta: Meta, parts: list[Token | WrittenPath | _Binding | _Label | None]) -> Unit:
        word, language, text, path, filter_, *bindings = parts
        assert isinstance(word, Token) and isinstance(language, Token) and isinstance(text, Token)
        read = [unquoted(language, self.source), unquoted(text, self.source)]
        if read[0] is None or read[1] is None:
            return UNREADABLE
        places = {"opaque": self._inside(text), "language": self._inside(language)}
        return self._leaf(meta, None, path, filter_, bindings, Opaque(read[0], read[1]), places)

    def _leaf(
        self, meta: Meta, name: Token | None, path: object, filter_: object, bindings: Iterable[object],
        opaque: Opaque | None, places: dict[str, Position],
    ) -> Unit:  # fmt: skip
        assert isinstance(path, WrittenPath)
        self.report_path(path)
        bound = [binding for binding in bindings if isinstance(binding, _Binding)]
        labels = [label for label in bindings if isinstance(label, _Label)]
        self._report_repeated(bound)
        for label in labels[1:]:
            self.source.report_at(label.at, "the operand has a name already", "leave one out (V10)")
        if path.path is None:
            return UNREADABLE
        type_: EventType
        if name is None:
            type_ = PrimitiveType(ANY, path.path, path.scope)
        elif name.type in ("NAME", "QUESTION"):
            type_ = CompositeType(None if name.type == "QUESTION" else str(name), path.path, path.scope)
        else:
            type_ = PrimitiveType(str(name), path.path, path.scope)
        if isinstance(filter_, Token):
            places["filter"] = self._inside(filter_)
        places |= {f"as {b.binding.name}": b.value_at or b.at for b in bound}
        return Leaf(
            type_, filter_[1:-1] if isinstance(filter_, Token) else None, tuple(b.binding for b in bound), opaque,
            self.source.position(meta.start_pos, meta.end_pos), places, labels[0].name if labels else None,
        )  # fmt: skip

    def _report_repeated(self, bound: list[_Binding]) -> None:
        seen: set[str] = set()
        for name, at in ((b.binding.name, b.at) for b in bound):
            if name in seen:
                self.source.report_at(at, f"${name} is bound twice", "choose another name (V1)")
            seen.add(name)

    def _inside(self, token: Token) -> Position:
        """The place of what is between quotes, brackets or parentheses."""
        return self.source.position(start_of(token) + 1, max(end_of(token) - 1, start_of(token) + 2))

    @v_args(meta=True)
    def aside(self, meta: Meta, parts: list[_Part]) -> Unit:
        """``not b`` or ``all[l,u] b``; of the bounds what is no matter of syntax is reported."""
        word, *bounds, operand = parts
        if isinstance(operand, _Unreadable):
            return operand
        assert isinstance(word, Token) and isinstance(operand, Leaf | Operator)
        at = self.source.position(start_of(word), end_of(word))
        if not bounds:
            return Aside(operand, at)
        lower, upper = (self._argument(each).value for each in bounds if isinstance(each, Token))
        assert isinstance(lower, int) and not isinstance(upper, str)
        if lower < 0 or (upper is not None and upper < lower):
            high = "*" if upper is None else upper
            self._report(
                at, f"the bounds of all[{lower},{high}] are impossible (A6)",
                "the lower bound is 0 or more, the upper bound not below it, or * for no bound",
            )  # fmt: skip
            return UNREADABLE
        return Aside(operand, at, lower, upper)

    conjunct_aside = aside

    @v_args(meta=True)
    def sequence(self, meta: Meta, parts: list[Unit]) -> Unit:
        """A1: operands may stand aside."""
        at = self.source.position(meta.start_pos, meta.end_pos)
        return self._joined(Sequence, parts, at, Options())

    def _joined(self, operator: type[Operator], parts: list[Unit], at: Position, options: Options) -> Unit:
        """An operator of which operands may stand aside (A1, A6, A7)."""
        if UNREADABLE in parts:
            return UNREADABLE
        operands = [part.operand if isinstance(part, Aside) else part for part in parts]
        made = operator.read(cast("tuple[Expression, ...]", tuple(operands)), (), options, at, self._report)
        return made.standing_aside(*sides_of(parts))

    @v_args(meta=True)
    def absent(self, meta: Meta, parts: list[_Part]) -> Unit:
        """``not(b)[a, c]`` is ``a ; not b ; c`` (A1)."""
        word, *operands, given = parts
        options = operator_options(given if _is_options(given) else (), self.source, Sequence)
        absent, first, last = (self._positive(cast("Unit", operand)) for operand in operands)
        if isinstance(absent, _Unreadable):
            return absent
        assert isinstance(word, Token) and isinstance(absent, Leaf | Operator)
        at = self.source.position(meta.start_pos, meta.end_pos)
        negation = Aside(absent, self.source.position(start_of(word), end_of(word)))
        return self._joined(Sequence, [first, negation, last], at, options)

    def _positive(self, part: Unit) -> Unit:
        """The part, unless it stands aside where none can (A5)."""
        if not isinstance(part, Aside):
            return part
        self.source.report_at(
            part.at,
            f"there is {'a' if part.word == 'not' else 'an'} {part.word!r} outside a sequence",
            f"write it before an operand of a sequence: a ; {part.word} b ; c, or after &: a & {part.word} b (A5)",
        )
        return UNREADABLE

    def __default__(self, rule: str, parts: list[_Part], meta: Meta) -> Unit:
        """An operator: its declaration reads what is in the text (`Operator.read`)."""
        declared = _READERS[rule]
        tokens = [part for part in parts if isinstance(part, Token)]
        arguments = [self._argument(token) for token in tokens if token.type in _ARGUMENTS]
        given = [option for part in parts if _is_options(part) for option in part]
        options = operator_options(given, self.source, declared)
        if declared.aside_words:
            at = self.source.position(meta.start_pos, meta.end_pos)
            return self._joined(declared, cast("list[Unit]", parts), at, options)
        parts = [self._positive(part) if isinstance(part, Aside) else part for part in parts]
        if UNREADABLE in parts:
            return UNREADABLE
        operands = tuple(part for part in parts if isinstance(part, Leaf | Operator))
        end = meta.end_pos if declared.infix else end_of(tokens[-1]) + 1
        at = self.source.position(meta.start_pos, end)
        return declared.read(operands, arguments, options, at, self._report)

    def _argument(self, token: Token) -> Argument:
        at = self.source.position(start_of(token), end_of(token))
        if token.type == "STAR":
            return Argument(None, at)
        if token.type == "RELATION":
            return Argument(str(token), at)
        if token.type == "STRING":
            return Argument(unquoted(token, self.source) or "", at)
        return Argument(int(token[: _MAX_DIGITS + 1]), at)

    def _report(self, at: Position, message: str, hint: str) -> None:
        self.source.report_at(at, message, hint)

    @v_args(meta=True)
    def group(self, meta: Meta, parts: list[_Part]) -> Unit:
        unit, options_, word, name = cast(
            "tuple[Unit, tuple[GivenOption, ...] | None, Token | None, Token | None]", tuple(parts)
        )
        inner, given = self._positive(unit), list(options_ or ())
        if word is not None and name is not None:  # (a & b) as name is (a & b) {name=name}
            value = (start_of(name), end_of(name))
            given.append(GivenOption("name", start_of(word), end_of(word), str(name), *value))
        if isinstance(inner, Leaf) and given:
            # an operand that is an operator of its own, as for an event that is a single leaf (T1)
            inner = Disjunction((inner,), at=self.source.position(meta.start_pos, meta.end_pos))
        declared = type(inner) if isinstance(inner, Operator) else Operator
        options = operator_options(given, self.source, declared)
        if not isinstance(inner, Operator) or not given:
            return inner
        return self._with_options(
            inner, options, {option.name: (option.start, option.end) for option in given}
        )

    def event(self, parts: list[_Part | WrittenPath]) -> EventDefinition | None:
        _, name, path, given, expression = cast(
            "tuple[Token, Token, WrittenPath | None, tuple[GivenOption, ...] | None, Unit | Token]",
            tuple(parts),
        )
        if name in OPERATIONS:
            self.source.report(
                start_of(name),
                end_of(name),
                f"{str(name)!r} is an operation and cannot be the name of an event",
                "choose another name",
            )
            return None
        if isinstance(expression, Token):
            expression = External(at=self.source.position(start_of(expression), end_of(expression)))
        return self.defined(name, path, given or (), expression)

    def defined(
        self,
        name: Token,
        path: WrittenPath | None,
        given: Sequence_[GivenOption],
        expression: Unit,
        *,
        with_path: bool = False,
    ) -> EventDefinition | None:
        """The event that is called so; ``with_path``: its path is among the options."""
        expression = self._positive(expression)
        single = isinstance(expression, Leaf)
        if isinstance(expression, Leaf):
            expression = Disjunction((expression,), at=expression.at)
        declared = type(expression) if isinstance(expression, Operator) else Operator
        options = event_options(given, self.source, declared, single_leaf=single, with_path=with_path)
        root = options.root
        places = {option.name: (option.start, option.end) for option in given}
        if path is not None:
            self.report_path(path, scoped=False)
            at = self.source.position(path.start, path.end)
            root = replace(root, path=path.path, places={**root.places, "path": at})
            places["path"] = (path.start, path.end)
        if not isinstance(expression, Operator):
            return None
        at = self.source.position(start_of(name), end_of(name))
        expression = self._with_options(expression, root, places)
        return options.event(str(name), expression, at)

    def _with_options(
        self, operator: Operator, options: Options, places: dict[str, tuple[int, int]]
    ) -> Operator:
        """The operator with these options too, from ``places``; one it has already is reported (T1)."""
        together, twice = merged(operator.options, options)
        for name in twice:
            message = f"the option {name!r} of this operator is given in two places"
            self.source.report(*places[name], message, "leave one out (T1)")
        return operator.with_options(together)

    def report_path(self, path: WrittenPath, *, scoped: bool = True) -> None:
        """Reports what is wrong with a path; ``//`` can only stand at the end of a leaf's (F5)."""
        report_path(path, self.source, scoped=scoped)


def sides_of(parts: Iterable[object]) -> tuple[tuple[int, ...], tuple[Collected, ...]]:
    """Which of these operands are negated, and which collected."""
    aside = [(k, part) for k, part in enumerate(parts) if isinstance(part, Aside)]
    collected = (Collected(k, part.lower, part.upper) for k, part in aside if part.word == "all")
    return tuple(k for k, part in aside if part.word == "not"), tuple(collected)


def _is_options(part: object) -> TypeGuard[tuple[GivenOption, ...]]:
    return type(part) is tuple


def too_deep(tree: Tree[Token], source: Source) -> bool:
    """Whether operators are too deep in each other; found without recursion, before anything recurses."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += node.data in _NESTING
        if depth > MAX_NESTING:
            source.report(
                node.meta.start_pos,
                node.meta.start_pos + 1,
                f"operators and parentheses are nested more than {MAX_NESTING} deep",
                "give an inner part a name with an event of its own",
            )
            return True
        waiting += [(child, depth) for child in node.children if isinstance(child, Tree)]
    return False
