"""Which versions of a file git has: renames, merges, branches, dates; what cannot be asked."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.versions.repositories import Repository, needs_git
from xmlcep.versions import git as git_module
from xmlcep.versions.git import GitError, GitVersions
from xmlcep.versions.version import VersionError

pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def read(repository: Repository, path: str, **options: object) -> list[str]:
    """The texts of the versions; what has none gives its problem."""
    with GitVersions(repository.folder / path, **options) as source:  # type: ignore[arg-type]
        return [version.problem or source.read(version).decode() for version in source.versions]


def test_commits_that_changed_the_file_with_who_when_and_why(repository: Repository) -> None:
    first = repository.commit("The first", files={"d/x.xml": "<a>1</a>"})
    repository.commit("Something else", files={"other": "1"})
    repository.commit("Dearer", author="Böb", files={"d/x.xml": "<a>2</a>"})
    with GitVersions(repository.folder / "d" / "x.xml") as source:
        one, other = source.versions
        assert (one.id, one.label, dict(one.meta)["subject"]) == (first, first[:10], "The first")
        assert dict(other.meta) | {"commit": ""} == {
            "commit": "", "author": "Böb", "date": "2020-09-16T12:26:40+00:00", "subject": "Dearer",
        }  # fmt: skip
        assert other.at == 1_600_000_000 + 3 * 86_400
        assert source.read(other) == b"<a>2</a>"
        assert source.read(one) == b"<a>1</a>"
        assert list(source.remarks) == []


def test_renames_are_followed_and_say_what_the_file_was(repository: Repository) -> None:
    repository.commit("one", files={"old name.xml": "<a>1</a>" * 9})
    repository.git("mv", "old name.xml", "näw\tname.xml")
    repository.commit("two")
    repository.commit("three", files={"näw\tname.xml": "<a>1</a>" * 9 + "<b/>"})
    with GitVersions(repository.folder / "näw\tname.xml") as source:
        assert [version.meta.get("file") for version in source.versions] == ["old name.xml", None, None]


def test_a_copy_begins_with_the_copy(repository: Repository) -> None:
    repository.commit("one", files={"a.xml": "<a>1</a>" * 9})
    repository.commit("two", files={"b.xml": "<a>1</a>" * 9})
    assert len(read(repository, "b.xml")) == 1


def test_a_file_that_comes_back_as_a_copy_has_its_own_history(repository: Repository) -> None:
    repository.commit("one", files={"a.xml": "<a>1</a>" * 9, "b.xml": "<b>2</b>" * 9})
    repository.git("rm", "-q", "b.xml")
    repository.commit("gone")
    repository.commit("again", files={"b.xml": "<a>1</a>" * 9 + "<c/>"})
    for all_parents in (False, True):
        assert read(repository, "b.xml", all_parents=all_parents) == [
            "<b>2</b>" * 9, "the file was deleted", "<a>1</a>" * 9 + "<c/>",
        ]  # fmt: skip


def test_first_parents_or_all(repository: Repository) -> None:
    repository.commit("one", files={"x.xml": "<a>1</a>"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("two", files={"x.xml": "<a>2</a>"})
    repository.commit("three", files={"x.xml": "<a>3</a>"})
    repository.git("checkout", "-q", "main")
    repository.commit("elsewhere", files={"y": "1"})
    repository.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    assert read(repository, "x.xml") == ["<a>1</a>", "<a>3</a>"]
    assert read(repository, "x.xml", all_parents=True)[:3] == ["<a>1</a>", "<a>2</a>", "<a>3</a>"]
    repository.git("checkout", "-q", "main")
    assert read(repository, "x.xml", branch="side~1") == ["<a>1</a>", "<a>2</a>"]


def test_since_a_date_begins_with_the_version_before(repository: Repository) -> None:
    for number in range(1, 5):
        repository.commit(f"{number}", files={"x.xml": f"<a>{number}</a>"})
    assert read(repository, "x.xml", since="2020-09-16") == ["<a>2</a>", "<a>3</a>", "<a>4</a>"]
    assert read(repository, "x.xml", since="2 days ago") == ["<a>4</a>"]
    assert len(read(repository, "x.xml", since="2000-01-01T00:00:00Z")) == 4
    with pytest.raises(GitError, match="'last blue moon' is not a date"):
        read(repository, "x.xml", since="last blue moon")


def test_deleted_and_there_again(repository: Repository) -> None:
    repository.commit("one", files={"x.xml": "<a>1</a>", "keep": ""})
    (repository.folder / "x.xml").unlink()
    repository.commit("gone")
    repository.commit("again", files={"x.xml": "<b>2</b>"})
    assert read(repository, "x.xml") == ["<a>1</a>", "the file was deleted", "<b>2</b>"]
    repository.git("rm", "-q", "x.xml")
    repository.commit("gone for good")
    assert len(read(repository, "x.xml")) == 4


def test_a_file_whose_folder_is_gone(repository: Repository) -> None:
    repository.commit("one", files={"a/b/x.xml": "<a>1</a>", "keep": ""})
    repository.git("rm", "-q", "-r", "a")
    repository.commit("gone")
    assert read(repository, "a/b/x.xml") == ["<a>1</a>", "the file was deleted"]


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_is_no_version(repository: Repository) -> None:
    repository.commit("one", files={"x.xml": "<a>1</a>", "y.xml": "<a>9</a>"})
    (repository.folder / "x.xml").unlink()
    (repository.folder / "x.xml").symlink_to("y.xml")
    repository.commit("linked")
    assert read(repository, "x.xml")[-1] == "a symbolic link, no document"


def test_a_shallow_clone_is_said(repository: Repository, tmp_path: Path) -> None:
    for number in range(3):
        repository.commit(f"{number}", files={"x.xml": f"<a>{number}</a>"})
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "clone"))
    with GitVersions(tmp_path / "clone" / "x.xml") as source:
        assert len(source.versions) == 1
        [remark] = source.remarks
        assert "shallow clone" in remark and "git fetch --unshallow" in remark


def test_a_partial_clone_fetches_nothing(repository: Repository, tmp_path: Path) -> None:
    for number in range(3):
        repository.commit(f"{number}", files={"x.xml": f"<a>{number}</a>"})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = str(tmp_path / "clone")
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", clone)
    with GitVersions(tmp_path / "clone" / "x.xml") as source:
        with pytest.raises(GitError, match="not in this repository"):
            source.read(source.versions[0])
        assert source.read(source.versions[-1]) == b"<a>2</a>"


def test_a_partial_clone_without_the_texts_that_a_rename_needs(
    repository: Repository, tmp_path: Path
) -> None:
    """It was renamed and changed at once: whether it is the same file only texts say that are not here."""
    repository.commit("one", files={"x.xml": "<a>1</a>" * 9})
    repository.git("mv", "x.xml", "y.xml")
    repository.commit("two", files={"y.xml": "<a>1</a>" * 9 + "<b/>"})
    repository.git("mv", "y.xml", "z.xml")
    repository.commit("three")
    repository.commit("four", files={"z.xml": "<a>4</a>"})
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git(
        "clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(tmp_path / "clone")
    )
    with GitVersions(tmp_path / "clone" / "z.xml") as source:
        assert [version.meta["subject"] for version in source.versions] == ["two", "three", "four"]
        [remark] = source.remarks
        assert "a partial clone" in remark and "older name" in remark
    with GitVersions(repository.folder / "z.xml") as source:
        assert (len(source.versions), list(source.remarks)) == (4, [])


@pytest.mark.parametrize(
    "setting",
    ["log.showRoot=false", "diff.renameLimit=1", "diff.renames=false", "log.diffMerges=off", "diff.relative=true",
     "diff.ignoreSubmodules=all", "diff.orderFile=none", "log.follow=true", "format.pretty=oneline",
     "core.fsmonitor=/none", "log.showSignature=true", "core.quotePath=true", "i18n.logOutputEncoding=UTF-16"],
)  # fmt: skip
def test_settings_make_no_difference(repository: Repository, setting: str) -> None:
    repository.commit("one", files={"ö.xml": "<a>1</a>" * 9, "other": "1" * 99, "more": "2" * 99})
    repository.git("mv", "ö.xml", "z.xml")
    repository.git("mv", "other", "another")
    repository.commit("Böb", files={"z.xml": "<a>1</a>" * 9 + "<b/>", "more": "3"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("aside", files={"z.xml": "<a>2</a>"})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    repository.git("config", *setting.split("="))
    for all_parents, count in ((False, 3), (True, 4)):
        with GitVersions(repository.folder / "z.xml", all_parents=all_parents) as source:
            assert len(source.versions) == count
            assert source.versions[1].meta["subject"] == "Böb"


def test_a_bare_repository_and_folders_that_are_none(repository: Repository, tmp_path: Path) -> None:
    repository.commit("one", files={"d/x.xml": "<a>1</a>"})
    for bare in ("bare.git", "again/.git"):
        repository.git("clone", "-q", "--bare", str(repository.folder), str(tmp_path / bare))
        with GitVersions(tmp_path / bare.removesuffix("/.git") / "d" / "x.xml") as source:
            assert source.read(source.versions[0]) == b"<a>1</a>"
    for folder in (tmp_path / "bare.git", repository.folder):
        with pytest.raises(GitError, match=r"a folder: give a file in it"):
            GitVersions(folder)


def test_a_submodule_and_a_file_in_it(repository: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    inner.commit("one", files={"x.xml": "<a>1</a>"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.folder), "sub")
    repository.commit("with a submodule")
    with pytest.raises(GitError, match="sub: a submodule, a repository of its own: give a file in it"):
        read(repository, "sub")
    assert read(repository, "sub/x.xml") == ["<a>1</a>"]


def test_a_git_that_is_killed_is_not_a_reader_that_has_seen_enough(repository: Repository) -> None:
    repository.commit("one", files={"x.xml": "<a>1</a>"})
    with GitVersions(repository.folder / "x.xml") as source:
        [version] = source.versions
        assert source.read(version) == b"<a>1</a>"
        assert source._reader is not None
        source._reader.kill()
        source._reader.wait()
        with pytest.raises(GitError, match="its text is not in this repository"):
            source.read(version)
        assert source.read(version) == b"<a>1</a>"


def test_what_is_not_there(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitError, match="there is no commit yet"):
        read(repository, "x.xml")
    repository.commit("one", files={"d/x.xml": "<a>1</a>"})
    with pytest.raises(GitError, match=r"no commit in .* has ever had this file"):
        read(repository, "never.xml")
    with pytest.raises(GitError, match="there is no branch or commit 'nope'"):
        read(repository, "d/x.xml", branch="nope")
    with pytest.raises(GitError, match="d: a folder: give a file in it"):
        read(repository, "d")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(GitError, match=r"x\.xml: there is no such file; not a git repository"):
        GitVersions(tmp_path / "x.xml")
    (tmp_path / "x.xml").write_text("<a/>")
    with pytest.raises(GitError, match=r"x\.xml: not a git repository"):
        GitVersions(tmp_path / "x.xml")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError, match="the git command was not found"):
        read(repository, "d/x.xml")


def test_the_repository_is_that_of_the_path(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the environment of a hook says."""
    repository.commit("one", files={"x.xml": "<a>1</a>"})
    other = Repository(tmp_path / "other")
    other.commit("one", files={"x.xml": "<a>2</a>"})
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    assert read(repository, "x.xml") == ["<a>1</a>"]


