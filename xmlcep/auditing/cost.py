"""What it would cost to replace the rules of a state: the partial matches stored in events that end (rule G7)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from ..engine import Detector, StateError
from ..engine.durable import check_version, new_reader, read_detector, rules_of
from ..errors import XmlCepError
from ..files import reading
from ..rules import Rules
from ..rules.comparison import Comparison, compare, tree_digests
from .since.state_documents import BEGIN


def is_state(path: str) -> bool:
    """Whether a file is the state of an audit or of a recording."""
    with reading(path) as stream:
        return stream.read(11) == b'{"xmlcep":"'


def cost(path: str, rules: Rules) -> tuple[Comparison, Mapping[str, int]]:
    """What becomes of the event trees of a state if these rules replace its own, and how many groups have something in
    each that ends. Raises `StateError` for a state that cannot be read."""
    try:
        with reading(path) as stream:
            before, detectors = _detectors(stream, rules)
            trees = compare(tree_digests(before), tree_digests(rules))
            lost: Counter[str] = Counter()
            for detector in detectors:
                lost.update({name: detector.pending(event=name, limit=0).total for name in trees.ended})
    except StateError as error:
        raise StateError(f"{path}: {error}") from error
    except (ValueError, LookupError, TypeError, AttributeError, XmlCepError) as error:
        raise StateError(f"{path}: is not a state, or a damaged one") from error
    return trees, lost


def _detectors(stream: BinaryIO, rules: Rules) -> tuple[Rules, Iterator[Detector]]:
    """The rules of a state, and what is stored in its documents."""
    header = json.loads(stream.readline())
    if header["xmlcep"] == "audit":
        check_version(header, "audit")
        before = rules_of(header, rules, are_run=False)
        return before, _of_audit(stream, before, operators=header["options"]["operators"])
    check_version(header, "recording")
    watch = json.loads(stream.readline())["watch"]
    if watch is None or watch["detector"] is None:
        raise StateError("no watch is open in it")
    before = rules_of(watch["of"], rules, are_run=False)
    return before, iter([Detector.from_state(before, watch["detector"])])


def _of_audit(stream: BinaryIO, rules: Rules, *, operators: bool) -> Iterator[Detector]:
    for line in stream:
        state: dict[str, Any] = json.loads(line) if line.startswith(BEGIN) else {}
        if "replay" in state:
            detector = Detector(rules, operators=operators)
            read_detector(new_reader(state), state["replay"]["detector"], detector)
            yield detector
