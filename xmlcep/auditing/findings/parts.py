"""Findings in part files, which the tasks of an audit write: a folder that is seen complete or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .atomic_files import AtomicFolder


def is_folder(out: str | os.PathLike[str]) -> bool:
    """Whether part files are asked for: the name ends with a slash, or is that of a folder."""
    return os.fspath(out).endswith(("/", os.sep)) or Path(out).is_dir()


class PartFindings(AtomicFolder):
    """``FOLDER/part-00000.FORMAT`` and so on; read in the order of their names they are what one file would hold."""

    def __init__(self, folder: Path, format: str) -> None:
        super().__init__(folder)
        self._format = format

    @property
    def written(self) -> Path:
        """The folder into which tasks write, under any names that begin with ``part-`` and are in order."""
        return self.temporary / "written"

    def close(self) -> None:
        """Gives the files their names."""
        for number, path in enumerate(sorted(self.written.glob("part-*"))):
            path.rename(self.temporary / f"part-{number:05}.{self._format}")
        shutil.rmtree(self.written)

    def abandon(self) -> None:
        """Leaves the files as they are."""
