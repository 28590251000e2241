"""What an explanation is: values that can be printed, written as records, and shown (rules Y1 to Y3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, overload

from path_types import PathType

from ..algebra import Share
from ..events import Event, document_of
from .nodes import Nodes
from .proposals import Completion
from .reasons import Reason

SHOWN = 5  # events of one operand


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason in one case: ``text`` says what happened, ``fix`` what could be written instead."""

    reason: Reason
    text: str
    fix: str = ""
    events: tuple[Event, ...] = ()

    def __str__(self) -> str:
        return f"{self.reason.word}: {self.text}"

    def to_record(self) -> dict[str, Any]:
        """As a value that JSON can hold."""
        record: dict[str, Any] = {"reason": self.reason.word, "text": self.text}
        if self.fix:
            record["fix"] = self.fix
        if self.events:
            record["events"] = [event.to_constituent() for event in self.events]
        return record


@dataclass(frozen=True, slots=True)
class Part:
    """A leaf or an operator of a rule in one group: how much of it there is, and what speaks against the rest.

    ``text`` is how it is written, ``place`` the node of its group where that is not the same as that of the part
    above, ``events`` what it has; ``causes`` why it has not more, ``parts`` its operands,
    ``enough`` how many of those that are not complete would do; ``notes`` what else there is to say. What is
    ``negated`` must not occur; what ``is_single`` happens to a group once, the insertion of its node.
    """

    text: str
    share: Share
    place: str = ""
    events: tuple[Event, ...] = ()
    causes: tuple[Cause, ...] = ()
    parts: tuple[Part, ...] = ()
    negated: bool = False
    is_leaf: bool = True
    enough: int = 0
    notes: tuple[str, ...] = ()
    is_single: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether it is a leaf of which nothing is there although it is needed."""
        return self.is_leaf and not self.negated and not self.events and not self.share.is_full

    def missing(self) -> list[str]:
        """The leaves that are missing, as they are written."""
        found = [self.text] if self.is_missing else []
        for part in self._incomplete():
            found += part.missing()
        return found

    def occurred(self) -> list[str]:
        """The leaves that have events, as they are written."""
        own = [self.text] if self.is_leaf and self.events and not self.negated else []
        return [*own, *(text for part in self.parts for text in part.occurred())]

    def lacks(self) -> str:
        """The same as a text: of several branches, that one of them is enough."""
        if self.is_missing:
            return self.text
        found = [(part, text) for part in self._incomplete() if (text := part.lacks())]
        if self.enough >= len(found):
            return ", ".join(text for _, text in found)
        each = [f"({text})" if len(part.missing()) > 1 else text for part, text in found]
        return " or ".join(each) if self.enough == 1 else f"{self.enough} of {', '.join(each)}"

    def _incomplete(self) -> list[Part]:
        """The operands that count and are not complete, if the whole is not."""
        if not self.is_leaf and self.share.is_full:
            return []
        return [part for part in self.parts if not part.negated and not part.share.is_full]

    def held_back(self) -> list[Cause]:
        """What holds it back where all is there, or nothing, in it or in operators below it."""
        if self.is_leaf or self.negated:
            return []
        ends = [part for part in self.parts if part.share.is_full or not part.share.satisfied]
        below = [cause for part in ends for cause in part.held_back()]
        return [*self.causes, *below]

    def first_cause(self) -> Cause | None:
        """The first reason on the first branch that is not complete; that of the whole if every branch is."""
        for part in self.parts:
            if not part.negated and not part.share.is_full:
                cause = part.first_cause()
                if cause is not None:
                    return cause
        if self.causes:
            return self.causes[0]
        for part in self.parts:
            cause = part.first_cause()
            if cause is not None:
                return cause
        return None

    def lines(self, nodes: Nodes, indent: str = "") -> Iterator[str]:
        """As an indented text."""
        place = f" at {self.place}" if self.place else ""
        if self.is_leaf:
            state = "must not occur" if self.negated else "has" if self.events else "missing"
            if state == "missing" and self.share.is_full:
                state = "not needed"
            yield f"{indent}{state:8} {self.text}{place}"
        else:
            yield f"{indent}{self.share.fraction:4.0%}     {self.text}{place}"
        inner = indent + "         "
        for event in self.events[-SHOWN:]:
            yield f"{inner}{nodes.event_in_full(event)}"
        if len(self.events) > SHOWN:
            yield f"{inner}and {len(self.events) - SHOWN:,} before"
        for cause in self.causes:
            yield f"{inner}{cause}"
            if cause.fix:
                yield f"{inner}→ {cause.fix}"
        for note in self.notes:
            yield f"{inner}{note}"
        for part in self.parts:
            yield from part.lines(nodes, indent + "  ")

    def to_record(self, *, several: bool = False) -> dict[str, Any]:
        """As a value that JSON can hold; ``several``: each event with its document (V11)."""
        record: dict[str, Any] = {
            "text": self.text,
            "satisfied": self.share.satisfied,
            "needed": self.share.needed,
        }
        if self.negated:
            record["negated"] = True
        if self.place:
            record["place"] = self.place
        if self.events:
            record["events"] = [
                ({"doc": document_of(event)} if several else {}) | event.to_constituent()
                for event in self.events
            ]
        if self.causes:
            record["causes"] = [cause.to_record() for cause in self.causes]
        if self.notes:
            record["notes"] = list(self.notes)
        if self.parts:
            record["parts"] = [part.to_record(several=several) for part in self.parts]
        return record


@dataclass(frozen=True, slots=True)
class PendingGroup:
    """A group of an event that has something and has not raised it (Y1).

    ``path`` and ``ids`` are the node's path instance (None and empty in flat context), ``node`` how it is written,
    ``values`` those of the variables that join; ``share`` how much there is; ``raised`` says that a composite of what
    is there has been raised, so that one more event of an operand raises another; ``ended`` that nothing can be raised
    there any more (Y11); ``completion`` what would complete it (Y4), where that was asked.
    """

    event: str
    doc: str
    node: str
    path: PathType | None
    ids: tuple[int, ...]
    share: Share
    part: Part
    values: tuple[tuple[str, str], ...] = ()
    raised: bool = False
    ended: bool = False
    completion: Completion | None = None
    nodes: Nodes = field(default_factory=Nodes, compare=False, repr=False)

    @property
    def fraction(self) -> float:
        """From 0 to 1, the leaves that are satisfied of those that are needed."""
        return self.share.fraction

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What holds it back although all is there, or all of one of its parts."""
        return tuple(self.part.held_back())

    @property
    def missing(self) -> list[str]:
        """The leaves that are missing, as they are written."""
        return self.part.missing()

    def __str__(self) -> str:
        joined = "".join(f", ${name} = {value}" for name, value in self.values)
        lacks, causes = self.missing, self.causes
        if causes and (self.share.is_full or not lacks):
            why = "; ".join(map(str, causes))
        elif self.raised:
            ways = [part.is_leaf for part in self.part.parts if not part.negated and not part.is_single]
            more = "one more event raises" if any(ways) else "one more composite of an operand raises"
            why = f"has been raised; {more if ways else 'nothing can raise'} it again"
        elif lacks:
            why = "; ".join([f"missing {self.part.lacks()}", *map(str, causes)])
        elif not self.share.is_full:
            why = f"{self.share.satisfied} of the {self.share.needed} events that are needed are there"
        else:
            why = "complete"
        ended = "; nothing more can be raised there" if self.ended else ""
        return f"{self.fraction:4.0%}  {self.event} at {self.node}{joined}: {why}{ended}"

    def text(self) -> str:
        """The first line, then the tree."""
        lines = [str(self), *self.part.lines(self.nodes, "  ")]
        if self.completion is not None:
            lines += [f"  would do: {line}" for line in str(self.completion).splitlines()]
        return "\n".join(lines)

    def to_record(self) -> dict[str, Any]:
        """As a value that JSON can hold."""
        return {
            "doc": self.doc, "event": self.event, "node": self.node,
            "path": None if self.path is None else str(self.path), "ids": list(self.ids),
            "values": dict(self.values), "fraction": round(self.fraction, 4),
            "satisfied": self.share.satisfied, "needed": self.share.needed, "raised": self.raised,
            "ended": self.ended,
            "missing": self.missing, "held_back": [cause.to_record() for cause in self.causes],
            "tree": self.part.to_record(several=self.nodes.several),
            "completion": None if self.completion is None else self.completion.to_record(),
        }  # fmt: skip

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


