"""The plan of an audit: which part of a document can be replayed by itself, and who gets which record.

Read `partition_key`, then `description` (the plan in words).
"""

from .partition_key import Pass as Pass
from .partition_key import Plan as Plan
from .partition_key import make_plan as make_plan

__all__ = ["Pass", "Plan", "make_plan"]
