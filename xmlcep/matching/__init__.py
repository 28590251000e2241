"""Two XML trees: which node of one is which of the other, and the fewest edits that lead from one to the other.

Plain lxml trees go in; nothing here knows of events. Read `outline` (a tree laid out), `keys` (what elements are
known by), `alignment` (two child lists), `matcher` (two trees), then `changes` (what a person reads) and
`applying` (what is done to a document).
"""

from .applying import MOVED_FROM, MOVED_TO, Editable, apply
from .changes import Change, ChangeKind, NodeKind, changes
from .keys import Field, Key, KeyFormatError
from .matcher import Matching, match
from .outline import Contents, TreeError, outline

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
