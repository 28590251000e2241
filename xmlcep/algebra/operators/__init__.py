"""The operators, one module each, and the one list of them.

Everything else asks the declaration (`xmlcep.algebra.expressions.Operator`) or this list; nothing but an
operator's own modules knows which operator it is.
"""

from ..expressions import Operator
from .conjunction import Conjunction as Conjunction
from .disjunction import Disjunction as Disjunction
from .multiplicity import Multiplicity as Multiplicity
from .sequence import Sequence as Sequence

OPERATORS: tuple[type[Operator], ...] = (Conjunction, Sequence, Disjunction, Multiplicity)
"""Every operator there is."""
