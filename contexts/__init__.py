"""The Snoop contexts and the hierarchical context: which stored events combine (rules H1, H2, H3, Q1, H6, H7, H8).

Free of XML libraries and of event classes: a context sees entries with a start and an end. Read `entry` and `group`
(what is stored), `combinations` (what a context chooses among), `context` (what a context answers), then any
context (`chronicle` is the simplest; `next` has `runs`), `search` with `constraints`, `grouping` for the hierarchical
context.
"""

__part_of__ = "xmlcep"  # xmlcep looks for it: other distributions have packages of this name, too

from .chronicle import Chronicle as Chronicle
from .combinations import Combinations as Combinations
from .context import Context as Context
from .continuous import Continuous as Continuous
from .cumulative import Cumulative as Cumulative
from .entry import Combination as Combination
from .entry import Entry as Entry
from .entry import composite as composite
from .entry import primitive as primitive
from .group import Group as Group
from .group import Owner as Owner
from .grouping import FLAT_KEY as FLAT_KEY
from .grouping import Flat as Flat
from .grouping import Grouping as Grouping
from .grouping import Hierarchical as Hierarchical
from .next import Next as Next
from .recent import Recent as Recent
from .unrestricted import Unrestricted as Unrestricted

CONTEXTS: dict[str, Context] = {
    context.name: context
    for context in (Unrestricted(), Recent(), Chronicle(), Continuous(), Cumulative(), Next())
}
"""Every context by its name: those of Snoop, and next."""

__all__ = [
    "CONTEXTS",
    "FLAT_KEY",
    "Chronicle",
    "Combination",
    "Combinations",
    "Context",
    "Continuous",
    "Cumulative",
    "Entry",
    "Flat",
    "Group",
    "Grouping",
    "Hierarchical",
    "Next",
    "Owner",
    "Recent",
    "Unrestricted",
    "composite",
    "primitive",
]
