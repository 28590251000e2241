"""Chunks in order, of which a task has more than fit into its memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import IO, TypeAlias

from .chunks import Chunk

Order: TypeAlias = Callable[[Chunk], tuple[int, ...]]

MOST_BYTES = 64 * 2**20
"""So many bytes of chunks wait in memory, the others in a file."""


def in_order(chunks: Iterable[Chunk], order: Order, most_bytes: int = MOST_BYTES) -> Iterator[Chunk]:
    """The chunks sorted by this order; what is in them waits in a file where it is much.

    Raises `OSError` if the file cannot be written.
    """
    waiting: list[tuple[Chunk, tuple[int, int] | None]] = []  # without content, and where that is
    size = 0
    with ExitStack() as stack:
        file: IO[bytes] | None = None
        for chunk in chunks:
            size += len(chunk.content)
            if size <= most_bytes:
                waiting.append((chunk, None))
                continue
            if file is None:
                file = stack.enter_context(tempfile.TemporaryFile(dir=_folder()))
            waiting.append((chunk._replace(content=b""), (file.tell(), len(chunk.content))))
            file.write(chunk.content)
        waiting.sort(key=lambda each: order(each[0]), reverse=True)
        while waiting:  # what was handed out is let go
            chunk, place = waiting.pop()
            if place is None:
                yield chunk
            else:
                assert file is not None
                start, length = place
                file.seek(start)
                yield chunk._replace(content=file.read(length))


def _folder() -> str | None:
    """Where Spark lets its workers put what does not fit into memory; None: the system's folder."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
