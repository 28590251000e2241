"""Git repositories made for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs the git command")

_DAY = 86_400
_FIRST = 1_600_000_000


class Repository:
    """A repository in a folder, whose commits are a day apart and by people in turn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._commits = 0
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, **variables: str) -> str:
        """Runs git in the folder, whatever the machine's own configuration is."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**_environment(), **variables},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, path: str, text: str | bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(
        self, subject: str, *, author: str = "Ann", files: Mapping[str, str | bytes] | None = None
    ) -> str:
        """Writes files and commits all there is; returns the commit."""
        for path, text in (files or {}).items():
            self.write(path, text)
        self._commits += 1
        date = f"{_FIRST + self._commits * _DAY} +0000"
        self.git("add", "-A")
        self.git(
            "commit", "-q", "--allow-empty", "-m", subject, f"--author={author} <x@example.org>",
            GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date,
        )  # fmt: skip
        return self.git("rev-parse", "HEAD")


def _environment() -> dict[str, str]:
    return {
        **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
        "GIT_COMMITTER_NAME": "Cy", "GIT_COMMITTER_EMAIL": "cy@example.org",
    }  # fmt: skip
