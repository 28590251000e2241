"""Cascades: what rules do to a document after an edit, and what that triggers (rules L4 to L8, L12).

One for each document on which rules are open. It hears of every edit when it is over, before anybody else does; feeds
the rules' detectors; and lets what they trigger fire, each firing whole, until nothing waits.

One module because what has been seen, which firings wait and what can be undone are one state, changed in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TypeAlias

from lxml import etree

from ...actions.errors import ActionError, CascadeError, RefusedActionError
from ...actions.firing import Firing, FiringRecord, bindings_of, cycle_of
from ...actions.performing import perform
from ...actions.schedule import Schedule
from ...errors import XmlCepError
from ...events import CompositeEvent, PrimitiveEvent
from ...language.printer import print_action
from ...rules.rule_programs import ActionProgram
from ...timestamps import microseconds
from ...xpath import Environment
from ..shadow import outside_proxies
from ..shadow.savepoints import Savepoint
from ..shadow.shadow import ShadowTree
from .action_host import Deed, Deeds
from .after_delivery import Afterwards
from .firing_context import Scene, scene_of
from .firings import firings_of, triggered_by
from .rule_set import RuleSet, Validity


class _EndlessError(Exception):
    """A limit is passed (L8)."""

    def __init__(self, firing: Firing, limit: str) -> None:
        super().__init__(limit)
        self.firing = firing
        self.limit = limit


_Mark: TypeAlias = tuple[list[tuple[RuleSet, int, int]], tuple[int, int]]
"""To what `Cascades._back_to` brings rules and waiting firings back: of each rule set the position of its history and
how many wait for the end of the transaction; what is to be done when everything has been reported."""


class Cascades:
    """The rules that are open on a document, and what they do to it; the reactor of its delivery."""

    def __init__(self, tree: ShadowTree) -> None:
        self.tree = tree
        self.open: tuple[RuleSet, ...] = ()
        self._schedule: Schedule[Firing] = Schedule()
        self._deeds = Deeds(tree)  # of the firing under way
        self._afterwards = Afterwards()
        # Before the application's next edit, where an error undoes that, too.
        self._guard: Savepoint | None = None
        self._guarded: _Mark | None = None
        self._begun: _Mark | None = None  # when the open transaction began
        self._fires = True
        self._fired = 0

    # ---- rules come and go --------------------------------------------------------------------------------

    def add(self, rules: RuleSet) -> None:
        """Opens a rule set."""
        self._have((*self.open, rules))

    def remove(self, rules: RuleSet) -> None:
        """Closes a rule set."""
        self._have(tuple(each for each in self.open if each is not rules))
        self._afterwards.drop(rules)

    def replaced(self) -> None:
        """A rule set has other rules now, and another history."""
        self._have(self.open)

    def _have(self, rules: tuple[RuleSet, ...]) -> None:
        self._close_guard()  # it knows of those that were open
        self.open = rules
        first = 0
        for each in rules:
            each.first = first
            first += len(each.rules.active_rules)
        self.tree.emitter.delivery.set_reactor(self if rules else None)
        self._open_guard()

    # ---- edits and transactions ---------------------------------------------------------------------------

    def on_edit(self, events: Sequence[PrimitiveEvent]) -> None:
        """An edit is over: of the application, or of an action of the firing under way."""
        if self._deeds.done is not None:
            self._deeds.done.append(events)
            return
        triggered = self._seen(events, None)
        if triggered and self._fires:
            self._run(triggered)
        self._settle()

    def on_signal(self, events: Sequence[CompositeEvent]) -> None:
        """The application has raised external events (L7)."""
        if self._deeds.done is not None:
            self._deeds.done += events
            return
        triggered = [firing for event in events for firing in self._raised(event, None)]
        if triggered and self._fires:
            self._run(triggered)
        self._settle()

    def on_advance(self, at: str) -> ExitStack:
        """It is this time now, although nothing has changed (W6): what is due in the rules that are open by now fires
        at the end of the block."""
        stack = ExitStack()  # all of them, also where something fails in one
        for rules in reversed(self.open):
            stack.callback(self._advance, rules, at)
        return stack

    def _advance(self, rules: RuleSet, at: str) -> None:
        if rules in self.open:  # those before may have called functions that close it
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
        """The last edit of the transaction has been made (L4): firings that wait for that run, until none is left."""
        self._close_guard()
        with self.tree.delivery.under_way("reacting"):
            self._run((), self._at_commit)

    def _at_commit(self, rounds: int) -> list[Firing]:
        """What fires at the end of a transaction: what has waited for that, and what a flush raises (D3)."""
        triggered: list[Firing] = []
        for rules in self.open:
            depth = max(self._afterwards.depth + 1, rounds)
            flushed = rules.history.flush()
            triggered += triggered_by(self.tree, rules, flushed, depth, None, in_transaction=False)
            waiting, rules.waiting = rules.waiting, []
            triggered += firings_of(rules, waiting, depth)
        return triggered

    def commit_undone(self) -> None:
        """The last inverse edit of a transaction that is undone visibly has been made (P7): it ends with a flush as
        others do (D3), but what would fire is undone with it."""
        for rules in self.open:
            rules.history.flush()
            rules.waiting.clear()

    def end(self) -> None:
        """The transaction is over, and its journal closed."""
        self._begun = None
        self._open_guard()
        self._settle()

    def undo(self) -> None:
        """The transaction is undone: so is what rules have seen of it."""
        self._close_guard()
        self._deeds.end()
        self._schedule.clear()
        if self._begun is not None:
            self._back_to(self._begun)

    def feed_only(self, feed_only: bool) -> None:
        """Whether rules see edits without firing: those that undo what has been reported already."""
        if feed_only:
            self._close_guard()  # the journal of the transaction is to be whole
        self._fires = not feed_only

    def run_flush(self, rules: RuleSet, composites: Sequence[CompositeEvent]) -> None:
        """What a rule set raises outside of edits (a flush, time that passes) fires."""
        with self.tree.delivery.under_way("reacting"):
            depth = self._afterwards.depth + 1
            triggered = triggered_by(self.tree, rules, composites, depth, None, in_transaction=False)
            if triggered:
                self._run(triggered)
            self._settle()
        self.tree.delivery.settle()

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
        sets = [(rules, rules.history.position, len(rules.waiting)) for rules in self.open]
        return sets, self._afterwards.noted

    def _back_to(self, mark: _Mark) -> None:
        sets, noted = mark
        for rules, position, waiting in sets:
            rules.history.back_to(position)
            del rules.waiting[waiting:]
        self._afterwards.forget(noted)

    # ---- what is triggered --------------------------------------------------------------------------------

    def _seen(self, events: Sequence[PrimitiveEvent], parent: Firing | None) -> list[Firing]:
        """What an edit triggers."""
        found: list[Firing] = []
        for rules in self.open:
            feed = rules.history.feed
            if len(events) == 1:
                raised = feed(events[0])
            else:
                raised = [composite for event in events for composite in feed(event)]
            if raised:
                found += self._triggered(rules, raised, parent)
        return found

    def _raised(self, event: CompositeEvent, parent: Firing | None) -> list[Firing]:
        """What an external event triggers."""
        found: list[Firing] = []
        for rules in self.open:
            if rules.takes(event):
                found += self._triggered(rules, rules.history.raise_external(event), parent)
        return found

    def _triggered(
        self, rules: RuleSet, composites: Sequence[CompositeEvent], parent: Firing | None
    ) -> list[Firing]:
        depth = (self._afterwards.depth if parent is None else parent.depth) + 1
        in_transaction = self.tree.emitter.txn is not None
        return triggered_by(self.tree, rules, composites, depth, parent, in_transaction=in_transaction)

    # ---- running ------------------------------------------------------------------------------------------

    def _run(
        self, triggered: Sequence[Firing], refill: Callable[[int], Sequence[Firing]] | None = None
    ) -> None:
        """Lets all that is triggered fire, and all that that triggers; if nothing waits any more ``refill``, asked
        for the n-th time, says what fires then. Without an end all of it is undone, and an error says so.
        """
        schedule = self._schedule
        whole: Savepoint | None = None  # before the first firing
        mark: _Mark = [], (0, 0)
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
                        # The first firing needs no savepoint of its own.
                        whole, mark = Savepoint(self.tree), self._mark()
                        if not self._fire(firing, scene, whole):
                            whole = None
                    else:
                        self._fire_within(firing, scene)
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
        found = self._deeds.begin()
        try:
            outside_proxies.catch_up(self.tree)
        finally:
            self._deeds.end()
        return [edit for edit in found if not isinstance(edit, CompositeEvent)]

    def _roll_back(self, savepoint: Savepoint) -> None:
        """Undoes what has been done since a savepoint; what comes to light meanwhile is undone, too."""
        self._deeds.begin()
        try:
            savepoint.rollback()
        finally:
            self._deeds.end()

    def _check_limits(self, firing: Firing) -> None:
        rules: RuleSet = firing.owner
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
        names, steps = cycle_of(firing)
        error = CascadeError(endless.limit, names, steps, kept=not strict)
        if strict:
            guard, self._guard = self._guard, None
            if guard is not None:
                self._roll_back(guard)
                assert self._guarded is not None
                self._back_to(self._guarded)
                self._open_guard()
            raise error
        self._afterwards.failed(firing.owner, error)

    def _scene(self, firing: Firing) -> Scene | None:
        """What a firing sees, if its node is still there and its condition is true (L2)."""
        counts = firing.owner.counts
        scene = scene_of(self.tree, firing)
        if scene is None:
            counts.dropped += 1
            return None
        form, environment = scene
        if form.condition is not None and not form.condition.boolean(environment):
            counts.refused += 1
            return None
        return scene

    def _fire_within(self, firing: Firing, scene: Scene) -> None:
        """`_fire` with a savepoint of its own, inside that of the cascade."""
        savepoint = Savepoint(self.tree)
        try:
            done = self._fire(firing, scene, savepoint)
        except BaseException as error:
            self._roll_back(savepoint)
            raise error  # by name, see `_run`
        if done:
            savepoint.release()

    def _fire(self, firing: Firing, scene: Scene, savepoint: Savepoint) -> bool:
        """The actions of a firing: all of them, or none (L6). Then what they trigger is put before firings that wait.

        Whether it has succeeded; if not, all is as at the savepoint, which has ended.
        """
        rule, emitter = firing.rule, self.tree.emitter
        rules: RuleSet = firing.owner
        outer = emitter.meta
        emitter.meta = {**(outer or {}), "rule": rule.name, "cause": str(firing.ts)}
        deeds = self._deeds
        done = deeds.begin(self.open)
        form, environment = scene
        counts = []
        try:
            for program in form.actions:
                current = program
                counts.append(self._perform(program, environment))
            if rules.validity is not None:
                self._check_validity(rules.validity)
        except (RefusedActionError, XmlCepError, ValueError, TypeError, etree.Error) as error:
            self._roll_back(savepoint)
            rules.counts.failed += 1
            failure = ActionError(rule.name, print_action(current.action), firing.ts, _said(error))
            if not isinstance(error, RefusedActionError):
                failure.__cause__ = error
            self._afterwards.failed(rules, failure)
            return False
        finally:
            deeds.end()
            emitter.meta = outer
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
        return True

    def _perform(self, program: ActionProgram, environment: Environment) -> int:
        """Does what an action says; what it does to nodes with foreign proxies is seen only when it is looked for."""
        if not self.tree.foreign:
            return perform(program, environment, self._deeds)
        with self.tree.emitter.one_edit():
            count = perform(program, environment, self._deeds)
            outside_proxies.catch_up(self.tree)
        return count

    def _check_validity(self, validity: Validity) -> None:
        """L12: a firing does not make a valid document invalid."""
        objection = validity.objection(self.tree.root)
        if objection is not None:
            raise RefusedActionError(f"the document would not be valid: {objection}")

    # ---- the application is told ----------------------------------------------------------------------------

    def _announce(self, firing: Firing, done: Sequence[Deed], counts: Sequence[int]) -> None:
        """Notes who is to be told of a firing when everything else is told."""
        rules: RuleSet = firing.owner
        if rules.on_fire is None and not self._deeds.calls:
            return
        edits = tuple(event for each in done if not isinstance(each, CompositeEvent) for event in each)
        raised = tuple(each for each in done if isinstance(each, CompositeEvent))
        record = FiringRecord(
            firing.rule.name, firing.ts, firing.depth, tuple(firing.composites), bindings_of(firing.composites),
            edits, raised, tuple(counts),
        )  # fmt: skip
        self._afterwards.fired(rules, record)
        for function in self._deeds.calls:
            self._afterwards.call(rules, function, record)

    def finish(self) -> None:
        """Everything has been reported."""
        self._afterwards.run()


def _said(error: BaseException) -> str:
    return (
        str(error)
        if isinstance(error, (RefusedActionError, XmlCepError))
        else f"{type(error).__name__}: {error}"
    )
