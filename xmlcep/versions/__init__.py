"""From versions to a log: the differences of two files, histories of files in folders and in git, and who changed what.

Read `difference` (two documents), `version` (what a version is), `files` and `git` (where versions come from),
`history` (a log made of them), then `stamps` (who and when), `blame` and `telling` (what a log says, for people).
"""

from .difference import Difference, diff
from .version import VersionError

__all__ = ["Difference", "VersionError", "diff"]
