"""The table of running state: every class that can occur in a detector, and what of it is written.

Whoever gives such a class an attribute says here whether it is running state or follows from the rules
(`tests/engine/test_state.py` fails with its name until that is done). Explicit on purpose: nothing is found out by
looking at objects.
"""

from __future__ import annotations

from collections.abc import Mapping

from contexts import Group
from contexts.constraints import Collection, Contiguity, Violations
from contexts.constraints.counting import CountedViolations

from ..clock import Clock
from ..departed import Departed
from ..edits import Edit
from ..evaluation import Evaluation
from ..operators.accumulation import Accumulation, SlidingAccumulation
from ..operators.any import AnyState
from ..operators.aperiodic import AperiodicState
from ..operators.aperiodic_star import AperiodicStarState
from ..operators.around import AroundState
from ..operators.becomes import BecomesState
from ..operators.chain import SequenceState
from ..operators.conjunction import ConjunctionState
from ..operators.disjunction import DisjunctionState
from ..operators.external import ExternalState
from ..operators.integrating import MultiplicityState
from ..operators.negation import NegatedMultiplicityState
from ..operators.periodic import PeriodicState, Window
from ..operators.periodic_star import PeriodicStarState
from ..operators.plus import PlusState
from ..operators.prompt_pairs import PromptPairState
from ..operators.record_arrivals import RecordState
from ..operators.records import RecordAccumulation
from ..operators.relation import RelationState
from ..operators.trailing import Candidate, TrailingSequenceState
from ..operators.waiting_multiplicity import WaitingMultiplicityState
from ..operators.waiting_pairs import WaitingPairState
from ..operators.windowed_pairs import WindowedPairState
from ..release import Deferral
from ..release_elsewhere import ReleaseElsewhere
from ..setting import Setting
from ..timeline import Timeline
from ..timers import Timers
from ..tree import TreeState
from ..waiting import Waiting
from .forms import (
    ByKey,
    Entries,
    EntryOrNothing,
    EventOrNothing,
    Keys,
    KeySet,
    Listed,
    Made,
    MadeByKey,
    Nothing,
    Number,
    NumberedEntries,
    Numbers,
    PathInstance,
    Plain,
    QueuedItems,
    SharedEntries,
    SharedRecords,
    Span,
    Stores,
    Trees,
)
from .layouts import AllWithin, Form, Layout, Table, TreesWithin, Within
from .special_forms import Departures, Heaps, Held, RunsForm, WaitingPair

PLAIN = Plain()
ZERO = Plain(0)
FALSE = Plain(False)
ENTRIES_BY_KEY = ByKey(Entries())