@pytest.mark.parametrize("branch", ["-x", "--output=hacked", "--all"])
def test_no_option_gets_to_git_as_a_branch(repository: Repository, branch: str) -> None:
    repository.commit("one", files={"x.xml": "<a>1</a>"})
    with pytest.raises(GitError, match="is no branch"):
        read(repository, "x.xml", branch=branch)
    assert not (repository.folder / "hacked").exists()


@pytest.mark.parametrize("name", ["-x.xml", "--output=y.xml", "a*.xml", ":(top)x.xml", "a[b].xml"])
def test_paths_are_taken_literally(repository: Repository, name: str) -> None:
    repository.commit("one", files={name: "<a>1</a>", "ab.xml": "<a>2</a>"})
    assert read(repository, name) == ["<a>1</a>"]


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_no_program_of_the_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    repository.commit("one", files={"x.xml": "<a>1</a>", ".gitattributes": "*.xml diff=evil filter=evil\n"})
    script, witness = tmp_path / "evil.sh", tmp_path / "witness"
    script.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IEXEC)
    settings = (
        "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.smudge", "core.fsmonitor",
        "core.pager", "gpg.program",
    )  # fmt: skip
    for setting in settings:
        repository.git("config", setting, str(script))
    repository.git("config", "log.showSignature", "true")
    witness.unlink(missing_ok=True)
    assert read(repository, "x.xml") == ["<a>1</a>"]
    assert not witness.exists()


