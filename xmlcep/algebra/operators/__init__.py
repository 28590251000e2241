"""The operators, one module each, and the one list of them.

Everything else asks the declaration (`xmlcep.algebra.expressions.Operator`) or this list; nothing but an
operator's own modules knows which operator it is.
"""

from ..expressions import Operator
from .any_of import AnyOf as AnyOf
from .aperiodic import Aperiodic as Aperiodic
from .aperiodic import AperiodicStar as AperiodicStar
from .becomes import Becomes as Becomes
from .conjunction import Conjunction as Conjunction
from .disjunction import Disjunction as Disjunction
from .multiplicity import Multiplicity as Multiplicity
from .periodic import Periodic as Periodic
from .periodic import PeriodicStar as PeriodicStar
from .plus import Plus as Plus
from .relation import Relation as Relation
from .sequence import Sequence as Sequence

OPERATORS: tuple[type[Operator], ...] = (
    Conjunction, Sequence, Disjunction, Multiplicity, AnyOf, Relation, Plus, Aperiodic, AperiodicStar, Periodic,
    PeriodicStar, Becomes,
)  # fmt: skip
"""Every operator there is."""
