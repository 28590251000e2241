"""What a person should read beside the findings: what an audit did not look at, or took for something else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from path_types import PathType

from ..checking.left_out import Outside
from ..events import PrimitiveType
from ..log.reading import first_header
from ..log.segments import first_of
from ..rules import Rules
from ..rules.trees import LeafNode, OperatorNode
from ..suggestions import listed
from .document_summaries import DocumentSummaries
from .inputs import LogFile
from .plan import make_plan
from .request import Format, named_format

_MOST_NOTES = 5  # of one kind
_LARGE = 1_000_000  # records: where more cores would be worth something
_FORMATS = {"jsonl": "JSON Lines", "parquet": "Parquet"}


def changes_left_out(events: Iterator[Outside]) -> Iterator[str]:
    """What is said of events that leave changes out; of many the first."""
    yield from map(str, islice(events, _MOST_NOTES))
    left = list(events)
    if left:
        changes = sum(each.changes for each in left)
        yield f"… and {len(left):,} more events leave out {changes:,} changes that are in no group of theirs (H1)"


def apart(rules: Rules, homes: Mapping[tuple[str, PathType], Collection[str]], most: int) -> Iterator[str]:
    """What is said of events that nothing can raise because their operands occur in different documents; ``homes`` says
    in which documents there were records, if these are at most so many."""
    for tree in rules.graph.trees:
        leaves = {leaf: set[str]() for leaf in tree.leaves()}
        if (
            tree.across
            or tree.dependencies
            or not all(node.definition.takes_events for node in tree.operators)
        ):
            continue
        for leaf, docs in leaves.items():
            if isinstance(leaf.type, PrimitiveType):
                docs.update(doc for each, its in homes.items() if leaf.type.accepts(*each) for doc in its)
        docs = set().union(*leaves.values())
        if any(len(its) > most for its in leaves.values()) or not _may_raise(tree.root, leaves, docs):
            continue
        if not any(_may_raise(tree.root, leaves, {doc}) for doc in docs):
            said = ", ".join(
                f"{leaf.type} occurs in {listed([f'document {doc!r}' for doc in sorted(its)], _MOST_NOTES)} only"
                for leaf, its in leaves.items()
                if its
            )
            yield f"event {tree.name}: {said}: events of several documents are combined by {{across}} (V11)"


def _may_raise(node: OperatorNode, leaves: Mapping[LeafNode, set[str]], docs: set[str]) -> bool:
    """Whether an operator can raise anything where only what is in these documents happens."""
    return node.definition.may_raise(
        [
            _may_raise(child, leaves, docs)
            if isinstance(child, OperatorNode)
            else not docs.isdisjoint(leaves[child])
            for child in node.children
        ]
    )


def late_records(late: Mapping[tuple[str, int], int]) -> Iterator[str]:
    """What is said of records that came too late, by document and the time point that an earlier run has gone on to.

    One record at the end of a run whose time point is damaged and far too great is enough for all behind it.
    """
    for (doc, reached), count in islice(late.items(), _MOST_NOTES):
        records = "1 record" if count == 1 else f"{count:,} records"
        yield (
            f"document {doc!r}: {records} came too late: an earlier run had already read up to ts {reached:,}."
            " Findings that need them are missing: to include them, audit the whole log again, with a new state and a"
            " new file of findings"
        )
    if len(late) > _MOST_NOTES:
        yield f"… and {len(late) - _MOST_NOTES:,} more documents with records that came too late"


def one_large_key(documents: DocumentSummaries, rules: Rules) -> Iterator[str]:
    """What is said of a document that has most of a large log, where rules are replayed document by document."""
    doc, records = documents.largest
    if documents.records < _LARGE or 2 * records <= documents.records:
        return
    whole = [each for each in make_plan(rules).passes if each.by_document or any(map(_is_root, each.keys))]
    names = [tree.name for each in whole for tree in each.trees]
    if names:
        yield (
            f"document {doc!r} has {records / documents.records:.0%} of the records, and one core replays it for"
            f" {listed(names, _MOST_NOTES)}, whatever the engine: --explain shows why they are not divided further"
        )


def _is_root(key: PathType) -> bool:
    return key.absolute and len(key) == 1


def logs_of_one_name(files: Iterable[LogFile]) -> Iterator[str]:
    """Logs that begin with documents of one name, whose records look like those of one document."""
    logs: dict[str, dict[Path, str]] = {}
    for file in files:
        header = first_header(file.path)
        if header is not None:
            logs.setdefault(header.doc, {}).setdefault(first_of(Path(file.name))[0], file.name)
    for doc, named in logs.items():
        if len(named) > 1:
            first, second, *more = named.values()
            others = f" and {len(more):,} more" if more else ""
            yield (
                f"{first}, {second}{others} are logs of documents with the same name, {doc!r}: they were read as one"
                " document; if they are several, give each a name when it is wrapped (name=)"
            )


def left_out_entries(entries: list[str]) -> list[str]:
    """What is said of entries of folders that are no logs by their names."""
    if not entries:
        return []
    return [f"left out, because their names are not those of logs: {listed(entries, _MOST_NOTES)}"]


def misnamed_findings(out: Path | None, format: Format) -> list[str]:
    """What is said of a file of findings whose name says that it is of another format."""
    named = named_format(out)
    if named is None or named == format:
        return []
    return [
        f"{out} holds {_FORMATS[format]}, whatever its name says: format {named} writes {_FORMATS[named]}"
    ]
