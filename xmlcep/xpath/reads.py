"""What an expression can read of a document (U2).

Whoever keeps a document in step for an expression needs nothing else of it, and whoever waits for the expression need
not ask while nothing of this changes. Worked out from the syntax tree, erring on the safe side: a node that is not
among what is read makes no difference; one that is may make one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from path_types import PathType, Step

from .checking import Focus, kind_of, outer_focus, selects_by_place
from .functions import FUNCTIONS, Parameter
from .kinds import NodeKind, Scope, VariableKind, Variables
from .locations import (
    ANYWHERE,
    DOWNWARD,
    ELEMENT,
    GAP,
    ROOT,
    TEXT,
    Item,
    Kind,
    Location,
    Locations,
    least_depth,
    matched,
    move,
    of_path,
    parents,
)
from .syntax import (
    BOOLEAN_OPERATORS,
    Axis,
    Call,
    Filter,
    NameTest,
    Negation,
    NodeTest,
    Operation,
    Path,
    Root,
    Syntax,
    Union,
    Variable,
)
from .syntax import Step as XPathStep

LANGUAGE = NameTest("http://www.w3.org/XML/1998/namespace", "lang")
"""``xml:lang``."""

_MOST = 40  # locations
_LARGEST = 1_000  # items of all locations together


NOWHERE: Locations = frozenset()
NO_PLACES: Mapping[str, Locations] = {}


class Reads:
    """What can change the value of an expression.

    Nodes are named by steps: for an expression that sees the subtree of its context node, from that node down to the
    node, ``()`` being the context node itself; for one that sees the document, from the root down (absolute paths).
    """

    __slots__ = ("_kept", "_ordered", "_scope", "_top", "_touching", "stays_inside")

    stays_inside: bool
    """Whether nothing outside the context node's subtree can make a difference."""

    def __init__(self, notes: _Notes, scope: Scope, *, stays_inside: bool) -> None:
        self._scope = scope
        self._touching = frozenset(notes.touching)
        # All that is read is at or below one node as far up as it goes: what is above has no order for it.
        below = [location for location in notes.ordered if least_depth(location) >= notes.top]
        self._ordered = frozenset((*one, ELEMENT) if one[-1:] == (GAP,) else one for one in below)
        children = {(*location, child) for location in self._ordered for child in (ELEMENT, TEXT)}
        self._kept = frozenset(notes.touching | notes.kept | children)
        self._top = notes.top
        self.stays_inside = stays_inside

    @classmethod
    def of(
        cls,
        syntax: Syntax,
        node: NodeKind,
        scope: Scope,
        variables: Variables,
        path: PathType | None = None,
        *,
        truth: bool = False,
    ) -> Reads:
        """What a checked expression reads; ``path`` is the path type of its context node, as far as it is known.

        ``truth``: when it is asked for nothing but its value as a boolean.
        """
        stays = stays_inside(syntax, node, variables)
        if node is NodeKind.NONE:
            return cls(_Notes(), scope, stays_inside=stays)
        reader = _Reader(variables)
        reader.read(syntax, _context(node, scope, path), outer_focus(node), truth=truth)
        return cls(reader.notes.limited(), scope, stays_inside=stays)

    def touched_by(self, steps: Sequence[Step]) -> bool:
        """Whether the value can be another after the insertion, change or deletion of a node there."""
        below = self._from_root(steps)
        return any(matched(location, below)[0] for location in self._touching)

    def keeps(self, steps: Sequence[Step]) -> bool:
        """Whether the value can be another in a document that lacks such nodes, with all below them.

        What stands on the way to the nodes that are read is kept, too, and all siblings where order matters.
        """
        below = self._from_root(steps)
        on_the_way = not steps or steps[-1].is_element
        for location in self._kept:
            there, passed = matched(location, below)
            if there or (on_the_way and passed >= self._top):
                return True
        return False

    def orders(self, steps: Sequence[Step]) -> bool:
        """Whether the order of the children of such an element can make a difference; if so, all are kept."""
        below = self._from_root(steps)
        return any(matched(location, below)[0] for location in self._ordered)

    def _from_root(self, steps: Sequence[Step]) -> Sequence[Step | None]:
        return (None, *steps) if self._scope is Scope.SUBTREE else steps


