"""One local audit, as a process of its own: ``python -m benchmarks.one_audit LOG RULES FINDINGS``.

Prints CPU seconds since the process started, those of them before any work (imports, PyArrow for a Parquet log,
rules), its peak memory in bytes, and how many findings there were.
"""

from __future__ import annotations

import json
import sys
from time import process_time

from xmlcep import load_rules
from xmlcep.auditing import audit

from .measure import peak_bytes


def main(log: str, rules: str, findings: str) -> None:
    """Audits and prints."""
    if log.endswith(".parquet"):
        import pyarrow.compute
        import pyarrow.parquet  # noqa: F401
    loaded = load_rules(rules)
    started = process_time()
    result = audit(log, loaded, out=findings, engine="local")
    print(json.dumps([process_time(), started, peak_bytes(), result.summary.findings]))


if __name__ == "__main__":
    main(*sys.argv[1:])
