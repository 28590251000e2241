"""Detectors as plain data, and detectors made of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from path_types import PathType

from ...digests import is_as_written, with_digest
from ...documents import Replica
from ...errors import XmlCepError
from ...rules import Rules
from ..errors import StateError
from .layouts import Interpreter, Scribe
from .pool import Json
from .rules_stamp import check_rules, rules_stamp
from .table import DETECTOR, TABLE

D = TypeVar("D")

VERSION = 4
"""Raised where what is written means something else although it looks the same."""
FORM = TABLE.digest(DETECTOR)
"""Another one where other attributes are written."""


def state_of(detector: Any) -> dict[str, Json]:
    """See `Detector.to_state`."""
    rules: Rules = detector._rules
    writer = new_writer()
    body = write_detector(writer, detector)
    state = {
        "xmlcep": "detector", "version": VERSION, "form": FORM, **rules_stamp(rules),
        "trees": [tree.name for tree in detector._active.trees], "operators": detector._operators,
        "tries": detector.setting.tries.limit,
        "fed": sorted([operation, str(path)] for operation, path in detector.types_fed),
        "detector": body, **writer.state(),
    }  # fmt: skip
    return with_digest(state)


def detector_from(make: Callable[..., D], rules: Rules, state: Mapping[str, Json]) -> D:
    """See `Detector.from_state`."""
    check_version(state, "detector")
    if not is_as_written(state):
        raise StateError("the state of the detector is damaged: it is not what was written")
    check_rules(state, rules)
    try:
        detector: Any = make(rules, operators=state["operators"], trees=state["trees"], tries=state["tries"])
        read_detector(new_reader(state), state["detector"], detector)
        for operation, path in state["fed"]:
            detector._evaluation.dispatch[operation][PathType.parse(path)]
        made: D = detector
        return made
    except StateError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, XmlCepError) as error:
        raise StateError(f"the state of the detector is damaged ({type(error).__name__}: {error})") from error


def move_trees(source: Any, target: Any, names: Iterable[str], *, with_document: bool = True) -> None:
    """Gives a detector that is as new the state of some trees of another one, by their names, and its place in the
    history (G7); it can be done once more with other trees. With them goes the document."""
    there, here = ({tree.name: tree.index for tree in each._active.trees} for each in (source, target))
    writer = new_writer()
    document, fields = write_detector(writer, source)
    reader = new_reader(writer.state(), {there[name]: here[name] for name in names})
    read_detector(reader, [document if with_document else None, fields], target)


def new_writer() -> Scribe:
    """What writes the state of one detector, or of what goes with it: what they share is written once."""
    return Scribe(TABLE)


def new_reader(state: Mapping[str, Json], moved: Mapping[int, int] | None = None) -> Interpreter:
    """What reads it again; ``moved`` says for a detector of other rules where the trees are there that it has, too, by
    their indexes (G7)."""
    return Interpreter(state, TABLE, moved)


def check_version(state: Mapping[str, Json], what: str) -> None:
    """Raises `StateError` for what is no such state, or one that another version wrote."""
    if not isinstance(state, Mapping) or state.get("xmlcep") != what:
        raise StateError(f"not the state of {'an audit' if what == 'audit' else f'a {what}'}")
    if (state.get("version"), state.get("form")) != (VERSION, FORM):
        raise StateError(
            f"the state was written by another version of xmlcep (state {state.get('version')}-{state.get('form')}, "
            f"here it is {VERSION}-{FORM}): start without it, or use that version"
        )


def write_detector(writer: Scribe, detector: Any) -> Json:
    """The running state of a detector; what it shares goes to the writer."""
    language = detector.remembering
    if language is not None:
        raise StateError(
            f"the language {language!r} remembers events (keeps_state): a detector of such rules has no state that "
            "could be written"
        )
    document = detector.setting.document
    return [None if document is None else document._contents(), writer.fields(detector, DETECTOR)]


def read_detector(reader: Interpreter, data: Json, detector: Any) -> None:
    """Gives a detector that is as new this running state, or that of the trees which the reader has moved.

    That can be done once more with that of other trees (G7); clock and position are those that were read last.
    """
    written, fields = data
    if written is not None and detector.needs is not None:
        detector._give_document(Replica._of_contents(written, needs=detector.needs))
    reader.fill(detector, fields, DETECTOR)
    detector._is_plain = detector._follows_plainly()
