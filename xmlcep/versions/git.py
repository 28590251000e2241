"""Versions that are commits: the history of a file in a git repository, read through the git command.

Nothing is checked out or copied, nothing is fetched, and no program that a repository's configuration names is run.
Arguments go to git as a list; paths are taken literally.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ..closing import Closing
from .version import LARGEST, Version, VersionError, refuse_large

_QUIETLY = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone fetches nothing
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_OTHER_REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
)
_RELIED_ON = (
    "log.showRoot=true",  # else the first version is none
    "diff.renameLimit=1000",
    "core.fsmonitor=false",  # may name a program
)
"""Settings that a user or a repository can have otherwise, and that no option of the commands used here sets."""
_SETTINGS = [argument for setting in _RELIED_ON for argument in ("-c", setting)]
_FIELDS = "%H%x00%cI%x00%aN%x00%aI%x00%s"
_A_FOLDER = "a folder: give a file in it, or folder/*.xml for files that are versions"
_MARK = b"\x01"  # before each commit
_LINK, _SUBMODULE = "120000", "160000"
_DATE_WORDS = re.compile(
    r"(?:second|minute|hour|day|week|month|year)s?|ago|yesterday|today|now|noon|midnight|last|am|pm"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
)
_CHUNK = 1 << 20


class GitError(VersionError):
    """What git says that cannot be done, or what cannot be asked of it."""


class _Entry(NamedTuple):
    """What a commit did to the file: ``status`` as git gives it, the object, the path it has then."""

    mode: str
    blob: str
    status: str
    path: str


class GitVersions(Closing):
    """The commits that changed a file, the oldest first; renames are followed.

    ``branch`` is any revision (default: the one checked out); ``since`` a date, from which on versions count, the
    state before it being the first; ``base`` a revision into which the branch goes: what that has counts as the state
    before; ``all_parents`` takes the commits of merged branches, too, not only the
    merges. Use it in a ``with`` block. Raises `GitError`.
    """

    kind = "commit"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        branch: str | None = None,
        since: str | None = None,
        base: str | None = None,
        all_parents: bool = False,
    ) -> None:
        self._top, self._path = _locate(Path(path))
        self._reader: subprocess.Popen[bytes] | None = None
        self._lacks_texts = False  # so that a rename with a change could not be followed
        start = self._revision(branch)
        versions = [
            _version(commit, entry, self._path) for commit, entry in self._commits(start, all_parents)
        ]
        if not versions:
            raise GitError(
                f"{self._path}: no commit {f'of {branch!r} ' if branch else ''}in {self._top} has ever had this file:"
                " give its path as it is (or was) in the repository"
            )
        if since is not None:
            date = self._date(since)
            versions = _from(versions, lambda version: version.at >= date)
        if base is not None:
            new = set(self._git("rev-list", start, f"^{self._revision(base)}").decode("ascii").split())
            versions = _from(versions, lambda version: version.id in new)
        self.versions = tuple(versions)
        self.remarks = tuple(self._remarks())

    # --- asking git

    def _git(self, *arguments: str) -> bytes:
        return _run(self._top, *arguments)

    def _revision(self, branch: str | None) -> str:
        """The commit that a branch stands for."""
        if branch is not None and branch.startswith("-"):
            raise GitError(f"{branch!r} is no branch: a name that begins with - would be an option of git")
        name = branch or "HEAD"
        try:
            found = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitError as error:
            why = f"there is no branch or commit {branch!r}" if branch else "there is no commit yet"
            raise GitError(f"{self._top}: {why}") from error
        return found.decode("ascii").strip()

    def _commits(self, start: str, all_parents: bool) -> Iterator[tuple[list[str], _Entry]]:
        """The commits with what they did to the file, the oldest first.

        What was copied is another file's history. The file can have one of its own before, if it had been deleted.
        """
        found: list[tuple[list[str], _Entry]] = []
        starts, path = [start], self._path
        while starts:
            some = list(self._log(starts, path, all_parents))
            copies = (n for n, (_, entry) in enumerate(some) if entry.status.startswith("C"))
            copied = next(copies, None)
            if copied is None:
                found += some
                break
            found += some[: copied + 1]
            (commit, *_), entry = some[copied]
            starts, path = self._parents(commit, all_parents), entry.path
        yield from reversed(found)

    def _log(self, starts: list[str], path: str, all_parents: bool) -> Iterator[tuple[list[str], _Entry]]:
        command = (
            "log", "--topo-order" if all_parents else "--first-parent", "--diff-merges=first-parent", "--follow",
            "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes", "--no-relative",
            "-O/dev/null", "--ignore-submodules=none", "--encoding=UTF-8", "--raw", "--no-abbrev", "-z",
            f"--format=%x01{_FIELDS}",
        )  # fmt: skip
        try:
            said = self._git(*command, *starts, "--", path)
        except GitError:
            # In a partial clone texts are missing that would tell what was renamed and changed at once. Nothing is
            # fetched; renames without a change need no text.
            said = self._git(*command, "--find-renames=100%", *starts, "--", path)
            self._lacks_texts = True
        return _parsed(said)

    def _parents(self, commit: str, all_parents: bool) -> list[str]:
        parents = self._git("rev-parse", f"{commit}^@").decode("ascii").split()
        return parents if all_parents else parents[:1]

    def _date(self, since: str) -> float:
        """A date as ISO 8601 has it, or as git understands it (``2 weeks ago``)."""
        with suppress(ValueError):
            return datetime.fromisoformat(since).timestamp()
        words = re.findall(r"[^\W\d_]+", since.lower())
        if not words or not all(map(_DATE_WORDS.fullmatch, words)):
            # What git does not understand it leaves out, and in the end takes for now.
            raise GitError(
                f"{since!r} is not a date: expected one such as 2026-03-31, '2 weeks ago', 'yesterday', 'last month'"
            )
        said = self._git("rev-parse", f"--since={since}").decode("ascii").strip()
        return float(said.rpartition("=")[2])

    def _remarks(self) -> Iterator[str]:
        if self._git("rev-parse", "--is-shallow-repository").strip() == b"true":
            yield (
                f"{self._top}: a shallow clone: older versions are not here; git fetch --unshallow brings them"
            )
        if self._lacks_texts:
            yield (
                f"{self._top}: a partial clone: texts are missing, so a rename that also changed the file is not"
                " followed: versions under an older name may be missing; git fetch --refetch --no-filter brings all"
            )

    # --- reading

    def read(self, version: Version, largest: int = LARGEST) -> bytes:
        """The text of a version; raises `GitError` if it is not here, `VersionError` if it is too large."""
        if self._reader is None:
            self._reader = subprocess.Popen(
                ["git", "cat-file", "--batch"], cwd=self._top, env=_environment(), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        into, out = self._reader.stdin, self._reader.stdout
        assert into is not None and out is not None
        with suppress(BrokenPipeError):  # git has ended: then there is no answer
            into.write(f"{version.content}\n".encode("ascii"))
            into.flush()
        head = out.readline().split()
        if len(head) != 3 or head[1] != b"blob":
            if not head:
                self.close()  # git has given up; the next version may be here
            raise GitError(
                f"{version.label}: its text is not in this repository (a partial clone?): git fetch it first"
            )
        size = int(head[2])
        try:
            refuse_large(version.label, size, largest)
        except VersionError:
            left = size + 1
            while left:  # past it, to the next answer
                left -= len(out.read(min(left, _CHUNK)))
            raise
        data = out.read(size)
        out.read(1)
        return data

    def close(self) -> None:
        """Ends the git process."""
        if self._reader is not None:
            self._reader.terminate()
            self._reader.communicate()
            self._reader = None


def _locate(path: Path) -> tuple[Path, str]:
    """The repository's folder, and the path in it; neither the file nor its folder need exist any more."""
    folder = path.parent.resolve()
    whole = folder / path.name
    while not folder.is_dir():
        folder = folder.parent
    try:
        bare = _run(folder, "rev-parse", "--is-bare-repository").strip() == b"true"
        top = _run(folder, "rev-parse", "--absolute-git-dir" if bare else "--show-toplevel")
    except GitError as error:
        if is_repository(whole):
            raise GitError(f"{path}: {_A_FOLDER}") from error
        missing = "" if whole.exists() else "there is no such file; "
        raise GitError(
            f"{path}: {missing}{error}; the versions of one path are its commits: for files that are versions"
            " themselves, give several, or their folder"
        ) from error
    root = Path(os.fsdecode(top.rstrip(b"\n"))).resolve()
    if whole.is_dir() and not _is_tracked_folder(root, whole):
        raise GitError(f"{path}: {_A_FOLDER}")
    above = root.parent if bare and root.name == ".git" else root
    return root, whole.relative_to(above).as_posix()


