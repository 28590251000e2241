"""The plan of an audit in words."""

from __future__ import annotations

from ...events import PrimitiveType
from .partition_key import Pass


def describe_pass(each: Pass) -> str:
    """What a pass replays, by which key and why, and which records it needs."""
    lines = [f"pass {each.index + 1}: {', '.join(tree.name for tree in each.trees)}"]
    if each.by_value:
        key = "the value of the node"
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
    found = []
    created = [str(operator.path) for operator in each.operators if operator.definition.creates_empty]
    if created:
        found.append(
            f"insertions and deletions of {', '.join(dict.fromkeys(created))}: a lower bound of 0 (M4, M5)"
        )
    if each.has_boundaries and not each.by_document:
        found.append("where the changes go elsewhere: boundary markers for non-local (D2)")
    if each.has_flushes:
        found.append("ends of transactions and of documents: flush markers (D3)")
    if each.asks_document:
        state = "the document" if each.by_document else "what is below the key"
        asked = "".join(f"; {question}" for question in _questions(each)) or "; filters"
        found.append(f"the state of {state}, from the snapshot and all records there (U2){asked}")
    if each.reads_clock:
        found.append("what the document's clock shows at each of these records (W1, W2)")
        if each.has_timers:
            found.append("when timers have fired: from what the document's clock shows at all records (W5)")
    elif each.measures:
        found.append("what the document's clock shows: all its records, and clock records (W1, W6)")
    return found


def _questions(each: Pass) -> list[str]:
    """The conditions and guards of a pass, as they are written."""
    found = []
    for node in each.operators:
        if node.condition is not None:
            found.append(f"when {node.condition.expression}")
        if node.definition.options.guard is not None:
            found.append(f"if {node.definition.options.guard}")
    return list(dict.fromkeys(found))


def _dropped(each: Pass) -> str:
    if each.asks_document or each.watches_groups or (each.measures and each.by_document):
        return "nothing" if each.by_document else "records outside the key's node"
    return "records that no tree looks at, before the shuffle"