class Pending(Sequence[PendingGroup]):
    """Groups, the most complete first; ``total`` is how many there are, of which these are the first, ``notes`` what
    else there is to say of the log."""

    def __init__(self, groups: Sequence[PendingGroup], total: int, notes: tuple[str, ...] = ()) -> None:
        self._groups = tuple(groups)
        self.total = total
        self.notes = notes

    def __len__(self) -> int:
        return len(self._groups)

    @overload
    def __getitem__(self, index: int) -> PendingGroup: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PendingGroup]: ...
    def __getitem__(self, index: int | slice) -> PendingGroup | Sequence[PendingGroup]:
        return self._groups[index]

    def __str__(self) -> str:
        lines = [str(group) for group in self._groups]
        if self.total > len(lines):
            lines.append(f"and {self.total - len(lines):,} more")
        return "\n".join([*(lines or ["nothing is pending"]), *self.notes])

    def __repr__(self) -> str:
        return f"<{self.total} pending groups>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{group.fraction:.0%}</td><td>{escape(group.event)}</td><td>{escape(group.node)}</td>"
            f"<td>{escape(str(group).partition(': ')[2])}</td></tr>"
            for group in self._groups
        )
        more = f"<p>and {self.total - len(self):,} more</p>" if self.total > len(self) else ""
        return f"<table><tr><th></th><th>event</th><th>node</th><th>waits for</th></tr>{rows}</table>{more}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to a question about an event: ``answer`` in one line, then the groups it is about, then notes.

    ``question`` is ``why`` or ``why-not``; ``event`` the name of the event, ``doc`` the document. ``cause`` is the one
    that the answer names.
    """

    question: str
    event: str
    doc: str
    answer: str
    cause: Cause | None = None
    groups: tuple[PendingGroup, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.answer

    def text(self) -> str:
        """All of it."""
        lines = [self.answer]
        if self.cause is not None and self.cause.fix:
            lines.append(f"→ {self.cause.fix}")
        for group in self.groups:
            lines += ["", *_head(group), *group.part.lines(group.nodes, "  ")]
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])

    def to_record(self) -> dict[str, Any]:
        """As a value that JSON can hold."""
        return {
            "question": self.question, "event": self.event, "doc": self.doc, "answer": self.answer,
            "cause": None if self.cause is None else self.cause.to_record(),
            "groups": [group.to_record() for group in self.groups], "notes": list(self.notes),
        }  # fmt: skip

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


def _head(group: PendingGroup) -> list[str]:
    joined = "".join(f", ${name} = {value}" for name, value in group.values)
    return [f"{group.event} at {group.node}{joined}, {group.fraction:.0%}"]
