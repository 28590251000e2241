"""The patterns of XML names: by what names are made of, and by what they are not."""

from __future__ import annotations

import re
import sys
from re import _constants as signs
from re import _parser as patterns
from typing import Any

import pytest

from path_types.names import NAME_CHARACTER, NAME_CHARACTERS, NAME_START, NCNAME, is_ncname


def test_they_say_the_same_of_every_character() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    following = re.findall(f"[{NAME_CHARACTERS}]", every)
    assert re.findall(NAME_CHARACTER, every) == following
    assert list(filter(is_ncname, every)) == re.findall(f"[{NAME_START}]", every)
    assert is_ncname("a" + "".join(following))


@pytest.mark.parametrize("pattern", [NAME_CHARACTER, NCNAME])
def test_compiling_them_does_not_go_through_all_names(pattern: str) -> None:
    """`re` looks at each character below U+10000 of each range of a class; all processes that read rules pay for it."""
    assert _looked_at(patterns.parse(pattern)) < 12_000 < _looked_at(patterns.parse(f"[{NAME_START}]"))


def _looked_at(parsed: Any) -> int:
    if not isinstance(parsed, (list, tuple, patterns.SubPattern)):
        return 0
    if len(parsed) == 2 and parsed[0] is signs.RANGE:
        first, last = parsed[1]
        return 0 if first > 0xFFFF else min(last, 0xFFFF) - first + 1
    return sum(map(_looked_at, parsed))
