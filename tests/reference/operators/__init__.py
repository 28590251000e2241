"""What runs each operator, one module each, called like the kind of operator.

Read `operator` (what all do), `combining` (what conjunction, sequence, relation and any have in common), `openings`
(windows that events open), then any of the others.
"""

from xmlcep.algebra import (
    AnyOf,
    Aperiodic,
    AperiodicStar,
    Conjunction,
    Disjunction,
    Multiplicity,
    Periodic,
    PeriodicStar,
    Plus,
    Relation,
    Sequence,
)

from .any_of import AnyOfState
from .aperiodic import AperiodicState
from .aperiodic_star import AperiodicStarState
from .conjunction import ConjunctionState
from .disjunction import DisjunctionState
from .multiplicity import MultiplicityState
from .operator import STATES
from .operator import OperatorState as OperatorState
from .periodic import PeriodicState
from .periodic_star import PeriodicStarState
from .plus import PlusState
from .relation import RelationState
from .sequence import SequenceState
from .surroundings import Surroundings as Surroundings

STATES.update(
    {
        AnyOf: AnyOfState,
        Aperiodic: AperiodicState,
        AperiodicStar: AperiodicStarState,
        Conjunction: ConjunctionState,
        Disjunction: DisjunctionState,
        Multiplicity: MultiplicityState,
        Periodic: PeriodicState,
        PeriodicStar: PeriodicStarState,
        Plus: PlusState,
        Relation: RelationState,
        Sequence: SequenceState,
    }
)
