"""``matches``: regular expressions of XPath 2.0 (those of XML Schema, with ``^``, ``$``, ``*?`` and flags), by RE2.

RE2 takes time in proportion to the text, whatever the pattern: patterns of rules and texts of documents are
anybody's. What RE2 cannot say is refused when the rules are read. The package is google-re2, the extra ``regex``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

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
        hint = "write a regular expression of XPath 2.0; a repetition can be up to 1,000 times"
        raise PatternError(0, len(pattern), f"a mistake ({_reason(error)})", hint) from error

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
    return (f"(?{set_flags})" if set_flags else "") + "".join(_translated(pattern, "x" in flags))


def _inside(ranges: str) -> str:
    """The ranges of a class of names, as RE2 writes them."""
    return re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda m: rf"\x{{{int(m[1] or m[2], 16):x}}}", ranges)


_PART = re.compile(
    r"\\(?P<escape>[pP]\{[^}]*\}|.?)|(?P<open>\[\^?\]?)|(?P<group>\(\?)|\{[0-9]+(,[0-9]*)?\}|(?P<sign>.)",
    re.DOTALL,
)
_SAME = frozenset(r"\|.?*+(){}-[]^$nrtsS")
"""What means the same to RE2 behind a backslash."""
_CLASSES = {
    "d": r"\p{Nd}", "w": r"\p{L}\p{M}\p{N}\p{S}", "i": ":" + _inside(NAME_START), "c": ":" + _inside(NAME_CHARACTERS),
}  # fmt: skip
"""What stands for a class escape within [ ]; the upper case letter stands for all else."""


def _translated(pattern: str, blanks_mean_nothing: bool) -> Iterator[str]:
    """The parts of a pattern as RE2 has them, which finds out whether they are well-formed."""
    in_class = False
    for part in _PART.finditer(pattern):
        written, sign = part.group(), part["sign"]
        if part["escape"] is not None:
            written = _escape(part["escape"], part.start(), in_class=in_class)
        elif part["group"] and not in_class:
            hint = "there is no look-around and no other kind of group: write (…)"
            raise PatternError(part.start(), 2, "'(?'", hint)
        elif part["open"] and in_class:
            hint = "write a class of what is left, or \\[ for the sign"
            raise PatternError(part.start(), 1, "'[' within [ ]", hint)
        elif part["open"]:
            in_class = True
        elif sign == "]" and in_class:
            in_class = False
        elif sign in tuple("{}]") and not in_class:
            raise PatternError(part.start(), 1, f"{sign!r} alone", f"write \\{sign} for the sign")
        elif sign in tuple(" \t\n\r") and blanks_mean_nothing and not in_class:
            continue
        yield written


def _escape(escape: str, start: int, *, in_class: bool) -> str:
    """What an escape stands for, of which this stands behind the backslash."""
    letter = escape.lower()
    if escape in _SAME or letter.startswith("p{"):
        return f"\\{escape}"
    if escape == "D":
        return r"\P{Nd}"
    if escape in _CLASSES:
        return _CLASSES[escape] if in_class else f"[{_CLASSES[escape]}]"
    if letter in _CLASSES and not in_class:
        return f"[^{_CLASSES[letter]}]"
    if letter in _CLASSES:
        problem, hint = f"\\{escape} within [ ]", f"write (…|\\{escape})"
    elif escape.isdecimal():
        problem = f"\\{escape}, a reference to a group,"
        hint = "the engine takes time in proportion to the text, which rules out looking back"
    elif not escape:
        problem, hint = "a backslash at the end", "write \\\\ for the sign"
    else:
        problem = f"the unknown escape \\{escape}"
        hint = "escapes: \\n \\r \\t \\s \\d \\w \\i \\c \\p{…}, signs"
    raise PatternError(start, 1 + len(escape), problem, hint)
