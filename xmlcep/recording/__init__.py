"""Recording: what is above the log format and joins it to documents and watches.

Read `recorder` (a wrapped document's log), `log_end` (a log is opened again), `recovery` (all goes on after a
crash), `checkpoints` and `state_file` (and need not be replayed for that), `rebuilding` (the document of any time
point), `erasing` (values are taken out of a log).
"""

from .erasing import erase
from .findings_file import FindingsFile
from .rebuilding import rebuild

__all__ = ["FindingsFile", "erase", "rebuild"]
