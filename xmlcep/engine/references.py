"""Reference documents: what rules look things up in (rule V8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from lxml import etree

References: TypeAlias = Mapping[str, etree._Element]
"""The root elements of reference documents by name."""

NO_REFERENCES: References = {}