def test_a_text_that_is_too_large_is_refused_and_the_next_is_read(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "_CHUNK", 1_000)
    repository.commit("one", files={"x.xml": f"<a>{'x' * 1_200_000}</a>"})
    repository.commit("two", files={"x.xml": "<a>2</a>"})
    with GitVersions(repository.folder / "x.xml") as source:
        with pytest.raises(VersionError, match="1 MB, more than the 1 MB that a document may have"):
            source.read(source.versions[0], 1)
        assert source.read(source.versions[1], 1) == b"<a>2</a>"


def test_what_is_not_yet_in_a_base(repository: Repository) -> None:
    """As a pull request is: from the last version that the base has."""
    for number in (1, 2):
        repository.commit(f"{number}", files={"x.xml": f"<a>{number}</a>"})
    repository.git("switch", "-q", "-c", "topic")
    repository.commit("3", files={"x.xml": "<a>3</a>", "y.xml": "<b/>"})
    repository.git("switch", "-q", "main")
    repository.commit("later", files={"x.xml": "<a>later</a>"})
    assert read(repository, "x.xml", branch="topic", base="main") == ["<a>2</a>", "<a>3</a>"]
    assert read(repository, "y.xml", branch="topic", base="main") == ["<b/>"]
    assert read(repository, "x.xml", base="topic") == ["<a>2</a>", "<a>later</a>"]
    assert read(repository, "x.xml", base="main") == ["<a>later</a>"]
    with pytest.raises(GitError, match="there is no branch or commit 'nowhere'"):
        read(repository, "x.xml", base="nowhere")
