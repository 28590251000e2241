"""A finding, the entries of a log that it is made of, and the proof that they are in the log: a bundle.

A bundle is checked with the log's public key and nothing else: neither the log is needed nor a network.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from ...engine.durable import rules_stamp
from ...log.erasable import entry_of
from ...log.json_codec import FASTEST, STANDARD
from ...proofs.checkpoint import Checkpoint
from ...proofs.errors import ProofError
from ...proofs.hashing import HASH_LENGTH, check_inclusion, leaf_hash
from ...proofs.notes import Note
from ...rules import Rules
from ...timestamps import TimeError, microseconds, timestamp

Record = dict[str, Any]
_FORMAT = "xmlcep_proof"
_CITED = ("ts", "op", "path", "ids", "value", "old", "at", "txn", "meta")
"""What a finding says of a change, which is what the change's record says."""
CAUSE = ("ts", "at", "txn", "meta")
"""What it says of the change that raised it. A deadline raises it with no `txn` and no `meta` (W5)."""


class Run(NamedTuple):
    """Entries that follow each other: ``n`` is the number of the first (from 1), ``path`` the proof that they are in
    the tree and no others between them."""

    n: int
    lines: tuple[str, ...]
    path: tuple[bytes, ...]


class RulesDigest(NamedTuple):
    """Under which rules a finding was found: the digest (SHA-256) of their text, and those of their reference
    documents by name."""

    rules: str
    references: Mapping[str, str]

    @classmethod
    def of(cls, rules: Rules) -> RulesDigest:
        """The digests of rules."""
        stamp = rules_stamp(rules)
        return cls(sha256(stamp["rules"].encode()).hexdigest(), stamp.get("references", {}))


@dataclass(frozen=True)
class Bundle:
    """``finding`` is a finding record in which every change has ``n``, the number of its entry, and so has the finding
    if a change raised it; ``until`` is as far as time went on behind the log; ``version`` that of xmlcep."""

    finding: Record
    runs: tuple[Run, ...]
    checkpoint: Note
    rules: RulesDigest
    version: str
    until: str | None = None

    def to_record(self) -> Record:
        """The bundle as a JSON object."""
        return {
            _FORMAT: 1, "finding": self.finding,
            "entries": [
                {"n": run.n, "lines": run.lines, "path": b64encode(b"".join(run.path)).decode()} for run in self.runs
            ],
            "checkpoint": str(self.checkpoint), "rules": self.rules.rules, "version": self.version,
            **({"references": dict(self.rules.references)} if self.rules.references else {}),
            **({} if self.until is None else {"until": self.until}),
        }  # fmt: skip

    @classmethod
    def parse(cls, text: bytes) -> Bundle:
        """A bundle of its JSON text; raises `ProofError` for what is none."""
        try:
            record = STANDARD.loads(text)
            version, finding = record[_FORMAT], record["finding"]
            runs = tuple(map(_run, record["entries"]))
            references, until = record.get("references", {}), record.get("until")
            texts = [
                record["checkpoint"],
                record["rules"],
                record["version"],
                until or "",
                *references.values(),
            ]
            if not isinstance(finding, dict) or not all(isinstance(each, str) for each in texts):
                raise ValueError("a field of another type")
            if until is not None:
                microseconds(until)
            digest = RulesDigest(record["rules"], references)
            bundle = cls(finding, runs, _note(record["checkpoint"]), digest, record["version"], until)
        except ProofError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ProofError(
                f"not a bundle of a finding, as `xmlcep audit --proofs` writes them: {error!r:.80}"
            ) from error
        if version != 1:
            raise ProofError(f"a bundle of version {version!r:.20}: this release of xmlcep reads version 1")
        return bundle

    @cached_property
    def tree(self) -> Checkpoint:
        """The log's tree that the checkpoint is about."""
        return Checkpoint.parse(self.checkpoint.text)

    @cached_property
    def entries(self) -> dict[int, Record]:
        """The records of the entries by their numbers."""
        found: dict[int, Record] = {}
        for run in self.runs:
            for n, line in enumerate(run.lines, run.n):
                try:
                    record = STANDARD.loads(line.encode())
                except ValueError as error:
                    raise ProofError(f"entry {n} is not a record of a log: {error}") from error
                if not isinstance(record, dict) or record.get("n") != n:
                    raise ProofError(f"entry {n} is not a record that says so: {line:.80}")
                found[n] = record
        return found

    @property
    def is_whole(self) -> bool:
        """Whether its entries follow each other: then they are all there were between the first and the last."""
        return len(self.runs) == 1

    def check(self, seen: int | None = None) -> None:
        """Raises `ProofError` unless the entries are in the tree that the checkpoint is about, and the finding says of
        its changes what the entries say; ``seen``: when a witness saw the checkpoint, in seconds since 1970.

        Who signed the checkpoint `Checker` checks, that the rules raise the finding `Replay`.
        """
        tree = self.tree
        for run in self.runs:
            leaves = [leaf_hash(_entry(n, line)) for n, line in enumerate(run.lines, run.n)]
            check_inclusion(leaves, run.n - 1, tree.size, run.path, tree.root)
        for change in changes_of(self.finding):
            self._check_cited(change, _CITED)
        if self.finding.get("n") is not None:
            self._check_cited(self.finding, CAUSE)
        if seen is not None:
            self._check_times(seen)

    def _check_cited(self, cited: Mapping[str, Any], fields: Sequence[str]) -> None:
        n = cited.get("n")
        entry = self.entries.get(n) if type(n) is int else None
        if entry is None:
            raise ProofError(f"the finding cites entry {n!r:.20}, which is not in the bundle")
        if entry.get("doc") != self.finding.get("doc"):
            raise ProofError(
                f"the finding is of the document {self.finding.get('doc')!r}, entry {n} of {entry.get('doc')!r}"
            )
        for name in fields:
            if entry.get(name) != cited.get(name):
                raise ProofError(
                    f"the finding was altered: its change of entry {n} has {name} {cited.get(name)!r:.60}, the entry"
                    f" {entry.get(name)!r:.60}"
                )

    def _check_times(self, seen: int) -> None:
        """What a witness has seen was recorded before."""
        for n, entry in self.entries.items():
            try:
                later = microseconds(entry.get("at") or "") > (seen + 1) * 1_000_000
            except TimeError:
                continue
            if later:
                raise ProofError(
                    f"entry {n} says that it was recorded at {entry['at']}, and a witness had seen it by"
                    f" {timestamp(seen * 1_000_000)}: the clock of one of them was wrong"
                )

    def check_rules(self, rules: Rules) -> None:
        """Raises `ProofError` if it was not found under these rules."""
        given = RulesDigest.of(rules)
        if given.rules != self.rules.rules:
            raise ProofError("the finding was found under other rules than these: their digests differ")
        for name in sorted({*given.references, *self.rules.references}):
            if given.references.get(name) != self.rules.references.get(name):
                raise ProofError(f"the rules used another version of the reference document {name}")


