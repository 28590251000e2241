"""`history`: a change log of the versions of a document, as ``xmlcep history`` makes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..arguments import FUNCTION, NAMES, PATH, TEXT, Kind, check, optional
from ..matching import Key
from .files import FileVersions
from .git import GitVersions, is_repository
from .history import Step, Written, write_history
from .tracked import TrackedVersions
from .version import LARGEST, Source, VersionError

_FLAG = Kind(lambda value: isinstance(value, bool), "True or False")


def are_files(paths: Sequence[Path]) -> bool:
    """Whether paths are versions themselves: several files, or a folder; one file is one in git."""
    return len(paths) > 1 or (paths[0].is_dir() and not is_repository(paths[0]))


@contextmanager
def versions_of(
    paths: Sequence[Path], out: str | os.PathLike[str], *, by_time: bool = False, branch: str | None = None,
    since: str | None = None, base: str | None = None, all_parents: bool = False, tracked: bool = False,
    largest: int = LARGEST,
) -> Iterator[tuple[Source, str]]:  # fmt: skip
    """The versions at these paths, and what the document is called where nobody says; raises `VersionError`."""
    if tracked and len(paths) > 1:
        raise VersionError("`tracked` is for one file, which has its changes in it")
    for_git = {"branch": branch, "since": since, "base": base, "all_parents": all_parents or None}
    given = [name for name, value in for_git.items() if value is not None]
    if given and (tracked or are_files(paths)):
        raise VersionError(
            f"`{given[0]}` is for a file in git; several files, or a folder, are versions themselves"
        )
    if tracked:
        yield TrackedVersions(paths[0], largest=largest), paths[0].name
    elif are_files(paths):
        yield FileVersions(paths, by_time=by_time), Path(out).name.split(".")[0]
    elif by_time:
        raise VersionError("`by_time` is for files: the versions of one path are its commits")
    else:
        with GitVersions(paths[0], branch=branch, since=since, base=base, all_parents=all_parents) as git:
            yield git, paths[0].name


def history(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], out: str | os.PathLike[str], *,
    name: str | None = None, keys: Sequence[str] = (), by_time: bool = False, branch: str | None = None,
    since: str | None = None, base: str | None = None, all_parents: bool = False, tracked: bool = False,
    ignore_whitespace: bool = True, seal: bool = False, erasable: bool = False,
    progress: Callable[[Step], None] | None = None,
) -> Written:  # fmt: skip
    """Writes the change log ``out`` of the versions of a document, one transaction per version.

    ``path`` is a file in a git repository: its versions are the commits (of ``branch``, ``since`` a date, or those that
    are not in ``base``). Several files, or a folder, are versions themselves, in order of their names, or ``by_time``.
    With ``tracked``, ``path`` is a file with tracked changes. An existing log is continued. ``name`` is the document's
    name, ``keys`` identify elements (``item=@id``). Raises `VersionError` if there are no versions, `LogError` for a
    log that cannot be continued.
    """
    several = not isinstance(path, (str, bytes, os.PathLike)) and isinstance(path, Iterable)
    given: list[Any] = list(path) if several else [path]  # type: ignore[arg-type]
    if not given:
        raise VersionError(
            "no file is given: expected a file in git, or files that are versions of one document"
        )
    check(
        "history()", **{f"path{number}": (each, PATH) for number, each in enumerate(given)}, out=(out, PATH)
    )
    check(
        "history()", name=(name, optional(TEXT)), keys=(keys, NAMES), branch=(branch, optional(TEXT)),
        since=(since, optional(TEXT)), base=(base, optional(TEXT)), progress=(progress, optional(FUNCTION)),
        by_time=(by_time, _FLAG), all_parents=(all_parents, _FLAG), tracked=(tracked, _FLAG),
        ignore_whitespace=(ignore_whitespace, _FLAG), seal=(seal, _FLAG), erasable=(erasable, _FLAG),
    )  # fmt: skip
    paths = [Path(each) for each in given]
    with versions_of(
        paths, out, by_time=by_time, branch=branch, since=since, base=base, all_parents=all_parents, tracked=tracked
    ) as (source, called):  # fmt: skip
        return write_history(
            source, out, name=name or called, keys=[Key.parse(key) for key in keys],
            ignore_whitespace=ignore_whitespace, seal=seal, erasable=erasable, progress=progress,
        )  # fmt: skip
