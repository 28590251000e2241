"""Random git histories of one document: each version of the first parents is in the log, whatever became of the file.

``python -m tests.versions.test_random_repositories SEED COUNT`` does more of it.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Any

import pytest

import xmlcep
from tests.matching.trees import canonical, eventful, unindented
from tests.versions.repositories import Repository, needs_git
from tests.versions.spelled import broken, edited, random_tree, read, spelled
from xmlcep.log import Header, read_log
from xmlcep.versions.git import GitVersions
from xmlcep.versions.history import write_history

pytestmark = needs_git


class Line:
    """What is committed to the main branch: a file that is edited, renamed, broken, deleted, merged.

    ``texts`` are its contents by commit, None where it is gone, ``broken`` those that are no document; ``asked`` is the
    path that it has at the end.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = Random(seed)
        self.repository = Repository(folder)
        self.tree = random_tree(self.random, 2)
        self.asked = "x0.xml"
        self.names = 0
        self.there = True
        self.texts: dict[str, bytes | None] = {}
        self.broken: list[bytes | None] = [None]
        self._commit(self._text())

    def step(self) -> None:
        """One commit more, or a branch that is merged."""
        kinds = ("edit", "edit", "edit", "same", "break", "delete", "rename", "merge", "elsewhere", "spell")
        kind = self.random.choice(kinds) if self.there else "edit"
        git = self.repository.git
        if kind == "edit":
            self.tree = edited(self.random, self.tree)
            self._commit(self._text())
        elif kind == "spell":
            self._commit(self._text())
        elif kind == "same":
            self.repository.commit("again")
        elif kind == "break":
            self.broken.append(broken(self.random, self._text()))
            self._commit(self.broken[-1] or b"")
        elif kind == "delete":
            git("rm", "-q", self.asked)
            self.texts[self.repository.commit("gone")] = None
            self.there = False
        elif kind == "rename":
            self.names += 1
            new = f"{self.random.choice(('', 'd/', 'é '))}x{self.names}.xml"
            (self.repository.folder / "d").mkdir(exist_ok=True)
            git("mv", self.asked, new)
            self.asked = new
            self.repository.commit("renamed")
        elif kind == "merge":
            self._merge()
        else:
            self.repository.commit("elsewhere", files={"y.xml": self._text()})

    def _merge(self) -> None:
        git, was = self.repository.git, self._now()
        git("checkout", "-q", "-b", "side")
        for _ in range(self.random.randint(1, 2)):
            self.tree = edited(self.random, self.tree)
            self.repository.commit("beside", files={self.asked: self._text()})
        git("checkout", "-q", "main")
        if self.random.random() < 0.5:
            self.repository.commit("meanwhile", files={"z": str(self.random.random())})
        git("merge", "-q", "--no-ff", "-m", "merged", "side")
        git("branch", "-q", "-D", "side")
        if self._now() != was:
            self.texts[git("rev-parse", "HEAD")] = self._now()

    def _now(self) -> bytes:
        return (self.repository.folder / self.asked).read_bytes()

    def _text(self) -> bytes:
        typed = not self.tree.xpath("boolean(//@xml:id)")
        return spelled(self.random, self.tree, typed=typed)

    def _commit(self, text: bytes) -> None:
        was = self._now() if (self.repository.folder / self.asked).exists() else None
        commit = self.repository.commit("edit", files={self.asked: text})
        self.there = True
        if text != was:
            self.texts[commit] = text


def judge(seed: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        line = Line(seed, Path(name) / "repository")
        log, keeps = Path(name) / "log.jsonl", line.random.random() < 0.3
        for _ in range(line.random.randint(1, 2)):
            for _ in range(line.random.randint(1, 6)):
                line.step()
            _tell(line, log, keeps)


def _tell(line: Line, log: Path, keeps: bool) -> None:
    """The log is made, or goes on; all that is in it by then is compared."""

    def shown(root: Any) -> str:
        return canonical(eventful(root if keeps else unindented(root)))

    readable = [commit for commit, text in line.texts.items() if text not in line.broken]
    with GitVersions(line.repository.folder / line.asked) as source:
        given = [each.id for each in source.versions if each.id in line.texts]
        assert given == list(line.texts)
        try:
            written = write_history(source, log, name="d", ignore_whitespace=not keeps)
        except xmlcep.XmlCepError as error:
            assert not readable, error
            return
    skipped = {each.label for each in written.skipped}
    ends: dict[str, int] = {}
    for item in read_log(log):
        if not isinstance(item, Header):
            assert item.meta is not None
            ends[item.meta["commit"]] = item.ts
    at = 0
    for commit in readable:
        assert commit[:10] not in skipped
        at = ends.get(commit, at)
        text = line.texts[commit]
        assert text is not None
        assert canonical(eventful(xmlcep.rebuild(log, at))) == shown(read(text))
    assert set(ends) <= set(readable)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(2))
def test_each_version_of_the_first_parents_is_in_the_log(part: int) -> None:
    for seed in range(4 * part, 4 * part + 4):
        judge(seed)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.getLogger("xmlcep").setLevel(logging.ERROR)
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(first, first + count):
        try:
            judge(number)
        except Exception as error:
            print(number, type(error).__name__, str(error)[:300], flush=True)
    print(f"{count} seeds")
