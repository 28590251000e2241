"""Did you mean: the nearest of the names there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``, whatever its case; None if none is much like it."""
    by_case = {word.lower(): word for word in sorted(known, reverse=True)}
    found = difflib.get_close_matches(name.lower(), by_case, n=1, cutoff=0.5)
    return by_case[found[0]] if found else None


def closest(name: str, known: Iterable[str], limit: int = 12) -> str:
    """``: did you mean 'item'?`` or, if nothing is near, what there is (at most ``limit`` names)."""
    names = list(known)
    found = nearest(name, names)
    if found is not None:
        return f": did you mean {found!r}?"
    if not names:
        return ""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f": it has {', '.join(names[:limit])}{more}"
