"""Findings marked on the document that they are about (rule Y6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from ..documents import Replica
from ..xml_parser import NOT_XML

NAMESPACE = "urn:xmlcep:findings"
_PREFIX = "f"
EVENTS, TIMES = f"{{{NAMESPACE}}}events", f"{{{NAMESPACE}}}at"


def mark_findings(
    replica: Replica, findings: Iterable[Mapping[str, Any]], *, doc: str, ts: int
) -> etree._Element | None:
    """A copy of the document's root with the elements of its findings up to time point ``ts`` marked.

    An element gets two attributes in a namespace of our own: the names of its events, and their time points. A text or
    an attribute is marked at its element. What is no longer there is named in a comment at the end of the nearest
    element above it that is. ``findings`` are finding records.
    """
    marked: dict[int, list[tuple[int, str]]] = defaultdict(list)
    gone: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for record in findings:
        if (record.get("doc") or "") != doc or record["ts"] > ts or record.get("operator") is not None:
            continue
        ids, name, at = list(record["ids"]), str(record["name"]), int(record["ts"])
        is_value = str(record.get("path") or "").rpartition("/")[2].startswith(("@", "text()"))
        about = ids[:-1] if is_value else ids
        living = next((node for node in reversed(about) if replica.element(node) is not None), None)
        if living is None:
            continue
        if living == about[-1]:
            marked[living].append((at, name))
        else:
            place = "/".join(f"#{node}" for node in about)
            gone[living].append((at, f"{name} at {at}: {place}, deleted"))
    root = replica.tree()
    if root is None or replica.root_id is None:
        return None
    if marked:
        _declare(root)
    shown = replica.element(replica.root_id)
    assert shown is not None
    copies: dict[Any, etree._Element] = dict(zip(shown.iter("*"), root.iter("*"), strict=True))
    for node, found in marked.items():
        element = copies[replica.element(node)]
        element.set(EVENTS, " ".join(dict.fromkeys(name for _, name in found)))
        element.set(TIMES, " ".join(str(at) for at, _ in found))
    for node, texts in gone.items():
        element = copies[replica.element(node)]
        for _, text in texts:
            element.append(etree.Comment(f" {_fit(text)} "))
    return root


def _declare(root: etree._Element) -> None:
    """Declares our namespace at the root element, before an attribute does it by a name that lxml counts up.

    All that the document declares stays: names in its texts and attributes may need what no element does.
    """
    declared = {prefix for element in root.iter("*") for prefix in element.nsmap if prefix is not None}
    etree.cleanup_namespaces(root, top_nsmap={_PREFIX: NAMESPACE}, keep_ns_prefixes=[*declared, _PREFIX])


def _fit(text: str) -> str:
    """A text as it can be in a comment."""
    return NOT_XML.sub("?", text).replace("--", "- -").removesuffix("-")
