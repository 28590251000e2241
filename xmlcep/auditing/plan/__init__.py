"""The plan of an audit: which part of a document can be replayed by itself, and who gets which record.

Read `partition_key`, then `description` (the plan in words).
"""

from .partition_key import Pass, Plan, make_plan

__all__ = ["Pass", "Plan", "make_plan"]
