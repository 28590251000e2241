"""Path types and path instances: where in a document something is (rules P1 to P10).

Pure values without any knowledge of XML libraries, events or contexts. Read `steps`, `types`,
`relations`, `instances`, in that order; `parsing` reads them from text, `endings` looks them up.
"""

__part_of__ = "xmlcep"  # xmlcep looks for it: other distributions have packages of this name, too

from .errors import PathError as PathError
from .errors import PathSyntaxError as PathSyntaxError
from .errors import XmlCepError as XmlCepError
from .instances import PathInstance as PathInstance
from .instances import align as align
from .instances import project as project
from .relations import absolute_path_intersection as absolute_path_intersection
from .relations import contains as contains
from .relations import ends as ends
from .relations import equals_or_ends as equals_or_ends
from .relations import left_bound_intersection as left_bound_intersection
from .relations import offset as offset
from .steps import Axis as Axis
from .steps import Step as Step
from .types import PathType as PathType

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
