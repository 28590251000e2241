"""The schema of the XML form: `rules.xsd`, and in it what the declarations of the operators say."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from ...algebra import OPERATORS, Operator, ParameterKind
from ...algebra.expressions import COMMON_OPTIONS, DEFERRABLE
from .names import operator_name

_MARK = (
    '  <!-- Here stand the group "operator" and a type for each, made of the declarations (schema.py). -->\n'
)
_OPTIONS = {
    "context": "Context", "within": "xs:string", "gap": "xs:string", "having": "XPath", "by": "xs:string",
    "strict": "xs:boolean", "slide": "xs:boolean",
}  # fmt: skip
_PARAMETERS = {
    ParameterKind.COUNT: "Count",
    ParameterKind.BOUND: "Bound",
    ParameterKind.WINDOW: "xs:string",
    ParameterKind.RELATION: "IntervalRelation",
    ParameterKind.EXPRESSION: "XPath",
}


def schema_text() -> str:
    """The XML Schema of rules in XML."""
    written = files("xmlcep.language.xml_form").joinpath("rules.xsd").read_text("utf-8")
    before, mark, behind = written.partition(_MARK)
    assert mark
    return before + "".join(f"  {line}".rstrip() + "\n" for line in _operators()) + behind.removeprefix("\n")


def _operators() -> Iterator[str]:
    yield '<xs:group name="operator">'
    yield "  <xs:choice>"
    for operator in OPERATORS:
        yield f'    <xs:element name="{operator_name(operator)}" type="{_type_name(operator)}"/>'
    yield "  </xs:choice>"
    yield "</xs:group>"
    yield ""
    for operator in OPERATORS:
        yield f"<!-- {_in_a_line(operator)} -->"
        yield f'<xs:complexType name="{_type_name(operator)}">'
        yield "  <xs:complexContent>"
        yield '    <xs:extension base="Operator">'
        yield from (f"      {line}" for line in (*_operands(operator), *_attributes(operator)))
        yield "    </xs:extension>"
        yield "  </xs:complexContent>"
        yield "</xs:complexType>"
        yield ""


def _type_name(operator: type[Operator]) -> str:
    return "".join(word.capitalize() for word in operator.kind.split("_"))


def _in_a_line(operator: type[Operator]) -> str:
    """What its declaration says first, as a comment can say it."""
    first = (operator.__doc__ or operator.kind).splitlines()[0]
    return first.replace("``", "").replace("--", "-")


def _operands(operator: type[Operator]) -> Iterator[str]:
    most = "unbounded" if operator.most is None else str(operator.most)
    bounds = [("minOccurs", str(operator.fewest)), ("maxOccurs", most)]
    occurs = "".join(f' {name}="{count}"' for name, count in bounds if count != "1")
    if operator.aside_words:
        yield f"<xs:choice{occurs}>"
        yield '  <xs:group ref="expression"/>'
        for word in sorted(operator.aside_words):
            yield f'  <xs:element name="{word}" type="{word.capitalize()}"/>'
        yield "</xs:choice>"
    else:
        yield "<xs:sequence>"
        yield f'  <xs:group ref="expression"{occurs}/>'
        yield "</xs:sequence>"


def _attributes(operator: type[Operator]) -> Iterator[str]:
    for parameter in operator.parameters:
        yield f'<xs:attribute name="{parameter.name}" type="{_PARAMETERS[parameter.kind]}" use="required"/>'
    own = operator.takes - COMMON_OPTIONS - DEFERRABLE
    for name in sorted(own, key=list(_OPTIONS).index):
        yield f'<xs:attribute name="{name}" type="{_OPTIONS[name]}"/>'
    if operator.takes >= DEFERRABLE:
        yield '<xs:attributeGroup ref="termination"/>'
    elif "end" in operator.takes:
        yield '<xs:attribute name="end" type="Termination"/>'
