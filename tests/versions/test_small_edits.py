"""A few edits of a larger document: the log of the two versions has what was edited, and little more.

The edits are made twice: in a wrapped document that is recorded, and in a copy that becomes the second version. Where
each edit is of a part of its own the two logs say the same, and rules that do not ask for the order find the same.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.matching.trees import canonical
from xmlcep.log import Header, read_log
from xmlcep.versions.files import FileVersions
from xmlcep.versions.history import write_history

RULES = """
event Text = upd(para/text())
event Noted {context=unrestricted} = *(entry/@state) & *(entry/para/text())
event Came(/book) {end=custom} = x[1,*] ins(chapter/entry)
event Went(/book) {end=custom} = x[1,*] del(chapter/entry)
event Both(/book) {context=cumulative, end=custom}
    = x[1,*]{path=/book} ins(note) & x[1,*]{path=/book} upd(para/text())
event Words(chapter) {end=custom, having="count($t) > 1"} = x[1,*] *(chapter/entry/para/text()) as $t
"""

WORDS = (
    "rain",
    "stone",
    "river",
    "glass",
    "winter",
    "corn",
    "bridge",
    "lamp",
    "ship",
    "wool",
    "ember",
    "salt",
)
LOOSE = ("rename", "wrap", "reverse", "down", "gather", "gather")
Edit = Callable[[Any], None]
"""What is done to the root of a document."""


class Script:
    """A document and edits of it: each is of an entry that no other edit is of.

    ``cost``: as many records as there are nodes that come, go or change. ``strict``: there is one way only to say it.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.named = random.random() < 0.5
        self.count = 0
        self.root = etree.Element("book")
        for number in range(random.randint(2, 5)):
            chapter = etree.SubElement(self.root, "chapter", title=f"{number}")
            for _ in range(random.randint(5, 20)):
                chapter.append(self._entry())
        self.edits: list[tuple[str, Edit]] = []
        self.cost = 0
        self.strict = True
        entries = list(self.root.iter("entry"))
        for entry in random.sample(entries, random.choice((0, 1, 1, 2, 3, 5))):
            self._edit(entry)

    def _words(self, count: int) -> str:
        self.count += 1
        return " ".join([*(self.random.choice(WORDS) for _ in range(count)), str(self.count)])

    def _entry(self) -> Any:
        entry = etree.Element("entry", state=self.random.choice(("open", "done")))
        if self.named:
            self.count += 1
            entry.set("id", f"e{self.count}")
        for _ in range(self.random.randint(1, 3)):
            etree.SubElement(entry, "para").text = self._words(self.random.randint(4, 12))
        if self.random.random() < 0.3:
            etree.SubElement(entry, "note").text = self._words(2)
        return entry

    def _edit(self, entry: Any) -> None:
        kind = self.random.choice(
            ("text", "state", "unstate", "add", "entry", "delete", "note", "move", *LOOSE)
        )
        self.strict = self.strict and kind not in LOOSE
        at = self.root.getroottree().getpath(entry).removeprefix("/book/")
        size = _size(entry)
        if kind == "text":
            words = entry[0].text.split()
            words[self.random.randrange(len(words) - 1)] = "changed"
            self._do(kind, 1, at + "/para[1]", lambda node: setattr(node, "text", " ".join(words)))
        elif kind == "state":
            self._do(kind, 1, at, lambda node: node.set("state", "late"))
        elif kind == "unstate":
            self._do(kind, 1, at, lambda node: node.attrib.pop("state"))
        elif kind == "add":
            text = self._words(3)
            self._do(kind, 2, at, lambda node: setattr(etree.SubElement(node, "seen"), "text", text))
        elif kind == "note":
            text, parts = self._words(3), [etree.Element("note")]
            parts[0].text = text
            self._do(kind, 2, at, lambda node: node.insert(0, deepcopy(parts[0])))
        elif kind == "entry":
            new = self._entry()
            self._do(kind, _size(new), at, lambda node: node.addnext(deepcopy(new)))
        elif kind == "delete":
            self._do(kind, size, at, lambda node: node.getparent().remove(node))
        elif kind == "rename":
            self._do(kind, 2 * size, at, lambda node: setattr(node, "tag", "item"))
        elif kind == "wrap":
            self._do(kind, 2 * size + 1, at, _wrap)
        elif kind == "reverse":
            self._do(kind, 2 * size, at, lambda node: node.__setitem__(slice(None), list(node)[::-1]))
        elif kind == "gather":
            before = entry.getprevious()
            self._do(kind, 2 * size + 2 + (0 if before is None else 2 * _size(before)), at, _gather)
        elif kind == "down":
            self._do(kind, 2 * size, at, _down)
        else:
            chapter = self.random.randint(1, len(self.root))
            if self.root[chapter - 1] is entry.getparent():
                self.strict = False  # it may as well be those behind it that moved
            self._do(kind, 2 * size, at, lambda node: _chapters(node)[chapter - 1].append(node))

    def _do(self, kind: str, cost: int, at: str, done: Edit) -> None:
        self.cost += cost
        self.edits.append((at, done))

    def play(self, root: Any) -> None:
        """All edits, each of the element that stood there before the first."""
        for node, done in [(root.find(at), done) for at, done in self.edits]:
            done(node)


