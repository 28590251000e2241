"""What to say of what is at a place: an event with its tree, or the clause of the semantics behind a word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..clauses import read_clauses
from ..rules import Rules
from ..rules.drawing import leaf_text, operator_traits, tree_traits
from ..rules.trees import EventTree, LeafNode, OperatorNode
from .names import Kind, place_at

CLAUSES = {
    "&": "Q1", "△": "Q1", ";": "Q1", "|": "H6", "▽": "H6", "x": "M1", "×": "M1", "any": "S1", "not": "A1", "all": "A6",
    "plus": "W7", "aperiodic": "W8", "aperiodic*": "W9", "periodic": "W10", "periodic*": "W10", "becomes": "B1",
    "opaque": "O1", "external": "L7", "ins": "E1", "upd": "E1", "del": "E1", "as": "V10",
    **dict.fromkeys(("before", "meets", "overlaps", "starts", "finishes", "equals", "during", "after", "met-by"), "R1"),
    **dict.fromkeys(("overlapped-by", "started-by", "finished-by", "contains", "par"), "R1"),
    "context": "Q1", "next": "S2", "end": "D1", "earliest": "D1", "non-local": "D2", "custom": "D3", "when": "D4",
    "if": "D4", "within": "W3", "gap": "W4", "strict": "S3", "slide": "S4", "by": "V3", "having": "V6", "let": "V1",
    "flat": "H2", "order": "E5", "detection": "E5", "path": "T2", "name": "G5", "severity": "Y10", "message": "Y10",
    "reference": "V8", "param": "V9", "rule": "L1", "mode": "L3", "priority": "L5", "coupling": "L4",
}  # fmt: skip
"""The clause that says most of a word or sign of the language."""
_WORD = re.compile(r"[\w.\-]+\*?|[&△;|▽×]")
_CODE = re.compile(r"[A-Z]\d{1,2}")


def hover(text: str, offset: int, rules: Rules | None) -> str | None:
    """Markdown about what is at an offset of a rules text; None if there is nothing to say.

    ``rules`` are what the text says, if that is right: of events their trees are shown.
    """
    place = place_at(text, offset)
    if place is not None and place.kind is Kind.EVENT:
        return _event(place.name, rules)
    if place is not None and place.kind is Kind.VARIABLE:
        return _variable(place.name, rules)
    line_start = text.rfind("\n", 0, offset) + 1
    for match in _WORD.finditer(text, line_start):
        if match.start() <= offset <= match.end():
            word = match.group()
            in_comment = "#" in text[line_start : match.start()]
            code = word if in_comment and _CODE.fullmatch(word) else CLAUSES.get(word)
            return clause(code)
        if match.start() > offset:
            return None
    return None


def clause(code: str | None) -> str | None:
    """What a clause says, as Markdown."""
    known = read_clauses().get(code or "")
    if known is None:
        return None
    head, _, rest = known.text.partition("\n")
    return f"**{head}**\n{rest}".rstrip()


def _variable(name: str, rules: Rules | None) -> str | None:
    for parameter in () if rules is None else rules.parameters:
        if parameter.name == name:
            return f"`${name}` is a parameter: `{parameter.value!r}` (V9)"
    if rules is not None and any(reference.name == name for reference in rules.references):
        return f"`${name}` is a reference document (V8)"
    return None


def _event(name: str, rules: Rules | None) -> str | None:
    trees = () if rules is None else rules.graph.trees
    tree = next((tree for tree in trees if tree.name == name), None)
    if tree is None or rules is None:
        return None
    definition = tree.definition
    drawn = "\n".join(
        [f"event {name}({tree.path})  {', '.join(tree_traits(tree))}", *_drawn(tree, tree.root, rules, "")]
    )
    description = f"{definition.description}\n\n" if definition.description else ""
    return f"{description}```text\n{drawn}\n```"


def _drawn(
    tree: EventTree, node: OperatorNode | LeafNode, rules: Rules, indent: str, word: str = ""
) -> Iterator[str]:
    """An operator or leaf, and what is below it, each in a line."""
    if isinstance(node, LeafNode):
        yield f"{indent}{word}{leaf_text(node, rules.namespaces)}"
        return
    program = rules.graph.programs[tree.index][node.index]
    traits = operator_traits(node, program, flat=tree.flat, namespaces=rules.namespaces)
    yield f"{indent}{word}{node.definition.drawn}  {', '.join(traits)}"
    for child in node.children:
        word = node.definition.word_before(child.child_index)
        yield from _drawn(tree, child, rules, f"{indent}    ", word)
