"""Change logs: what was done to a document, written down as it happens and read again.

Read `records` (what is in a log), `reading` and `writing`, `columns` (the fast way), then `seal`.
`docs/log.md` has the format. What is done with logs beside reading and writing them is in
`xmlcep.recording`.
"""

from .batches import Batch as Batch
from .decoding import ClockCheck as ClockCheck
from .errors import BadRecord as BadRecord
from .errors import LogError as LogError
from .errors import LogLockedError as LogLockedError
from .errors import NewerFormatError as NewerFormatError
from .errors import Origin as Origin
from .quarantine import Quarantine as Quarantine
from .quarantine import refuse as refuse
from .reading import read_columns as read_columns
from .reading import read_log as read_log
from .records import Header as Header
from .segments import segments as segments
