"""xmlcep: composite events in changing XML documents.

The names here are the stable interface; the packages behind them say in their docstrings in which order to
read them. A newcomer starts with `events` and `algebra`, then `rules`, `engine`, `wrapping`, `log`, `auditing`;
docs/architecture.md has a first day.
"""

from . import own_packages as own_packages  # first: the others import them
from .actions.errors import ActionError as ActionError
from .actions.errors import CascadeError as CascadeError
from .auditing import AuditResult as AuditResult
from .auditing import audit as audit
from .documents.replica import Replica as Replica
from .engine import Detector as Detector
from .errors import MissingExtraError as MissingExtraError
from .errors import RecordError as RecordError
from .errors import RuleError as RuleError
from .errors import XmlCepError as XmlCepError
from .events import CompositeEvent as CompositeEvent
from .events import PrimitiveEvent as PrimitiveEvent
from .log import read_log as read_log
from .recording import rebuild
from .recording.recorder import Recording as Recording
from .recording.recorder import record as record
from .recording.recovery import recover as recover
from .rules import Rules as Rules
from .rules import load_rules as load_rules
from .rules import parse_rules as parse_rules
from .schema import SchemaError as SchemaError
from .schema import check_rules as check_rules
from .schema import combine as combine
from .schema import derive as derive
from .versions import diff as diff
from .wrapping import Document as Document
from .wrapping import fromstring as fromstring
from .wrapping import parse as parse
from .wrapping import wrap as wrap
from .wrapping.watches import Watch as Watch


def __getattr__(name: str) -> str:
    """``__version__``, which is looked up when it is asked for."""
    if name == "__version__":
        return own_packages.installed_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "ActionError",
    "AuditResult",
    "CascadeError",
    "CompositeEvent",
    "Detector",
    "Document",
    "MissingExtraError",
    "PrimitiveEvent",
    "RecordError",
    "Recording",
    "Replica",
    "RuleError",
    "Rules",
    "SchemaError",
    "Watch",
    "XmlCepError",
    "audit",
    "check_rules",
    "combine",
    "derive",
    "diff",
    "fromstring",
    "load_rules",
    "parse",
    "parse_rules",
    "read_log",
    "rebuild",
    "record",
    "recover",
    "wrap",
]
