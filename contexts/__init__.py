"""The Snoop contexts and the hierarchical context: which stored events combine (rules H1 to H8).

Free of XML libraries and of event classes: a context sees entries with a start and an end. Read `group` (what
is stored), `context` (what a context answers), then any context (`chronicle` is the simplest), `order` for
sequences, `grouping` for the hierarchical context.
"""

__part_of__ = "xmlcep"  # xmlcep looks for it: other distributions have packages of this name, too

from .chronicle import Chronicle as Chronicle
from .context import Context as Context
from .continuous import Continuous as Continuous
from .cumulative import Cumulative as Cumulative
from .group import Combination as Combination
from .group import Entry as Entry
from .group import Group as Group
from .group import Owner as Owner
from .group import composite as composite
from .group import primitive as primitive
from .grouping import FLAT_KEY as FLAT_KEY
from .grouping import Flat as Flat
from .grouping import Grouping as Grouping
from .grouping import Hierarchical as Hierarchical
from .recent import Recent as Recent
from .unrestricted import Unrestricted as Unrestricted

CONTEXTS: dict[str, Context] = {
    context.name: context for context in (Unrestricted(), Recent(), Chronicle(), Continuous(), Cumulative())
}
"""Every Snoop context by its name."""

__all__ = [
    "CONTEXTS",
    "FLAT_KEY",
    "Chronicle",
    "Combination",
    "Context",
    "Continuous",
    "Cumulative",
    "Entry",
    "Flat",
    "Group",
    "Grouping",
    "Hierarchical",
    "Owner",
    "Recent",
    "Unrestricted",
    "composite",
    "primitive",
]
