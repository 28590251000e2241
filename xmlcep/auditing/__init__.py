"""Audits: change logs replayed under rules, in one process or by Spark, with the same findings.

Read `run` (the door), `inputs` and `splits` (what is read), `plan` (which part of a document can be replayed by itself,
and why), then one of the engines, `local` or `spark`, `findings`, and `quarantine` (where bad records go).
`docs/audit.md` has the argument in short.

Each name is imported when it is first asked for (PEP 562): `xmlcep check` needs the plan only.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .document_summaries import DocumentSummary as DocumentSummary
    from .findings.atomic_files import OutputError as OutputError
    from .findings.corrections import standing as standing
    from .plan import Plan as Plan
    from .plan import make_plan as make_plan
    from .progress import Advance as Advance
    from .quarantine import BadRecordError as BadRecordError
    from .request import AuditError as AuditError
    from .result import AuditResult as AuditResult
    from .result import RuleSummary as RuleSummary
    from .result import Summary as Summary
    from .run import audit as audit
    from .seals import SealCheck as SealCheck
    from .spark.failures import SparkError as SparkError
    from .spark.java import NoJavaError as NoJavaError

_HOMES = {
    "DocumentSummary": "document_summaries", "OutputError": "findings.atomic_files",
    "standing": "findings.corrections", "Plan": "plan", "make_plan": "plan", "Advance": "progress",
    "BadRecordError": "quarantine", "AuditError": "request", "AuditResult": "result", "RuleSummary": "result",
    "Summary": "result", "audit": "run", "SealCheck": "seals", "SparkError": "spark.failures",
    "NoJavaError": "spark.java",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found
