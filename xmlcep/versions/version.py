"""A version of a document: when it was made, by whom, and where its text comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import XmlCepError
from ..files import allowed

LARGEST = 256
"""So many megabytes a document may have, unless more are allowed: a tree takes 10 to 20 times the memory."""
_MEGABYTE = 1_000_000


class VersionError(XmlCepError, ValueError):
    """Versions that cannot be found, read or compared; says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version: ``id`` names it for ever (a commit, a file), ``label`` names it to people.

    ``at`` is when it was made, in seconds since 1970; ``meta`` goes on the records of what it changed. ``content`` is
    the same for versions of the same bytes. ``problem`` says why there is no document, where there is none.
    """

    id: str
    label: str
    at: float
    meta: Mapping[str, str] = field(hash=False)
    content: str = ""
    problem: str | None = None


class Source(Protocol):
    """Where versions come from."""

    @property
    def kind(self) -> str:
        """The key of ``meta`` that has a version's id: ``commit`` or ``file``."""

    @property
    def versions(self) -> Sequence[Version]:
        """All versions, the oldest first."""

    @property
    def remarks(self) -> Sequence[str]:
        """What the user is to know of the list, a sentence each."""

    def read(self, version: Version, largest: int) -> bytes:
        """The text of a version; raises `VersionError` for one of more than ``largest`` megabytes."""


def refuse_large(name: str, size: int, largest: int) -> None:
    """Raises `VersionError` for a document of more than ``largest`` megabytes."""
    if size > max(largest * _MEGABYTE, allowed()):
        raise VersionError(
            f"{name}: {size / _MEGABYTE:,.0f} MB, more than the {largest} MB that a document may have here: its tree"
            " would take 10 to 20 times as much memory; allow more with --largest MB (in Python largest=…)"
        )
