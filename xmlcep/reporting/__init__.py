"""The report of an audit: one page that opens in any browser, without a network (rule Y7).

Read `contents` (what is in it), `escapes`, `page` (how it is written); `template.html`, `report.css`, `report.js`.
"""

from .page import write_report
from .page import write_report as report

__all__ = ["report", "write_report"]
