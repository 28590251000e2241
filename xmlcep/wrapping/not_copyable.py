"""What belongs to one document and one process: it cannot be copied or pickled, and says what to do instead."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from .errors import WrapError


class Single:
    """A base class; ``_instead`` is what `copy` and `pickle` are told. Raises `WrapError` for both."""

    __slots__ = ()
    _instead: ClassVar[str]

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        kind = type(self).__name__
        article = "an" if kind[0] in "AEIOU" else "a"
        raise WrapError(f"{article} {kind} cannot be copied, nor pickled: {self._instead}")
