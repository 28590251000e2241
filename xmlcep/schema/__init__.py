"""Event types from XML Schemas (docs/schema.md).

`loading` opens schema files, `reading` makes values of them (`model`), `places` finds the paths that tell
declarations apart, joins equal ones and keeps recursion out of the event graph.
`completion`, `changes` and `violations` derive events, `naming` names them, `printing` writes them.
`deriving` puts it together.

`combining` joins derived events with a person's rules. `checking` says what of rules its documents can have, by
`vocabulary` and `ground`.
"""

from .checking import check_rules, check_values
from .combining import combine
from .deriving import derive, derive_text
from .errors import SchemaError

__all__ = ["SchemaError", "check_rules", "check_values", "combine", "derive", "derive_text"]
