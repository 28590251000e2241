"""Cascades: what rules do to a document after an edit, and what that triggers (rules L4 to L8, L12).

One for each document on which rules are open. It hears of every edit when it is over, before anybody else does; feeds
the rules' detectors; and lets what they trigger fire, each firing whole, until nothing waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from ..actions.errors import ActionError, CascadeError, RefusedActionError
from ..actions.firing import Anchor, Firing, FiringRecord, bindings_of, gathered
from ..actions.performing import EDITS, RUNS
from ..actions.schedule import Schedule
from ..algebra import Mode
from ..errors import XmlCepError
from ..events import CompositeEvent, CompositeType, PrimitiveEvent, TimePoint
from ..language.printer import print_action, print_path
from ..rules.rule_programs import DELETED, DELTA, Form, RuleProgram
from ..timestamps import microseconds
from ..xpath import Environment, NodeKind, Selected
from ..xpath.environment import NO_VARIABLES
from . import foreign
from .errors import CallbackError, CallbackFailure
from .nodes import instance_of, place_of
from .savepoints import Savepoint
from .shadow import ShadowTree

if TYPE_CHECKING:
    from .active import ActiveRules


class _Job(NamedTuple):
    """A function of the application that is to be called when everything is told: for which firing, at which depth."""

    function: Callable[[Any], Any]
    given: object
    depth: int
    what: str
    owner: ActiveRules


class _EndlessError(Exception):
    """A limit is passed (L8)."""

    def __init__(self, firing: Firing, limit: str) -> None:
        super().__init__(limit)
        self.firing = firing
        self.limit = limit


class _Mark(NamedTuple):
    """To what `Cascades.back_to` brings rules and what waits back."""

    positions: Mapping[ActiveRules, int]
    waiting: Mapping[ActiveRules, int]
    jobs: int


class Cascades:
    """The rules that are open on a document, and what they do to it; the reactor of its delivery."""

    def __init__(self, tree: ShadowTree) -> None:
        self.tree = tree
        self.open: tuple[ActiveRules, ...] = ()
        self._schedule: Schedule[Firing] = Schedule()
        self._done: list[Sequence[PrimitiveEvent] | CompositeEvent] | None = None  # by the firing under way
        self._calls: list[str] = []
        self._jobs: deque[_Job] = deque()
        self._errors: list[XmlCepError] = []
        self._finishing = False
        self._depth = 0  # of the firing whose function of the application is being called
        self._guard: Savepoint | None = (
            None  # before the application's next edit, where an error undoes that, too
        )
        self._guarded: _Mark | None = None
        self._begun: _Mark | None = None  # when the open transaction began
        self._fires = True
        self._fired = 0

    # ---- rules come and go --------------------------------------------------------------------------------

    def add(self, rules: ActiveRules) -> None:
        """Opens a rule set."""
        self.open = (*self.open, rules)
        self.tree.emitter.delivery.set_reactor(self)
        self._open_guard()

    def remove(self, rules: ActiveRules) -> None:
        """Closes a rule set."""
        self._close_guard()
        self.open = tuple(each for each in self.open if each is not rules)
        self._jobs = deque(job for job in self._jobs if job.owner is not rules)
        if not self.open:
            self.tree.emitter.delivery.set_reactor(None)
        self._open_guard()

    # ---- edits and transactions ---------------------------------------------------------------------------

    def on_edit(self, events: Sequence[PrimitiveEvent]) -> None:
        """An edit is over: of the application, or of an action of the firing under way."""
        if self._done is not None:
            self._done.append(events)
            return
        triggered = self._seen(events, None)
        if triggered and self._fires:
            self._run(triggered)
        self._settle()

    def on_advance(self, at: str) -> None:
        """It is this time now, although nothing has changed (W6): what is due fires."""
        for rules in self.open:
            self.run_flush(rules, rules.history.advance(at))

    def next_due(self) -> str | None:
        """When something is due next if nothing changes, as RFC 3339 text (UTC)."""
        due = [rules.history.detector.next_due() for rules in self.open]
        return min((at for at in due if at), key=microseconds, default=None)

    def begin(self) -> None:
        """A transaction of the application begins."""
        self._close_guard()
        self._begun = self._mark()

    def began(self) -> None:
        """Its journal is open."""
        self._open_guard()

    def commit(self) -> None:
        """The last edit of the transaction has been made (L4): what waits for that fires, until nothing does."""
        self._close_guard()
        delivery = self.tree.emitter.delivery
        reacting, delivery.reacting = delivery.reacting, True
        try:
            self._run((), self._at_commit)
        finally:
            delivery.reacting = reacting

    def _at_commit(self, rounds: int) -> list[Firing]:
        """What fires at the end of a transaction: what has waited for that, and what a flush raises (D3)."""
        triggered: list[Firing] = []
        for rules in self.open:
            triggered += self._triggered(rules, rules.history.flush(), None, at_commit=False)
            waiting, rules.waiting = rules.waiting, []
            triggered += self._firings(rules, waiting, None)
        for firing in triggered:
            firing.depth = max(firing.depth, rounds)
        return triggered

    def end(self) -> None:
        """The transaction is over, and its journal closed."""
        self._begun = None
        self._open_guard()
        self._settle()

    def undo(self) -> None:
        """The transaction is undone: so is what rules have seen of it."""
        self._close_guard()
        if self._begun is not None:
            self._back_to(self._begun)

    def feed_only(self, feed_only: bool) -> None:
        """Whether rules see edits without firing: those that undo what has been told already."""
        self._fires = not feed_only

    def run_flush(self, rules: ActiveRules, composites: Sequence[CompositeEvent]) -> None:
        """What a rule set raises outside of edits (a flush, time that passes) fires."""
        delivery = self.tree.emitter.delivery
        delivery.reacting = True
        try:
            triggered = self._triggered(rules, composites, None, at_commit=False)
            if triggered:
                self._run(triggered)
            self._settle()
        finally:
            delivery.reacting = False
        delivery.settle()

    def _settle(self) -> None:
        """An edit of the application is over with all that it triggered."""
        if self._guard is not None:
            self._close_guard()
            self._open_guard()
        if self._begun is None:
            for rules in self.open:
                rules.history.settle()

    # ---- before the application's own edit ------------------------------------------------------------------

    def _open_guard(self) -> None:
        if self._guard is None and any(rules.strict for rules in self.open):
            self._guard = Savepoint(self.tree)
            self._guarded = self._mark()

    def _close_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.release()

    def _mark(self) -> _Mark:
        return _Mark(
            {rules: rules.history.position for rules in self.open},
            {rules: len(rules.waiting) for rules in self.open},
            len(self._jobs),
        )

    def _back_to(self, mark: _Mark) -> None:
        for rules in self.open:
            if rules in mark.positions:
                rules.history.back_to(mark.positions[rules])
                del rules.waiting[mark.waiting[rules] :]
        while len(self._jobs) > mark.jobs:
            self._jobs.pop()

    # ---- what is triggered --------------------------------------------------------------------------------

    def _seen(self, events: Sequence[PrimitiveEvent], parent: Firing | None) -> list[Firing]:
        """What an edit triggers."""
        found: list[Firing] = []
        for rules in self.open:
            feed = rules.history.feed
            raised: list[CompositeEvent] = []
            for event in events:
                raised += feed(event)
            if raised:
                found += self._triggered(rules, raised, parent)
        return found

    def _triggered(
        self,
        rules: ActiveRules,
        composites: Sequence[CompositeEvent],
        parent: Firing | None,
        *,
        at_commit: bool = True,
    ) -> list[Firing]:
        """The firings of these composites; those that wait for the end of the transaction are put aside."""
        now: list[tuple[RuleProgram, CompositeEvent, Anchor]] = []
        in_transaction = at_commit and self._begun is not None
        for composite in composites:
            for rule in rules.by_event.get(composite.name, ()):
                if rule.path is not None and not _is_at(composite, rule):
                    continue
                anchor = self._anchor(rules, composite)
                if anchor is None:
                    rules.counts.dropped += 1
                elif rule.at_commit and in_transaction:
                    rules.waiting.append((rule, composite, anchor))
                else:
                    now.append((rule, composite, anchor))
        return self._firings(rules, now, parent) if now else []

    def _firings(
        self,
        rules: ActiveRules,
        triggered: Sequence[tuple[RuleProgram, CompositeEvent, Anchor]],
        parent: Firing | None,
    ) -> list[Firing]:
        """One firing for each composite, or for all of a rule in set mode (L3)."""
        depth = (self._depth if parent is None else parent.depth) + 1
        found = []
        sets: dict[int, Firing] = {}
        for rule, composite, anchor in triggered:
            if rule.mode is Mode.SET and rule.index in sets:
                firing = sets[rule.index]
                firing.composites = (*firing.composites, composite)
                firing.anchors = (*firing.anchors, anchor)
                continue
            firing = Firing(
                rule,
                rules,
                (composite,),
                (anchor,),
                rule.definition.priority,
                rules.first + rule.index,
                depth,
                parent,
            )
            if rule.mode is Mode.SET:
                sets[rule.index] = firing
            found.append(firing)
        return found

    def _anchor(self, rules: ActiveRules, composite: CompositeEvent) -> Anchor | None:
        """The node that a composite fires for (L1); None if it has gone, and not by what the composite is about."""
        tree = self.tree
        path, ids = composite.path, composite.ids
        if path is None:
            shadow = tree.open(tree.root)
            assert shadow.trie is not None
            return Anchor(shadow.trie.path, shadow.ids or shadow.make_ids())
        if path.steps[-1].is_element:
            if tree.element_by_id(ids[-1]) is not None:
                return Anchor(path, ids)
        elif place_of(tree, path, ids) is not None:
            return Anchor(path, ids)
        if not any(
            event.op == "del" and event.ids == ids[: len(event.ids)] for event in composite.flattened()
        ):
            return None
        above = path.parent
        while above is not None and tree.element_by_id(ids[len(above) - 1]) is None:
            above = above.parent
        if above is None:
            return None
        return Anchor(above, ids[: len(above)], print_path(path, rules.namespaces))

    # ---- running ------------------------------------------------------------------------------------------

    def _run(
        self, triggered: Sequence[Firing], refill: Callable[[int], Sequence[Firing]] | None = None
    ) -> None:
        """Lets all that is triggered fire, and all that that triggers; if nothing waits any more ``refill``, asked
        for the
        n-th time, says what fires then. Without an end all of it is undone, and an error says so.
        """
        schedule, mark = self._schedule, self._mark()
        whole: Savepoint | None = None
        self._fired = rounds = 0
        schedule.put(triggered)
        if self.tree.foreign:
            for edit in self._caught_up():
                schedule.put(self._seen(edit, None))
        try:
            while True:
                while schedule:
                    firing = schedule.take()
                    scene = self._scene(firing)
                    if scene is None:
                        continue
                    self._check_limits(firing)
                    if whole is None:
                        whole = Savepoint(self.tree)
                    self._fire(firing, *scene)
                rounds += 1
                more = refill(rounds) if refill is not None else ()
                if not more:
                    break
                schedule.put(more)
        except _EndlessError as endless:
            schedule.clear()
            self._fail_whole(endless, whole, mark)
            return
        except BaseException as error:
            schedule.clear()
            if whole is not None:
                self._roll_back(whole)
            self._back_to(mark)
            raise error  # by name: undoing has gone through lxml, which forgets what is being handled
        if whole is not None:
            whole.release()

    def _caught_up(self) -> list[Sequence[PrimitiveEvent]]:
        """The edits through foreign proxies that nobody has seen."""
        found: list[Sequence[PrimitiveEvent] | CompositeEvent] = []
        self._done = found
        try:
            foreign.catch_up(self.tree)
        finally:
            self._done = None
        return [edit for edit in found if not isinstance(edit, CompositeEvent)]

    def _roll_back(self, savepoint: Savepoint) -> None:
        """Undoes what has been done since a savepoint; what comes to light meanwhile is undone, too."""
        self._done = []
        try:
            savepoint.rollback()
        finally:
            self._done = None

    def _check_limits(self, firing: Firing) -> None:
        rules: ActiveRules = firing.owner
        if firing.depth > rules.limit:
            raise _EndlessError(firing, f"deeper than {rules.limit}")
        self._fired += 1
        if self._fired > rules.most:
            raise _EndlessError(firing, f"longer than {rules.most:,} firings")

    def _fail_whole(self, endless: _EndlessError, whole: Savepoint | None, mark: _Mark) -> None:
        """L8: all that the cascade did is undone; the application's own edit only if it asked for that."""
        firing = endless.firing
        strict = firing.owner.strict
        if whole is not None:
            self._roll_back(whole)
        self._back_to(mark)
        names, steps = _cycle(firing)
        error = CascadeError(endless.limit, names, steps, kept=not strict)
        if strict:
            guard, self._guard = self._guard, None
            if guard is not None:
                self._roll_back(guard)
                assert self._guarded is not None
                self._back_to(self._guarded)
                self._open_guard()
            raise error
        self._report(firing.owner, error)

    def _scene(self, firing: Firing) -> tuple[Form, Environment] | None:
        """What a firing sees, if its node is still there and its condition is true (L2)."""
        rules: ActiveRules = firing.owner
        of_set = firing.rule.mode is Mode.SET
        scene = self._scene_of_set(firing) if of_set else self._scene_of_one(firing)
        if scene is None:
            rules.counts.dropped += 1
            return None
        condition = scene[0].condition
        if condition is not None and not condition.boolean(scene[1]):
            rules.counts.refused += 1
            return None
        return scene

    def _scene_of_one(self, firing: Firing) -> tuple[Form, Environment] | None:
        rule, anchor = firing.rule, firing.anchors[0]
        place = place_of(self.tree, anchor.path, anchor.ids)
        if place is None:
            return None
        form = rule.forms.get(place.kind)
        if form is None:
            return None
        if not rule.variables:
            return form, Environment(NO_VARIABLES, place.element, place.value, place.attribute, place.text)
        composite = firing.composites[0]
        variables: dict[str, Any] = {
            **firing.owner.references, **(composite.bindings or {}), DELTA: [place.element], DELETED: anchor.deleted
        }  # fmt: skip
        if rule.of_leaf:
            event = composite.constituents[0]
            assert isinstance(event, PrimitiveEvent)
            variables |= {
                "old": event.old or "",
                "new": event.value or "",
                "op": event.op,
                "at": event.at or "",
            }
        return form, Environment(variables, place.element, place.value, place.attribute, place.text)

    def _scene_of_set(self, firing: Firing) -> tuple[Form, Environment] | None:
        """Once for all: gone nodes leave ``$delta``; if all have gone there is nothing to fire for (L2, L3)."""
        places = [place_of(self.tree, anchor.path, anchor.ids) for anchor in firing.anchors]
        there = [place for place in places if place is not None]
        if not there:
            return None
        variables: dict[str, Any] = {
            **firing.owner.references,
            **gathered(firing.composites),
            DELTA: list(dict.fromkeys(place.element for place in there)),
            DELETED: tuple(anchor.deleted for anchor in firing.anchors if anchor.deleted is not None),
        }
        attribute = next((place.attribute for place in there if place.attribute), "")
        return firing.rule.forms[NodeKind.ELEMENT], Environment(variables, self.tree.root, "", attribute, 0)

    def _fire(self, firing: Firing, form: Form, environment: Environment) -> None:
        """The actions of a firing: all of them, or none (L6). Then what they trigger is put before what waits."""
        rule, emitter = firing.rule, self.tree.emitter
        rules: ActiveRules = firing.owner
        outer = emitter.meta
        emitter.meta = {**(outer or {}), "rule": rule.name, "cause": str(firing.ts)}
        savepoint = Savepoint(self.tree)
        done = self._done = []
        self._calls = []
        counts = []
        try:
            for program in form.actions:
                current = program
                if isinstance(program.action, EDITS):
                    emitter.begin_block()
                    try:
                        counts.append(RUNS[type(program.action)](program, environment, self))
                    finally:
                        emitter.end_block()
                else:
                    counts.append(RUNS[type(program.action)](program, environment, self))
            if rules.schema is not None:
                self._check_schema(rules)
        except (RefusedActionError, XmlCepError, ValueError, TypeError, etree.Error) as error:
            self._roll_back(savepoint)
            rules.counts.failed += 1
            failure = ActionError(rule.name, print_action(current.action), firing.ts, _said(error))
            if not isinstance(error, RefusedActionError):
                failure.__cause__ = error
            self._report(rules, failure)
            return
        except BaseException as error:
            self._roll_back(savepoint)
            raise error  # by name, see above
        finally:
            self._done = None
            emitter.meta = outer
        savepoint.release()
        rules.counts.fired += 1
        rules.counts.empty += counts.count(0)
        self._announce(firing, done, counts)
        triggered: list[Firing] = []
        for each in done:
            if isinstance(each, CompositeEvent):
                triggered += self._raised(each, firing)
            else:
                triggered += self._seen(each, firing)
        if triggered:
            self._schedule.put(triggered)

    def _raised(self, event: CompositeEvent, parent: Firing) -> list[Firing]:
        found: list[Firing] = []
        for rules in self.open:
            if rules.takes(event):
                found += self._triggered(rules, rules.history.raise_external(event), parent)
        return found

    def _check_schema(self, rules: ActiveRules) -> None:
        """L12: a firing does not make a valid document invalid."""
        schema = rules.schema
        assert schema is not None
        root = self.tree.root
        if not schema.validate(root):
            said = schema.error_log.last_error
            why = said.message if said else "the schema says so"
            raise RefusedActionError(f"the document would not be valid: {why}")

    # ---- what actions ask for (`xmlcep.actions.host.Host`) --------------------------------------------------

    def call(self, function: str) -> None:
        """A function of the application is to be called when the transaction is over."""
        self._calls.append(function)

    def raise_event(self, name: str, node: Selected) -> None:
        """An external event happens at a node, at the time point of the last record."""
        tree = self.tree
        path, ids = instance_of(tree, node)
        accepted = [rules for rules in self.open if name in rules.externals]
        if not any(rules.externals[name].accepts(name, path) for rules in accepted):
            declared = accepted[0].externals[name].path
            raise RefusedActionError(f"{name} is declared for {declared}, and was raised for {path}")
        clock, emitter = tree.clock, tree.emitter
        now = clock.now()
        if not clock.since <= now < clock.until:
            clock.stamp(now)
        cause = TimePoint(clock.ts, clock.at, emitter.document, emitter.txn, emitter.meta)
        event = CompositeEvent(name, None, path, ids, (), clock.ts, clock.ts, cause)
        assert self._done is not None
        self._done.append(event)
        emitter.delivery.put(event)

    # ---- the application is told ----------------------------------------------------------------------------

    def _announce(self, firing: Firing, done: Sequence[object], counts: Sequence[int]) -> None:
        """Notes who is to be told of a firing when everything else is told."""
        rules: ActiveRules = firing.owner
        if rules.on_fire is None and not self._calls:
            return
        edits = tuple(event for each in done if not isinstance(each, CompositeEvent) for event in each)  # type: ignore[attr-defined]
        raised = tuple(each for each in done if isinstance(each, CompositeEvent))
        record = FiringRecord(
            firing.rule.name, firing.ts, firing.depth, tuple(firing.composites), bindings_of(firing.composites),
            edits, raised, tuple(counts),
        )  # fmt: skip
        if rules.on_fire is not None:
            self._jobs.append(_Job(rules.on_fire, record, firing.depth, "on_fire", rules))
        for name in self._calls:
            self._jobs.append(_Job(rules.functions[name], record, firing.depth, f'call "{name}"', rules))

    def _report(self, rules: ActiveRules, error: XmlCepError) -> None:
        """Tells ``on_error``, or has the error raised, when everything else is told."""
        if rules.on_error is None:
            self._errors.append(error)
        else:
            self._jobs.append(_Job(rules.on_error, error, 0, "on_error", rules))

    def finish(self) -> None:
        """Everything has been told: calls functions of the application, then raises what went wrong."""
        if self._finishing:
            return
        self._finishing = True
        try:
            while self._jobs:
                job = self._jobs.popleft()
                self._depth = job.depth
                try:
                    job.function(job.given)
                except Exception as error:
                    self._job_failed(job, error)
        finally:
            self._finishing = False
            self._depth = 0
        errors, self._errors = self._errors, []
        if errors:
            for other in errors[1:]:
                errors[0].add_note(str(other))
            raise errors[0]

    def _job_failed(self, job: _Job, error: Exception) -> None:
        if job.what.startswith("call"):
            record = job.given
            assert isinstance(record, FiringRecord)
            said = f"the function raised {type(error).__name__}: {error}"
            failure = ActionError(record.rule, job.what, record.ts, said, undone=False)
            failure.__cause__ = error
            self._report(job.owner, failure)
        else:
            failed = CallbackError([CallbackFailure(job.function, job.given, error)])
            failed.__cause__ = error
            self._errors.append(failed)


def _is_at(composite: CompositeEvent, rule: RuleProgram) -> bool:
    """Whether a composite happened where the rule's trigger says."""
    assert rule.path is not None
    return composite.path is not None and CompositeType(composite.name, rule.path).accepts(
        composite.name, composite.path
    )


def _said(error: BaseException) -> str:
    return (
        str(error)
        if isinstance(error, (RefusedActionError, XmlCepError))
        else f"{type(error).__name__}: {error}"
    )


def _cycle(firing: Firing) -> tuple[list[str], list[str]]:
    """The rules of the cycle that a firing ends, in the order in which they trigger each other, with their firings."""
    chain = [firing]
    step = firing.parent
    while step is not None and step.rule is not firing.rule:
        chain.append(step)
        step = step.parent
    members = chain if step is None else [*chain[1:], step]
    members.reverse()
    return [each.rule.name for each in members], [str(each) for each in members]
