"""Schemas of the shape of large document vocabularies: hundreds of elements that contain each other in big choices.

DocBook and TEI have this shape, each in its way. What repeats in them (attributes of every element, groups of inline
and block elements, lists and sections inside each other) repeats here; the numbers are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable

_Occurs = tuple[int, int | None]
_ONCE: _Occurs = (1, 1)
_SOME: _Occurs = (1, None)
_ANY_NUMBER: _Occurs = (0, None)


def book_schema(elements: int = 390, attributes: int = 20) -> str:
    """Like DocBook: groups of inline and block elements, mixed content, lists with items, sections in sections."""
    inlines = [f"inline{number}" for number in range(elements * 4 // 10)]
    plain = [f"block{number}" for number in range(elements // 8)]
    lists = [f"list{number}" for number in range(elements // 20)]
    sections = [f"section{number}" for number in range(max(2, elements // 40))]
    infos = [f"meta{number}" for number in range(elements // 10)]
    inside = [*(_ref(name) for name in plain[:3]), _group("inlines")]
    parts = [
        _attributes(attributes),
        _named_group("inlines", inlines),
        _named_group("blocks", [*plain, *lists, "para"]),
        _named_group("infos", infos),
        _element("info", _sequence(_ref("title"), _group("infos", _ANY_NUMBER))),
        _element("book", _sequence(_ref("info"), _ref(sections[0], _SOME))),
    ]
    parts += [
        _element(name, _choice(inside, _ANY_NUMBER), mixed=True) for name in (*inlines, "para", "title")
    ]
    parts += [_element(name, _choice([_group("inlines")], _ANY_NUMBER), mixed=True) for name in infos]
    parts += [
        _element(name, _sequence(*([_ref("title")] if number % 3 == 0 else []), _group("blocks", _SOME)))
        for number, name in enumerate(plain)
    ]
    for name in lists:
        parts.append(_element(name, _sequence(_ref("info", (0, 1)), _ref(f"{name}item", _SOME))))
        parts.append(_element(f"{name}item", _sequence(_group("blocks", _SOME))))
    nested = [_ref(name) for name in sections]
    body = _choice([_sequence(_group("blocks", _SOME), _choice(nested, _ANY_NUMBER)), _choice(nested, _SOME)])
    parts += [_element(name, _sequence(_ref("info"), body)) for name in sections]
    return _schema(parts)


def text_schema(elements: int = 550, classes: int = 25) -> str:
    """Like TEI: classes of elements in classes, nearly everything in everything, few things required."""
    names = [f"e{number}" for number in range(elements)]
    parts = [_attributes(12)]
    parts += [_named_group(f"class{number}", names[number::classes]) for number in range(classes)]
    for half in (0, 1):
        inner = _choice(_group(f"class{number}") for number in range(half, classes, 2))
        parts.append(f'<xs:group name="all{half}">{inner}</xs:group>')
    for number, name in enumerate(names):
        many = _choice([_group(f"all{number % 2}")], _ANY_NUMBER)
        if number % 10 == 3:
            model = _sequence(_ref(names[(number * 7 + 1) % elements]), many)
        elif number % 10 == 7:
            model = _choice([_group(f"class{number % classes}")], _SOME)
        else:
            model = many
        parts.append(_element(name, model, mixed=number % 4 == 0))
    return _schema(parts)


def _schema(parts: Iterable[str]) -> str:
    return (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:v" xmlns:v="urn:v" '
        f'elementFormDefault="qualified">{"".join(parts)}</xs:schema>'
    )


def _occurs(occurs: _Occurs) -> str:
    if occurs == _ONCE:
        return ""
    return f' minOccurs="{occurs[0]}" maxOccurs="{"unbounded" if occurs[1] is None else occurs[1]}"'


def _ref(name: str, occurs: _Occurs = _ONCE) -> str:
    return f'<xs:element ref="v:{name}"{_occurs(occurs)}/>'


def _group(name: str, occurs: _Occurs = _ONCE) -> str:
    return f'<xs:group ref="v:{name}"{_occurs(occurs)}/>'


def _choice(parts: Iterable[str], occurs: _Occurs = _ONCE) -> str:
    return f"<xs:choice{_occurs(occurs)}>{''.join(parts)}</xs:choice>"


def _sequence(*parts: str) -> str:
    return f"<xs:sequence>{''.join(parts)}</xs:sequence>"


def _named_group(name: str, names: Iterable[str]) -> str:
    return f'<xs:group name="{name}">{_choice(map(_ref, names))}</xs:group>'


def _attributes(count: int) -> str:
    names = "".join(f'<xs:attribute name="a{number}" type="xs:string"/>' for number in range(count))
    return f'<xs:attributeGroup name="common">{names}</xs:attributeGroup>'


def _element(name: str, model: str, *, mixed: bool = False) -> str:
    return (
        f'<xs:element name="{name}"><xs:complexType mixed="{"true" if mixed else "false"}">{model}'
        '<xs:attributeGroup ref="v:common"/></xs:complexType></xs:element>'
    )
