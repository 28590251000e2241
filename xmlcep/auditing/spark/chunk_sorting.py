"""Chunks in order, of which a task has more than fit into its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TypeAlias

from .chunks import Chunk
from .parcels import ContentFiles, Packed, Parcel, common_files

Order: TypeAlias = Callable[[Chunk], tuple[int, ...]]

MOST_BYTES = 64 * 2**20
"""So many bytes of chunks wait in memory, the others in a file."""


def in_order(parcels: Iterable[Parcel], order: Order, most_bytes: int = MOST_BYTES) -> Iterator[Chunk]:
    """The chunks sorted by this order; what is in them waits in files where it is much, or lies there already.

    Raises `SparkError` if a file cannot be written or read.
    """
    waiting: list[Parcel] = []
    size = 0
    with ExitStack() as stack:
        files: ContentFiles | None = None
        for chunk, content in parcels:
            if isinstance(content, Packed) and isinstance(content.content, bytes):
                size += len(content.content)
                if size > most_bytes:
                    files = files or stack.enter_context(common_files(shared=True))
                    content = files.put_away(content)
            waiting.append(Parcel(chunk, content))
        waiting.sort(key=lambda parcel: order(parcel.chunk), reverse=True)
        while waiting:  # what was handed out is let go
            yield waiting.pop().opened()
