"""The plan of an audit in words."""

from __future__ import annotations

from ...events import PrimitiveType
from .partition_key import Pass


def describe_pass(each: Pass) -> str:
    """What a pass replays, by which key and why, and which records it needs."""
    lines = [f"pass {each.index + 1}: {', '.join(tree.name for tree in each.trees)}"]
    if each.by_value:
        key = "the value that joins, of all documents" if each.across else "the value of the node"
    else:
        key = "the document" if each.by_document else "outermost " + " or ".join(map(str, each.keys))
    lines.append(f"  key         {key}")
    lines += [f"  because     {reason}" for reason in each.reasons]
    lines.append(f"  fed by      {', '.join(_feeding(each))}")
    lines += [f"  needs       {need}" for need in needs(each)]
    lines.append(f"  drops       {_dropped(each)}")
    return "\n".join(lines)


def key_of(each: Pass) -> str:
    """The key of a pass in a few words."""
    if each.by_value:
        return "value"
    return "document" if each.by_document else " | ".join(map(str, each.keys))


def _feeding(each: Pass) -> list[str]:
    """The primitive event types that feed the trees."""
    types = [type_ for tree in each.trees for type_ in tree.seen().values()]
    return list(dict.fromkeys(str(type_) for type_ in types if isinstance(type_, PrimitiveType)))


def needs(each: Pass) -> list[str]:
    """What a pass needs beside the records that feed it."""
    created = [str(operator.path) for operator in each.operators if operator.definition.creates_empty]
    if not created:
        return []
    return [f"insertions and deletions of {', '.join(dict.fromkeys(created))}: a lower bound of 0 (M4, M5)"]


def _dropped(each: Pass) -> str:
    if each.by_document:
        return "nothing"
    return "records outside the key's node" if each.watches_groups else "records that no tree looks at"
