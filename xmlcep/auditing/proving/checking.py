"""Bundles checked: signed, in the tree, raised by the rules; and none of them against another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from ...log.json_codec import FASTEST
from ...proofs.checkpoint import Checkpoint
from ...proofs.errors import ProofError
from ...proofs.notes import Note, PublicKey
from ...rules import Rules
from .bundle import Bundle
from .replay import Replay


class Checker:
    """Checks bundles one after the other.

    Each of the ``keys`` must have signed; ``kept`` are checkpoints that were kept elsewhere, of which theirs must be
    one; with ``rules`` the entries are replayed.
    """

    def __init__(
        self, keys: Sequence[PublicKey], kept: Iterable[Note] = (), rules: Rules | None = None
    ) -> None:
        self._keys = keys
        self._kept = [Checkpoint.parse(note.text) for note in kept]
        self._replay = None if rules is None else Replay(rules)
        self._signed: dict[Note, int | None] = {}  # when a witness saw them
        self._roots: dict[tuple[str, int], bytes] = {}
        self._known: set[bytes] = set()

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """The checkpoints that the bundles had."""
        return [Checkpoint(origin, size, root) for (origin, size), root in self._roots.items()]

    def check(self, bundle: Bundle) -> None:
        """Raises `ProofError`, which says what is wrong with a bundle."""
        seen = self._check_checkpoint(bundle.checkpoint, bundle.tree)
        bundle.check(seen)
        if self._replay is not None:
            self._replay.check(bundle)
        known = sha256(FASTEST.canonical([bundle.tree.origin, bundle.finding])).digest()
        if known in self._known:
            raise ProofError("replayed: the same finding was given before, and counts once")
        self._known.add(known)

    def _check_checkpoint(self, note: Note, tree: Checkpoint) -> int | None:
        if note not in self._signed:
            seen = [at for key in self._keys if (at := key.check(note)) is not None]
            self._check_kept(tree)
            self._signed[note] = min(seen, default=None)
        if self._roots.setdefault((tree.origin, tree.size), tree.root) != tree.root:
            raise _forked(tree)
        return self._signed[note]

    def _check_kept(self, tree: Checkpoint) -> None:
        if not self._kept or tree in self._kept:
            return
        same = [each for each in self._kept if each.origin == tree.origin]
        if not same:
            raise ProofError(
                f"is of another log, {tree.origin}; the checkpoint that was kept is of {self._kept[0].origin}"
            )
        if any(each.size == tree.size for each in same):
            raise _forked(tree)
        raise ProofError(
            f"its checkpoint is of {tree.size} entries, and none of this size was kept: compare them by `xmlcep verify"
            " LOG --checkpoint FILE`"
        )


def _forked(tree: Checkpoint) -> ProofError:
    return ProofError(f"{tree.origin}: forked: there are two trees of {tree.size} entries")


def check_lines(lines: Iterable[bytes], checker: Checker) -> Iterator[ProofError | None]:
    """What is wrong with each bundle of a file, None if nothing is."""
    for line in lines:
        if not line.strip():
            continue
        try:
            checker.check(Bundle.parse(line))
        except ProofError as error:
            yield error
        else:
            yield None
