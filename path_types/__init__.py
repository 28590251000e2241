"""Path types and path instances: where in a document something is (rules P1 to P10).

Pure values without any knowledge of XML libraries, events or contexts. Read `steps`, `types`,
`relations`, `instances`, in that order; `parsing` reads them from text, `endings` looks them up.
"""

__part_of__ = "xmlcep"  # xmlcep looks for it: other distributions have packages of this name, too

from .errors import PathError, PathSyntaxError, XmlCepError
from .instances import PathInstance, align, project
from .relations import (
    absolute_path_intersection,
    contains,
    ends,
    equals_or_ends,
    left_bound_intersection,
    offset,
)
from .steps import Axis, Step
from .types import PathType

__all__ = [
    "Axis",
    "PathError",
    "PathInstance",
    "PathSyntaxError",
    "PathType",
    "Step",
    "XmlCepError",
    "absolute_path_intersection",
    "align",
    "contains",
    "ends",
    "equals_or_ends",
    "left_bound_intersection",
    "offset",
    "project",
]
