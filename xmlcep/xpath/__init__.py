"""The expression language: XPath 1.0 with variables and a few functions more, checked before any event.

Read `syntax`, `parser`, `checking`, `values`, `nodes`, `axes`, `paths`, `closures`, `reads`,
`expression`, `selection`.
"""

from .environment import Environment as Environment
from .errors import ExpressionError as ExpressionError
from .evaluation import Evaluation as Evaluation
from .expression import Expression as Expression
from .expression import compile_expression as compile_expression
from .kinds import Known as Known
from .kinds import NodeKind as NodeKind
from .kinds import Scope as Scope
from .kinds import VariableKind as VariableKind
from .kinds import Variables as Variables
from .reads import Reads as Reads
from .running import RunningExtreme as RunningExtreme
from .running import RunningValues as RunningValues
from .selection import Selected as Selected
from .selection import Selection as Selection
from .selection import compile_selection as compile_selection
from .sight import ENVIRONMENT as ENVIRONMENT
from .sight import Sight as Sight

__all__ = [
    "ENVIRONMENT",
    "Environment",
    "Evaluation",
    "Expression",
    "ExpressionError",
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
