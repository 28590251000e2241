"""Audits for PySpark: DataFrames of changes in, DataFrames of findings out, or streams of both (docs/audit.md)."""

from .errors import MissingExtraError

try:
    from .auditing.spark.frames import findings as findings
    from .auditing.spark.frames import in_order as in_order
    from .auditing.spark.frames import quarantine as quarantine
    from .auditing.spark.log_source import read_log as read_log
    from .auditing.spark.session import send_package as send_package
    from .auditing.spark.stream import stream as stream
except ModuleNotFoundError as error:
    raise MissingExtraError("xmlcep.spark", str(error.name), "spark") from None

__all__ = ["findings", "in_order", "quarantine", "read_log", "send_package", "stream"]
