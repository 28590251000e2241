"""What Spark moves from task to task: bytes, or where they lie in files, if all tasks see the same disks.

What Spark moves passes the sockets of Python and Java, a file, and a shuffle with two files more, and all that again
to the next step. The workers of one machine have its disks in common: there Spark moves places only.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from .chunks import Chunk
from .failures import SparkError


class Place(NamedTuple):
    """Where bytes lie."""

    file: str
    start: int
    size: int


Content: TypeAlias = bytes | Place
"""Bytes, or where they lie."""


def read(content: Content) -> bytes:
    """The bytes. Raises `SparkError` if they are not there any more."""
    if not isinstance(content, Place):
        return content
    with _explained(content.file), open(content.file, "rb", buffering=0) as stream:
        stream.seek(content.start)
        found = stream.read(content.size)
    if len(found) != content.size:
        raise SparkError(f"{content.file} has no {content.size:,} bytes from {content.start:,} any more")
    return found


class ContentFiles:
    """Puts what tasks make into files in ``folder``, one of each process; leaves it as it is if that is None."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder

    def put(self, content: bytes) -> Content:
        """The content as Spark moves it. Raises `SparkError` if it cannot be written."""
        if self.folder is None:
            return content
        with _explained(self.folder), open(os.path.join(self.folder, str(os.getpid())), "ab") as file:
            start = file.tell()
            file.write(content)
        return Place(file.name, start, len(content))


class Parcel(NamedTuple):
    """A chunk on its way: all of it but its content, and the content."""

    chunk: Chunk
    content: Content

    @classmethod
    def of(cls, chunk: Chunk, files: ContentFiles) -> Parcel:
        """The chunk as it is sent."""
        return cls(chunk._replace(content=b""), files.put(chunk.content))

    def opened(self) -> Chunk:
        """The chunk as it was."""
        return self.chunk._replace(content=read(self.content))


@contextmanager
def common_files(*, shared: bool) -> Iterator[ContentFiles]:
    """Files for tasks, gone in the end; ``shared``: whether all of them, and who asks, see the same disks.

    Raises `SparkError` if there is no place for them.
    """
    if not shared:
        yield ContentFiles(None)
        return
    # Spark has made them, but for those that it cannot write.
    folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    given = next((each for each in folders if os.access(each, os.W_OK | os.X_OK)), None)
    with _explained(given or tempfile.gettempdir()):
        folder = tempfile.mkdtemp(prefix="xmlcep-job-", dir=given)
    try:
        yield ContentFiles(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explained(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SparkError(
            f"temporary files in {place}: {error}: set SPARK_LOCAL_DIRS to a folder with room"
        ) from error
