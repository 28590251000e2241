"""The expression language: XPath 1.0 with variables and a few functions more, checked before any event.

Read `syntax`, `parser`, `checking`, `values`, `nodes`, `axes`, `paths`, `closures`, `reads`,
`expression`, `selection`.
"""

from .environment import Environment
from .errors import ExpressionError
from .evaluation import Evaluation
from .expression import Expression, compile_expression
from .kinds import Known, NodeKind, Scope, VariableKind, Variables
from .reads import Reads
from .running import RunningExtreme, RunningValues
from .selection import Selected, Selection, compile_selection
from .sight import ENVIRONMENT, Sight

__all__ = [
    "ENVIRONMENT",
    "Environment",
    "Evaluation",
    "Expression",
    "ExpressionError",
    "Known",
    "NodeKind",
    "Reads",
    "RunningExtreme",
    "RunningValues",
    "Scope",
    "Selected",
    "Selection",
    "Sight",
    "VariableKind",
    "Variables",
    "compile_expression",
    "compile_selection",
]
