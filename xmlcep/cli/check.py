"""``xmlcep check``: reads and checks rules, and shows what each event tree looks like."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from ..actions.description import describe_triggering, draw_mermaid
from ..actions.triggering import TriggeringGraph, triggering_graph
from ..auditing.cost import cost, is_state
from ..auditing.plan.description import describe_pass, key_of
from ..auditing.plan.partition_key import Pass, make_plan
from ..editing.problems import check_texts
from ..engine.replacement import said_of
from ..errors import RuleError, RuleProblem, XmlCepError
from ..rules import Rules
from ..rules.additions import Additions
from ..rules.comparison import Comparison, compare, tree_digests
from ..rules.drawing import leaf_text, operator_traits, tree_traits
from ..rules.files import rule_error
from ..rules.trees import EventTree, LeafNode, OperatorNode
from ..suggestions import did_you_mean_or_list
from ._arguments import FilePath, format_option, location_option
from ._check_json import report
from ._commands import command as command_of
from ._commands import refuse
from ._exchange_formats import sarif_of_problems, write_sarif_of
from ._output import data_output, inform, make_console, plain, put
from ._rules_input import load, read_texts, rules_argument, with_additions

WRONG = 2


@command_of(name="check")
@rules_argument
@click.option("--plan", "with_plan", is_flag=True, help="Also show the passes of an audit over a log.")
@click.option(
    "--mermaid", is_flag=True, help="Write a Mermaid flow chart of the trees and action rules instead."
)
@format_option("json: problems and trees as one object; sarif: the problems, for pull requests.", "sarif")
@click.option(
    "--schema",
    metavar="XSD",
    type=FilePath(),
    help="Also report what can never match in documents of this schema; rules can use its derived events.",
)
@click.option(
    "--strict", is_flag=True, help="Refuse action rules that may trigger each other without end (L9)."
)
@click.option(
    "--not-editing",
    metavar="NAME",
    multiple=True,
    help="This function, called by rules, does not edit the document (repeatable).",
)
@click.option(
    "--against", metavar="OLD", type=FilePath(),
    help="Also show what happens to the events of OLD, a rules file or a state of an audit or recording, if these rules"
    " replace it: which are kept, and how many partial matches are lost.",
)  # fmt: skip
@location_option
@with_additions
@click.option("-q", "--quiet", is_flag=True, help="Show only mistakes and warnings.")
def command(
    rules: tuple[str, ...], with_plan: bool, mermaid: bool, form: str, schema: str | None, strict: bool,
    not_editing: tuple[str, ...], against: str | None, locations: dict[str, str], additions: Additions,
    quiet: bool,
) -> int:  # fmt: skip
    """Check the files RULES and show their event trees: operators, path types, contexts, and the key by which an
    audit partitions the work; for action rules, which may trigger which.

    Several files are one set; - is standard input. All mistakes are reported together on standard error, with exit
    status 2. Warnings name definitions that are correct but can never match.
    """
    if schema is None:
        refuse(["locations"], "--location is for --schema: no schema is read")
    if form != "text":
        refuse(["with_plan", "mermaid"], f"--format {form} writes everything as one object")
    if mermaid:
        refuse(["with_plan", "quiet", "against"], "--mermaid writes a chart only")
    if form == "sarif":
        refuse(["against"], "--format sarif has problems only")
    texts = read_texts(rules)
    try:
        checked, warnings = check_texts(texts, additions, schema=schema, locations=locations)
    except RuleError as error:
        if form == "text":
            raise
        _write(form, list(texts), None, error.problems, ())
        return WRONG
    _require_called(checked, not_editing)
    graph = None if checked.triggers is None else triggering_graph(checked.triggers, not_editing=not_editing)
    replaced = None if against is None else Against.of(against, checked, additions)
    if form != "text":
        _write(form, list(texts), checked, (), warnings, graph, replaced)
    else:
        if warnings:
            said = [RuleProblem(f"warning: {each.message}", each.hint, each.at) for each in warnings]
            inform(str(rule_error(said, texts)))
        if mermaid:
            put(_mermaid(checked, graph), nl=False)
        elif not quiet:
            _show(checked, graph, ", ".join(texts), with_plan=with_plan)
        if replaced is not None:
            put(f"{replaced}" if quiet else f"\n{replaced}")
    if strict and graph is not None:
        _refuse_endless(", ".join(texts), graph)
    return 0


def _write(
    form: str, files: list[str], checked: Rules | None, errors: Sequence[RuleProblem],
    warnings: Sequence[RuleProblem], graph: TriggeringGraph | None = None, against: Against | None = None,
) -> None:  # fmt: skip
    """Everything as one object on standard output."""
    if form == "sarif":
        stream = data_output()
        write_sarif_of(stream, sarif_of_problems(errors, warnings, files))
        stream.flush()
    else:
        said = report(files, checked, errors, warnings, graph)
        if against is not None:
            said["against"] = against.to_record()
        put(json.dumps(said, indent=2, ensure_ascii=False))


def _require_called(checked: Rules, functions: tuple[str, ...]) -> None:
    """What is said of a function that no rule calls is about another one."""
    called = [] if checked.triggers is None else sorted(checked.triggers.functions)
    for name in functions:
        if name not in called:
            hint = did_you_mean_or_list(name, called) if called else "they call none"
            raise click.UsageError(f"--not-editing {name}: no rule calls a function {name!r}: {hint}")


def _mermaid(checked: Rules, graph: TriggeringGraph | None) -> str:
    if checked.triggers is None or graph is None:
        return checked.mermaid()
    return draw_mermaid(checked.triggers, graph, checked.namespaces)


def _show(checked: Rules, graph: TriggeringGraph | None, name: str, *, with_plan: bool) -> None:
    console = make_console()
    count = len(checked.graph.trees)
    _line(
        console,
        f"{name}: {count} event tree{'' if count == 1 else 's'}, in the order in which they are processed"
        f"{_and_rules(checked)}",
    )
    passes = make_plan(checked).passes
    for tree in checked.graph.trees:
        console.print()
        for line in tree.definition.description.splitlines():
            _line(console, f"# {line}")
        console.print(_drawn(tree, checked))
        _dependencies(console, tree, checked)
        _key(console, tree, next(each for each in passes if tree in each.trees), checked)
    if with_plan:
        for each in passes:
            console.print()
            _line(console, _shortened(describe_pass(each), checked))
    if checked.triggers is not None and graph is not None:
        console.print()
        for line in describe_triggering(checked.triggers, graph):
            _line(console, _shortened(line, checked))


def _refuse_endless(file: str, graph: TriggeringGraph) -> None:
    """L9: with ``--strict`` a cycle without a reason to end is wrong input."""
    if graph.endless:
        shown = "; ".join(map(str, graph.endless))
        raise XmlCepError(
            f"{file}: rules may trigger each other without end: {shown} (L9); give one of them a condition that its "
            "action makes false, or leave --strict out"
        )


def _and_rules(rules: Rules) -> str:
    count = len(rules.active_rules)
    return f"; {count} action rule{'' if count == 1 else 's'}" if count else ""


def _drawn(tree: EventTree, rules: Rules) -> Tree:
    """The tree as rich draws it, its root under the event's name."""
    title = Text.assemble((plain(tree.name), "bold green"), f"  {', '.join(tree_traits(tree))}")
    drawn = Tree(title, guide_style="dim")
    _add(drawn, tree.root, tree, rules, word="")
    return drawn


