"""Change logs: what was done to a document, written down as it happens and read again.

Read `records` (what stands in a log), `reading` and `writing`, `recorder` (a wrapped document's log), then
`rebuild`, `seal` and `recovery`. `docs/log.md` has the format.
"""

from .batches import Batch as Batch
from .decoding import ClockCheck as ClockCheck
from .errors import BadRecord as BadRecord
from .errors import LogError as LogError
from .errors import LogLockedError as LogLockedError
from .errors import NewerFormatError as NewerFormatError
from .errors import Origin as Origin
from .findings import FindingsFile as FindingsFile
from .quarantine import Quarantine as Quarantine
from .quarantine import refuse as refuse
from .reading import read_columns as read_columns
from .reading import read_log as read_log
from .rebuild import rebuild as rebuild
from .records import Header as Header
from .segments import segments as segments
