"""Did you mean: the one place that guesses what a person meant by a name there is not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

CUTOFF = 0.6
"""How alike two names have to be, from 0 to 1 (difflib's ratio): what one or two slips leave of a word."""

MAX_LENGTH = 100
"""Longer names are not compared: that takes time in proportion to the square of the length."""

BUDGET = 200_000
"""Comparisons of two names, after which `KnownNames` answers no more: about half a second's."""


class KnownNames:
    """Names there are, to be asked about words that are none of them.

    >>> options = KnownNames(["recent", "chronicle"])
    >>> options.nearest("recnt"), options.nearest("Chronical"), options.nearest("x")
    ('recent', 'chronicle', None)
    >>> letters = KnownNames(["a", "ab", "abc"])
    >>> letters.nearest("A"), letters.nearest("b"), letters.nearest("abd"), letters.nearest("ab")
    ('a', None, 'ab', None)
    """

    def __init__(self, names: Iterable[str]) -> None:
        # Sorted, so that the answer is the same every time, whatever set the names come from.
        known = sorted((name for name in names if len(name) <= MAX_LENGTH), reverse=True)
        self._by_lower = {name.lower(): name for name in known}
        self._left = BUDGET

    def nearest(self, word: str) -> str | None:
        """The name most like ``word``, whatever the case of its letters; None if none is much like it.

        A word of one letter is like no other name: that a name of two has this letter is chance. One that is among the
        names was meant.
        """
        self._left -= len(self._by_lower)
        if len(word) > MAX_LENGTH or self._left < 0 or self._by_lower.get(word.lower()) == word:
            return None
        if len(word) == 1:
            return self._by_lower.get(word.lower())
        found = get_close_matches(word.lower(), self._by_lower, n=1, cutoff=CUTOFF)
        return self._by_lower[found[0]] if found else None

    def did_you_mean(self, word: str) -> str:
        """The question with the nearest name, ``""`` if there is none."""
        name = self.nearest(word)
        return "" if name is None else f"did you mean {name}?{_looks_the_same(word, name)}"


def disguised(word: str, known: Iterable[str]) -> str:
    """The question with a name that the word only looks like, as its letters are of another script; else ``""``."""
    found = next(filter(None, (_looks_the_same(word, name) and name for name in known)), "")
    return f"did you mean {found}?{_looks_the_same(word, found)}" if found else ""


def _looks_the_same(word: str, name: str) -> str:
    """Which letters of another script, if nothing else, tell a word from the name that was meant: they look alike.

    >>> KnownNames(["item"]).did_you_mean("\u0456tem")
    "did you mean item? 'і' is U+0456, CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I"
    """
    other = [a for a, b in zip(word, name, strict=False) if a != b]
    if len(word) != len(name) or not all(_is_of_another_script(letter) for letter in other):
        return ""
    return "".join(
        f" {letter!r} is U+{ord(letter):04X}, {unicodedata.name(letter, 'without a name')}"
        for letter in dict.fromkeys(other)
    )


def _is_of_another_script(letter: str) -> bool:
    return not letter.isascii() and not unicodedata.name(letter, "").startswith("LATIN")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The question with the nearest name, ``""`` if there is none.

    >>> did_you_mean("recnt", ["recent", "chronicle"])
    'did you mean recent?'
    """
    return KnownNames(known).did_you_mean(word)


def did_you_mean_or_list(word: str, known: Iterable[str], limit: int = 12) -> str:
    """The question with the nearest name, or else what there is, at most ``limit`` names.

    >>> did_you_mean_or_list("colour", ["item", "price"])
    'there is item, price'
    """
    names = list(known)
    question = did_you_mean(word, names)
    if question:
        return question
    return f"there is {listed(names, limit)}" if names else "there is none"


def listed(names: Sequence[str], limit: int) -> str:
    """Names as messages list them, at most ``limit``.

    >>> listed(["a", "b", "c"], 3), listed(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
