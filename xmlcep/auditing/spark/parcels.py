"""What Spark moves from task to task: packed bytes, or where bytes lie in files, if all tasks see the same disks.

What Spark moves passes the sockets of Python and Java, a file, and a shuffle with two files more, and all that again
to the next step, so it is packed. The workers of one machine have its disks in common: there Spark moves places only,
and what lies there is not packed, for that takes longer than to write it and to read it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from .chunks import Chunk
from .failures import SparkError

_PACKING = "zstd"

_WRITTEN_AT_ONCE = 2**20
"""Given 2 MiB or more at once, Linux keeps it in pages of that size, which a virtual machine may have to get back from
the one around it: that cost three to ten times as much as smaller parts."""


class Place(NamedTuple):
    """Where bytes lie."""

    file: str
    start: int
    size: int


class Packed(NamedTuple):
    """Packed bytes, or where they lie; how many they are when they are unpacked."""

    content: bytes | Place
    size: int


Content: TypeAlias = Packed | Place
"""Packed bytes, or where bytes lie."""


def read(content: Content) -> bytes:
    """The bytes. Raises `SparkError` if they are not there any more."""
    if isinstance(content, Place):
        return _read(content)
    packed = content.content
    return pa.decompress(  # type: ignore[no-any-return]
        _read(packed) if isinstance(packed, Place) else packed, content.size, _PACKING, asbytes=True
    )


def _read(place: Place) -> bytes:
    with _explained(place.file), open(place.file, "rb", buffering=0) as stream:
        stream.seek(place.start)
        found = stream.read(place.size)
    if len(found) != place.size:
        raise SparkError(f"{place.file} has no {place.size:,} bytes from {place.start:,} any more")
    return found


class ContentFiles:
    """Puts what tasks make into files in ``folder``, one of each process; packs it if that is None."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder

    def put(self, content: bytes | memoryview) -> Content:
        """The content as Spark moves it. Raises `SparkError` if it cannot be written."""
        if self.folder is None:
            return Packed(pa.compress(content, _PACKING, asbytes=True), len(content))
        return self._written(content, self.folder)

    def put_away(self, content: Content) -> Content:
        """The same content in a file."""
        if self.folder is None or isinstance(content, Place) or isinstance(content.content, Place):
            return content
        return content._replace(content=self._written(content.content, self.folder))

    def _written(self, content: bytes | memoryview, folder: str) -> Place:
        with _explained(folder), open(os.path.join(folder, str(os.getpid())), "ab", buffering=0) as file:
            start = file.tell()
            return Place(file.name, start, written_whole(file, content, start))


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


def written_whole(file: FileIO, content: bytes | memoryview, start: int) -> int:
    """Writes all of this from ``start`` on, and says how many bytes that is: the system may take less at a time."""
    file.seek(start)
    done = 0
    while done < len(content):
        done += file.write(memoryview(content)[done : done + _WRITTEN_AT_ONCE])
    return done


@contextmanager
def _explained(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SparkError(
            f"temporary files in {place}: {error}: set SPARK_LOCAL_DIRS to a folder with room"
        ) from error
