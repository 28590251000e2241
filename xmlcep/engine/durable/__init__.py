"""Running state as plain data, and back: what a detector has seen, so that another one can go on (rule G6).

Read `table` (which attributes of which class are running state, and which follow from the rules), `layouts` and `forms`
(how one is written), `pool` (events and entries, which are shared), `detectors` (the door).

What is written is dicts, lists, strings and numbers, as JSON has them. Definitions are never written: a part of the
state stands at the place of its operator in the rules, so it can be read only by the very same rules. Nothing that is
read names a class.
"""

from .detectors import FORM as FORM
from .detectors import VERSION as VERSION
from .detectors import check_version as check_version
from .detectors import copied as copied
from .detectors import detector_from as detector_from
from .detectors import move_trees as move_trees
from .detectors import new_reader as new_reader
from .detectors import new_writer as new_writer
from .detectors import read_detector as read_detector
from .detectors import state_of as state_of
from .detectors import write_detector as write_detector
from .layouts import Interpreter as Interpreter
from .layouts import Scribe as Scribe
from .pool import Json as Json
from .rules_stamp import check_rules as check_rules
from .rules_stamp import difference as difference
from .rules_stamp import earlier_rules as earlier_rules
from .rules_stamp import rules_of as rules_of
from .rules_stamp import rules_stamp as rules_stamp