def _context(node: NodeKind, scope: Scope, path: PathType | None) -> Locations:
    """Where the context node is. In its subtree it is the top element, of any name."""
    if scope is Scope.SUBTREE:
        return frozenset({(ELEMENT,)})
    if path is not None:
        return frozenset({of_path(path)})
    last = {NodeKind.ELEMENT: (), NodeKind.TEXT: (TEXT,), NodeKind.ATTRIBUTE: (Item(Kind.ATTRIBUTE),)}[node]
    return frozenset({(GAP, ELEMENT, *last)})


class _Use(Enum):
    """What is asked of nodes."""

    EXISTENCE = "how many there are, what they are called"
    TEXT = "their string-values"


class _Notes:
    """What has been seen to be read so far.

    ``touching``: nodes whose changes matter; ``ordered``: elements the order of whose children matters (a gap at
    the end: any below); ``kept``: others that must be there; ``top``: how far up it goes, at most.
    """

    def __init__(self) -> None:
        self.touching: set[Location] = set()
        self.ordered: set[Location] = set()
        self.kept: set[Location] = set()
        self.top = 1_000_000

    def visit(self, locations: Locations) -> None:
        """A path leads there."""
        self.top = min([self.top, *map(least_depth, locations)])

    def use(self, locations: Locations, use: _Use, *, ordered: bool) -> None:
        """Nodes there make a difference; ``ordered``: which of them comes first, too."""
        for location in locations:
            self.touching.add(location)
            if location and location[-1].kind is Kind.TEXT:
                # What is between two text nodes keeps them two.
                above = location[:-1]
                self.ordered |= {above, above[:-1] if above[-1:] == (GAP,) else above}
                self.touching.add((*location[:-1], ELEMENT))
            elif use is _Use.TEXT and not (location and location[-1].kind is Kind.ATTRIBUTE):
                self.touching.add((*location, GAP, TEXT))
                self.ordered |= {location, (*location, GAP)}  # the texts in it are joined
            if ordered:
                self.ordered.update(location[:length] for length in range(len(location)))

    def limited(self) -> _Notes:
        """These, or that everything is read if they are too many."""
        locations = self.touching | self.ordered | self.kept
        if len(locations) > _MOST or sum(map(len, locations)) > _LARGEST:
            self.touching = set(ANYWHERE)
            self.ordered = {ROOT, (GAP,)}
            self.top = 0
        return self


