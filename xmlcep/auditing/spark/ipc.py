"""Arrow tables as bytes, as they travel between tasks."""

from __future__ import annotations

import pyarrow as pa

_PLAIN = pa.ipc.IpcWriteOptions(use_threads=False)
_PACKED = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)


def to_ipc(table: pa.Table, *, packed: bool = False) -> bytes:
    """A table as bytes; ``packed``: as few as it takes, if nobody packs what it is put into."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=_PACKED if packed else _PLAIN) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def from_ipc(content: bytes | memoryview) -> pa.Table:
    """The table that `to_ipc` wrote."""
    with pa.ipc.open_stream(content) as stream:
        return stream.read_all()
