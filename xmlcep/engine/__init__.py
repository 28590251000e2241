"""The engine: event trees at run time.

Read `detector`, `tree_state`, `operator_state`, then the operators.
"""

from .detector import Detector as Detector

__all__ = ["Detector"]
