"""Other languages in rules: opaque leaves, ``opaque["LANGUAGE", "text"](path)`` (rules O1, O2).

`protocol` says what an engine of a language is, `registry` finds the engines; `xpath31` and `python` come along.
"""

from .protocol import Answer, DocumentView, Language, Question
from .registry import GROUP, CompiledText, LanguageProblem, Languages

__all__ = [
    "GROUP",
    "Answer",
    "CompiledText",
    "DocumentView",
    "Language",
    "LanguageProblem",
    "Languages",
    "Question",
]
