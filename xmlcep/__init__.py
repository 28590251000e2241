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
    from .actions.errors import ActionError, CascadeError
    from .auditing import AuditResult, audit
    from .auditing.explanations import pending, why, why_not
    from .documents.replica import Replica
    from .engine import Detector
    from .errors import MissingExtraError, RecordError, RuleError, XmlCepError
    from .events import CompositeEvent, PrimitiveEvent
    from .log import read_log
    from .provenance import acting_as
    from .recording import rebuild
    from .recording.recorder import Recording, record
    from .recording.recovery import recover
    from .reporting import report
    from .rules import Rules, load_rules, parse_rules
    from .schema import SchemaError, check_rules, combine, derive
    from .versions import diff
    from .versions.blame import blame
    from .versions.making import history
    from .wrapping import Document, fromstring, parse, wrap
    from .wrapping.group import Group
    from .wrapping.watches import Watch


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
    name: home
    for home, names in {
        ".actions.errors": "ActionError CascadeError",
        ".auditing": "AuditResult audit",
        ".auditing.explanations": "pending why why_not",
        ".documents.replica": "Replica",
        ".engine": "Detector",
        ".errors": "MissingExtraError RecordError RuleError XmlCepError",
        ".events": "CompositeEvent PrimitiveEvent",
        ".log": "read_log",
        ".provenance": "acting_as",
        ".recording": "rebuild",
        ".recording.recorder": "Recording record",
        ".recording.recovery": "recover",
        ".reporting": "report",
        ".rules": "Rules load_rules parse_rules",
        ".schema": "SchemaError check_rules combine derive",
        ".versions": "diff",
        ".versions.blame": "blame",
        ".versions.making": "history",
        ".wrapping": "Document fromstring parse wrap",
        ".wrapping.group": "Group",
        ".wrapping.watches": "Watch",
    }.items()
    for name in names.split()
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
