"""What is wrong with an example itself."""

from __future__ import annotations

from ..errors import XmlCepError


class ExampleError(XmlCepError, ValueError):
    """An example that cannot be run: a line that is none, a path that leads to no node or to several."""
