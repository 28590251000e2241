"""Edits through the calls of wrapped documents: observed ones, those of a callback, updates, moves between them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from lxml import etree

from tests.wrapping.unseen_edits import edit_unseen
from tests.wrapping.vocabulary import REFUSALS
from xmlcep import CascadeError
from xmlcep.errors import XmlCepError
from xmlcep.wrapping import CallbackError, TransactionError, fromstring
from xmlcep.wrapping.shadow.shadow import Tracked, tree_of

if TYPE_CHECKING:
    from tests.wrapping.mutator import Mutator

NESTED = {
    "in_callback",
    "in_callback_anything",
    "callback_fails",
    "one_edit",
    "update_to",
    "every",
    "observe",
    "observe_below",
    "observe_mixed",
}


class Undone(Exception):
    """Ends a transaction."""


class DocumentCalls:
    """What the edits of a mutator may be beside lxml's calls where its trees are those of wrapped ``documents``."""

    def __init__(self, edits: Mutator, documents: Sequence[Any]) -> None:
        self.edits = edits
        self.documents = documents
        self.calls: list[Callable[[], Any]] = [
            self.observe, self.observe_below, self.observe_mixed, self.one_edit, self.update_to, self.update_to,
            self.in_callback, self.in_callback_anything, self.callback_fails, self.from_document, self.to_document,
        ]  # fmt: skip

    def observe(self) -> None:
        with self.edits.document.observe():
            edit_unseen(self.edits, self.edits.root)

    def observe_below(self) -> None:
        element = self.edits.element()
        with self.edits.document.observe(element):
            edit_unseen(self.edits, element)

    def observe_mixed(self) -> None:
        """What is seen and what is not, of one document or several, each observed as a whole or in part."""
        random = self.edits.random
        chosen = random.sample(self.documents, random.randint(1, len(self.documents)))
        inner = [
            document.root if random.random() < 0.5 else random.choice([*document.root.iter(etree.Element)])
            for document in chosen
        ]
        try:
            with ExitStack() as stack:
                for document, element in zip(chosen, inner, strict=True):
                    stack.enter_context(document.observe(element))
                for _ in range(random.randint(1, 6)):
                    number = random.randrange(len(chosen))
                    if random.random() < 0.5:
                        self._one()
                    elif inner[number] in set(chosen[number].root.iter()):
                        edit_unseen(self.edits, inner[number])
        finally:
            self.edits.name = "observe_mixed"

    def one_edit(self) -> None:
        calls = [call for call in self.edits.calls if call not in (self.one_edit, self.update_to)]
        try:
            with self.edits.document.one_edit():
                for _ in range(self.edits.random.randint(1, 4)):
                    self.edits.random.choice(calls)()
        finally:
            self.edits.name = "one_edit"

    def update_to(self) -> None:
        """To what the tree is after some edits of a copy, to a part of a document, or to another document."""
        document = self.edits.document
        kind, keep = self.edits.random.random(), self.edits.random.random() < 0.5
        if kind < 0.15:
            new = self.edits.random.choice(self.documents)
        elif kind < 0.3:
            new = self.edits.incoming()
        else:
            new = self.edits.edited_copy()
        try:
            document.update_to(new, ignore_whitespace=not keep)
        except XmlCepError:
            raise
        except REFUSALS as error:
            raise AssertionError("update_to() refuses without saying why") from error

    def in_callback(self) -> None:
        """An edit, and others in a callback of it."""
        left = self.edits.random.randint(1, 2)

        def edit(_: Any) -> None:
            nonlocal left
            if left:
                left -= 1
                self._one()

        self._called_back(edit)

    def in_callback_anything(self) -> None:
        """An edit; in callbacks of it, and of what these do, whatever can be done to this document or another."""
        left = self.edits.random.randint(1, 4)

        wrong: list[AssertionError] = []  # which delivery would report as errors of a callback

        def react(_: Any) -> None:
            nonlocal left
            if left:
                left -= 1
                try:
                    with suppress(
                        CascadeError, TransactionError
                    ):  # of strict rules, of the transaction around it
                        self.edits.attempt(self._anything)
                except AssertionError as error:
                    wrong.append(error)

        with ExitStack() as stack:
            for document in self.documents:
                if not document.delivery.held:
                    stack.callback(document.subscribe(react))
            if not self.edits.document.in_transaction:
                self._one()
            left = 0
        for error in wrong:
            raise error

    def _anything(self) -> None:
        """Something that is done to a document, perhaps to another one than the last edit."""
        edits, random = self.edits, self.edits.random
        root, document = edits.root, random.choice(self.documents)
        kind = random.randrange(8)
        edits.root = document.root
        try:
            if kind < 2:
                self._one()
            elif kind == 2:
                with suppress(Undone), document.transaction(immediate=random.random() < 0.5, user="callback"):
                    self._one()
                    self._one()
                    if random.random() < 0.5:
                        raise Undone
            elif kind == 3:
                with document.one_edit():
                    self._one()
                    self._one()
            elif kind == 4:
                with document.observe():
                    edit_unseen(edits, edits.root)
            elif kind == 5:
                document.update_to(edits.edited_copy())
            elif kind == 6:
                assert document.verify() == [] and document.snapshot()
            else:
                gc.collect()
                with fromstring("<s>1<a>2</a>3</s>", name="made in a callback") as other:
                    other.root.append(edits.below())
                    self._append(other.root[random.randrange(2)])
        finally:
            edits.root = root

    def callback_fails(self) -> None:
        """An edit of which a callback raises an error: it stands, but for SubElement."""

        def fail(_: Any) -> None:
            raise OSError("a callback")

        with suppress(CallbackError):
            self._called_back(fail)

    def _called_back(self, callback: Callable[[Any], None]) -> None:
        if self.edits.document.in_transaction:
            return  # nobody can subscribe then
        unsubscribe = self.edits.document.subscribe(callback)
        try:
            self._one()
        finally:
            unsubscribe()

    def _one(self) -> None:
        name = self.edits.name
        try:
            self.edits.attempt(
                self.edits.random.choice([call for call in self.edits.calls if call.__name__ not in NESTED])
            )
        finally:
            self.edits.name = name

    def from_document(self) -> None:
        """A node comes from another wrapped document, which does not live long."""
        other = fromstring("<s l='1'>1<a>2<!--n--><b/>3</a>4<c/>5</s>", name="short")
        if self.edits.random.random() < 0.5:
            other.root[0].text = "edited"
        self._append(other.root[0])
        if self.edits.random.random() < 0.5:
            other.root.append(self.edits.incoming())
            self._append(other.root[-1])
        if self.edits.random.random() < 0.5:
            other.close()  # else it is dropped

    def _append(self, node: Any) -> None:
        """A node of another document comes here; through an older proxy it would be refused."""
        element = self.edits.element()
        if isinstance(element, Tracked) or tree_of(node) in (None, tree_of(element)):
            element.append(node)

    def to_document(self) -> None:
        """A node goes to another wrapped document, which does not live long, and perhaps comes back."""
        with fromstring("<s l='1'>1<a>2<!--n--><b/>3</a>4<c/>5</s>", name="short") as other:
            other.root[0].append(node := self.edits.below())
            if self.edits.random.random() < 0.5:
                other.close()
            if self.edits.random.random() < 0.5:
                node.text = "gone"
            if self.edits.random.random() < 0.5:
                self._append(other.root[0] if self.edits.random.random() < 0.5 else node)
            else:
                self.edits.detached = [*self.edits.detached[-5:], node]
