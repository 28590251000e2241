"""Audits: change logs replayed under rules, in one process or by Spark, with the same findings.

Read `plan` (which part of a document can be replayed by itself, and why), `routing` (who gets which record),
`replay`, `local`, `spark`. `docs/audit.md` has the argument.
"""

from .auditing import AuditError as AuditError
from .auditing import audit as audit
from .bad_records import BadRecordError as BadRecordError
from .java import NoJavaError as NoJavaError
from .output import OutputError as OutputError
from .plan import Plan as Plan
from .plan import make_plan as make_plan
from .progress import Advance as Advance
from .result import AuditResult as AuditResult
from .result import DocumentSummary as DocumentSummary
from .result import RuleSummary as RuleSummary
from .result import Summary as Summary
from .spark_errors import SparkError as SparkError
