"""What is in an ``event`` of the XML form: leaves, operators and their options."""

from __future__ import annotations

import re
from typing import cast

from contexts.constraints import RELATIONS
from path_types import PathType
from path_types.names import is_ncname

from ...algebra import (
    Argument,
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
    Parameter,
    ParameterKind,
)
from ...events import ANY, OPERATIONS, CompositeType, EventType, PrimitiveType
from ...position import Position
from ...suggestions import did_you_mean
from ..options import EVENT_ONLY, FLAGS, STRINGS, GivenOption, event_options, operator_options
from ..paths import WrittenPath, parsed_path, report_path
from .elements import Element
from .names import (
    ALL,
    COMPOSITE,
    EXTERNAL,
    LEAVES,
    LET,
    LONGEST_ARGUMENT,
    NAMESPACE,
    NOT,
    ON,
    OPAQUE,
    OPERATOR_BY_NAME,
    PRIMITIVE,
    VARIABLE,
)

_BOUNDS = (Parameter("min", ParameterKind.COUNT), Parameter("max", ParameterKind.BOUND))
"""Those of an ``all``."""
EXPRESSIONS = (*LEAVES, *OPERATOR_BY_NAME)
"""The elements that stand for expressions."""

_OF_EVENT = ("context", *EVENT_ONLY)
_BOOLEAN = {"true": True, "1": True, "false": False, "0": False}


