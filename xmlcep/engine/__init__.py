"""The engine: event trees at run time.

Read `detector`, `dispatch`, `tree`, `termination`, then `operators`, `composer`.
"""

from .detector import Detector as Detector

__all__ = ["Detector"]
