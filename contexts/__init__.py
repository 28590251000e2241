"""The Snoop contexts and the hierarchical context: which stored events combine (rules H1, H2, H3, Q1, H6, H7, H8).

Free of XML libraries and of event classes: a context sees entries with a start and an end. Read `entry` and `group`
(what is stored), `combinations` (what a context chooses among), `context` (what a context answers), then any
context (`chronicle` is the simplest; `next` has `runs`), `search` with `constraints`, `grouping` for the hierarchical
context.
"""

__part_of__ = "xmlcep"  # xmlcep looks for it: other distributions have packages of this name, too

from .chronicle import Chronicle
from .combinations import Combinations
from .context import Context
from .continuous import Continuous
from .cumulative import Cumulative
from .entry import Combination, Entry, composite, primitive
from .group import Group, Owner
from .grouping import FLAT_KEY, Flat, Grouping, Hierarchical
from .next import Next
from .recent import Recent
from .unrestricted import Unrestricted

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
