"""One local audit, as a process of its own: ``python -m benchmarks.one_audit LOG RULES FINDINGS``.

Prints CPU seconds since the process started, its peak memory in bytes, and how many findings there were.
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
    result = audit(log, load_rules(rules), out=findings)
    print(json.dumps([process_time(), peak_bytes(), result.summary.findings]))


if __name__ == "__main__":
    main(*sys.argv[1:])
