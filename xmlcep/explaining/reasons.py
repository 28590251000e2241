"""Why an event has not come to be: the closed list of reasons (rule Y3)."""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """A reason: its ``word``, one ``sentence``, and the ``fix`` where there is one in general."""

    NEVER_OCCURRED = ("never-occurred", "no event of this type has occurred")
    ELSEWHERE = (
        "elsewhere",
        "it has occurred, but in another group",
        "give the operator a shorter path, such as {path=…}, if events of different nodes belong together",
    )
    WRONG_ORDER = (
        "wrong-order",
        "it has occurred, but not in this order",
        "write & if the order does not matter",
    )
    FILTERED = (
        "filtered",
        "it has occurred, but its filter was false, or the other language (opaque) answered false",
    )
    CONSUMED = (
        "consumed",
        "another finding has consumed it",
        "another context keeps events for further findings, such as {context=recent}",
    )
    REPLACED = ("replaced", "a newer event has taken its place")
    EXPIRED = ("expired", "it was too old for the window", "a longer window, if that is what is meant")
    ABSENCE_VIOLATED = ("absence-violated", "something has occurred that must not")
    RELATION_FALSE = ("relation-false", "the intervals of the two events do not have this relation")
    HAVING_FALSE = ("having-false", "the condition on the whole combination (having) was false")
    CONDITION_FALSE = ("condition-false", "the condition is false")
    NOT_RELEASED = ("not-released", "everything is there, but it has not been released yet")
    JOIN_MISMATCH = (
        "join-mismatch",
        "it has occurred, but with another value of the variable that joins them",
    )
    NULL_PROJECTION = (
        "null-projection",
        "it has occurred, but not at or below a node of the operator's path type",
        "give the operator a shorter path, such as {path=…}, if it belongs to them",
    )
    GUARD_FALSE = ("guard-false", "everything was there, but its condition (if) was false")
    NOT_CONTIGUOUS = (
        "not-contiguous",
        "something else happened in between",
        "leave strict out if that does not matter",
    )
    GAP = ("gap", "two events are too far apart", "a longer gap, if that is what is meant")
    WINDOW_CLOSED = ("window-closed", "it has occurred while no window was open")
    WITHDRAWN = ("withdrawn", "a later composite includes it")
    NO_VALUE = ("no-value", "it has occurred, but has no value to join by")
    NODE_DELETED = ("node-deleted", "the node of the group has been deleted")
    NOT_OPEN = (
        "not-open",
        "it was there before anybody watched, so there was no event",
        "changes count from the beginning of the watch, or of the log",
    )

    def __init__(self, word: str, sentence: str, fix: str = "") -> None:
        self.word = word
        self.sentence = sentence
        self.fix = fix

    @classmethod
    def of(cls, word: str) -> Reason:
        """The reason with this word."""
        return _BY_WORD[word]


_BY_WORD = {reason.word: reason for reason in Reason}