def is_repository(folder: Path) -> bool:
    """Whether a folder is a repository itself: the top of a work tree or submodule, or a bare one."""
    return (folder / ".git").exists() or all((folder / name).exists() for name in ("HEAD", "objects", "refs"))


def _is_tracked_folder(root: Path, folder: Path) -> bool:
    """Whether git has the folder itself: a submodule, which is refused with a word of its own."""
    name = folder.relative_to(root).as_posix()
    return name != "." and _run(root, "ls-files", "--stage", "--", name).startswith(_SUBMODULE.encode())


def _environment() -> Mapping[str, str]:
    """The user's, without what names another repository (a hook has it), and quiet."""
    kept = {name: value for name, value in os.environ.items() if name not in _OTHER_REPOSITORY}
    return {**kept, **_QUIETLY}


def _run(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", *_SETTINGS, *arguments],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except FileNotFoundError as error:
        raise GitError("the git command was not found: install git, or give the versions as files") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", errors="replace").strip().splitlines()
        fatal = [line for line in said if line.startswith("fatal: ")] or said  # behind warnings
        raise GitError(fatal[0].removeprefix("fatal: ") if fatal else f"git {arguments[0]} failed")
    return done.stdout


def _parsed(said: bytes) -> Iterator[tuple[list[str], _Entry]]:
    """The commits with what they did to the file, from the NUL-separated output of git log."""
    parts = iter(said.split(b"\0"))
    commit: list[str] = []
    for part in parts:
        if part.startswith(_MARK):
            commit = [_text(part[1:]), *(_text(next(parts)) for _ in range(4))]
        elif part.lstrip(b"\n").startswith(b":"):
            _, mode, _, blob, status = part.lstrip(b"\n")[1:].decode("ascii").split(" ")
            path = next(parts)
            if status[0] in "RC":
                path = next(parts)
            yield commit, _Entry(mode, blob, status, _text(path))


def _text(field: bytes) -> str:
    return field.decode("utf-8", errors="replace")


def _version(commit: Sequence[str], entry: _Entry, path: str) -> Version:
    number, committed, author, date, subject = commit
    label = number[:10]
    meta = {"commit": number, "author": author, "date": date, "subject": subject}
    if entry.path != path:
        meta["file"] = entry.path
    problem = None
    if entry.status.startswith("D"):
        problem = "the file was deleted"
    elif entry.mode == _LINK:
        problem = "a symbolic link, no document"
    elif entry.mode == _SUBMODULE:
        raise GitError(f"{path}: a submodule, a repository of its own: give a file in it")
    at = datetime.fromisoformat(committed).timestamp()
    return Version(number, label, at, meta, entry.blob, problem)


def _from(versions: Sequence[Version], counts: Callable[[Version], bool]) -> list[Version]:
    """The versions from the first that counts on, after the one before it."""
    first = next((place for place, version in enumerate(versions) if counts(version)), len(versions))
    return list(versions[max(0, first - 1) :])
