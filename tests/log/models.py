"""A random document that can be recorded, as a wrapped document is."""

from __future__ import annotations

from typing import Any

from tests.log.random_documents import RandomDocument
from xmlcep.events import PrimitiveEvent
from xmlcep.recording.recorder import Recording


class RecordedDocument:
    """Changes at random and tells its listeners, keeping to transactions as `xmlcep.wrapping.Document` does."""

    def __init__(self, seed: int, name: str = "d") -> None:
        self.model = RandomDocument(seed, name)
        self.model.events(10)
        while self.model.root is None:
            self.model.change()
        self.listeners: list[Recording] = []
        self.versions: dict[int, str | None] = {self.clock: self.model.xml()}
        self.history: list[PrimitiveEvent] = []

    @property
    def name(self) -> str:
        return self.model.doc

    @property
    def clock(self) -> int:
        return self.model.ts

    def snapshot(self) -> tuple[str, list[int]]:
        return self.model.snapshot()

    @property
    def in_transaction(self) -> bool:
        return False

    @property
    def delivery(self) -> Any:
        return self

    missed = 0
    has_open_block = False

    def resume(self, ids: list[int], *, clock: int, txn: int, next_id: int) -> None:
        raise AssertionError("the tests of recovery use wrapped documents")

    def attach(self, listener: Recording, *, ahead: bool) -> None:
        assert ahead
        self.listeners.append(listener)

    def detach(self, listener: Recording) -> None:
        self.listeners.remove(listener)

    def change(self) -> None:
        """A transaction, or single changes outside of one."""
        transactional = self.model.random.random() < 0.5
        changes = [e for _ in range(3) for e in self.model.change()]
        txn = self.clock if transactional else None
        for event in changes:
            self.history.append(event._replace(txn=txn, meta=event.meta if transactional else None))
            for listener in self.listeners:
                listener._on_change(self.history[-1])
        if txn is not None:
            for listener in self.listeners:
                listener._on_commit(txn)
        self.versions[self.clock] = None if self.model.root is None else self.model.xml()
