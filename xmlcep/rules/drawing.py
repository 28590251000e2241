"""Event trees in words and as drawings, for `xmlcep check` and `Rules.mermaid`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..algebra import Order, Termination
from ..language import print_expression, print_path
from .event_graph import EventGraph
from .programs import OperatorProgram
from .trees import EventTree, LeafNode, OperatorNode


def constraints_of(node: OperatorNode, program: OperatorProgram) -> dict[str, Any]:
    """What there is to say of an operator besides its symbol, path type and context: by name, only what is given."""
    options = node.definition.options
    known = {
        "within": None if node.window is None else str(node.window),
        "gap": None if options.gap is None else str(options.gap),
        "strict": options.strict,
        "slide": options.slide,
        "joined_by": list(program.grouping.names),
        "let": {let.name: let.expression for let in options.let},
        "having": options.having,
        "end": None if node.termination is Termination.EARLIEST else node.termination.value,
        "when": None if node.condition is None else node.condition.text,
        "if": options.guard,
    }
    return {name: value for name, value in known.items() if value}


def operator_traits(
    node: OperatorNode, program: OperatorProgram, *, flat: bool, namespaces: Mapping[str, str]
) -> list[str]:
    """What there is to say of an operator besides its symbol: path type, context, constraints, conditions, label."""
    options = node.definition.options
    given = "given" if options.path is not None else "derived"
    grouped = ", not used to group: flat" if flat else ""
    traits = [
        f"path {print_path(node.path, namespaces)} ({given}{grouped})", f"context {node.context.value}"
    ]  # fmt: skip
    for name, value in constraints_of(node, program).items():
        match name:
            case "within":
                traits.append(f"within {value}" + ("" if options.within else " (of the operator above)"))
            case "strict" | "slide":
                traits.append(name)
            case "joined_by":
                traits.append(f"joined by {', '.join(f'${variable}' for variable in value)}")
            case "let":
                traits += [f"let {variable} = {expression}" for variable, expression in value.items()]
            case _:
                traits.append(f"{name} {value}")
    return traits if node.parent is None else [*traits, f"name {node.label}"]


def leaf_text(leaf: LeafNode, namespaces: Mapping[str, str]) -> str:
    """A leaf as in the event language."""
    return print_expression(leaf.leaf, namespaces)


def tree_traits(tree: EventTree) -> list[str]:
    """What holds for a tree as a whole: flat or hierarchical, and the order if it is not the usual."""
    traits = ["across" if tree.across else "flat" if tree.flat else "hierarchical"]
    if tree.order is not Order.INTERVAL:
        traits.append(f"order {tree.order.value}")
    if tree.definition.severity is not None:
        traits.append(tree.definition.severity.value)
    if tree.definition.message is not None:
        traits.append(f"message {tree.definition.message}")
    return traits


def draw_mermaid(graph: EventGraph, namespaces: Mapping[str, str]) -> str:
    """The trees as a Mermaid flow chart; dashed arrows lead to the leaves that take a tree's composites."""
    return "\n".join(mermaid_lines(graph, namespaces)) + "\n"


def mermaid_lines(graph: EventGraph, namespaces: Mapping[str, str]) -> list[str]:
    """The lines of such a chart, behind which more can be drawn."""
    lines = ["flowchart TD"]
    for tree, programs in zip(graph.trees, graph.programs, strict=True):
        lines.append(f'  subgraph T{tree.index}["{escaped(tree.name)}"]')
        lines += [f"    {line}" for line in _mermaid_tree(tree, programs, namespaces)]
        lines.append("  end")
    for tree in graph.trees:
        for operator, leaf in _leaves(tree):
            to = _leaf_id(tree, operator, leaf)
            lines += [f"  {root_id(used)} -.-> {to}" for used in graph.taken(tree, leaf)]
    return lines


def _mermaid_tree(
    tree: EventTree, programs: Sequence[OperatorProgram], namespaces: Mapping[str, str]
) -> Iterator[str]:
    for node, program in zip(tree.operators, programs, strict=True):
        traits = operator_traits(node, program, flat=tree.flat, namespaces=namespaces)
        words = "<br/>".join(map(escaped, (node.definition.drawn, *traits)))
        yield f'{_operator_id(tree, node)}(["{words}"])'
        for child in node.children:
            word = node.definition.word_before(child.child_index)
            line = f"-- {escaped(word)}---" if word else "---"
            if isinstance(child, OperatorNode):
                yield f"{_operator_id(tree, node)} {line} {_operator_id(tree, child)}"
            else:
                leaf = f'{_leaf_id(tree, node, child)}["{escaped(leaf_text(child, namespaces))}"]'
                yield f"{_operator_id(tree, node)} {line} {leaf}"


def _leaves(tree: EventTree) -> Iterator[tuple[OperatorNode, LeafNode]]:
    for operator in tree.operators:
        for leaf in operator.leaves():
            yield operator, leaf


def root_id(tree: EventTree) -> str:
    """What the root of a tree is called in such a chart."""
    return _operator_id(tree, tree.root)


def _operator_id(tree: EventTree, node: OperatorNode) -> str:
    return f"T{tree.index}O{node.index}"


def _leaf_id(tree: EventTree, operator: OperatorNode, leaf: LeafNode) -> str:
    return f"T{tree.index}O{operator.index}L{leaf.child_index}"


def escaped(text: str) -> str:
    """Text in a Mermaid label: its own signs as entity codes, which begin with #."""
    for sign, code in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("\n", " ")):
        text = text.replace(sign, code)
    return text