class Events:
    """Reads events of one file, whose namespaces are known; what is wrong is reported."""

    def __init__(self, namespaces: dict[str, str]) -> None:
        self._namespaces = namespaces

    def definition(self, element: Element) -> EventDefinition | None:
        """The definition that an ``event`` says; None if it cannot be known."""
        element.check_attributes(("name", "description", *_OF_EVENT), _behind_operator())
        element.check_text()
        name = name_in(element, "name", "an event")
        if name in OPERATIONS:
            message = f"{name!r} is an operation and cannot be the name of an event"
            element.report_value("name", message, "choose another name")
            name = None
        description = (element.node.get("description") or "").replace("\r\n", "\n")
        return self._event(element, name, description)

    def own_event(self, element: Element, name: str) -> EventDefinition | None:
        """The event in the ``on`` of an action rule, which is called like the rule (L1)."""
        element.check_attributes(_OF_EVENT, _behind_operator())
        return self._event(element, name)

    def _event(self, element: Element, name: str | None, description: str = "") -> EventDefinition | None:
        given = self._options(element, _OF_EVENT)
        options = event_options(given, element.source, Disjunction, single_leaf=False)
        is_external = element.name == "event" and [child.name for child in element.children] == [EXTERNAL]
        root = self._external(element.children[0]) if is_external else self._root(element)
        if root is None or name is None:
            return None
        at = element.value_at("name") if "name" in element else element.at
        return options.event(name, root, at, description)

    def path(self, element: Element) -> PathType | None:
        """The path in an attribute, not that of a leaf."""
        return self._path(element, scoped=False).path

    def _root(self, element: Element) -> Operator | None:
        """The one expression in an element, as the root of an event."""
        expressions = self._operands(element)
        if expressions is None or not _count_is(element, len(expressions), 1, 1):
            return None
        root = expressions[0]
        return Disjunction((root,), at=root.at) if isinstance(root, Leaf) else root

    def _external(self, element: Element) -> External:
        check_empty(element, ("path",))
        options = operator_options(self._options(element, ("path",)), element.source, External)
        return External(options=options, at=element.at)

    # ---- expressions ----------------------------------------------------------------------------------

    def expression(self, element: Element) -> Expression | None:
        """The leaf or operator that an element says; None if it cannot be known."""
        declared = OPERATOR_BY_NAME.get(element.name)
        return self._leaf(element) if declared is None else self._operator(element, declared)

    def _operands(self, element: Element, *beside: str) -> list[Expression] | None:
        """The expressions in an element; None if one cannot be known. ``beside``: what else can be in it."""
        hint = ""
        if EXTERNAL in [child.name for child in element.children]:
            hint = "it must be alone in its event (L7)"
        for word in (NOT, ALL):
            if word in [child.name for child in element.children] and word not in beside:
                hint = f"write {word!r} around an operand of a sequence or of a conjunction (A5)"
        read = [
            self._aside(child) if child.name in (NOT, ALL) else self.expression(child)
            for child in element.known_children((*EXPRESSIONS, *beside), otherwise=hint)
            if child.name not in (LET, VARIABLE)
        ]
        operands = [operand for operand in read if operand is not None]
        unknown = sum(child.name not in (*EXPRESSIONS, *beside) for child in element.children)
        return operands if len(operands) == len(read) and not unknown else None

    def _aside(self, element: Element) -> Expression | None:
        """The operand in a ``not`` or ``all``."""
        element.check_attributes(() if element.name == NOT else [each.name for each in _BOUNDS])
        element.check_text()
        operands = self._operands(element)
        return operands[0] if operands is not None and _count_is(element, len(operands), 1, 1) else None

    def _operator(self, element: Element, declared: type[Operator]) -> Operator | None:
        names = [parameter.name for parameter in declared.parameters]
        taken = sorted(declared.takes - {"let"})
        element.check_attributes((*names, *taken), _of_event(declared))
        element.check_text()
        given = [*self._options(element, taken), *self._let(element)]
        options = operator_options(given, element.source, declared)
        arguments = [self._argument(element, parameter) for parameter in declared.parameters]
        beside = (LET, *sorted(declared.aside_words))
        operands = self._operands(element, *beside)
        if operands is None or not _count_is(element, len(operands), declared.fewest, declared.most):
            return None
        if not _is_writable(element, declared, operands, options):
            return None
        known = [argument for argument in arguments if argument is not None]
        if len(known) < len(arguments):
            return None
        operator = declared.read(tuple(operands), known, options, element.at, element.source.report_at)
        parts = [child for child in element.children if child.name != LET]
        negated = [k for k, part in enumerate(parts) if part.name == NOT]
        collected = [self._collected(part, k) for k, part in enumerate(parts) if part.name == ALL]
        known_bounds = [each for each in collected if each is not None]
        if len(known_bounds) < len(collected):
            return None
        negated += [each.operand for each in known_bounds if each.upper == 0]
        return operator.standing_aside(sorted(negated), [each for each in known_bounds if each.upper != 0])

    def _collected(self, element: Element, operand: int) -> Collected | None:
        """The bounds of an ``all``; None, which is reported, if they are none."""
        lower, upper = (self._argument(element, each) for each in _BOUNDS)
        if lower is None or upper is None:
            return None
        low, high = cast("int", lower.value), cast("int | None", upper.value)
        if low < 0 or (high is not None and high < low):
            element.report(
                "the bounds of <all> are impossible (A6)", "min is 0 or more, max not below it, or *"
            )
            return None
        return Collected(operand, low, high)

    def _argument(self, element: Element, parameter: Parameter) -> Argument | None:
        """What a parameter is given; None if that is wrong."""
        text = element.text(parameter.name)
        if text is None:
            return None
        at = element.value_at(parameter.name)
        if parameter.kind in (ParameterKind.WINDOW, ParameterKind.EXPRESSION):
            return Argument(text, at)
        if parameter.kind is ParameterKind.BOUND and text.strip() == "*":
            return Argument(None, at)
        if parameter.kind is ParameterKind.RELATION:
            if text in RELATIONS:
                return Argument(text, at)
        elif re.fullmatch(r"\s*-?[0-9]+\s*", text):
            return Argument(int(text.strip()[: LONGEST_ARGUMENT + 1]), at)
        hint = did_you_mean(text, RELATIONS) if parameter.kind is ParameterKind.RELATION else ""
        message = f"{text!r} cannot be the {parameter.name!r} of <{element.name}>"
        element.report_value(parameter.name, message, hint or f"expected {parameter.kind.value}")
        return None

    # ---- leaves ---------------------------------------------------------------------------------------

    def _leaf(self, element: Element) -> Leaf | None:
        own = {COMPOSITE: ("event",), OPAQUE: ("language", "text")}.get(element.name, ())
        element.check_attributes((*own, "path", "filter", "as"), _no_options())
        element.check_text()
        path = None if element.text("path") is None else self._path(element, scoped=True)
        places: dict[str, Position] = {}
        if "filter" in element:
            places["filter"] = element.value_at("filter")
        bindings = self._bindings(element, places)
        opaque = self._opaque(element, places) if element.name == OPAQUE else None
        name = name_in(element, "event", "an event") if "event" in element else None
        label = name_in(element, "as", "an operand") if "as" in element else None
        broken = (element.name == OPAQUE and opaque is None) or ("event" in element and name is None)
        if path is None or path.path is None or broken:
            return None
        type_: EventType
        if element.name == COMPOSITE:
            type_ = CompositeType(name, path.path, path.scope)
        else:
            type_ = PrimitiveType(PRIMITIVE.get(element.name, ANY), path.path, path.scope)
        return Leaf(type_, element.node.get("filter"), bindings, opaque, element.at, places, label)

    def _opaque(self, element: Element, places: dict[str, Position]) -> Opaque | None:
        language, text = element.text("language"), element.text("text")
        if language is None or text is None:
            return None
        places |= {"opaque": element.value_at("text"), "language": element.value_at("language")}
        return Opaque(language, text)

    def _bindings(self, element: Element, places: dict[str, Position]) -> tuple[Binding, ...]:
        bound: dict[str, Binding] = {}
        for child in element.known_children((VARIABLE,)):
            check_empty(child, ("name", "select"))
            name = name_in(child, "name", "a variable")
            if name is None:
                continue
            if name in bound:
                child.report_value("name", f"${name} is bound twice", "choose another name (V1)")
            bound[name] = Binding(name, child.node.get("select"))
            places[f"as {name}"] = child.value_at("select" if "select" in child else "name")
        return tuple(bound.values())

    # ---- options --------------------------------------------------------------------------------------

    def _options(self, element: Element, names: tuple[str, ...] | list[str]) -> list[GivenOption]:
        """The attributes that are options."""
        found = [element.given(name, is_string=name in STRINGS) for name in names if name in element]
        options = []
        for option in found:
            value = option.value or ""
            if option.name == "path":
                written = self._path(element, scoped=False)
                option = option._replace(value=written.text, path=written.path)
            elif option.name in FLAGS:
                if value.strip() not in _BOOLEAN:
                    hint = "expected true or false"
                    element.report_value(option.name, f"{value!r} is not a value of {option.name!r}", hint)
                if not _BOOLEAN.get(value.strip()):
                    continue
                option = option._replace(value=None)
            options.append(option)
        return options

    def _let(self, element: Element) -> list[GivenOption]:
        """The variables that an operator defines."""
        options = []
        for child in element.children:
            if child.name != LET:
                continue
            check_empty(child, ("name", "select"))
            name, select = name_in(child, "name", "a variable"), child.text("select")
            if name is not None and select is not None:
                given = child.given("select", is_string=True)
                options.append(given._replace(name=LET, variable=name))
        return options

    def _path(self, element: Element, *, scoped: bool) -> WrittenPath:
        """The path in the attribute ``path``; what is wrong with it is reported."""
        text, place = element.node.get("path") or "", element.place("path")
        blank = len(text) - len(text.lstrip())
        inner = text.strip()
        written = parsed_path(
            inner, self._namespaces, place.value_start, place.value_end,
            element.offsets("path")[blank : blank + len(inner)],
        )  # fmt: skip
        report_path(written, element.source, scoped=scoped)
        return written


