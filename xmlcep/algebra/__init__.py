"""The event algebra as values: what a rule says, without any state.

Read `options`, `expressions` (leaves, and what every operator declares), `operators` (one module each, and the
list of them), `definition`, `active_rules` (action rules), `external`.
"""

from ..position import NOWHERE as NOWHERE
from ..position import Position as Position
from .active_rules import Action as Action
from .active_rules import ActiveRule as ActiveRule
from .active_rules import Call as Call
from .active_rules import Coupling as Coupling
from .active_rules import Delete as Delete
from .active_rules import EventTrigger as EventTrigger
from .active_rules import Insert as Insert
from .active_rules import Mode as Mode
from .active_rules import Move as Move
from .active_rules import Raise as Raise
from .active_rules import Replace as Replace
from .active_rules import SetValue as SetValue
from .active_rules import Where as Where
from .definition import EventDefinition as EventDefinition
from .definition import Reference as Reference
from .definition import RuleParameter as RuleParameter
from .expressions import Argument as Argument
from .expressions import Aside as Aside
from .expressions import Binding as Binding
from .expressions import Collected as Collected
from .expressions import Expression as Expression
from .expressions import Leaf as Leaf
from .expressions import Opaque as Opaque
from .expressions import Operator as Operator
from .expressions import Parameter as Parameter
from .expressions import ParameterKind as ParameterKind
from .expressions import leaves_of as leaves_of
from .expressions import name_of as name_of
from .expressions import operators_of as operators_of
from .expressions import path_of as path_of
from .expressions import walk as walk
from .external import External as External
from .operators import OPERATORS as OPERATORS
from .operators import AnyOf as AnyOf
from .operators import Aperiodic as Aperiodic
from .operators import AperiodicStar as AperiodicStar
from .operators import Becomes as Becomes
from .operators import Conjunction as Conjunction
from .operators import Disjunction as Disjunction
from .operators import Multiplicity as Multiplicity
from .operators import Periodic as Periodic
from .operators import PeriodicStar as PeriodicStar
from .operators import Plus as Plus
from .operators import Relation as Relation
from .operators import Sequence as Sequence
from .options import NO_OPTIONS as NO_OPTIONS
from .options import ContextName as ContextName
from .options import Let as Let
from .options import Options as Options
from .options import Order as Order
from .options import Severity as Severity
from .options import Termination as Termination
from .promises import ALL as ALL
from .promises import Promise as Promise
from .shares import Share as Share
from .windows import Unit as Unit
from .windows import Window as Window
from .windows import WindowError as WindowError
from .windows import parse_window as parse_window
