"""Questions that rules name."""

from __future__ import annotations

from typing import Any


class Parity:
    """Questions about numbers."""

    @staticmethod
    def odd(event: Any, _: Any) -> bool:
        """Whether the value is odd."""
        return int(event.value) % 2 == 1
