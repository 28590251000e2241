"""Event types from XML Schemas (docs/schema.md).

`loading` opens schema files, `reading` makes values of them (`model`), `merging` joins equal declarations,
`places` finds the paths that tell declarations apart, `cycles` keeps recursion out of the event graph.
`completion`, `changes` and `violations` derive events, `naming` names them, `printing` writes them.
`deriving` puts it together.
"""

from .deriving import derive as derive
from .deriving import derive_text as derive_text
from .errors import SchemaError as SchemaError

__all__ = ["SchemaError", "derive", "derive_text"]
