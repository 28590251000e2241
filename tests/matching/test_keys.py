"""Keys: how they are written, and what is wrong with some."""

from __future__ import annotations

import pytest

from xmlcep.matching import Key, KeyFormatError


@pytest.mark.parametrize(
    "text",
    ["item=@partNum", "dependency=groupId,artifactId", "{urn:po=1,2}item=@{urn:x=y}k,a/b/@c", "module=."],
)
def test_a_key_prints_itself(text: str) -> None:
    assert str(Key.parse(text)) == text


@pytest.mark.parametrize("text", ["", "item", "=@k", "item=", "item=@", "item=a,", "a/b=@k", "item=a//b"])
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(KeyFormatError, match="is not a key: expected ELEMENT=FIELD"):
        Key.parse(text)
