"""What runs each operator, one module each, called like the kind of operator; its ``STATE`` is the class.

Read `operator` (what all do), `combining` (what conjunction, sequence, relation and any have in common), `openings`
(windows that events open), then any of the others.
"""

from .operator import OperatorState as OperatorState
from .operator import new_state as new_state
from .surroundings import Surroundings as Surroundings