class _Reader:
    """Walks an expression with the locations of its context node."""

    def __init__(self, variables: Variables, places: Mapping[str, Locations] = NO_PLACES) -> None:
        self.variables = variables
        self.places = places  # of variables that have nodes of the document
        self.notes = _Notes()
        self.leaves = False  # the subtree of the context node
        self.current, self.outer = NOWHERE, Focus.NODE  # the context node of the whole expression

    def read(self, syntax: Syntax, context: Locations, focus: Focus, *, truth: bool = False) -> None:
        """Notes what evaluating the expression reads, as a value (of nodes the first, as text), or its truth."""
        self.current, self.outer = context, focus
        # A text or attribute node is looked at by way of its parent.
        self.notes.visit(context if focus is Focus.NODE else frozenset(location[:-1] for location in context))
        self.notes.kept |= context
        self.notes.ordered |= {location[:-1] for location in context if location[-1:] == (TEXT,)}
        (self._truth if truth else self._first)(syntax, context, focus)

    def _first(self, syntax: Syntax, context: Locations, focus: Focus) -> None:
        self._read(syntax, context, focus, _Use.TEXT, ordered=not _is_single(syntax))

    def _truth(self, syntax: Syntax, context: Locations, focus: Focus) -> None:
        self._read(syntax, context, focus, _Use.EXISTENCE, ordered=False)

    def _read(self, syntax: Syntax, context: Locations, focus: Focus, use: _Use, *, ordered: bool) -> None:
        """``use`` and ``ordered`` say what is asked of nodes if it gives nodes."""
        match syntax:
            case Call():
                self._call(syntax, context, focus, ordered=ordered)
            case Operation():
                self._operation(syntax, context, focus)
            case Negation(operand):
                self._first(operand, context, focus)
            case Filter(operand, predicates) if self._kind(syntax, focus) is VariableKind.LIST:
                by_place = any(selects_by_place(predicate, self.variables) for predicate in predicates)
                self._read(operand, context, focus, _Use.TEXT, ordered=ordered or by_place)
            case Path() if syntax.is_context and focus is Focus.OWN:
                self.notes.use(context, _Use.TEXT, ordered=False)
            case Path() if syntax.is_context and focus is Focus.ITEM:
                pass
            case Path() | Filter() | Union():
                self.notes.use(self.locate(syntax, context, focus) or frozenset(), use, ordered=ordered)

    def _kind(self, syntax: Syntax, focus: Focus) -> VariableKind:
        return kind_of(syntax, focus, self.variables)

    def _operation(self, operation: Operation, context: Locations, focus: Focus) -> None:
        sign = operation.rest[0][0]
        operands = [operation.first, *(operand for _, operand in operation.rest)]
        if sign not in BOOLEAN_OPERATORS:
            for operand in operands:
                self._first(operand, context, focus)
            return
        compared = operands[:2] if sign not in ("or", "and") else []
        beside_boolean = VariableKind.BOOLEAN in [self._kind(operand, focus) for operand in compared]
        for operand in compared:
            use = _Use.EXISTENCE if beside_boolean else _Use.TEXT
            self._read(operand, context, focus, use, ordered=False)
        for operand in operands[len(compared) :]:
            self._truth(operand, context, focus)

    def _call(self, call: Call, context: Locations, focus: Focus, *, ordered: bool) -> None:
        if call.function == "lang":
            self._language(context)
        function = FUNCTIONS[call.function]
        for index, argument in enumerate(call.arguments):
            match function.parameter(index):
                case Parameter.STRING | Parameter.NUMBER:
                    self._first(argument, context, focus)
                case Parameter.BOOLEAN:
                    self._truth(argument, context, focus)
                case Parameter.NODES:
                    self._read(argument, context, focus, _Use.EXISTENCE, ordered=not _is_single(argument))
                case Parameter.LIST:
                    use = _Use.EXISTENCE if call.function == "count" else _Use.TEXT
                    self._read(argument, context, focus, use, ordered=ordered and function.result.is_list)

    def _language(self, context: Locations) -> None:
        self.leaves = True  # xml:lang of an ancestor holds here, too
        above = move(context, Axis.ANCESTOR_OR_SELF, NodeTest.NODE)
        self.notes.visit(above)
        self.notes.use(move(above, Axis.ATTRIBUTE, LANGUAGE), _Use.TEXT, ordered=False)

    def locate(self, syntax: Syntax, context: Locations, focus: Focus) -> Locations | None:
        """Where the nodes are that an expression gives; None if it gives none of the document: those of reference
        documents never change."""
        match syntax:
            case Variable(name):
                known = self.places.get(name)
                return ANYWHERE if known is None and self.variables[name].is_of_document else known
            case Union(operands):
                found = [self.locate(operand, context, focus) for operand in operands]
                return frozenset().union(*(locations for locations in found if locations is not None))
            case Filter(operand, predicates):
                locations = self.locate(operand, context, focus)
                if locations is not None:
                    self._predicates(predicates, locations)
                return locations
            case Path(start, steps):
                if start is Root.ROOT:
                    self.leaves = True
                    return self._walk(frozenset({ROOT}), steps)
                if start is Root.CURRENT:
                    self.leaves |= self.outer is Focus.OWN
                    return self._walk(self.current, steps, given=True)
                if start is None:
                    self.leaves |= focus is Focus.OWN and not syntax.is_context
                    return self._walk(context, steps, given=True)
                assert not isinstance(start, Root)
                locations = self.locate(start, context, focus)
                return None if locations is None else self._walk(locations, steps)
        return None

    def _walk(self, locations: Locations, steps: Sequence[XPathStep], *, given: bool = False) -> Locations:
        """Follows a path's steps; ``given``: from a node that is there in any case."""
        self.notes.visit(locations)
        before: XPathStep | None = None
        for index, step in enumerate(steps):
            axis = step.axis
            if index + 1 < len(steps) and _is_shorthand(step) and steps[index + 1].axis is Axis.CHILD:
                before = step
                continue
            if before is not None:  # .../descendant-or-self::node()/child::x
                axis, before = Axis.DESCENDANT, None
            self._note_leaving(axis, locations)
            sideways = axis not in DOWNWARD and axis not in _UPWARD
            if sideways:
                is_sibling = axis in (Axis.FOLLOWING_SIBLING, Axis.PRECEDING_SIBLING)
                self.notes.visit(parents(locations) if is_sibling else frozenset({ROOT}))
            if sideways or (axis in _UPWARD and not (given and index == 0)):
                # Whether nodes have a parent, say, depends on whether there are such nodes.
                self.notes.use(locations, _Use.EXISTENCE, ordered=sideways)
            locations = move(locations, axis, step.test)
            self.notes.visit(locations)
            if sideways:
                self.notes.use(locations, _Use.EXISTENCE, ordered=True)
            self._predicates(step.predicates, locations)
        return locations

    def _note_leaving(self, axis: Axis, locations: Locations) -> None:
        if axis in DOWNWARD:
            return
        one_up = axis in (Axis.PARENT, Axis.FOLLOWING_SIBLING, Axis.PRECEDING_SIBLING)
        if not one_up or any(least_depth(location) <= 1 for location in locations):
            self.leaves = True

    def _predicates(self, predicates: Sequence[Syntax], locations: Locations) -> None:
        for predicate in predicates:
            if selects_by_place(predicate, self.variables):
                self.notes.use(locations, _Use.EXISTENCE, ordered=True)
                self._first(predicate, locations, Focus.NODE)
            else:
                self._truth(predicate, locations, Focus.NODE)


