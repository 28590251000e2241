"""Rules about elements that stand in themselves, against a script that knows no engine: it compares each version with
the one before, element by element, and looks at what is the element's own."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

import xmlcep
from samples.histories.edits import Editor, Script
from samples.histories.recording import make_version
from samples.histories.versions import versions_of
from xmlcep.events import CompositeEvent
from xmlcep.rules import Rules, parse_rules
from xmlcep.wrapping import Document

RULES = Path(__file__).resolve().parents[2] / "samples" / "histories" / "rules"


class Own(NamedTuple):
    """What an element has of its own: attributes, and children, with the attributes and the first text of each."""

    name: str
    attributes: dict[str, str]
    children: dict[etree._Element, tuple[dict[str, str], str]]

    def called(self, name: str) -> set[etree._Element]:
        """The children of this name."""
        return {child for child in self.children if etree.QName(child).localname == name}


Version = dict[etree._Element, Own]
Judge = Callable[[Own, Own], bool]
"""Whether something is so of an element that was this and is that now; one that is new was nothing."""


def version(root: etree._Element) -> Version:
    """All elements there are, as they are now."""
    return {
        element: Own(
            etree.QName(element).localname,
            dict(element.attrib),
            {child: (dict(child.attrib), child.text or "") for child in element.iterchildren("*")},
        )
        for element in root.iter("*")
    }


def came_or_went(before: Own, now: Own, name: str) -> int:
    return len(before.called(name) ^ now.called(name))


def rewritten(before: Own, now: Own, name: str) -> bool:
    """Whether the text of a child of this name became another one."""
    both = before.called(name) & now.called(name)
    texts = ((before.children[child][1], now.children[child][1]) for child in both)
    return any(one and other and one != other for one, other in texts)


def changed(before: Own, now: Own, name: str, attribute: str) -> bool:
    """Whether the attribute of a child of this name became another one."""
    both = before.called(name) & now.called(name)
    values = ({own.children[child][0].get(attribute) for own in (before, now)} for child in both)
    return any(None not in each and len(each) > 1 for each in values)


JUDGES: dict[str, tuple[str, bool, Judge]] = {
    "SectionCame": ("section", True, lambda before, now: bool(now.called("title"))),
    "Retitled": ("section", False, lambda before, now: rewritten(before, now, "title")),
    "SectionReworked": ("section", False, lambda before, now: came_or_went(before, now, "para") >= 3),
    "Redelimited": (
        "group", False, lambda before, now: before.attributes.get("delimiter") != now.attributes.get("delimiter"),
    ),
    "FallbackChanged": ("choose", False, lambda before, now: came_or_went(before, now, "else") > 0),
    "Rezoomed": (
        "rule", False, lambda before, now: before.attributes.get("zoom-min") != now.attributes.get("zoom-min"),
    ),
    "Rewidened": ("rule", False, lambda before, now: changed(before, now, "line", "stroke-width")),
    "Submenu": ("MenuItem", False, lambda before, now: came_or_went(before, now, "MenuItem") >= 2),
    "Plain": ("MenuItem", True, lambda before, now: not now.called("MenuItem")),
}  # fmt: skip
"""By rule: the elements it is about, whether of new ones only, and what is so of those of them that it finds."""


def expected(rule: str, before: Version, now: Version) -> Iterator[etree._Element]:
    """The elements of which a rule should tell in a version: by what they were and are."""
    name, only_new, judge = JUDGES[rule]
    nothing = Own(name, {}, {})
    for element, own in now.items():
        if (
            own.name == name
            and not (only_new and element in before)
            and judge(before.get(element, nothing), own)
        ):
            yield element


def compare(
    document: Document, rules: Rules, names: set[str], versions: Iterator[Callable[[], object]]
) -> Counter[str]:
    """Makes versions, each in a transaction, and compares what is found in each with what should be; how many findings
    there were of each rule, and how many of them (``deep``) of elements that stand in one of their name."""
    counts: Counter[str] = Counter()
    before = version(document.root)
    raised: list[CompositeEvent] = []
    with document.watch(rules, on_event=raised.append):
        for make in versions:
            raised.clear()
            make()
            now = version(document.root)
            for rule in names:
                found = [document.element(event) for event in raised if event.name == rule]
                wanted = set(expected(rule, before, now))
                # What has gone is told of, too, if it was changed before it went.
                assert {element for element in found if element is not None} == wanted, rule
                assert len(found) - found.count(None) == len(wanted), rule
                counts[rule] += len(wanted)
                counts["deep"] += sum(
                    any(above.tag == element.tag for above in element.iterancestors()) for element in wanted
                )
            before = now
    return counts


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("spring-mvc-docbook", {"SectionCame", "Retitled", "SectionReworked"}),
        ("apa-csl", {"Redelimited", "FallbackChanged"}),
        ("mapsforge-motorider", {"Rezoomed", "Rewidened"}),
    ],
)
def test_real_versions(shared_data: Path, name: str, rules: set[str]) -> None:
    script = Script(shared_data / "logs", name)
    document = xmlcep.fromstring(versions_of(shared_data / "histories" / name)[1].text(), name=name)
    editor = Editor(document.root, script.namespaces)

    def versions() -> Iterator[Callable[[], object]]:
        for number, edits in script:
            yield lambda number=number, edits=edits: make_version(document, editor, number, edits)

    counts = compare(document, xmlcep.load_rules(RULES / f"{name}.xcep"), rules, versions())
    assert all(counts[rule] for rule in rules), counts
    assert counts["deep"] > 0, counts


MENUS = parse_rules(
    """
    event Submenu(MenuItem) {within="1 transaction", end=custom} =
        x[2,*] (ins(MenuItem/MenuItem) | del(MenuItem/MenuItem))
    event Plain(MenuItem) = (ins(MenuItem) ; not ins(MenuItem/MenuItem)) {end=custom}
    """
)


@pytest.mark.parametrize("seed", range(6))
def test_menus_in_menus(seed: int) -> None:
    """Random versions of menus, whose items come and go at any depth."""
    choose = random.Random(seed)
    document = xmlcep.fromstring("<Menu><MenuItem/></Menu>", name="menu")

    def edit() -> None:
        new: list[etree._Element] = []
        with document.transaction():
            gone = [each for each in document.root.iter("MenuItem") if choose.random() < 0.1]
            for item in gone:
                if item.getparent() is not None:
                    item.getparent().remove(item)
            for _ in range(choose.randint(1, 6)):
                places = [document.root, *document.root.iter("MenuItem"), *new, *new]
                new.append(etree.SubElement(choose.choice(places), "MenuItem"))

    counts = compare(document, MENUS, {"Submenu", "Plain"}, (edit for _ in range(25)))
    assert counts["Submenu"] and counts["Plain"] and counts["deep"] > 20, counts
