"""Detectors as plain data, and detectors made of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from path_types import PathType

from ...documents import Replica
from ...errors import XmlCepError
from ...rules import Rules
from ..dispatch import select
from ..errors import StateError
from .layouts import Interpreter, Scribe
from .pool import Json
from .rules_stamp import check_rules, rules_stamp
from .table import DETECTOR, TABLE

D = TypeVar("D")

VERSION = 1
"""Raised where what is written means something else although it looks the same."""
FORM = TABLE.digest(DETECTOR)
"""Another one where other attributes are written."""


def state_of(detector: Any) -> dict[str, Json]:
    """See `Detector.to_state`."""
    rules: Rules = detector._rules
    writer = new_writer()
    body = write_detector(writer, detector)
    return {
        "xmlcep": "detector", "version": VERSION, "form": FORM, **rules_stamp(rules),
        "trees": [tree.name for tree in detector._active.trees], "operators": detector._operators,
        "tries": detector.setting.tries.limit,
        "fed": sorted([operation, str(path)] for operation, path in detector.types_fed),
        "detector": body, **writer.state(),
    }  # fmt: skip


def detector_from(make: Callable[..., D], rules: Rules, state: Mapping[str, Json]) -> D:
    """See `Detector.from_state`."""
    check_version(state, "detector")
    check_rules(state, rules)
    try:
        detector = read_detector(
            make, new_reader(state), state["detector"], rules, operators=state["operators"], trees=state["trees"],
            tries=state["tries"],
        )  # fmt: skip
        fed: Any = detector
        for operation, path in state["fed"]:
            fed._evaluation.dispatch[operation][PathType.parse(path)]
        return detector
    except StateError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, XmlCepError) as error:
        raise StateError(f"the state of the detector is damaged ({type(error).__name__}: {error})") from error


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
            f"here it is {VERSION}-{FORM}): begin anew without it, or go on with that version"
        )


def write_detector(writer: Scribe, detector: Any) -> Json:
    """The running state of a detector; what it shares goes to the writer."""
    _refuse_stateful(detector)
    document = detector.setting.document
    return [None if document is None else document.to_state(), writer.fields(detector, DETECTOR)]


def read_detector(
    make: Callable[..., D], reader: Interpreter, data: Json, rules: Rules, *, operators: bool,
    trees: Iterable[str] | None = None, tries: int | None = None,
) -> D:  # fmt: skip
    """A detector of the same rules with this running state; ``make`` is its class."""
    written, fields = data
    chosen = None if trees is None else list(trees)
    document = None
    if written is not None:
        document = Replica.from_state(written, needs=select(rules.graph, chosen).needs)
    limit = {} if tries is None else {"tries": tries}
    detector = make(rules, operators=operators, document=document, trees=chosen, **limit)
    reader.fill(detector, fields, DETECTOR)
    return detector


def _refuse_stateful(detector: Any) -> None:
    """O1: what the engine of another language remembers is not ours to write."""
    for tree in detector.setting.programs:
        for program in tree:
            for leaf in program.leaves:
                if (
                    leaf is not None
                    and leaf.opaque is not None
                    and getattr(leaf.opaque.ask, "keeps_state", False)
                ):
                    raise StateError(
                        f"the language {leaf.opaque.language!r} remembers events (keeps_state): a detector of such "
                        "rules has no state that could be written"
                    )