def _chapters(node: Any) -> Any:
    """What all chapters are in, however deep the node was put before."""
    return node.getroottree().getroot()


def _wrap(node: Any) -> None:
    group = etree.Element("group")
    node.addprevious(group)
    group.append(node)


def _gather(node: Any) -> None:
    """Into something new, and into it something new with what stood before it."""
    before = node.getprevious()
    _wrap(node)
    part = etree.SubElement(node, "part")
    if before is not None:
        part.append(before)


def _size(element: Any) -> int:
    """As many records as its insertion has."""
    return sum(1 + len(node.attrib) + bool(node.text) for node in element.iter())


def _down(node: Any) -> None:
    if (behind := node.getnext()) is not None:
        behind.addnext(node)


def judge(seed: int) -> None:
    random = Random(seed)
    script = Script(random)
    old = etree.tostring(script.root)
    new = etree.fromstring(old)
    script.play(new)
    if random.random() < 0.5:
        etree.indent(new)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "v-1.xml").write_bytes(old)
        (folder / "v-2.xml").write_bytes(etree.tostring(new, encoding=random.choice(("utf-8", "utf-16"))))
        log, live = folder / "versions.jsonl", folder / "live.jsonl"
        write_history(FileVersions([folder]), log, name="d")
        document = xmlcep.fromstring(old, name="d")
        with document, xmlcep.record(document, live), document.transaction():
            script.play(document.root)
        told, recorded = _records(log), _records(live)
        assert len(told) <= (script.cost if script.strict else 2 * script.cost)
        assert canonical(xmlcep.rebuild(log)) == canonical(xmlcep.rebuild(live))
        if len(told) < len(recorded) or not script.strict:
            return  # as of an entry that was moved to where it stood
        assert Counter(told) == Counter(recorded)
        rules = xmlcep.parse_rules(RULES)
        assert _found(log, rules) == _found(live, rules)


def _records(log: Path) -> list[tuple[object, ...]]:
    """What is in a log, without what is said of each node by its number."""
    items = [item.to_record() for item in read_log(log) if not isinstance(item, Header)]
    return [(item["op"], item["path"], item["value"], item["old"]) for item in items]


def _found(log: Path, rules: xmlcep.Rules) -> Counter[tuple[object, ...]]:
    """The findings, in whatever order things came: of what each is made, not when."""
    return Counter(
        (found["name"], found["path"], tuple(sorted(map(str, _made_of(found["constituents"])))))
        for found in xmlcep.audit(str(log), rules, engine="local").records()
    )


def _made_of(parts: Any) -> Any:
    for part in parts:
        if "constituents" in part:
            yield from _made_of(part["constituents"])
        else:
            yield part["op"], part["path"], part["value"], part["old"]


@pytest.mark.parametrize("part", range(2))
def test_small_edits_are_small_in_the_log(part: int) -> None:
    for seed in range(12 * part, 12 * part + 12):
        judge(seed)
