"""The pictures show what the engine finds."""

from __future__ import annotations

import pytest

from tests.pages.pictures import FOLDER, PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_current(name: str) -> None:
    drawn = PICTURES[name]()
    assert (FOLDER / name).read_text(encoding="utf-8") == drawn, "run  python -m tests.pages.pictures"
