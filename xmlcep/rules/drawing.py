"""Event trees in words and as drawings, for `xmlcep check` and `Rules.mermaid`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..algebra import Order, Termination
from ..language import print_expression, print_path
from .event_graph import EventGraph
from .programs import OperatorProgram
from .trees import EventTree, LeafNode, OperatorNode


def operator_traits(
    node: OperatorNode, program: OperatorProgram, *, flat: bool, namespaces: Mapping[str, str]
) -> list[str]:
    """What there is to say of an operator besides its symbol: path type, context, constraints, conditions, label."""
    options = node.definition.options
    given = "given" if node.definition.options.path is not None else "derived"
    traits = [f"path {print_path(node.path, namespaces)} ({given})", f"context {node.context.value}"]
    if flat:
        traits[0] = f"path {print_path(node.path, namespaces)} ({given}, not used to group: flat)"
    if node.window is not None:
        traits.append(f"within {node.window}" + ("" if options.within else " (of the operator above)"))
    if options.gap is not None:
        traits.append(f"gap {options.gap}")
    traits += [name for name, is_given in (("strict", options.strict), ("slide", options.slide)) if is_given]
    if program.grouping.names:
        traits.append(f"joined by {', '.join(f'${name}' for name in program.grouping.names)}")
    traits += [f"let {let.name} = {let.expression}" for let in options.let]
    if options.having is not None:
        traits.append(f"having {options.having}")
    if node.termination is not Termination.EARLIEST:
        traits.append(f"end {node.termination.value}")
    if node.condition is not None:
        traits.append(f"when {node.condition.text}")
    if options.guard is not None:
        traits.append(f"if {options.guard}")
    if node.parent is not None:
        traits.append(f"name {node.label}")
    return traits


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
