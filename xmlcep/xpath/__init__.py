"""XPath 1.0 in rules: read and checked before any event, then evaluated on a document.

Read `tokens`, `checking`, `conditions`.
"""

from .checking import check_xpath as check_xpath
from .conditions import Condition as Condition
from .conditions import ConditionError as ConditionError

__all__ = ["Condition", "ConditionError", "check_xpath"]
