"""Schema files through xmlschema, without the network (only local files, no entities)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from ..arguments import BY_NAME, PATH, check, optional
from ..errors import MissingExtraError
from ..files import largest, reading, too_large
from .errors import SchemaError
from .facets import simplify_facets

if TYPE_CHECKING:
    from xmlschema import XMLSchema10

Locations: TypeAlias = Mapping[str, str | Path]

MAX_MODEL = 2_000
"""Elements in one content model, group references written out: the library compares each with each (Unique Particle
Attribution), which takes some seconds here and minutes for 10,000."""

_XSD = "http://www.w3.org/2001/XMLSchema"
_XML = "http://www.w3.org/XML/1998/namespace"


def load_schema(
    source: str | Path, *, locations: Locations | None = None
) -> tuple[XMLSchema10, tuple[str, ...]]:
    """The schema in a file (XSD 1.0, or 1.1 if it needs it), and the imports that no file was found for.

    ``locations`` maps namespaces to files, for imports that name an address on the network or none at all.
    Nothing is ever fetched. Raises `SchemaError`, and `MissingExtraError` without xmlschema.
    """
    check("a schema", schema=(source, PATH), locations=(locations, optional(BY_NAME)))
    for file in (locations or {}).values():
        check("a schema", locations=(file, PATH))
    path = Path(source)
    _require_file(path)
    given = {uri: _existing(uri, file) for uri, file in (locations or {}).items()}
    first: Exception | None = None
    unresolved: tuple[str, ...] = ()
    own: list[Any] = []
    library, failures = _library()
    for version in _versions(library, path):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                schema = version(
                    str(path.resolve()), locations=given, allow="local", defuse="always",
                    uri_mapper=_local_file, build=False,
                )  # fmt: skip
                own = [each.root for each in schema.maps.schemas if each.target_namespace != _XSD]
                _refuse_wide_models(path, own)
                for root in own:
                    simplify_facets(root)
                schema.build()
            except SchemaError:
                raise
            except failures as error:
                first = first or error
                unresolved = _unresolved(caught)
                if unresolved:
                    break  # the other version of XSD would miss the same files
                continue
        if first is not None and not schema.elements:
            break  # 1.1 takes some broken schemas for empty ones
        return schema, _unresolved(caught)
    unresolved = (*unresolved, *_without_file(own, given))
    raise SchemaError(_explained(path, first, unresolved)) from first


def _refuse_wide_models(path: Path, roots: list[Any]) -> None:
    """Raises `SchemaError` for a content model of more than `MAX_MODEL` elements in these schema documents."""
    groups = {group.get("name"): group for root in roots for group in root.findall(f"{{{_XSD}}}group")}
    sizes: dict[Any, int] = {}

    def size(model: Any) -> int:
        if model not in sizes:
            sizes[model] = 0  # of a group that refers to itself, as one that is redefined does
            for part in model:
                kind = part.tag.rpartition("}")[2] if isinstance(part.tag, str) else ""
                referred = groups.get(part.get("ref", "").rpartition(":")[2]) if kind == "group" else None
                if kind in ("element", "any"):
                    sizes[model] += 1
                elif referred is not None:
                    sizes[model] += size(referred)
                elif kind in ("sequence", "choice", "all", "complexContent", "extension", "restriction"):
                    sizes[model] += size(part)
        return sizes[model]

    for root in roots:
        for tag in ("complexType", "group"):
            for model in root.iter(f"{{{_XSD}}}{tag}"):
                if size(model) > MAX_MODEL:
                    name = model.get("name")
                    raise SchemaError(
                        f"{path}: {f'{tag} {name!r}' if name else 'a content model'} has more than {MAX_MODEL:,} "
                        "elements (MAX_MODEL): to find out whether they can be told apart would take too long"
                    )


def _require_file(path: Path) -> None:
    """Raises `SchemaError` unless it is an ordinary file: a pipe or device may never end, and has no neighbours."""
    if not path.exists():
        raise SchemaError(f"{path}: there is no such schema file")
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "a pipe or device"
        raise SchemaError(
            f"{path}: {kind}, not a file: save the schema to a file; what it includes is looked for beside it"
        )
    size = path.stat().st_size
    if size > largest("schema"):
        raise SchemaError(f"{path}: {too_large('schema', path, size).strerror}")


def _local_file(uri: str) -> str:
    """The location of a schema document, unchanged; raises `SchemaError` if something else than a file is there."""
    parts = urlsplit(uri)
    path = Path(unquote(parts.path) if parts.scheme == "file" else uri)
    if (parts.scheme == "file" or not parts.scheme) and path.exists():
        _require_file(path)
    return uri


def _library() -> tuple[Any, tuple[type[Exception], ...]]:
    """The library, and the errors it raises for a bad schema (some of them come through it from Python)."""
    try:
        import xmlschema
    except ImportError as error:
        raise MissingExtraError("reading an XML Schema", "xmlschema", "schema") from error
    from xml.etree.ElementTree import ParseError

    return xmlschema, (xmlschema.XMLSchemaException, ParseError, OSError, ValueError, RecursionError)


def _versions(library: Any, path: Path) -> list[type[XMLSchema10]]:
    """XSD 1.0 first, unless the schema itself says that it needs 1.1."""
    try:
        with reading(path) as stream:
            head = stream.read(4096)
    except OSError as error:
        raise SchemaError(f"{path}: the schema cannot be read: {error.strerror or error}") from error
    versions = [library.XMLSchema10, library.XMLSchema11]
    return versions[::-1] if b'minVersion="1.1"' in head or b"minVersion='1.1'" in head else versions


def _begins_as_xml(path: Path) -> bool:
    with reading(path) as stream:
        return b"<" in stream.read(10)


def _existing(uri: str, file: str | Path) -> str:
    path = Path(file)
    if not path.exists():
        raise SchemaError(f"the file given for the namespace {uri} does not exist: {file}")
    _require_file(path)
    return str(path.resolve())


def _unresolved(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """The imports and includes that failed, one sentence each, from the library's warnings."""
    found: dict[str, None] = {}
    for warning in caught:
        kind = warning.category.__name__
        if kind in ("XMLSchemaImportWarning", "XMLSchemaIncludeWarning"):
            found[" ".join(str(warning.message).split())] = None
    return tuple(found)


