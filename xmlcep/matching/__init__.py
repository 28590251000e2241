"""Two XML trees: which node of one is which of the other, and the fewest edits that lead from one to the other.

Plain lxml trees go in; nothing here knows of events. Read `outline` (a tree laid out), `keys` (what elements are
known by), `alignment` (two child lists), `matcher` (two trees), then `changes` (what a person reads) and
`applying` (what is done to a document).
"""

from .applying import MOVED_FROM as MOVED_FROM
from .applying import MOVED_TO as MOVED_TO
from .applying import Editable as Editable
from .applying import apply as apply
from .changes import Change as Change
from .changes import ChangeKind as ChangeKind
from .changes import NodeKind as NodeKind
from .changes import changes as changes
from .keys import Field as Field
from .keys import Key as Key
from .keys import KeyFormatError as KeyFormatError
from .matcher import Matching as Matching
from .matcher import match as match
from .outline import Contents as Contents
from .outline import TreeError as TreeError
from .outline import outline as outline

__all__ = [
    "MOVED_FROM",
    "MOVED_TO",
    "Change",
    "ChangeKind",
    "Contents",
    "Editable",
    "Field",
    "Key",
    "KeyFormatError",
    "Matching",
    "NodeKind",
    "TreeError",
    "apply",
    "changes",
    "match",
    "outline",
]
