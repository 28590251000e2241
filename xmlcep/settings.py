"""What a project says once, in ``xmlcep.toml`` or in ``[tool.xmlcep]`` of ``pyproject.toml`` (docs/teams.md).

Commands take it where their command line does not say otherwise, and so does the language server. What can do anything
is not among it: languages of opaque leaves are allowed on the command line only (O2).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import XmlCepError
from .files import bytes_of
from .suggestions import did_you_mean_or_list

_FILES = ("xmlcep.toml", "pyproject.toml")


class SettingsError(XmlCepError, ValueError):
    """Settings that cannot be read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The files of ``rules`` (one set) and ``logs``, the ``schema`` with the ``locations`` of its imports,
    ``references`` and ``params`` by name, the ``keys`` of elements in versions (``item=@partNum``), and the severity to
    ``fail_on``.

    Paths are as the working directory sees them. ``file`` is the file they are from, None if there are no settings.
    """

    file: Path | None = None
    rules: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    schema: str | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str | float] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    locations: Mapping[str, str] = field(default_factory=dict)
    fail_on: str | None = None


def find_settings(folder: str | os.PathLike[str] = ".") -> Settings:
    """The settings of a folder, or of the nearest one above it within the same repository; raises `SettingsError`."""
    start = Path(folder).resolve()
    for place in (start, *start.parents):
        for name in _FILES:
            found = _table(place / name)
            if found is not None:
                return _settings(place / name, found)
        if (place / ".git").exists():
            break
    return Settings()


def _table(file: Path) -> dict[str, Any] | None:
    """The settings in a file; None if it has none."""
    if not file.is_file():
        return None
    try:
        table = tomllib.loads(bytes_of(file, "rules file").decode("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: {error}") from error
    if file.name == "pyproject.toml":
        table = table.get("tool", {}).get("xmlcep")
    return table


def _settings(file: Path, table: Mapping[str, Any]) -> Settings:
    given: dict[str, Any] = {}
    for name, value in table.items():
        if name not in _READERS:
            raise SettingsError(
                f"{file}: there is no setting {name!r}: {did_you_mean_or_list(name, _READERS)}"
            )
        expected, read = _READERS[name]
        try:
            given[name.replace("-", "_")] = read(file.parent, value)
        except (TypeError, AttributeError, ValueError):
            raise SettingsError(f"{file}: {name} is {value!r}: expected {expected}") from None
    return Settings(file, **given)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def _file(folder: Path, value: Any) -> str:
    """A path from the folder of the settings, as the working directory sees it."""
    return os.path.relpath(folder / _text(value))


def _files(folder: Path, value: Any) -> tuple[str, ...]:
    """The files that names and patterns mean; a name that is none of a file stays, so that it is missed."""
    found: dict[str, None] = {}
    for pattern in [value] if isinstance(value, str) else list(value):
        matching = sorted(folder.glob(_text(pattern))) if any(c in pattern for c in "*?[") else []
        found |= dict.fromkeys(map(os.path.relpath, matching or [folder / pattern]))
    return tuple(found)


def _by_name(read: Callable[[Path, Any], Any]) -> Callable[[Path, Any], dict[str, Any]]:
    return lambda folder, table: {name: read(folder, value) for name, value in table.items()}


def _value(_: Path, value: Any) -> str | float:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError
    return value


def _severity(_: Path, value: Any) -> str:
    if value not in ("info", "warning", "error"):
        raise ValueError
    return _text(value)


_READERS: dict[str, tuple[str, Callable[[Path, Any], Any]]] = {
    "rules": ('files or patterns, such as ["rules/*.xcep"]', _files),
    "logs": ('files or patterns, such as ["logs/*.jsonl"]', _files),
    "schema": ('a file, such as "order.xsd"', _file),
    "references": ('files by name, such as {parts = "parts.xml"}', _by_name(_file)),
    "params": ("numbers and texts by name, such as {limit = 50}", _by_name(_value)),
    "keys": (
        'what elements are known by, such as ["item=@partNum"]',
        lambda _, keys: tuple(map(_text, list(keys))),
    ),
    "locations": ('files by namespace, such as {"urn:po" = "po.xsd"}', _by_name(_file)),
    "fail-on": ("info, warning or error", _severity),
}
