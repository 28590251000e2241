"""xmlcep: composite events in changing XML documents.

The names here are the stable interface; the packages behind them say in their docstrings in which order to
read them. A newcomer starts with `events` and `algebra`, then `rules`, `engine`, `wrapping`, `log`, `auditing`;
docs/architecture.md has a first day.

Each name is imported when it is first asked for (PEP 562): ``import xmlcep`` itself imports nothing else.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing takes longer than all of this
if TYPE_CHECKING:
    __version__: str
    from .actions.errors import ActionError as ActionError
    from .actions.errors import CascadeError as CascadeError
    from .auditing import AuditResult as AuditResult
    from .auditing import audit as audit
    from .auditing.explanations import pending as pending
    from .auditing.explanations import why as why
    from .auditing.explanations import why_not as why_not
    from .documents.replica import Replica as Replica
    from .engine import Detector as Detector
    from .errors import MissingExtraError as MissingExtraError
    from .errors import RecordError as RecordError
    from .errors import RuleError as RuleError
    from .errors import XmlCepError as XmlCepError
    from .events import CompositeEvent as CompositeEvent
    from .events import PrimitiveEvent as PrimitiveEvent
    from .log import read_log as read_log
    from .provenance import acting_as as acting_as
    from .recording import rebuild as rebuild
    from .recording.recorder import Recording as Recording
    from .recording.recorder import record as record
    from .recording.recovery import recover as recover
    from .reporting import report as report
    from .rules import Rules as Rules
    from .rules import load_rules as load_rules
    from .rules import parse_rules as parse_rules
    from .schema import SchemaError as SchemaError
    from .schema import check_rules as check_rules
    from .schema import combine as combine
    from .schema import derive as derive
    from .versions import diff as diff
    from .versions.blame import blame as blame
    from .versions.making import history as history
    from .wrapping import Document as Document
    from .wrapping import fromstring as fromstring
    from .wrapping import parse as parse
    from .wrapping import wrap as wrap
    from .wrapping.group import Group as Group
    from .wrapping.watches import Watch as Watch


__all__ = [
    "ActionError",
    "AuditResult",
    "CascadeError",
    "CompositeEvent",
    "Detector",
    "Document",
    "Group",
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
    "acting_as",
    "audit",
    "blame",
    "check_rules",
    "combine",
    "derive",
    "diff",
    "fromstring",
    "history",
    "load_rules",
    "parse",
    "parse_rules",
    "pending",
    "read_log",
    "rebuild",
    "record",
    "recover",
    "report",
    "why",
    "why_not",
    "wrap",
]

_HOMES = {
    "ActionError": ".actions.errors",
    "AuditResult": ".auditing",
    "CascadeError": ".actions.errors",
    "CompositeEvent": ".events",
    "Detector": ".engine",
    "Document": ".wrapping",
    "Group": ".wrapping.group",
    "MissingExtraError": ".errors",
    "PrimitiveEvent": ".events",
    "RecordError": ".errors",
    "Recording": ".recording.recorder",
    "Replica": ".documents.replica",
    "RuleError": ".errors",
    "Rules": ".rules",
    "SchemaError": ".schema",
    "Watch": ".wrapping.watches",
    "XmlCepError": ".errors",
    "acting_as": ".provenance",
    "audit": ".auditing",
    "blame": ".versions.blame",
    "check_rules": ".schema",
    "combine": ".schema",
    "derive": ".schema",
    "diff": ".versions",
    "fromstring": ".wrapping",
    "history": ".versions.making",
    "load_rules": ".rules",
    "parse": ".wrapping",
    "parse_rules": ".rules",
    "pending": ".auditing.explanations",
    "read_log": ".log",
    "rebuild": ".recording",
    "record": ".recording.recorder",
    "recover": ".recording.recovery",
    "report": ".reporting",
    "why": ".auditing.explanations",
    "why_not": ".auditing.explanations",
    "wrap": ".wrapping",
}
"""Where the names are defined, as below ``TYPE_CHECKING`` for type checkers."""


def __getattr__(name: str) -> object:
    own_packages = import_module(f"{__name__}.own_packages")  # before anything that imports one of them
    if name == "__version__":
        version: object = own_packages.installed_version()
        return version
    if name not in _HOMES:
        from importlib.util import find_spec

        if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")  # xmlcep.wrapping, after import xmlcep alone
    found: object = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