def changes_of(finding: Mapping[str, Any]) -> Iterator[Record]:
    """The changes in a finding record, also those of composites in it; raises `ProofError` for no such record."""
    inner = finding.get("constituents")
    if not isinstance(inner, list) or not all(isinstance(each, dict) for each in inner):
        raise ProofError("the finding has no constituents: expected a list of objects")
    for each in inner:
        if "constituents" in each:
            yield from changes_of(each)
        else:
            yield each


def without_numbers(value: Any) -> Any:
    """A finding record as an audit writes it, without the numbers of entries."""
    if isinstance(value, dict):
        cited = "op" in value or "constituents" in value
        return {
            name: without_numbers(each) if name == "constituents" else each
            for name, each in value.items()
            if not (cited and name == "n")
        }
    return [without_numbers(each) for each in value] if isinstance(value, list) else value


def _entry(n: int, line: str) -> bytes:
    try:
        return entry_of(line.encode())
    except ValueError as error:
        raise ProofError(f"entry {n} was altered: {error}") from error


@lru_cache(16)
def _note(text: str) -> Note:
    """Most bundles of a file have the same."""
    return Note.parse(text.encode())


def _run(record: Any) -> Run:
    n, lines, path = record["n"], record["lines"], record["path"]
    if type(n) is not int or n < 1 or not lines or not all(isinstance(line, str) for line in lines):
        raise ValueError("entries without number or lines")
    try:
        hashes = b64decode(path, validate=True)
    except NoBase64 as error:
        raise ValueError("a path that is not Base64") from error
    if len(hashes) % HASH_LENGTH:
        raise ValueError("a path that is cut off")
    steps = range(0, len(hashes), HASH_LENGTH)
    return Run(n, tuple(lines), tuple(hashes[at : at + HASH_LENGTH] for at in steps))


def line_of(bundle: Bundle) -> bytes:
    """The bundle as a line of a file."""
    return FASTEST.dumps(bundle.to_record()) + b"\n"
