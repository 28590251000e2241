"""Hypothesis strategies: random consistent document histories and random valid rule sets.

`histories` gives the life of one document as change events, with flushes; `rule_sets` gives valid event
definitions over the same small alphabet of names, so that they find something; `reusing_rule_sets` gives those
in which trees take what others raise under other nodes (`taking` names them). All shrink to small examples.
`full_rule_sets` has every construct of the event language, `timed_histories` what those need: edits of several
records, time, transactions, users; in `meeting_rule_sets` and `meeting_histories` edits, deletions, releases,
conditions and timers meet; in `dense_rule_sets` and `dense_histories` much happens at few nodes, in `edge_rule_sets`
and `edge_histories` most of it at the edge of a constraint; in `late_rule_sets` and `late_histories` things happen at
nodes that are gone, in `moving_histories` subtrees move, in `nested_rule_sets` and `nested_histories` items lie in
items, `with_asides` puts records beside what a history is about, `aimed_histories` have what given rules wait for;
`absence_rule_sets` are about what must not occur, in `levelled_rule_sets` trees stand above one another, in
`external_rule_sets` and `external_histories` rules raise events of their own.
In `pair_rule_sets` operators of every kind stand below one another; in `lots` and `inner_lots` each has what it has by
lot, in `towers` trees of such stand above one another, beside events from outside, in `counts` counts wait, with what
comes and goes, in `batches` with a window, in `timed_waits` operators with what timers and releases bring:
rules with histories for them.
In `silent_rule_sets` a group has empty composites of several nodes, which is what `silent_histories` have.
`whole_rule_sets` ask much of combinations as a whole, `rules_with_one_event_twice` (in `twice`) has operands that
take the same event.
`show_rules` and `show_history` print an example so that it can be read.

>>> from hypothesis import given
>>> @given(rule_sets(), histories())
... def test_something(definitions, history): ...
"""

from .absences import absence_rule_sets as absence_rule_sets
from .aimed import aimed_histories as aimed_histories
from .asides import with_asides as with_asides
from .counts import counts as counts
from .dense import dense_histories as dense_histories
from .dense import dense_rule_sets as dense_rule_sets
from .edges import EDGES as EDGES
from .edges import edge_histories as edge_histories
from .edges import edge_rule_sets as edge_rule_sets
from .externals import external_histories as external_histories
from .externals import external_rule_sets as external_rule_sets
from .full_rules import EVERYTHING as EVERYTHING
from .full_rules import full_rule_sets as full_rule_sets
from .histories import History as History
from .histories import histories as histories
from .histories import show_history as show_history
from .late import late_histories as late_histories
from .late import late_rule_sets as late_rule_sets
from .levels import levelled_rule_sets as levelled_rule_sets
from .lots import inner_lots as inner_lots
from .lots import lot_rule_sets as lot_rule_sets
from .lots import lots as lots
from .lots import tower_rule_sets as tower_rule_sets
from .lots import towers as towers
from .meetings import meeting_histories as meeting_histories
from .meetings import meeting_rule_sets as meeting_rule_sets
from .moves import moving_histories as moving_histories
from .nested import nested_histories as nested_histories
from .nested import nested_rule_sets as nested_rule_sets
from .pairs import pair_histories as pair_histories
from .pairs import pair_rule_sets as pair_rule_sets
from .path_types import path_types as path_types
from .reuse import reusing_rule_sets as reusing_rule_sets
from .reuse import taking as taking
from .rules import DOCUMENTS as DOCUMENTS
from .rules import SNOOP as SNOOP
from .rules import rule_sets as rule_sets
from .rules import show_rules as show_rules
from .silents import silent_histories as silent_histories
from .silents import silent_rule_sets as silent_rule_sets
from .timed import timed_histories as timed_histories
from .waits import batches as batches
from .waits import timed_waits as timed_waits
from .wholes import whole_rule_sets as whole_rule_sets

__all__ = [
    "DOCUMENTS",
    "EDGES",
    "EVERYTHING",
    "SNOOP",
    "History",
    "absence_rule_sets",
    "aimed_histories",
    "batches",
    "counts",
    "dense_histories",
    "dense_rule_sets",
    "edge_histories",
    "edge_rule_sets",
    "external_histories",
    "external_rule_sets",
    "full_rule_sets",
    "histories",
    "inner_lots",
    "late_histories",
    "late_rule_sets",
    "levelled_rule_sets",
    "lot_rule_sets",
    "lots",
    "meeting_histories",
    "meeting_rule_sets",
    "moving_histories",
    "nested_histories",
    "nested_rule_sets",
    "pair_histories",
    "pair_rule_sets",
    "path_types",
    "reusing_rule_sets",
    "rule_sets",
    "show_history",
    "show_rules",
    "silent_histories",
    "silent_rule_sets",
    "taking",
    "timed_histories",
    "timed_waits",
    "tower_rule_sets",
    "towers",
    "whole_rule_sets",
    "with_asides",
]
