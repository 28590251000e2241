"""The engine: event trees at run time.

Read `detector`, `timeline`, `dispatch`, `tree`, `release`, then `operators`, `composer`.
"""

from .detector import Detector as Detector
from .errors import EndlessBeatError as EndlessBeatError
from .errors import EvaluationError as EvaluationError
from .errors import StateError as StateError
from .errors import TooManyTriesError as TooManyTriesError
from .errors import UnknownTimeError as UnknownTimeError
from .replacement import ON_REMOVED as ON_REMOVED
from .replacement import SINCE as SINCE
from .replacement import OnRemoved as OnRemoved
from .replacement import Replacement as Replacement

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
