"""What would complete a group: the shortest lists of events that would raise it now (rule Y4).

Every operator says which of its operands may be enough; the engine itself says whether they are: a second detector is
given what the group has, and then the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product

from contexts import Entry
from contexts.entry import EVENT, FIRST, LAST
from contexts.grouping import Key
from path_types import PathType, Step
from path_types.relations import offsets

from ..algebra import Termination, Unit
from ..engine.operators import OperatorState
from ..engine.operators.becomes import BecomesState
from ..events import ANY, CompositeEvent, CompositeType, PrimitiveEvent, PrimitiveType, TimePoint
from ..rules.trees import LeafNode
from ..timestamps import microseconds, timestamp
from .groups import TreeGroups
from .nodes import Nodes, written
from .proposals import Change, Completion, Proposal
from .releases import Detecting, Releases

MOST_LISTS = 5
MOST_TRIALS = 60
"""How many lists are tried; the search is bounded."""
LONGEST = 12
MOST_STORED = 2000
_FRESH = 1 << 50  # ids of nodes that a trial makes


def complete(
    groups: TreeGroups, key: Key, trial: Callable[[], Detecting], last: PrimitiveEvent | TimePoint | None,
    releases: Releases,
) -> Completion:  # fmt: skip
    """What would complete a group of the root. ``trial`` makes new detectors of the tree's rules, ``last`` is what came
    last; ``releases`` what releases alone would do."""
    return _Search(groups, key, trial, last, releases).run()


class _Search:
    """The search for one group."""

    def __init__(
        self,
        groups: TreeGroups,
        key: Key,
        trial: Callable[[], Detecting],
        last: PrimitiveEvent | TimePoint | None,
        releases: Releases,
    ) -> None:
        self.groups = groups
        self.tree = groups.tree
        self.root = groups.tree.root
        self.key = key
        self.trial = trial
        self.last = last
        self.releases = releases
        self.now = self.root.clock.time
        self.fresh = 0
        self.instance = groups.instance(self.root, key)
        self.nodes = Nodes(groups.nodes.namespaces, groups.nodes.document)

    def run(self) -> Completion:
        """The proposals, or why there are none."""
        deciding = list(dict.fromkeys(self._deciding()))
        if deciding:
            return Completion((), f"depends on values: {'; '.join(deciding)}")
        account = self.tree.account(self.root, self.key)
        if account.due is not None and account.unit is Unit.TIME and self.root.node.definition.aside:
            return Completion((Proposal((), f"time {timestamp(account.due)}"),))
        beyond = list(dict.fromkeys(self._beyond()))
        if beyond:
            return Completion((), f"not looked for, because it depends on {'; '.join(beyond)}")
        if any(state.node.deferred and self.tree.account(state, key).raised for state, key in self._inside()):
            return Completion((), "not looked for: an operator in it keeps what it has released already")
        stored = self._stored()
        if len(stored) > MOST_STORED:
            return Completion((), f"not looked for: the group has {len(stored):,} events")
        if self.groups.is_gone(self.key):
            release = self._raises(stored, ())
            if release is None:
                return Completion((), "nothing: its node was deleted, so that nothing more can come")
            return Completion((Proposal((), release),))
        found = self._search(stored, self._candidates()) or self._search(stored, self._doubled())
        found.sort(key=lambda proposal: len(proposal.changes))
        note = "" if found else "no list was found that would raise it; the search is bounded"
        return Completion(tuple(found), note)

    def _search(self, stored: Sequence[PrimitiveEvent], candidates: Iterator[list[Change]]) -> list[Proposal]:
        """Those of the lists that raise it, at most so many."""
        found: list[Proposal] = []
        tried: set[tuple[tuple[str, PathType], ...]] = set()
        for changes in islice(candidates, MOST_TRIALS):
            shape = tuple((change.operation, change.path) for change in changes)
            if shape in tried or len(changes) > LONGEST:
                continue
            tried.add(shape)
            release = self._raises(stored, changes)
            if release is None or any(_within(other.changes, changes) for other in found):
                continue
            found.append(Proposal(tuple(changes), release))
            if len(found) == MOST_LISTS:
                break
        return found

    # ---- candidates -----------------------------------------------------------------------------------

    def _candidates(self) -> Iterator[list[Change]]:
        """Lists that may be enough, the shortest first as far as they are looked at."""
        found = islice(self._of(self.root, self.key, self.instance), 4 * MOST_TRIALS)
        yield from sorted(found, key=len)

    def _doubled(self) -> Iterator[list[Change]]:
        """The same twice: what has come already may use up what comes first, and be used up by it."""
        for changes in self._candidates():
            others = islice(self._candidates(), MOST_LISTS)
            yield from ([*changes, *other] for other in others)

    def _of(self, state: OperatorState, key: Key | None, instance: _Instance) -> Iterator[list[Change]]:
        width = len(state.node.children)
        counts = [0] * width if key is None else [len(entries) for entries in state.account(key).stored]
        seen = set()
        for operands in state.node.definition.choices(counts):
            if operands in seen:
                continue
            seen.add(operands)
            parts = [self._operand(state, key, instance, k) for k in operands]
            for chosen in islice(product(*map(list, parts)), MOST_TRIALS):
                yield [change for changes in chosen for change in changes]

    def _operand(
        self, state: OperatorState, key: Key | None, instance: _Instance, operand: int
    ) -> Iterator[list[Change]]:
        child = state.node.children[operand]
        if isinstance(child, LeafNode):
            assert isinstance(child.type, PrimitiveType)
            change = self._change(child.type, state.node.path, instance)
            if change is not None:
                yield [change]
            return
        inner = state.children[operand]
        assert inner is not None
        begun = self.groups.best_inner(state, key, operand)
        if begun is not None:
            yield from islice(self._of(inner, begun, self.groups.instance(inner, begun)), MOST_LISTS)
        fresh = self._below(inner.node.path, state.node.path, instance)
        yield from islice(self._of(inner, None, fresh), MOST_LISTS)

    # ---- nodes ----------------------------------------------------------------------------------------

    def _change(self, type_: PrimitiveType, above: PathType, instance: _Instance) -> Change | None:
        """A change of this type at or below the node of a group; None if that node would have to be inserted again."""
        path, ids = self._below(type_.path, above, instance)
        operation = type_.operation
        if operation == ANY:
            operation = "ins" if ids and ids[-1] < 0 else "upd"
        if operation == "ins" and ids and ids[-1] > 0:
            return None
        if path is None:
            return None
        return Change(operation, path, ids, f"{operation}({self._named(path, ids)})")

    def _below(self, path: PathType, above: PathType, instance: _Instance) -> _Instance:
        """Where a node of this path type would lie in the group of this node: what is new is numbered downwards."""
        known, ids = instance
        steps: tuple[Step, ...]
        if path.absolute:
            steps = path.steps
        elif known is None:
            steps = (Step.element("any"), *path.steps)
        else:
            found = offsets(above, path)
            if found:
                steps = (*known.steps, *path.steps[found[0] + len(above) :])
            else:
                overlap = max(
                    (
                        n
                        for n in range(min(len(known), len(path)) + 1)
                        if known.steps[len(known) - n :] == path.steps[:n]
                    ),
                    default=0,
                )
                steps = (*known.steps, *path.steps[overlap:])
        kept: list[int] = []
        for step, own, node in zip(steps, () if known is None else known.steps, ids, strict=False):
            if step != own:
                break
            kept.append(node)
        for _ in steps[len(kept) :]:
            self.fresh += 1
            kept.append(-self.fresh)
        return PathType.of(True, steps), tuple(kept)

    def _named(self, path: PathType, ids: Sequence[int]) -> str:
        """Known nodes by their names, new ones by the names of their steps."""
        known = next((n for n, node in enumerate(ids) if node < 0), len(ids))
        new = [self.nodes.path(PathType.of(False, (step,))) for step in path.steps[known:]]
        if not known:
            return "/" + "/".join(new)
        text = self.nodes.name(PathType.of(True, path.steps[:known]), ids[:known], mark=not new)
        return "/".join([text, *new])

    # ---- trials ---------------------------------------------------------------------------------------

    def _stored(self) -> list[PrimitiveEvent]:
        """The primitive events that the group has, with those in groups of inner operators in it, in their order."""
        found: dict[int, PrimitiveEvent] = {}
        for state, key in [(self.root, self.key), *self._inside()]:
            for entries in state.account(key).stored:
                for entry in entries:
                    event = entry[EVENT]
                    events = event.flattened() if isinstance(event, CompositeEvent) else (event,)
                    found.update((one.ts, self._timed(one, entry)) for one in events)
        stored = [found[ts]._replace(more=False) for ts in sorted(found)]
        return stored

    def _inside(self) -> Iterator[tuple[OperatorState, Key]]:
        """The groups of inner operators that lie in the group."""
        waiting: list[tuple[OperatorState, Key]] = [(self.root, self.key)]
        while waiting:
            state, key = waiting.pop()
            for operand, inner in self.groups.inner(state, key):
                child = state.children[operand]
                assert child is not None
                waiting.append((child, inner))
                yield child, inner

    def _timed(self, event: PrimitiveEvent, entry: Entry) -> PrimitiveEvent:
        """An event with the document time at which it came, which need not be the time in its record (W1)."""
        if not self.tree.tree.needs_time or entry[FIRST] is None:
            return event
        first, last = entry[FIRST].time, entry[LAST].time
        own = first if event.at is None else min(max(microseconds(event.at), first), last)
        return event._replace(at=timestamp(own))

    def _raises(self, stored: Sequence[PrimitiveEvent], changes: Sequence[Change]) -> str | None:
        """What has to come behind these changes, so that the event is raised at the node; None if nothing helps."""
        if not changes:
            return self._raised_alone()
        for release in self._releases():
            detector = self.trial()
            for event in stored:
                detector.feed(event)
            if self.now is not None:
                detector.advance(self.now - 1)  # what is due at this very time has not come yet (W5)
            if self.root.node.deferred and self.tree.account(self.root, self.key).raised:
                detector.flush()
            raised: list[CompositeEvent] = []
            tried: set[int] = set()
            ts = 0 if self.last is None else self.last.ts
            at = None if self.now is None else timestamp(self.now)
            for change in changes:
                ts += 1
                ids = tuple(_FRESH - node if node < 0 else node for node in change.ids)
                event = PrimitiveEvent(ts, change.operation, change.path, ids, None, None, None, at)
                tried.add(ts)
                raised += detector.feed(event)
            said = release
            if release == "flush":
                raised += detector.flush()
            elif release == "elsewhere":
                raised += detector.elsewhere(TimePoint(ts + 1, at))
                said = "an event elsewhere"
            elif release == "time":
                due = detector.next_due()
                if due is None:
                    continue
                raised += detector.advance(due)
                said = f"time {due}"
            if any(self._is_it(composite, tried) for composite in raised):
                return said
        return None

    def _raised_alone(self) -> str | None:
        """What would raise the event at the node without any change."""
        for release in self._releases():
            each = {"": [], "time": self._dues(), "elsewhere": ["an event elsewhere"]}.get(release, [release])
            for said in each:
                if any(self._is_it(composite, set()) for composite in self.releases.by(said).raised):
                    return said
        return None

    def _dues(self) -> list[str]:
        """When something of the group is due by time."""
        accounts = [self.tree.account(state, key) for state, key in [(self.root, self.key), *self._inside()]]
        dues = {one.due for one in accounts if one.due is not None and one.unit is Unit.TIME}
        return [f"time {timestamp(due)}" for due in sorted(dues)]

    def _releases(self) -> Iterator[str]:
        """What may be needed behind the changes."""
        yield ""
        modes = {state.node.termination for state in self.tree.states}
        if Termination.NON_LOCAL in modes:
            yield "elsewhere"
        if modes != {Termination.EARLIEST}:
            yield "flush"
        if any(node.has_timers for node in (state.node.definition for state in self.tree.states)):
            yield "time"

    def _is_it(self, composite: CompositeEvent, tried: set[int]) -> bool:
        """Whether it is raised at the node, with one of the changes that were tried if there were any: a trial may
        raise what is stored below an operator that has dealt with it already."""
        if composite.operator is not None or composite.name != self.tree.tree.name:
            return False
        if tried and not any(event.ts in tried for event in composite.flattened()):
            return False
        return self.tree.flat or composite.ids == self.instance[1]

    # ---- what decides ---------------------------------------------------------------------------------

    def _deciding(self) -> Iterator[str]:
        """What values decide."""
        for state in self.tree.states:
            options = state.node.definition.options
            yield from (
                f"{name} {text}"
                for name, text in (("when", options.when), ("if", options.guard), ("having", options.having))
                if text
            )
            if isinstance(state, BecomesState):
                yield state.test.text
            if state.by_value:
                yield f"what joins: {', '.join('$' + name for name in state.values.program.grouping.names)}"
            for leaf in state.node.leaves():
                if leaf.leaf.filter is not None or leaf.leaf.opaque is not None:
                    yield written(leaf.leaf, self.groups.nodes.namespaces)

    def _beyond(self) -> Iterator[str]:
        """What is not looked into."""
        for state in self.tree.states:
            if any(window.unit is Unit.TRANSACTIONS for window in state.node.windows):
                yield "the transactions in which changes come"
            for leaf in state.node.leaves():
                if isinstance(leaf.type, CompositeType):
                    yield f"what raises {leaf.type}"
            if state.node.watches_group:
                yield "what else happens in the group"
            if state.node.definition.negated:
                yield "what must not occur"
            if state.node.definition.collected:
                yield "what is taken along"
            if state.node.may_repeat:  # what has been used in one operand may be left in the other (S1, Q1)
                yield "events that are in two operands"


_Instance = tuple["PathType | None", tuple[int, ...]]


def _within(shorter: Sequence[Change], longer: Sequence[Change]) -> bool:
    """Whether the changes of one list stand in another one in the same order."""
    rest = iter([(change.operation, change.path) for change in longer])
    return all((change.operation, change.path) in rest for change in shorter)


def _takes(leaf: LeafNode, operation: str, path: PathType) -> bool:
    return isinstance(leaf.type, PrimitiveType) and leaf.type.accepts(operation, path)
