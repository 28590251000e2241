"""The versions of a document, one file each, and how two documents are compared."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from lxml import etree


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document: its number from 1 on, its commit and date, its file where that is kept."""

    number: int
    commit: str
    date: str
    file: Path

    def text(self) -> str:
        """The document as XML text, without a document type declaration.

        Entities that the document itself declares are expanded, nothing is fetched or opened.
        """
        parser = etree.XMLParser(resolve_entities="internal", no_network=True, load_dtd=False)
        root = etree.fromstring(self.file.read_bytes(), parser)
        return etree.tostring(root, with_tail=False, encoding="unicode")

    def parse(self) -> etree._Element:
        """The document's root element, of an ordinary tree."""
        return etree.fromstring(self.text())


def versions_of(directory: Path) -> dict[int, Version]:
    """The versions that ``index.csv`` in the directory lists, by number, as far as their files are there."""
    with (directory / "index.csv").open(encoding="utf-8", newline="") as lines:
        listed = [
            Version(int(row["n"]), row["commit"], row["date"], directory / row["file"])
            for row in csv.DictReader(lines)
        ]
    return {version.number: version for version in listed if version.file.exists()}


def canonical(root: etree._Element) -> str:
    """The canonical form of a document; prefixes count as what they stand for, comments are part of it."""
    text = etree.tostring(root, with_tail=False, encoding="unicode")
    return etree.canonicalize(text, with_comments=True, rewrite_prefixes=True)