def _without_file(roots: list[Any], given: Collection[str]) -> Iterator[str]:
    """Imports in these schema documents that say no place, and that none was given for: one sentence each."""
    imports = [each for root in roots for each in root.findall(f"{{{_XSD}}}import")]
    known = {root.get("targetNamespace") for root in roots} | {_XML, *given}
    for uri in dict.fromkeys(each.get("namespace") for each in imports if not each.get("schemaLocation")):
        if uri not in known:
            yield f"Import of namespace {uri!r} names no file." if uri else "An import names no file."


def _explained(path: Path, error: Exception | None, unresolved: tuple[str, ...]) -> str:
    """The library's message without the XML it quotes, and what to do about imports without a file."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    message = lines[0].rstrip(":") if lines else type(error).__name__
    said = f"{path}: this is not a schema that can be used: {message}"
    root = re.fullmatch(r"'(.*)' is not an element of the schema", message)
    if root:
        return f"{path}: this is not a schema: its root element is {root[1]}, expected schema of {_XSD}"
    if "invalid XML syntax" in message and not _begins_as_xml(path):
        return f"{path}: this is neither a schema nor XML: expected an XML Schema (.xsd)"
    for line in lines[1:]:
        if line.startswith("Path:"):
            said += f" (at {line[5:].strip()})"
    if unresolved:
        said += "\n  " + "\n  ".join(unresolved)
        said += (
            "\n  hint: nothing is fetched from the network; name the local file of a namespace with "
            "--location NAMESPACE=FILE, in Python locations={namespace: file}"
        )
    return said
