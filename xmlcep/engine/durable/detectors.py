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
from .sharing import SharingInterpreter, SharingScribe
from .table import DETECTOR, TABLE

D = TypeVar("D")

VERSION = 5
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


def copied(source: Any, target: D) -> D:
    """Gives a detector of the same rules that is as new the state of another one, of which neither changes the other's
    (L4); the document is the target's own."""
    _hand_over(source, target, None)
    return target


def move_trees(source: Any, target: Any, names: Iterable[str], *, with_document: bool = True) -> None:
    """Gives a detector that is as new the state of some trees of another one, by their names, and its place in the
    history (G7); it can be done once more with other trees. With them goes the document."""
    _check_memory(source)
    if with_document and source._document is not None and target.needs is not None:
        target._give_document(Replica._of_contents(source._document._contents(), needs=target.needs))
    there, here = ({tree.name: tree.index for tree in each._active.trees} for each in (source, target))
    _hand_over(source, target, {there[name]: here[name] for name in names})


def _hand_over(source: Any, target: Any, moved: dict[int, int] | None) -> None:
    items = SharingScribe(TABLE).detector(source, DETECTOR)
    SharingInterpreter(TABLE, moved).detector(items, target, DETECTOR)
    target._is_plain = target._follows_plainly()


def new_writer() -> Scribe:
    """What writes the state of one detector, or of what goes with it: what they share is written once."""
    return Scribe(TABLE)


def new_reader(state: Mapping[str, Json]) -> Interpreter:
    """What reads it again."""
    return Interpreter(state, TABLE)


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
    _check_memory(detector)
    document = detector.setting.document
    return [None if document is None else document._contents(), writer.detector(detector, DETECTOR)]


def _check_memory(detector: Any) -> None:
    language = detector.remembering
    if language is not None:
        raise StateError(
            f"the language {language!r} remembers events (keeps_state): a detector of such rules has no state that "
            "could be written"
        )


def read_detector(reader: Interpreter, data: Json, detector: Any) -> None:
    """Gives a detector that is as new this running state."""
    written, items = data
    if written is not None and detector.needs is not None:
        detector._give_document(Replica._of_contents(written, needs=detector.needs))
    reader.detector(items, detector, DETECTOR)
    detector._is_plain = detector._follows_plainly()
