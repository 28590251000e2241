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
        "write & if the order is no matter",
    )
    FILTERED = ("filtered", "it has occurred, but its filter was false, or its language said no")
    CONSUMED = (
        "consumed",
        "it has been used up by another finding",
        "another context keeps events for further findings, such as {context=recent}",
    )
    REPLACED = ("replaced", "a newer event has taken its place")
    EXPIRED = ("expired", "it was too old for the window", "a longer window, if that is what is meant")
    ABSENCE_VIOLATED = ("absence-violated", "something has occurred that must not")
    RELATION_FALSE = ("relation-false", "the two events do not lie so in time")
    HAVING_FALSE = ("having-false", "what is asked of all of them together was false")
    CONDITION_FALSE = ("condition-false", "the condition is false")
    NOT_RELEASED = ("not-released", "everything is there, but it has not been released yet")
    JOIN_MISMATCH = ("join-mismatch", "it has occurred, but with another value of what joins them")
    NULL_PROJECTION = (
        "null-projection",
        "it has occurred, but not at or below a node that the operator's groups are about",
        "give the operator a shorter path, such as {path=…}, if it belongs to them",
    )
    GUARD_FALSE = ("guard-false", "everything was there, but what is asked before it is raised was false")
    NOT_CONTIGUOUS = (
        "not-contiguous",
        "something else happened in between",
        "leave strict out if that is no matter",
    )
    GAP = ("gap", "too much lies between two events", "a longer gap, if that is what is meant")
    WINDOW_CLOSED = ("window-closed", "it has occurred while no window was open")
    WITHDRAWN = ("withdrawn", "it is part of something that has taken it back")
    NO_VALUE = ("no-value", "it has occurred, but has no value to be joined by")
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