_UPWARD = frozenset({Axis.PARENT, Axis.ANCESTOR, Axis.ANCESTOR_OR_SELF})


def _is_shorthand(step: XPathStep) -> bool:
    return step == XPathStep(Axis.DESCENDANT_OR_SELF, NodeTest.NODE)


def _is_single(syntax: Syntax) -> bool:
    """Whether it gives one node at most, as ``..`` and ``@id`` do."""
    return isinstance(syntax, Path) and syntax.start is None and all(map(_leads_to_one, syntax.steps))


def _leads_to_one(step: XPathStep) -> bool:
    if step.axis is Axis.ATTRIBUTE:
        return isinstance(step.test, NameTest) and None not in step.test
    return step.axis in (Axis.SELF, Axis.PARENT)


def locate(
    syntax: Syntax,
    node: NodeKind,
    variables: Variables,
    context: Locations,
    places: Mapping[str, Locations] = NO_PLACES,
) -> Locations | None:
    """Where the nodes are that a checked expression gives, if its context node is there; None if it gives none of the
    document. ``places`` says where those are that variables have."""
    reader = _Reader(variables, places)
    reader.current, reader.outer = context, outer_focus(node)
    return reader.locate(syntax, context, outer_focus(node))


def read_places(
    syntax: Syntax, node: NodeKind, variables: Variables, context: Locations, places: Mapping[str, Locations]
) -> Locations:
    """Where the nodes are whose changes can change the value of a checked expression; arguments as for `locate`."""
    if node is NodeKind.NONE:
        return frozenset()
    reader = _Reader(variables, places)
    reader.read(syntax, context, outer_focus(node))
    return frozenset(reader.notes.limited().touching)


def stays_inside(syntax: Syntax, node: NodeKind, variables: Variables) -> bool:
    """Whether nothing outside the context node's subtree can make a difference to a checked expression."""
    if node is NodeKind.NONE:
        return True
    reader = _Reader(variables)
    reader.read(syntax, frozenset({(ELEMENT,)}), outer_focus(node))
    return not reader.leaves
