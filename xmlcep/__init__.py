"""xmlcep: composite events in changing XML documents."""

from .engine import Detector as Detector
from .errors import RuleError as RuleError
from .errors import XmlCepError as XmlCepError
from .events import CompositeEvent as CompositeEvent
from .events import PrimitiveEvent as PrimitiveEvent
from .rules import Rules as Rules
from .rules import load_rules as load_rules
from .rules import parse_rules as parse_rules

__all__ = [
    "CompositeEvent",
    "Detector",
    "PrimitiveEvent",
    "RuleError",
    "Rules",
    "XmlCepError",
    "load_rules",
    "parse_rules",
]
