"""Tables on disk for what is counted and kept of documents, of which there may be more than fit into memory."""

from __future__ import annotations

import sqlite3
import weakref

_SETTINGS = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -4000; -- KiB
"""


def temporary_tables(owner: object, schema: str) -> sqlite3.Connection:
    """A database with these tables in a temporary file without a name: it is gone with its owner, or before that when
    the connection is closed.

    As long as they fit into its cache nothing is written. Any thread may ask it.
    """
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.executescript(_SETTINGS + schema)
    database.execute("BEGIN")
    weakref.finalize(owner, database.close)
    return database


def to_key(name: str) -> bytes:
    """A name as a key: keys have the order of names, by code points, whatever is in them (halves of surrogate pairs,
    too)."""
    return name.encode("utf-8", "surrogatepass")


def from_key(key: bytes) -> str:
    """The name again."""
    return key.decode("utf-8", "surrogatepass")
