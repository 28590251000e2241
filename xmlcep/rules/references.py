"""Reference documents: what rules look things up in (rule V8).

Rules name them (``reference parts = "parts.xml"``); the documents themselves come from beside the rules file, or from
the caller. They are read once, with the safe parser, and go wherever the rules go.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeAlias

from lxml import etree

from path_types.names import is_ncname

from ..algebra import Reference
from ..errors import RuleProblem
from ..files import bytes_of, largest, too_large
from ..suggestions import did_you_mean
from ..xml_parser import parse_data
from ..xml_writer import xml_text
from ..xpath import Expression
from ..xpath.syntax import Axis, NameTest, Step
from .variables import BUILT_IN

KIND = "reference document"
"""Of which so many bytes are read (`xmlcep.files.LARGEST`): it is held as a tree by every process."""


@dataclass(frozen=True, slots=True)
class ReferenceDocument:
    """A reference document that has been read: ``data`` is its XML, ``digest`` that of it (SHA-256, hexadecimal).

    ``source`` is where it came from, for people. Two are equal if name and digest are.
    """

    name: str
    digest: str
    source: str = field(compare=False)
    data: bytes = field(compare=False, repr=False)
    root: etree._Element = field(compare=False, repr=False)

    @classmethod
    def of(cls, name: str, source: str, data: bytes) -> ReferenceDocument:
        """The document of some XML; raises `ValueError` for what the safe parser refuses, and beyond the limit."""
        if len(data) > largest(KIND):
            raise ValueError(too_large(KIND, source, len(data)).strerror)
        return cls(name, hashlib.sha256(data).hexdigest(), source, data, parse_data(data))

    @classmethod
    def absent(cls, name: str, digest: str) -> ReferenceDocument:
        """One of which only the digest is known: for rules that are looked at and not run."""
        return cls(name, digest, "", b"", etree.Element("absent"))

    def __reduce__(self) -> tuple[Any, ...]:
        # Elements cannot be copied to another process; the bytes say all there is to say.
        return ReferenceDocument.of, (self.name, self.source, self.data)


Source: TypeAlias = "str | os.PathLike[str] | bytes | etree._Element | etree._ElementTree | ReferenceDocument"
"""What a caller can give as a reference document: a file, its bytes, or a tree (which is copied)."""

Documents: TypeAlias = Mapping[str, ReferenceDocument]


@dataclass(frozen=True, slots=True)
class ReferenceSources:
    """Where the reference documents of some rules come from.

    ``given`` are the caller's, by name; a name that no statement declares is declared by that. The others lie
    beside the rules file that names them: ``beside`` is the file where positions name none, and without it no file
    is looked for, since rules that are mere text cannot ask for files.
    """

    given: Mapping[str, Source] = field(default_factory=dict)
    beside: str | None = None

    def declarations(self, declared: Sequence[Reference]) -> tuple[Reference, ...]:
        """Those declared and those that the caller adds."""
        known = {reference.name for reference in declared}
        added = (Reference(name, _shown(name, self.given[name])) for name in self.given if name not in known)
        return (*declared, *added)

    def read(
        self, declared: Sequence[Reference], problems: list[RuleProblem]
    ) -> dict[str, ReferenceDocument]:
        """The documents that can be had, by name; what is wrong with them is appended to ``problems``."""
        found: dict[str, ReferenceDocument] = {}
        for reference in self.declarations(declared):
            source = self._source(reference)
            if source is None:
                continue
            shown = replace(reference, file=_shown(reference.name, source))
            if reference.name not in self.given and not self._lies_beside(reference):
                problem = "does not lie beside the rules, and rules reach no other place"
                problems.append(_problem(reference, problem, _GIVE.format(reference.name)))
                continue
            try:
                found[reference.name] = _read(reference.name, source)
            except OSError as error:
                problem = f"cannot be read: {error.strerror or error}"
                problems.append(_problem(shown, problem, _GIVE.format(reference.name)))
            except ValueError as error:
                problems.append(_problem(shown, f"cannot be used: {error}", ""))
        return found

    def _source(self, reference: Reference) -> Source | None:
        """Where the document is to be read from; None if it is not."""
        if reference.name in self.given:
            return self.given[reference.name]
        if self.beside is None:
            return None
        return self._folder(reference) / reference.file

    def _folder(self, reference: Reference) -> Path:
        """Where the rules are that name a document."""
        return Path(reference.at.file or self.beside or "").parent

    def _lies_beside(self, reference: Reference) -> bool:
        """Whether the file is in the folder of the rules or below it, also where symbolic links lead."""
        folder = self._folder(reference)
        real = os.path.realpath(folder / reference.file)
        return _is_below(reference.file) and Path(real).is_relative_to(os.path.realpath(folder))

    def problems(
        self, declared: Sequence[Reference], expressions: Collection[Expression], *, all_read: bool
    ) -> Iterator[RuleProblem]:
        """What is wrong with the names, once expressions are known: ``all_read`` of them, or some could not be read."""
        names = [reference.name for reference in declared]
        for reference in self.declarations(declared):
            if reference.name in BUILT_IN or not is_ncname(reference.name):
                why = "is known of every event" if reference.name in BUILT_IN else "is not a name"
                yield RuleProblem(f"${reference.name} {why}", "choose another name (V8)", reference.at)
        used = {name for expression in expressions for name in expression.variables}
        for name in self.given if all_read else ():
            if name not in names and name not in used:
                yield RuleProblem(
                    f"the reference document {name!r} is given, but no rule asks it",
                    did_you_mean(name, names) or f"write ${name} in an expression, or leave it out (V8)",
                )


def _is_below(file: str) -> bool:
    """Whether this is the name of a file in the same folder or below it, on any system."""
    path = PureWindowsPath(file)
    return not (path.anchor or PurePosixPath(file).is_absolute() or ".." in path.parts or "://" in file)


def mismatches(
    declared: Sequence[Reference], documents: Documents, expressions: Collection[Expression]
) -> Iterator[RuleProblem]:
    """Paths that can find nothing, because they do not begin with the document element."""
    for reference in declared:
        if reference.name not in documents:
            continue
        top = etree.QName(documents[reference.name].root)
        names = {test for each in expressions for test in each.top_elements(reference.name)}
        for uri, local in sorted(names, key=str):
            if (uri is None or uri == (top.namespace or "")) and local in (None, top.localname):
                continue
            wanted = f"{{{uri}}}{local}" if uri else str(local)
            yield _problem(
                reference,
                f"has the document element {top.text}, so that ${reference.name}/{wanted} finds nothing",
                f"${reference.name} is the root node, above that: write ${reference.name}/{top.localname}/…",
            )


def empty_lookups(
    declared: Sequence[Reference], documents: Documents, expressions: Collection[Expression]
) -> Iterator[RuleProblem]:
    """Paths that find nothing in a document as it is now, whatever is in their brackets."""
    for reference in declared:
        if reference.name in documents:
            root = documents[reference.name].root
            lookups = {steps: None for each in expressions for steps in each.lookups(reference.name)}
            for where, hint in dict.fromkeys(filter(None, (_empty(steps, root) for steps in lookups))):
                yield _problem(reference, f"has nothing at ${reference.name}{where}, as it is now", hint)


def _empty(steps: Sequence[Step], root: etree._Element) -> tuple[str, str] | None:
    """A path down as far as it leads, and the step that leads nowhere; what that may mean. None: it finds something."""
    path, shown = "", ""
    for step in steps:
        if step.axis not in _DOWN:
            return None
        names = f"{path}/{step.axis.value}::*"
        if isinstance(step.test, NameTest):
            local, uri = step.test.local, step.test.uri
            path = names + (f"[local-name() = '{local}']" if local else "")
            path += "" if uri is None else f"[namespace-uri() = '{uri}']"
            shown += f"/{'@' if step.axis is Axis.ATTRIBUTE else ''}{local or '*'}"
        else:
            path += f"/{step.axis.value}::{step.test.value}"
            shown += "/" if step.axis is Axis.DESCENDANT_OR_SELF else f"/{step.test.value}"
        if not root.xpath(f"boolean({path})"):
            local = step.test.local if isinstance(step.test, NameTest) else None
            there = {_local_name(node) for node in root.xpath(names)}
            if local is None:
                return shown, ""
            return shown, f"{local} is there, in another namespace" if local in there else did_you_mean(
                local, there
            )
    return None


def _local_name(node: Any) -> str:
    """Of an element, or of an attribute as lxml's XPath gives it."""
    return etree.QName(getattr(node, "tag", None) or node.attrname).localname


