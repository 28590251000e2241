"""Findings that prove themselves: each with the entries of the log that it is made of, and the proof that it has them.

To read in this order: `bundle` (what is written, and checked without log and rules), `replay` (whether entries raise a

"""

from .bundle import Bundle as Bundle
from .checking import Checker as Checker
from .checking import check_lines as check_lines
from .making import MOST as MOST
from .making import Proofs as Proofs
from .making import prove as prove
from .making import require_trees as require_trees
