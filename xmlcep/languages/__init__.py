"""Other languages in rules: opaque leaves, ``opaque["LANGUAGE", "text"](path)`` (rules O1, O2).

`protocol` says what an engine of a language is, `registry` finds the engines; `xpath31` and `python` come along.
"""

from .protocol import Answer as Answer
from .protocol import DocumentView as DocumentView
from .protocol import Language as Language
from .protocol import Question as Question
from .registry import GROUP as GROUP
from .registry import CompiledText as CompiledText
from .registry import LanguageProblem as LanguageProblem
from .registry import Languages as Languages

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
