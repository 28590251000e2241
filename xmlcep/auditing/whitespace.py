"""Changes that say nothing: white space before and after."""

from __future__ import annotations

from ..log.records import Row
from ..xml_parser import is_blank


def keep_meaningful(row: Row) -> bool:
    """Whether a record is more than a change of white space between elements."""
    value, old = row[4], row[5]
    if is_blank(value or "") and is_blank(old or ""):
        return row[2].last.test != "text()"
    return True
