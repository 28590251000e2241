"""The engine: event trees at run time.

Read `detector`, `timeline`, `dispatch`, `tree`, `release`, then `operators`, `composer`.
"""

from .detector import Detector
from .errors import EndlessBeatError, EvaluationError, StateError, TooManyTriesError, UnknownTimeError
from .replacement import ON_REMOVED, SINCE, OnRemoved, Replacement

__all__ = [
    "ON_REMOVED",
    "SINCE",
    "Detector",
    "EndlessBeatError",
    "EvaluationError",
    "OnRemoved",
    "Replacement",
    "StateError",
    "TooManyTriesError",
    "UnknownTimeError",
]
