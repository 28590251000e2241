"""What elements are known by, as a schema says: ``xs:ID`` attributes, ``xs:key``, ``xs:unique``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from path_types.names import clark_name

from ..matching import Field, Key
from .loading import Locations, load_schema

_SCHEMAS_OWN = "{http://www.w3.org/2001/XMLSchema}"


def schema_keys(source: str | Path, *, locations: Locations | None = None) -> tuple[Key, ...]:
    """The keys of a schema, IDs first, then ``xs:key``, then ``xs:unique``.

    A key counts among siblings, whatever the scope the schema gives it; one whose selector or field ends in a wildcard
    names no element and is left out. Raises `SchemaError`, and `MissingExtraError` without xmlschema.
    """
    schema, _ = load_schema(source, locations=locations)
    found = [*_ids(schema), *_constraints(schema, "XsdKey"), *_constraints(schema, "XsdUnique")]
    return tuple(key for key in dict.fromkeys(found) if not key.element.startswith(_SCHEMAS_OWN))


def _ids(schema: Any) -> Iterator[Key]:
    from xmlschema import XsdElement

    for element in schema.maps.iter_components(XsdElement):
        for name, attribute in element.attributes.items():
            if name and element.name and attribute.type.is_key():
                yield Key(element.name, (Field((), name),))


def _constraints(schema: Any, kind: str) -> Iterator[Key]:
    """The identity constraints of one kind: an element name for each alternative of the selector."""
    for identity in schema.maps.identities.values():
        if type(identity).__name__ != kind:
            continue
        names = identity.selector.namespaces
        default = identity.selector.xpath_default_namespace
        fields = [_field(field.path, names, default) for field in identity.fields]
        for alternative in identity.selector.path.split("|"):
            *_, last = _steps(alternative, names, default)
            if last is not None and all(field is not None for field in fields):
                yield Key(last, tuple(field for field in fields if field is not None))


def _field(path: str, names: Mapping[str, str], default: str) -> Field | None:
    """The field a path stands for: its first alternative; None for a wildcard, or one that looks at all levels."""
    path = path.split("|")[0].strip()
    if path.startswith(".//"):
        return None
    above, at, attribute = path.rpartition("@")
    steps = [step for step in _steps(above if at else path, names, default) if step != "."]
    if None in steps:
        return None
    named = tuple(step for step in steps if step is not None)
    if not at:
        return Field(named)
    name = _clark(attribute, names, "")
    return None if name is None else Field(named, name)


def _steps(path: str, names: Mapping[str, str], default: str) -> list[str | None]:
    """The steps of a path as names in Clark notation, ``.`` as it stands, None for wildcards."""
    parts = [part.strip().removeprefix("child::") for part in path.strip().removeprefix(".//").split("/")]
    return [part if part == "." else _clark(part, names, default) for part in parts if part]


def _clark(name: str, names: Mapping[str, str], default: str) -> str | None:
    prefix, colon, local = name.strip().removeprefix("attribute::").rpartition(":")
    if local == "*":
        return None
    uri = names.get(prefix) if colon else default
    return clark_name(uri or "", local)
