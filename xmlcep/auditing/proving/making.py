"""Bundles for the findings of an audit: which entries are enough to raise each is found by replaying them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ...errors import XmlCepError
from ...log.json_codec import FASTEST
from ...log.segments import first_of
from ...proofs.errors import ProofError
from ...proofs.log_tree import tree_folder
from ...rules import Rules
from ..findings.atomic_files import AtomicFile
from ..inputs import LogPath, find_files
from ..run import as_text
from .bundle import CAUSE, Bundle, Record, RulesDigest, changes_of, line_of
from .entries import DocumentEntries, Entries
from .replay import Replay

MOST = 1000
"""Entries of a bundle."""


class Proofs(NamedTuple):
    """How many findings have a bundle, how many of these have entries that do not raise them by themselves, and how
    many have none, by reason."""

    bundles: int
    not_raised: int
    without: dict[str, int]


class _Cited(NamedTuple):
    """A finding that cites its entries, their numbers, and where more of them begin and end."""

    finding: Record
    numbers: list[int]
    document: DocumentEntries


def prove(
    findings: Iterable[Record], logs: LogPath | Iterable[LogPath], rules: Rules, out: LogPath, *,
    until: str | datetime | None = None, most: int = MOST,
) -> Proofs:  # fmt: skip
    """Writes a bundle for each finding of an audit of these logs to ``out``, one a line; ``until`` as for the audit.

    A bundle has ``most`` entries at most; of a finding that depends on more it has those it cites. Raises `ProofError`
    if none of the logs has a tree.
    """
    with ExitStack() as stack:
        prover = _Prover(
            [stack.enter_context(Entries(log)) for log in require_trees(logs)], rules, as_text(until), most
        )
        with AtomicFile(Path(out)) as file:
            for finding in findings:
                bundle = prover.bundle(finding)
                if bundle is not None:
                    file.stream.write(line_of(bundle))
    return Proofs(prover.bundles, prover.not_raised, prover.without)


def require_trees(logs: LogPath | Iterable[LogPath]) -> list[Path]:
    """The logs that have a tree; raises `ProofError` if none has."""
    firsts = dict.fromkeys(first_of(Path(file.path))[0] for file in find_files(logs).files)
    found = [log for log in firsts if tree_folder(log).is_dir()]
    if not found:
        raise ProofError(
            f"{', '.join(map(str, firsts))}: has no tree, so nothing of it can be proved: record it with tree=True or a"
            " key"
        )
    return found


class _Prover:
    def __init__(self, logs: Sequence[Entries], rules: Rules, until: str | None, most: int) -> None:
        self._of: dict[str, Entries | None] = {}
        for log in logs:
            for doc in log.documents:
                self._of[doc] = None if doc in self._of else log
        self._digest = RulesDigest.of(rules)
        self._until = until
        self._most = most
        self._replay = Replay(rules)
        self._version = version("xmlcep")
        self.bundles = self.not_raised = 0
        self.without: dict[str, int] = {}

    def bundle(self, finding: Record) -> Bundle | None:
        """The bundle of a finding; None if there is none, which is counted with the reason."""
        log = self._of.get(finding["doc"])
        cited = None if log is None else _cite(finding, log)
        if log is None or cited is None:
            why = self._why_none(finding["doc"])
            self.without[why] = self.without.get(why, 0) + 1
            return None
        tried = (each for each in self._candidates(cited, log) if len(each) <= self._most)
        numbers = next((each for each in tried if self._raises(cited, each, log)), None)
        if numbers is None:
            self.not_raised += 1
            numbers = cited.numbers
        self.bundles += 1
        until = self._until if numbers and numbers[-1] == log.tree.size else None
        runs = tuple(log.runs(numbers))
        return Bundle(cited.finding, runs, log.note, self._digest, self._version, until)

    def _why_none(self, doc: str) -> str:
        if doc not in self._of:
            return "their log has no tree"
        return (
            "their document is in several logs" if self._of[doc] is None
            else "their changes come after the last checkpoint"
        )  # fmt: skip

    def _candidates(self, cited: _Cited, log: Entries) -> Iterator[Sequence[int]]:
        """Entries that may raise it, the fewest first: those it cites, all from the first of them on, from the last
        header, from the document's first; up to the next change, or to the last entry."""
        numbers, document = cited.numbers, cited.document
        if numbers and self._replay.stands_alone(cited.finding["name"]):
            yield numbers
        first, size = numbers[0] if numbers else document.first, log.tree.size
        after = document.behind(cited.finding["ts"]) or size
        for start in dict.fromkeys((first, document.header_before(first), document.first)):
            yield range(start, after + 1)
        if after < size:
            yield range(document.first, size + 1)

    def _raises(self, cited: _Cited, numbers: Sequence[int], log: Entries) -> bool:
        entries = (FASTEST.loads(log.line(n)) for n in numbers)
        ends = numbers[-1] == log.tree.size
        try:
            return self._replay.raises(cited.finding, entries, ends=ends, until=self._until)
        except XmlCepError:
            return False


def _cite(finding: Record, log: Entries) -> _Cited | None:
    """The finding with the numbers of its entries; None if one of them is not proved."""
    document = log.documents[finding["doc"]]
    numbers: set[int] = set()
    for change in changes_of(finding):
        n = document.change(change["ts"])
        if n is None:
            return None
        change["n"] = n
        numbers.add(n)
    own = document.change(finding["ts"])
    if own is not None:
        numbers.add(own)
        entry = FASTEST.loads(log.line(own))
        if all(entry.get(name) == finding.get(name) for name in CAUSE):  # else time has raised it (W5)
            finding["n"] = own
    return _Cited(finding, sorted(numbers), document)
