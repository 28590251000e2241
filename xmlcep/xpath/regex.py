"""``matches``: regular expressions of XPath 2.0 (those of XML Schema, with ``^``, ``$``, ``*?`` and flags), by RE2.

RE2 takes time in proportion to the text, whatever the pattern: patterns of rules and texts of documents are
anybody's. What RE2 cannot say is refused when the rules are read. The package is google-re2, the extra ``regex``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn

from path_types.names import NAME_CHARACTERS, NAME_START

from ..errors import MissingExtraError, XmlCepError


class PatternError(XmlCepError, ValueError):
    """A regular expression that cannot be used: where (``offset``, ``width``), the problem and a hint."""

    def __init__(self, offset: int, width: int, problem: str, hint: str) -> None:
        self.offset = offset
        self.width = width
        self.problem = problem
        self.hint = hint
        super().__init__(offset, width, problem, hint)

    def __str__(self) -> str:
        return f"{self.problem} at character {self.offset + 1} of the pattern; {self.hint}"


FLAGS = {
    "i": "letters match in either case",
    "m": "^ and $ match at the lines' ends, too",
    "s": "a dot matches the end of a line, too",
    "x": "blanks in the pattern mean nothing",
}


@lru_cache(maxsize=256)
def matcher(pattern: str, flags: str = "") -> Callable[[str], bool]:
    """The test whether a text has a part that matches; raises `PatternError`, and `MissingExtraError` without RE2.

    >>> finds = matcher("^[A-Z]{2}-\\\\d+$")
    >>> finds("AB-12"), finds("AB-")
    (True, False)
    """
    translated = to_re2(pattern, flags)
    try:
        import re2
    except ImportError as error:
        raise MissingExtraError("matches()", "google-re2", "regex") from error
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        search = re2.compile(translated, options).search
    except re2.error as error:
        hint = "make it shorter; a repetition can be up to 1,000 times"
        raise PatternError(
            0, len(pattern), f"a pattern that is too large ({_reason(error)})", hint
        ) from error

    def finds(text: str) -> bool:
        # Half a character, which JSON can hold, is none to RE2.
        return search(text.encode("utf-8", "replace")) is not None

    return finds


def _reason(error: Exception) -> str:
    said = error.args[0] if error.args else error
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def to_re2(pattern: str, flags: str = "") -> str:
    """The pattern in RE2's syntax; raises `PatternError`.

    >>> to_re2(r"\\i\\c*|[\\d.-]+?", "i")[:4], to_re2("a.b", "s")
    ('(?i)', '(?s)a.b')
    """
    for flag in flags:
        if flag not in FLAGS:
            known = "; ".join(f"{known}: {meaning}" for known, meaning in FLAGS.items())
            raise PatternError(0, len(pattern), f"the unknown flag {flag!r}", known)
    set_flags = "".join(flag for flag in "ims" if flag in flags)
    return (f"(?{set_flags})" if set_flags else "") + _Translator(pattern, "x" in flags).translate()


_SINGLE = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPED = frozenset("\\|.?*+(){}-[]^$")
_CATEGORIES = frozenset(
    f"{group}{kind}"
    for group, kinds in {
        "L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "Z": "slp", "S": "mcko", "C": "cfo",
    }.items()
    for kind in ("", *kinds)
)  # fmt: skip


def _inside(ranges: str) -> str:
    """The ranges of a class of names, as RE2 writes them."""
    return re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda m: rf"\x{{{int(m[1] or m[2], 16):x}}}", ranges)


# What stands for a class escape within [ ]; the upper case letter stands for all else.
_CLASSES = {
    "s": r"\t\n\r ", "d": r"\p{Nd}", "w": r"\p{L}\p{M}\p{N}\p{S}",
    "i": ":" + _inside(NAME_START), "c": ":" + _inside(NAME_CHARACTERS),
}  # fmt: skip
_COMPLEMENTS = {"S": r"\x{0}-\x{8}\x{b}\x{c}\x{e}-\x{1f}\x{21}-\x{10ffff}", "D": r"\P{Nd}"}
_QUANTITY = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}", re.ASCII)
_MOST_REPEATED = 1000


class _Translator:
    """Reads a pattern from left to right and writes it for RE2."""

    def __init__(self, pattern: str, blanks_mean_nothing: bool) -> None:
        self.pattern = pattern
        self.blanks_mean_nothing = blanks_mean_nothing
        self.at = 0
        self.written: list[str] = []

    def translate(self) -> str:
        groups: list[int] = []
        may_repeat = False
        while self.at < len(self.pattern):
            start, sign = self.at, self.pattern[self.at]
            self.at += 1
            if sign in " \t\n\r" and self.blanks_mean_nothing:
                continue
            if sign in "?*+{":
                if not may_repeat:
                    self._fail(
                        start, f"{sign!r} with nothing before it to repeat", f"write \\{sign} for the sign"
                    )
                self._quantity(start, sign)
                may_repeat = False
                continue
            may_repeat = sign not in "(|"
            if sign == "(":
                groups.append(start)
                self._open_group(start)
            elif sign == ")":
                if not groups:
                    self._fail(start, "')' without '('", "write \\) for the sign")
                groups.pop()
                self.written.append(")")
            elif sign == "[":
                self._class(start)
            elif sign == "\\":
                self.written.append(self._escape(start, in_class=False))
            elif sign in "]}":
                self._fail(start, f"{sign!r} alone", f"write \\{sign} for the sign")
            else:
                self.written.append(sign if sign in "|^$." else _literal(sign))
        if groups:
            self._fail(groups[-1], "'(' without ')'", "write \\( for the sign")
        return "".join(self.written)

    def _open_group(self, start: int) -> None:
        if self.pattern.startswith("?", self.at):
            self._fail(start, "'(?'", "there is no look-around and no other kind of group: write (…)", 2)
        self.written.append("(")

    def _quantity(self, start: int, sign: str) -> None:
        if sign == "{":
            match = _QUANTITY.match(self.pattern, start)
            if match is None:
                self._fail(
                    start,
                    "'{' that is not a number of times",
                    "write {2}, {2,} or {2,5}, or \\{ for the sign",
                )
            self.at = match.end()
            fewest, most = int(match[1]), int(match[3] or match[1])
            if max(fewest, most) > _MOST_REPEATED:
                self._fail(start, f"more than {_MOST_REPEATED:,} times", "write *", match.end() - start)
            if most < fewest:
                self._fail(start, "more at least than at most", "write {2,5}", match.end() - start)
            sign = match.group()
        if self.pattern.startswith("?", self.at):
            self.at += 1
            sign += "?"
        self.written.append(sign)

    def _escape(self, start: int, *, in_class: bool) -> str:
        """What an escape stands for; behind the backslash."""
        letter = self.pattern[self.at : self.at + 1]
        self.at += 1
        if letter in _SINGLE:
            return _literal(_SINGLE[letter])
        if letter in _ESCAPED and letter:
            return _literal(letter)
        if letter in _CLASSES:
            return _CLASSES[letter] if in_class else f"[{_CLASSES[letter]}]"
        if letter and letter in "SDWIC":
            if not in_class:
                return f"[^{_CLASSES[letter.lower()]}]"
            if letter in _COMPLEMENTS:
                return _COMPLEMENTS[letter]
            self._fail(start, f"\\{letter} within [ ]", f"write (…|\\{letter})", 2)
        if letter and letter in "pP":
            return self._category(start, letter)
        if letter.isdecimal():
            hint = "the engine takes time in proportion to the text, which rules out looking back"
            self._fail(start, f"\\{letter}, a reference to a group,", hint, 2)
        if not letter:
            self._fail(start, "a backslash at the end", "write \\\\ for the sign")
        self._fail(
            start,
            f"the unknown escape \\{letter}",
            "escapes: \\n \\r \\t \\s \\d \\w \\i \\c \\p{…}, signs",
            2,
        )

    def _category(self, start: int, letter: str) -> str:
        end = self.pattern.find("}", self.at)
        name = self.pattern[self.at + 1 : end] if self.pattern.startswith("{", self.at) else ""
        if end < 0 or name not in _CATEGORIES:
            if name.startswith("Is"):
                problem, hint = f"the block {name[2:]}", "write the range of its characters: [a-z]"
            else:
                problem, hint = (
                    "an unknown category of characters",
                    "write \\p{L}, \\p{Lu}, \\p{Nd} and so on",
                )
            self._fail(start, problem, hint, max(2, end + 1 - start))
        self.at = end + 1
        return f"\\{letter}{{{name}}}"

    def _class(self, start: int) -> None:
        """A class in brackets, behind the opening one."""
        self.written.append("[")
        if self.pattern.startswith("^", self.at):
            self.at += 1
            self.written.append("^")
        first = self.at
        while not self.pattern.startswith("]", self.at) or self.at == first:
            if self.at >= len(self.pattern) or self.pattern[self.at] == "]":
                self._fail(start, "'[' without an end", "write […], or \\[ for the sign")
            low = self._class_part()
            if low is None or not self._starts_range():
                continue
            self.at += 1
            sign = self.at
            high = self._class_part(is_end=True)
            if high is None or ord(high) < ord(low):
                self._fail(sign, "a range that ends before it starts", "write it like a-z")
            self.written.append("-" + _literal(high))
        self.at += 1
        self.written.append("]")

    def _class_part(self, *, is_end: bool = False) -> str | None:
        """A character of a class, written unless it ends a range; None: a class escape, which is no end of one."""
        start, sign = self.at, self.pattern[self.at]
        self.at += 1
        if sign == "[":
            if self.pattern.startswith("-", start - 1):
                self._fail(start - 1, "one class without another", "write a class of what is left", 2)
            self._fail(start, "'[' within [ ]", "write \\[ for the sign")
        if sign == "\\":
            letter = self.pattern[self.at : self.at + 1]
            written = self._escape(start, in_class=True)
            sign = _SINGLE.get(letter, letter if letter in _ESCAPED else "")
            if not sign:
                if is_end:
                    self._fail(start, "a range that ends in a class", "write it like a-z", 2)
                self.written.append(written)
                return None
        if not is_end:
            self.written.append(_literal(sign))
        return sign

    def _starts_range(self) -> bool:
        """Whether a minus is here that is neither the last sign of the class nor before another class."""
        rest = self.pattern[self.at : self.at + 2]
        return len(rest) == 2 and rest[0] == "-" and rest[1] not in "]["

    def _fail(self, start: int, problem: str, hint: str, width: int = 1) -> NoReturn:
        raise PatternError(start, width, problem, hint)


def _literal(character: str) -> str:
    plain = character.isalnum() or not character.isascii()
    return character if plain else rf"\x{{{ord(character):x}}}"
