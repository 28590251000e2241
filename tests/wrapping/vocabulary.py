"""What random edits choose from, and what lxml may refuse them with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lxml import etree

import xmlcep.wrapping

WRAPPING = str(Path(xmlcep.wrapping.__file__).parent)
"""Where the wrapper's own code stands."""
TAGS = ["a", "b", "c", "{urn:x}d", "item"]
NAMES = ["k", "l", "{urn:x}m"]
TEXTS = [None, "", "t", "u", " ", "é\n", "v w", "\u00a0"]
REFUSALS = (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, NotImplementedError)


def is_element(node: Any) -> bool:
    """Whether it is an element: no comment, processing instruction or entity reference."""
    return not isinstance(node, (etree._Comment, etree._ProcessingInstruction, etree._Entity))
