"""How many there may be: in rules that count, and in what is derived where declarations are taken together."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep import parse_rules
from xmlcep.schema import check_values, derive

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
ORDER = f"""<xs:schema {XS}><xs:element name="order"><xs:complexType><xs:sequence>
    <xs:element name="total"/>
    <xs:element name="item" maxOccurs="3"><xs:complexType mixed="true"><xs:sequence>
        <xs:element name="kind"/>
        <xs:choice maxOccurs="unbounded"><xs:element name="a"/><xs:element name="b"/></xs:choice>
        <xs:any namespace="urn:x" minOccurs="0" maxOccurs="5"/>
    </xs:sequence><xs:attribute name="id"/></xs:complexType></xs:element>
</xs:sequence></xs:complexType></xs:element></xs:schema>"""


@pytest.mark.parametrize(
    ("rule", "most"),
    [
        ("x[2,*] ins(order/total)", 1), ("x[1,*] ins(order/total)", None), ("x[0,7] ins(order/total)", None),
        ("x[4,*] ins(order/item)", 3), ("x[3,*] ins(order/item)", None), ("x[2,5] ins(item/kind)", 1),
        ("x[3,*]{path=order} ins(order/item/kind)", None), ("x[4,*]{path=order} ins(order/item/kind)", 3),
        ("x[2,*] ins(order/item/@id)", 1), ("x[9,*] ins(item/a)", None), ("x[9,*] ins(item/text())", None),
        ("x[2,*] upd(item/@id)", None), ("x[2,*] del(order/total)", None), ("x[2,*] *(order/total)", None),
        ("x[2,*] ins(order/total//*)", None), ("x[2,*] ins(order/nothing)", 0),
    ],
)  # fmt: skip
def test_a_count_that_is_more_than_there_may_be(tmp_path: Path, rule: str, most: int | None) -> None:
    """Warned of, as deletions in between can make it true; what has no bound, or says nothing of insertions, is not."""
    (tmp_path / "order.xsd").write_text(ORDER)
    found = check_values(parse_rules(f"event E = {rule}"), tmp_path / "order.xsd")
    said = [problem.message for problem in found if "at once" in problem.message]
    assert len(said) == (most is not None)
    assert most is None or f"there is never more than {most} of it at once" in said[0]


def flights(*notes: str) -> str:
    """Declarations of ``flight`` that demand the same, and so are taken together, and allow different numbers."""
    groups = "".join(
        f'<xs:element name="g{number}" minOccurs="0"><xs:complexType><xs:sequence>'
        f'<xs:element name="flight" maxOccurs="unbounded"><xs:complexType><xs:sequence>{note}</xs:sequence>'
        '<xs:attribute name="id" use="required"/></xs:complexType></xs:element>'
        "</xs:sequence></xs:complexType></xs:element>"
        for number, note in enumerate(notes)
    )
    return (
        f'<xs:schema {XS}><xs:element name="root"><xs:complexType><xs:sequence>{groups}</xs:sequence>'
        "</xs:complexType></xs:element></xs:schema>"
    )


def extension(most: int) -> str:
    return f'<xs:element name="ext" type="xs:string" minOccurs="0" maxOccurs="{most}"/>'


@pytest.mark.parametrize(
    ("notes", "bound"),
    [
        (["", *[extension(1)] * 9], 1),  # the first has none
        ([extension(1), *[extension(2)] * 9], 2),  # the first allows less
        ([extension(3), *[""] * 9], 3),
        (["", f"<xs:sequence maxOccurs='unbounded'>{extension(1)}</xs:sequence>", *[extension(2)] * 9], None),
    ],
)
def test_too_many_of_declarations_that_are_taken_together(
    tmp_path: Path, notes: list[str], bound: int | None
) -> None:
    """The most that one of them allows: neither no bound at all, nor that of the first one."""
    different = [note + f'<xs:element name="o{number}" minOccurs="0"/>' for number, note in enumerate(notes)]
    (tmp_path / "x.xsd").write_text(flights(*different))
    text = derive(tmp_path / "x.xsd", violations=True).text or ""
    said = [line for line in text.splitlines() if line.startswith("event TooManyExtInFlight")]
    expected = f'event TooManyExtInFlight(flight) {{when="count(ext) > {bound}"}} = x[1,*] ins(flight/ext)'
    assert said == ([] if bound is None else [expected])


def names(parents: int) -> str:
    """``name`` in very many places: with a text that it must have, and with one that it need not."""
    inside = "".join(
        f'<xs:element name="{kind}{number}" minOccurs="0"><xs:complexType><xs:sequence>'
        f'<xs:element name="name" type="xs:{type_}"/></xs:sequence></xs:complexType></xs:element>'
        for kind, type_ in (("p", "Name"), ("q", "string"))
        for number in range(parents)
    )
    return (
        f'<xs:schema {XS}><xs:element name="root"><xs:complexType><xs:sequence>{inside}</xs:sequence>'
        "</xs:complexType></xs:element></xs:schema>"
    )


@pytest.mark.parametrize("parents", [2, 5, 45])
def test_a_simple_name_that_stands_everywhere(tmp_path: Path, parents: int) -> None:
    """It has an event, its parents wait for it where it must have a text, and nobody calls it recursive."""
    (tmp_path / "x.xsd").write_text(names(parents))
    rules = derive(tmp_path / "x.xsd")
    assert "no path" not in (rules.text or "")
    told: list[str] = []
    document = xmlcep.fromstring("<root/>")
    with document.watch(rules, on_event=lambda each: told.append(each.name)):
        for kind in "pq":
            parent = etree.SubElement(document.root, f"{kind}1")
            name = etree.SubElement(parent, "name")
            told.append(kind)
            name.text = "x"
    complete = [each for each in told if "Name" not in each]
    assert complete == ["p", "CompleteP1", "CompleteQ1", "q"]