def name_in(element: Element, attribute: str, what: str) -> str | None:
    """The name in an attribute; None, which is reported, if it is none."""
    text = element.text(attribute)
    if text is None or is_ncname(text):
        return text
    element.report_value(
        attribute, f"{text!r} cannot be the name of {what}", "write a name without blanks and ':'"
    )
    return None


def check_empty(element: Element, attributes: tuple[str, ...]) -> None:
    """Reports whatever is in an element but these attributes."""
    element.check_attributes(attributes)
    element.check_text()
    for _ in element.known_children(()):
        pass


def _count_is(element: Element, count: int, fewest: int, most: int | None) -> bool:
    """Whether so many expressions can be in an element; else that is reported."""
    if count >= fewest and (most is None or count <= most):
        return True
    if fewest == most:
        expected = "one" if fewest == 1 else str(fewest)
    else:
        expected = f"at least {fewest}" if count < fewest else f"at most {most}"
    kinds = "events or operators" if expected != "one" else "event or operator"
    element.report(
        f"<{element.name}> has {count} operand{'' if count == 1 else 's'}", f"write {expected} {kinds} in it"
    )
    return False


def _is_writable(
    element: Element, declared: type[Operator], operands: list[Expression], options: Options
) -> bool:
    """Whether the event language can say so, too: an operator of one operand does nothing; else that is reported."""
    if not declared.infix or len(operands) > 1 or declared.fewest != 1:
        return True
    parent = element.node.getparent()
    is_root = parent is not None and parent.tag in (f"{{{NAMESPACE}}}event", f"{{{NAMESPACE}}}{ON}")
    if isinstance(operands[0], Leaf) and (is_root or options != Options()):
        return True  # T1
    element.report(f"<{element.name}> has one operand", "put the operand in its place")
    return False


def _behind_operator() -> dict[str, str]:
    """What to say of options of an operator at an ``event``."""
    names = {name for operator in OPERATOR_BY_NAME.values() for name in operator.takes}
    return dict.fromkeys(names, "it is an option of an operator: write it at the operator in the event")


def _of_event(declared: type[Operator]) -> dict[str, str]:
    """What to say of options at an operator that cannot have them."""
    found = dict.fromkeys(EVENT_ONLY, "it is an option of an event: write it at <event>")
    for name in sorted({name for each in OPERATOR_BY_NAME.values() for name in each.takes} - declared.takes):
        able = [other for other, operator in OPERATOR_BY_NAME.items() if name in operator.takes]
        instead = 'a guard asks each of its composites: if="…"; ' if name == "having" else ""
        found[name] = f"{instead}operators that have it: {', '.join(able)}"
    found[LET] = 'write <let name="…" select="…"/> in it'
    return found


def _no_options() -> dict[str, str]:
    """What to say of options of operators at a leaf."""
    names = {name for operator in OPERATOR_BY_NAME.values() for name in operator.takes}
    hint = "it is an option of operators: write <disjunction> with this attribute around the event (T1)"
    return {name: hint for name in names if name not in ("path",)}