def _add(drawn: Tree, node: OperatorNode | LeafNode, tree: EventTree, rules: Rules, *, word: str) -> None:
    """Draws a node below another, and its children below it."""
    if isinstance(node, LeafNode):
        drawn.add(Text.assemble((word, "bold"), (plain(leaf_text(node, rules.namespaces)), "cyan")))
        return
    program = rules.graph.programs[tree.index][node.index]
    traits = operator_traits(node, program, flat=tree.flat, namespaces=rules.namespaces)
    branch = drawn.add(Text.assemble((word + node.definition.drawn, "bold"), f"  {plain(', '.join(traits))}"))
    for child in node.children:
        _add(branch, child, tree, rules, word=node.definition.word_before(child.child_index))


def _dependencies(console: Console, tree: EventTree, rules: Rules) -> None:
    """What variables the tree's composites have, what it is made of, and what is made of it."""
    trees = rules.graph.trees
    uses = [trees[index].name for index in tree.dependencies]
    used_by = [other.name for other in trees if tree.index in other.dependencies]
    variables = rules.graph.programs[tree.index][tree.root.index].variables
    if variables:
        shown = (f"${name}" + ("" if v.is_single else " (a list)") for name, v in variables.items())
        _line(console, f"binds        {', '.join(shown)}")
    if uses:
        _line(console, f"depends on   {', '.join(uses)}")
    if used_by:
        _line(console, f"used by      {', '.join(used_by)}")


def _key(console: Console, tree: EventTree, each: Pass, rules: Rules) -> None:
    """By what an audit divides the tree's work, and why."""
    _line(console, _shortened(f"partition by {key_of(each)}", rules))
    about = [reason for reason in each.reasons if tree.name in re.split(r"[\s,]+", reason)]
    for reason in about or each.reasons:
        _line(console, _shortened(f"because      {reason}", rules))


def _shortened(text: str, rules: Rules) -> str:
    """Text that has names in Clark notation in it, with the prefixes of the rules in their place."""
    for prefix, uri in rules.namespaces.items():
        clark = f"{{{uri}}}"
        pattern = re.escape(clark) if prefix else f"(?<!@){re.escape(clark)}"  # "" is none of attributes
        text = re.sub(pattern, f"{prefix}:" if prefix else "", text)
    return text


def _line(console: Console, text: str) -> None:
    console.print(plain(text), soft_wrap=True)


class Against(NamedTuple):
    """What becomes of the event trees of the rules that ``name`` has; ``lost``: how many partial matches of each that
    ends, empty where nobody knows."""

    name: str
    trees: Comparison
    lost: Mapping[str, int]

    @classmethod
    def of(cls, path: str, rules: Rules, additions: Additions) -> Against:
        """The comparison with a rules file, or with the state of an audit or a recording."""
        if is_state(path):
            return cls(path, *cost(path, rules))
        before = load([path], Additions(languages=additions.languages))
        return cls(path, compare(tree_digests(before), tree_digests(rules)), {})

    def __str__(self) -> str:
        said = said_of(self.trees, self.lost) or "no events"
        return "\n".join([f"against {self.name}:", *(f"  {line}" for line in said.splitlines())])

    def to_record(self) -> dict[str, Any]:
        """The same for scripts."""
        return {"name": self.name, **self.trees._asdict(), "lost": dict(self.lost)}