_DOWN = (Axis.CHILD, Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF, Axis.ATTRIBUTE)


_GIVE = "put it beside the rules file, or give it: --reference {0}=FILE, or load_rules(…, references={{{0!r}: …}})"


def missing(reference: Reference) -> RuleProblem:
    """What to say where rules are run without a document that they ask."""
    return _problem(
        reference, "is not there", f"give it: parse_rules(…, references={{{reference.name!r}: …}})"
    )


def _problem(reference: Reference, problem: str, hint: str) -> RuleProblem:
    message = f"the reference document {reference.name!r} ({reference.file}) {problem}"
    return RuleProblem(message, hint and f"{hint} (V8)", reference.at)


def _read(name: str, source: Source) -> ReferenceDocument:
    """Raises `OSError`, or `ValueError` for what is not a document."""
    if isinstance(source, ReferenceDocument):
        return source
    if isinstance(source, bytes):
        return ReferenceDocument.of(name, _shown(name, source), source)
    if isinstance(source, (etree._Element, etree._ElementTree)):
        root = source.getroot() if isinstance(source, etree._ElementTree) else source
        data = xml_text(root).encode("ascii", "xmlcharrefreplace")
        return ReferenceDocument.of(name, _shown(name, source), data)
    if not isinstance(source, (str, os.PathLike)):
        raise ValueError(f"{source!r} is not a reference document: give a file, its bytes, or a tree")
    return ReferenceDocument.of(name, os.fspath(source), bytes_of(source, KIND))


def _shown(name: str, source: Source) -> str:
    """Where a document came from, for people."""
    if isinstance(source, ReferenceDocument):
        return source.source
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else f"{name}.xml"
