"""Edit scripts of real documents: reading them and applying them through ordinary lxml calls."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree


class EditError(ValueError):
    """An edit that does not fit the document it is applied to."""


class Edit(NamedTuple):
    """One change of one node: ``path`` says where, as an XPath expression on the document as it is then.

    A path ends in ``/@name``, ``/text()`` (the characters before the first child node) or ``/tail()`` (those
    right after the node) for edits of such a kind; these two steps are lxml's text and tail.
    """

    version: int
    date: str
    op: str
    kind: str
    path: str
    value: str | None
    old: str | None
    pos: int | None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Edit:
        """The edit that a line of the script describes."""
        return cls(
            row["ver"], row["ts"], row["op"], row["kind"], row["path"],
            row["value"], row["old"], row.get("pos"),
        )  # fmt: skip


class Script:
    """The edits from the first version of a document to its last."""

    def __init__(self, logs: Path, name: str) -> None:
        self.name = name
        self._lines = logs / f"{name}.jsonl.gz"
        self._columns = logs / f"{name}.parquet"
        meta = json.loads((logs / f"{name}.meta.json").read_text(encoding="utf-8"))
        self.versions: int = meta["versions"]
        self.namespaces: dict[str, str] = meta["namespaces"]

    def __iter__(self) -> Iterator[tuple[int, list[Edit]]]:
        """The versions that differ from the one before, each with its edits in order."""
        edits = map(Edit.from_row, self._rows())
        for version, changes in groupby(edits, key=lambda edit: edit.version):
            yield version, list(changes)

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        if self._lines.exists():
            with gzip.open(self._lines, "rt", encoding="utf-8") as lines:
                yield from map(json.loads, lines)
            return
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(self._columns).iter_batches():
            yield from batch.to_pylist()


class Editor:
    """Applies edits to the tree below ``root`` with lxml's own calls; it need not know who watches."""

    def __init__(self, root: etree._Element, namespaces: Mapping[str, str]) -> None:
        self._tree = root.getroottree()
        self._namespaces = dict(namespaces)

    def apply(self, edit: Edit) -> None:
        """Makes one edit; raises `EditError` when the document is not as the edit says."""
        if edit.kind == "attr":
            self._attribute(edit)
        elif edit.kind == "text":
            node = self._node(edit.path.rpartition("/")[0], edit)
            self._expect(node.text, edit)
            node.text = edit.value
        elif edit.kind == "tail":
            node = self._node(edit.path.rpartition("/")[0], edit)
            self._expect(node.tail, edit)
            node.tail = edit.value
        elif edit.op == "ins":
            self._insert(edit)
        elif edit.op == "del":
            self._delete(edit)
        else:
            self._update(self._node(edit.path, edit), edit)

    def _update(self, node: etree._Element, edit: Edit) -> None:
        """Gives a comment its text, a processing instruction what stands behind its target."""
        target, text = _instruction(edit.value) if edit.kind == "pi" else (None, edit.value)
        if target is not None and target != getattr(node, "target", None):
            raise EditError(f"version {edit.version}: {edit.path} is no processing instruction for {target}")
        node.text = text

    def _attribute(self, edit: Edit) -> None:
        path, _, step = edit.path.rpartition("/@")
        node, name = self._node(path, edit), self._name(step)
        self._expect(node.get(name), edit)
        if edit.value is None:
            del node.attrib[name]
        else:
            node.set(name, edit.value)

    def _insert(self, edit: Edit) -> None:
        parent = self._node(edit.path.rpartition("/")[0], edit)
        position = len(parent) if edit.pos is None else edit.pos
        if position > len(parent):
            raise EditError(f"version {edit.version}: {edit.path} is to be child {position} of {len(parent)}")
        if edit.kind == "elem" and position == len(parent):
            etree.SubElement(parent, self._name(edit.value or ""))
        else:
            # insert() puts the node behind the text that precedes the child now at this position, which
            # is what the script means: the tail of the child before stays with that child.
            parent.insert(position, self._new(parent, edit))

    def _new(self, parent: etree._Element, edit: Edit) -> etree._Element:
        if edit.kind == "comment":
            return etree.Comment(edit.value)
        if edit.kind == "pi":
            return etree.ProcessingInstruction(*_instruction(edit.value))
        return parent.makeelement(self._name(edit.value or ""))

    def _delete(self, edit: Edit) -> None:
        node = self._node(edit.path, edit)
        parent = node.getparent()
        if parent is None or len(node) or node.tail:
            # remove() would take the tail along, silently; the script deletes bottom-up, tails first.
            raise EditError(f"version {edit.version}: {edit.path} still has children or a tail")
        parent.remove(node)

    def _node(self, path: str, edit: Edit) -> etree._Element:
        found = self._tree.xpath(path, namespaces=self._namespaces)
        if not isinstance(found, list) or len(found) != 1:
            raise EditError(f"version {edit.version}: nothing is at {path}")
        node = found[0]
        assert isinstance(node, etree._Element)
        return node

    def _name(self, name: str) -> str:
        prefix, colon, local = name.partition(":")
        return f"{{{self._namespaces[prefix]}}}{local}" if colon else name

    @staticmethod
    def _expect(present: str | None, edit: Edit) -> None:
        """What is there before is what the script says, None and '' both being no text."""
        if (present or None) != (edit.old or None):
            raise EditError(f"version {edit.version}: {edit.path} is {present!r}, not {edit.old!r}")


def _instruction(value: str | None) -> tuple[str, str | None]:
    """The target of a processing instruction and what stands behind it: the script has both in one."""
    target, _, text = (value or "").partition(" ")
    return target, text or None
