"""Audits that go on from where one before has stopped: a folder to which files are added (``--state``).

Read `state_file` (what is kept between two runs), `past_files` (what of the files is new), `deliveries` (findings
appended once and only once, whenever a run is killed).
"""

from .continuation import Since as Since
from .deliveries import Delivery as Delivery
from .deliveries import end_of as end_of
from .past_files import NewParts as NewParts
from .past_files import news_of as news_of
from .state_file import AuditState as AuditState
from .state_file import holding as holding