def _layout(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    return Layout(state, frozenset(derived))


def _violations(*derived: str) -> Layout:
    return _layout({"stored": ENTRIES_BY_KEY, "at": ByKey(Keys())}, "project", "one_is_enough", *derived)


# ---- operators ----------------------------------------------------------------------------------------------


def _operator(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    """What every operator has, and what this one has more."""
    return _layout(
        {"_keys": ByKey(Keys()), "outbox": Nothing([]), **state},
        "node", "setting", "tree_index", "clock", "grouping", "groupings", "flat", "by_value", "values",
        "composer", "parent", "taker", "child_index", "same_groups", "_same_keys", "children", "_owners", "turn",
        "end_of", *derived,
    )  # fmt: skip


def _pair(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    return _operator(
        state, "context", "shared", "ordered", "exists", "pairing", "bare", "ends", "raise_one", *derived
    )  # fmt: skip


def _prompt_pair(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    queues = {"firsts": ByKey(QueuedItems(0)), "seconds": ByKey(QueuedItems(1))}
    return _pair({**queues, **state}, "queues", "_taking", *derived)


def _combining(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    groups = MadeByKey(lambda operator, key: operator.open_group(key))
    return _operator(
        {"groups": groups, **state},
        "context", "width", "_stores", "_moves_on", "shared", "prompt", "_expires", "exists", "_stored_owners",
        "_in_order", "_aging", "collections", *derived,
    )  # fmt: skip


def _aside(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    return _combining(
        {"violations": AllWithin(), **state},
        "definition", "positive", "places", "absences", "_completing", "asked_at_end", "_before", "_leads",
        "restarting", *derived,
    )  # fmt: skip


def _sequence(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    return _aside({"contiguity": Within(), **state}, "_last", "hopeless_without", "_waits_for_more", *derived)


def _opened(state: Mapping[str, Form | Within], *derived: str) -> Layout:
    return _operator({"opened": ENTRIES_BY_KEY, **state}, "context", "closer", *derived)


_MULTIPLICITY = _operator(
    {
        "accumulations": MadeByKey(lambda operator, key: operator._accumulation(key)),
    },
    "_by_detection", "lower", "upper", "slides", "prompt", "within", "_outer", "owner",
    "_raises_at_once", "_is_short",
)  # fmt: skip

_DETECTIONS: dict[str, Form] = {"detections": ByKey(NumberedEntries())}
_CANDIDATES = ByKey(Listed(Made(lambda: Candidate([], None, 0))))
_UNTIL_AN_END = {"candidates": _CANDIDATES, "ready": _CANDIDATES}
_OF_AN_END = ("trailing", "_is_lone", "_until", "_among", "_operands", "_length", "_along_at")

_OPERATORS: dict[type, Layout] = {
    PromptPairState: _prompt_pair({}),
    WindowedPairState: _prompt_pair({"watched": ByKey(PLAIN)}, "within", "_reach", "_measure"),
    WaitingPairState: _pair({"groups": ByKey(WaitingPair())}),
    ConjunctionState: _combining({}),
    AnyState: _combining({}),
    RelationState: _combining({}),
    SequenceState: _sequence({}),
    TrailingSequenceState: _sequence({**_UNTIL_AN_END}, *_OF_AN_END),
    AroundState: _aside({**_UNTIL_AN_END, "flushes_before": ZERO}, "_cleared", *_OF_AN_END),
    DisjunctionState: _operator({"pending": ByKey(NumberedEntries())}, "context"),
    MultiplicityState: _MULTIPLICITY,
    WaitingMultiplicityState: _layout(
        _MULTIPLICITY.state, *_MULTIPLICITY.derived, "_awaits_release", "_enough", "_full", "_is_plain"
    ),
    RecordState: _layout(_MULTIPLICITY.state, *_MULTIPLICITY.derived, "read"),
    NegatedMultiplicityState: _operator({}),
    PlusState: _operator({"waiting": ByKey(NumberedEntries())}, "delay"),
    AperiodicState: _opened({}),
    AperiodicStarState: _opened({"inside": ENTRIES_BY_KEY}, "_reopens"),
    PeriodicState: _opened(
        {**_DETECTIONS, "beating": ByKey(Listed(Made(lambda: Window([], 0))))}, "beat", "tree_name"
    ),
    PeriodicStarState: _opened(_DETECTIONS, "beat"),
    ExternalState: _operator({}),
    BecomesState: _operator(
        {"turns": Nothing({}), "changed": ByKey(EntryOrNothing()), "places": ByKey(PathInstance())},
        "test", "subject", "_by_detection", "_needs_time",
    ),
}  # fmt: skip

# ---- what operators keep ------------------------------------------------------------------------------------

_ACCUMULATION: dict[str, Form] = {
    "entries": SharedEntries(),
    "begin": ZERO,
    "current": EntryOrNothing(),
    "told": ZERO,
    "start": Number(),
    "end": Number(),
    "span": Span(),
    "created": PathInstance(),
    "expiry": PLAIN,
    "evaluated": ZERO,
}

_FOLLOWERS = ("followers", "_lists", "_ancestor", "_interval")

_KEPT: dict[type, Layout] = {
    Group: _layout(
        {"stored": Stores(), "fresh": NumberedEntries(), "expiry": PLAIN, "now": ZERO, "runs": RunsForm()},
        "key", "owners", "shared", "aging", "end", "in_order", "collected",
    ),
    Accumulation: _layout(_ACCUMULATION, *_FOLLOWERS),
    RecordAccumulation: _layout(
        {"entries": SharedRecords(), **{name: _ACCUMULATION[name] for name in ("begin", "current", "told", "expiry")}},
        "oldest", "head", "place_of_all", "known", "running", "only", "has_one_of_each",
    ),
    SlidingAccumulation: _layout({**_ACCUMULATION, "_ordered": PLAIN}, *_FOLLOWERS),
    Candidate: _layout({"members": NumberedEntries(), "due": PLAIN, "end": Number(), "since": ZERO}),
    Window: _layout({"entries": Entries(), "next": PLAIN, "beats": ZERO}),
    Violations: _violations(),
    Collection: _violations("least", "most"),
    CountedViolations: _violations("_lower", "_upper", "_group_of", "_within", "_admit"),
    Contiguity: _layout({"_times": ByKey(Numbers())}, "_place_of"),
}  # fmt: skip

# ---- the detector -------------------------------------------------------------------------------------------

DETECTOR = _layout(
        {
            "_latest": EventOrNothing(), "_closed": FALSE, "_setting": Within(), "_evaluation": Within(),
            "_edit": Within(), "_timeline": Within(),
        },
        "_rules", "_namespaces", "_active", "_operators", "_document", "_clock", "_timers", "_is_plain",
    )  # fmt: skip
"""Of `xmlcep.engine.Detector` itself."""

_SHARED: dict[type, Layout] = {
    Setting: _layout(
        {"clock": Within(), "timers": Within(), "expiries": Within(), "waiting": Within()},
        "programs", "references", "document", "tries", "general", "witnesses", "gone",
    ),
    Clock: _layout(
        {
            **dict.fromkeys(("_latest", "_noted", "_txn", "fired", "time"), PLAIN),
            **dict.fromkeys(("edit", "flushes", "point", "transaction", "ts"), ZERO),
            "_follows": Plain(True),  # it is only ever taken back
        },
        "follows_time", "uses_time",
    ),
    Timers: _layout(
        {
            "_heaps": Heaps(), "_count": ZERO,
        },
        "firing", "_set_now", "size", "changes", "transactions", "time",
    ),
    Waiting: _layout(
        dict.fromkeys(("release", "elsewhere", "blocked", "passed_on"), Trees()), "released"
    ),
    Evaluation: _layout(
        {"trees": TreesWithin(), "report": Nothing([]), "_touched": Nothing(set()), "departed": Within()},
        "_active", "_setting", "_clock", "dispatch", "waiting", "_turns", "_releases_alone", "apart",
        "says", "_said",
    ),
    Departed: _layout(
        {"awaited": Departures(), "late": Departures()},
        "_upstream", "_trees", "_setting", "_waiting", "_below", "_most_late", "_flat", "_reached", "_brings",
    ),
    TreeState: _layout(
        {"states": AllWithin(), "deferrals": AllWithin()},
        "tree", "flat", "root", "_deferral", "_deferred_below", "elsewhere",
        "setting", "_clock", "_timers",
        "needs_time", "leaves", "by_detection", "extended", "has_short_entries", "waits_elsewhere", "releases_alone",
        "reports_operators", "late", "awaits_release", "waits_for_conditions", "_composite_dispatch",
    ),
    ReleaseElsewhere: _layout({}, "_tree", "_waiting", "_concerned", "_by_flush", "_turns", "can_be"),
    Deferral: _layout(
        {"pending": KeySet(), "stale": KeySet(), "blocked": ByKey(PLAIN), "touched": KeySet()},
        "state", "mode", "condition", "setting", "_tree", "_waiting", "_awaits", "_is_left",
    ),
    Timeline: _layout({"more": FALSE}, "_evaluation", "_setting", "_clock", "_edit", "_timers"),
    Edit: _layout(
        {"held": Held()},
        "_evaluation", "_setting", "asks_before", "asking", "others", "becoming",
    ),
}  # fmt: skip

TABLE = Table({**_SHARED, **_OPERATORS, **_KEPT})
