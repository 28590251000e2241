"""The event "an element has been inserted completely": ``ins(item) ; (all that its type demands)``.

One module because all that a type demands, its parts, alternatives and remarks, is found on one walk over its content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from path_types import PathType, Step
from path_types.relations import either_ends

from ..algebra import NO_OPTIONS, Conjunction, Expression, Multiplicity, Termination
from ..suggestions import listed
from . import building, demands
from .building import DerivedEvent
from .enough import MAX_TYPES, Enough, Variant, can_be_read, either, nil_test
from .model import (
    MOST_LISTED,
    Content,
    Declaration,
    ElementPart,
    GroupKind,
    Part,
    Schema,
    TextKind,
    WildcardPart,
    local,
    wildcards,
)
from .naming import XSI, Prefixes, element_path
from .places.paths import Places
from .waiting import counted_remark, unseen_parts

_PRESENT_ONLY = (
    "the condition asks only whether the parts are there: what is in them was complete when it came"
)
_NOTHING_REQUIRED = "nothing in it is required: it is complete as soon as it is inserted"
_TOO_LONG = "its condition would be longer than an expression may be: it has none, and can come early"


@dataclass(frozen=True, slots=True)
class Completion:
    """Derives completion events.

    ``names`` are those of the events by declaration and place. ``recursion`` has the pairs of parent and child where
    the child's completion event does not do, and whether the child may be needed (`find_recursion`). ``exists`` tells
    which paths there are: a declaration merged from several allows more than each of them. ``deletions``: what was
    deleted again does not count.
    """

    schema: Schema
    places: Places
    names: Mapping[tuple[int, PathType], str]
    recursion: Mapping[tuple[int, int], bool]
    prefixes: Prefixes
    enough: Enough
    end: Termination | None
    exists: Callable[[PathType], bool]
    deletions: bool

    def event(self, index: int, place: PathType) -> DerivedEvent:
        """The completion event of the elements of a declaration at one of its places."""
        return _Element(self, index, place).event()


def has_event(declaration: Declaration) -> bool:
    """Whether there is anything inside an element to wait for or to collect, beyond its insertion."""
    return any(not content.is_blank for content in declaration.contents()) or _needs_wildcard(declaration)


def _needs_wildcard(declaration: Declaration) -> bool:
    part = demands.simplified(declaration.content.model)
    return part is not None and part.lower > 0 and any(wildcards(part))


class _Element:
    """Works out one event, collecting comments on the way."""

    def __init__(self, derivation: Completion, index: int, place: PathType) -> None:
        self.all = derivation
        self.index = index
        self.declaration = derivation.schema.declarations[index]
        self.place = place
        self.comments: list[str] = []
        self.condition: str | None = None
        self.asked = False  # whether a condition alone tells which content it has, and that there is enough
        self.counted: dict[int, bool] = {}  # those that a condition counts, and whether it sees all

    def event(self) -> DerivedEvent:
        declaration = self.declaration
        name = self.all.names[self.index, self.place]
        body = self._body()
        operands = [building.inserted(self.place)] + ([body] if body is not None else [])
        if self.asked or (body is not None and self.all.deletions and self._waits()):
            # A condition for what no event tells asks for all of it.
            test = self.all.enough.present(self.index, at_any_length=self.condition is not None)
            self.condition = test.text or None
            if not test.exact:
                self.comments.append(_PRESENT_ONLY)
        if self.condition is not None and not can_be_read(self.condition, self.all.prefixes):
            self.condition = None
            self.comments.append(_TOO_LONG)
        definition = building.event(name, self.place, operands, end=self.all.end, when=self.condition)
        comments = [_heading(declaration), *self._remarks(), *dict.fromkeys(self.comments)]
        comments += self._recursive_remarks()
        return DerivedEvent(definition, tuple(comments))

    def _body(self) -> Expression | None:
        early = self.all.end in (None, Termination.EARLIEST)
        if early and self.all.enough.demands_nothing(self.index):
            # nothing can be in the event but the insertion: it is raised before anything else can come
            self.comments.append(_NOTHING_REQUIRED)
            return None
        own = None if self.declaration.abstract_type else self._own()
        if self.declaration.nillable:
            own = self._or_nil(own)
        demanding = self._demanding()
        if isinstance(own, Conjunction) and _may_be_left_out(own):
            # each of what it may contain is raised by itself: all that has come by the end is in it
            own = building.multiplicity(own, 0, None, self.place)
        if self.asked:
            return None if early else own
        if demanding:
            own = building.disjunction(self._branches(own, demanding), self.place)
        return own

    def _waits(self) -> bool:
        """Whether several things have to come, so that one can be deleted again before another is there."""
        if self.condition is not None:
            return True
        found = []
        others = (variant.content for variant in self.all.enough.variants(self.declaration))
        for content in (self.declaration.content, *others):
            attributes = sum(attribute.required for attribute in content.attributes)
            inside = demands.most_required(self.all.enough.model(content))
            found.append(attributes + inside + (content.text is TextKind.REQUIRED))
        return max(found) > 1 or len(set(found)) > 1 or self.declaration.abstract_type

    def _own(self) -> Expression | None:
        content = self.declaration.content
        operands = self._attributes(content)
        inside = self._inside(content)
        if inside is not None:
            operands.append(inside)
        return building.conjunction(_flat(operands), self.place)

    # attributes and text

    def _attributes(self, content: Content, *, required_only: bool = False) -> list[Expression]:
        found: list[Expression] = []
        for attribute in content.attributes:
            path = self.place.child(Step.attribute(attribute.name))
            if attribute.required:
                found.append(building.inserted(path))
            elif not required_only and self.all.exists(path):
                found.append(building.multiplicity(building.inserted(path), 0, 1, self.place))
        return found

    def _inside(self, content: Content, *, required_only: bool = False) -> Expression | None:
        if content.text is TextKind.REQUIRED and not self.declaration.has_default:
            return building.inserted(self.place.child(Step.text()))
        part = self.all.enough.model(content)
        if part is None or (required_only and part.lower == 0):
            return None
        unseen = unseen_parts(part, self.all.schema, self.all.enough, self._is_counted)
        self.comments += unseen.comments
        if unseen.condition is not None and not required_only:
            self.condition = unseen.condition
        if demands.is_entangled(unseen.part):
            bags = demands.least_bags(unseen.part)
            if bags is not None:
                return self._bags(bags)
            self.comments.append(
                "an element occurs in several required parts of the content: it counts for each of them, "
                "so that the event can come early"
            )
        return self._part(unseen.part, required_only)

    # content models

    def _part(
        self, part: Part | None, required_only: bool, *, rounds: bool = False, needed: bool = True
    ) -> Expression | None:
        """The expression for a part. In a group that is needed several times (``rounds``) no round may take more
        than it needs: what it integrates (M1) would be missing in the next. ``needed``: the groups around it are."""
        if part is None or isinstance(part, WildcardPart) or (required_only and part.lower == 0):
            return None
        upper = part.lower if rounds and part.lower else part.upper
        if isinstance(part, ElementPart):
            return self._elements(ElementPart(part.declarations, part.lower, upper), needed)
        needed_only = required_only and part.kind is GroupKind.ALL
        rounds = rounds or part.lower > 1
        needed = needed and part.lower > 0
        found = (self._part(each, needed_only, rounds=rounds, needed=needed) for each in part.parts)
        inner = [each for each in found if each is not None]
        if part.kind is GroupKind.CHOICE:
            joined = building.disjunction(inner, self.place)
            once = part.lower == part.upper == 1
        else:
            # of what may all be left out nothing would be raised (M5): whoever needs it opens it, or may leave it out
            once = demands.is_once(part) and (part.lower > 0 or all(map(_may_be_left_out, inner)))
            joined = building.conjunction(_flat(inner) if once else inner, self.place)
        return joined if joined is None or once else building.times(joined, part.lower, upper, self.place)

    def _elements(self, part: ElementPart, needed: bool = True) -> Expression | None:
        if needed and part.lower and any(map(self._is_counted, part.declarations)):
            return self._counted(part)
        members = [self._child(child) for child in self._existing(part)]
        joined = building.disjunction(members, self.place)
        if joined is None:
            if part.lower:
                self.comments.append(
                    "a required child is abstract and has no substitute: it is not waited for"
                )
            return None
        return building.times(joined, part.lower, part.upper, self.place)

    def _existing(self, part: ElementPart) -> list[int]:
        """The children that there can be."""
        declarations = self.all.schema.declarations
        paths = {child: element_path(self.place, declarations[child].name) for child in part.declarations}
        return [child for child, path in paths.items() if self.all.exists(path)]

    def _is_counted(self, child: int) -> bool:
        """Whether a condition has to tell if a required child is complete: none of its events does."""
        if self.all.enough.demands_nothing(child):
            return False
        return self.all.recursion.get((self.index, child), False) or not self._completions(child)

    def _completions(self, child: int) -> list[str]:
        """The completion events that the child can have here."""
        path = element_path(self.place, self.all.schema.declarations[child].name)
        places = [place for place in self.all.places[child] if either_ends(path, place)]
        return [name for place in places if (name := self.all.names.get((child, place))) is not None]

    def _counted(self, part: ElementPart) -> Expression | None:
        """Required children, some of which may be in themselves: there is enough in as many."""
        test = self.all.enough.children(part.declarations, part.lower)
        existing = self._existing(part)
        self.counted.update({child: test.exact for child in existing if self._is_counted(child)})
        paths = [element_path(self.place, self.all.schema.declarations[child].name) for child in existing]
        joined = building.disjunction([building.inserted(path) for path in paths], self.place)
        if joined is None:
            return None
        return building.multiplicity(joined, part.lower, part.upper, self.place, test.text)

    def _child(self, child: int) -> Expression:
        """The child's own completion event where it has one, else its insertion."""
        path = element_path(self.place, self.all.schema.declarations[child].name)
        if (self.index, child) in self.all.recursion:
            return building.inserted(path)
        raised = [building.raised(name, path) for name in self._completions(child)]
        return building.disjunction(raised, self.place) or building.inserted(path)

    def _bags(self, bags: list[demands.Bag]) -> Expression | None:
        """One of the least bags of children that make valid content."""
        self.comments.append(
            "an element occurs in several parts of the content: these are the smallest sufficient contents"
        )
        choices: list[Expression] = []
        for bag in bags:
            counted = [
                found
                for members, count in bag.items()
                if (found := self._elements(ElementPart(members, count, count)))
            ]
            joined = building.conjunction(counted, self.place)
            if joined is not None:
                choices.append(joined)
        return building.disjunction(choices, self.place)

    # xsi:nil and xsi:type

    def _or_nil(self, own: Expression | None) -> Expression | None:
        """A nilled element has its attributes only."""
        content = self.declaration.content
        if self._inside(content, required_only=True) is None:
            return own
        full = self._inside(content)
        assert full is not None
        self.comments.append("nillable: with xsi:nil it is complete without content")
        return building.conjunction([*self._attributes(content), self._unless_nil(full)], self.place)

    def _unless_nil(self, inside: Expression) -> Expression:
        """What is inside, or ``xsi:nil``."""
        nil = self.place.child(Step.attribute(f"{{{XSI}}}nil"))
        self.all.prefixes.use(nil)
        nilled = building.multiplicity(building.inserted(nil), 1, 1, self.place, nil_test(self.all.prefixes))
        joined = building.disjunction([inside, nilled], self.place)
        assert joined is not None
        return joined

    def _demanding(self) -> Mapping[Expression, list[Variant]]:
        """What ``xsi:type`` can make of the element where it is unlike the declared content, by what it demands."""
        declaration = self.declaration
        plain = self._skeleton(declaration.content)
        demanding: dict[Expression, list[Variant]] = {}
        same: list[str] = []
        for variant in self.all.enough.variants(declaration):
            skeleton = self._skeleton(variant.content)
            if skeleton == plain and not declaration.abstract_type:
                same.append(variant.type)
                continue
            demanding.setdefault(self._named(skeleton), []).append(variant)
        if same:
            self.comments.append(f"xsi:type {listed(same, MOST_LISTED)}: demands the same")
        if len(demanding) > MAX_TYPES:
            self.comments.append(
                f"{len(demanding)} kinds of content through xsi:type are more than {MAX_TYPES} (MAX_TYPES): "
                "they are taken for the declared type"
            )
            return {}
        if demanding and plain is None and not declaration.abstract_type:
            self.asked = True
            said = [variant.type for variants in demanding.values() for variant in variants]
            self.comments.append(
                f"xsi:type {listed(said, MOST_LISTED)}: only the condition says whether there is enough"
            )
        return demanding

    def _branches(
        self, own: Expression | None, demanding: Mapping[Expression, list[Variant]]
    ) -> list[Expression]:
        """The declared content, and a branch for every demand unlike it, each under its condition."""
        branches: list[Expression] = []
        for expression, variants in demanding.items():
            branches.append(building.when(expression, either(variants), self.place))
        if own is not None:
            others = " or ".join(either(variants) for variants in demanding.values())
            branches.insert(0, building.when(own, f"not({others})", self.place))
        return branches

    def _skeleton(self, content: Content) -> Expression | None:
        """What a content demands, without what it only allows."""
        operands = self._attributes(content, required_only=True)
        inside = self._inside(content, required_only=True)
        if inside is not None and self.declaration.nillable:
            inside = self._unless_nil(inside)
        return building.conjunction(_flat([*operands, *([] if inside is None else [inside])]), self.place)

    def _named(self, skeleton: Expression | None) -> Expression:
        path = self.place.child(Step.attribute(f"{{{XSI}}}type"))
        self.all.prefixes.use(path)
        operands = [building.inserted(path), *([] if skeleton is None else [skeleton])]
        joined = building.conjunction(_flat(operands), self.place)
        assert joined is not None
        return joined

    # comments

    def _remarks(self) -> list[str]:
        declaration, content = self.declaration, self.declaration.content
        found = [*declaration.notes, *content.notes]
        if content.mixed:
            found.append("mixed content: text between the children is not waited for")
        if declaration.has_default and content.text is TextKind.REQUIRED:
            found.append("it has a default or fixed value: text is not waited for")
        if content.any_attribute:
            found.append("other attributes are allowed: they are not waited for")
        if declaration.abstract_type and not declaration.derived:
            found.append("its type is abstract and nothing is derived from it: no element of it can be valid")
        return found

    def _recursive_remarks(self) -> Iterator[str]:
        """Which children of recursive elements do not count by their completion events."""
        for exact in (True, False):
            counted = [child for child, is_exact in self.counted.items() if is_exact is exact]
            if counted:
                yield counted_remark(self._listed(counted), exact=exact)

    def _listed(self, children: Iterable[int]) -> str:
        declarations = self.all.schema.declarations
        return listed(list(dict.fromkeys(local(declarations[child].name) for child in children)), MOST_LISTED)


def _may_be_left_out(operand: Expression) -> bool:
    """Whether an operand of a conjunction, or of one that is opened into it, is ``x[0,u]`` (M5)."""
    if isinstance(operand, Conjunction):
        return all(map(_may_be_left_out, operand.operands))
    return isinstance(operand, Multiplicity) and operand.lower == 0


def _flat(operands: list[Expression]) -> list[Expression]:
    """Conjunctions among the operands of a conjunction are opened: the group is the same element."""
    flat: list[Expression] = []
    for operand in operands:
        opened = isinstance(operand, Conjunction) and operand.options == NO_OPTIONS
        flat += operand.operands if isinstance(operand, Conjunction) and opened else [operand]
    return flat


def _heading(declaration: Declaration) -> str:
    of_type = f", of type {local(declaration.type_name)}" if declaration.type_name else ""
    said = f": {declaration.documentation}" if declaration.documentation else ""
    return f"{local(declaration.name)}{of_type}{said}"
