"""What is closed at the end of a ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A base class: a ``with`` block has the object itself, and closes it, whatever ends the block."""

    __slots__ = ()

    @abstractmethod
    def close(self) -> object:
        """Gives back what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
